/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * iperf 2 over UDP: one session at a time as a server, with loss and jitter (RFC 1889, A.8), and a
 * paced sender. A datagram starts with a number (negative in the last one) and the sender's time;
 * the server answers the last one with its figures.
 */
#include "iperf.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/pbuf.h"
#include "lwip/tcpip.h"
#include "lwip/udp.h"

#include "board_api.h"
#include "console.h"
#include "net.h"
#include "shell.h"
#include "text.h"

/* Datagram: id (low 32 bits), seconds, microseconds, id (high 32 bits), then the client's header,
 * which iperf repeats in every datagram: flags, streams, ..., version. */
#define DATAGRAM_LEN 16u
#define ID_LOW       0u
#define SECONDS      4u
#define MICROSECONDS 8u
#define ID_HIGH      12u
#define FLAGS        16u
#define FLAG_ID64    0x08000000u
#define FLAGS_PLAIN  0x48010098u /* extended header, 64-bit ids, header length */
#define STREAMS      20u
#define VERSION_HIGH 52u
#define VERSION_LOW  56u
#define VERSION      0x0002000100080003ull /* 2.1.8: what was tested against */
#define CLIENT_LEN   76u

/* Report: the datagram's 16 bytes again, then these words, then extensions left zero. */
#define REPORT_LEN        128u
#define REPORT_FLAGS      16u
#define REPORT_BYTES_HIGH 20u
#define REPORT_BYTES_LOW  24u
#define REPORT_SECONDS    28u
#define REPORT_MICROS     32u
#define REPORT_LOST       36u
#define REPORT_LATE       40u
#define REPORT_DATAGRAMS  44u
#define REPORT_JITTER_S   48u
#define REPORT_JITTER_US  52u
#define FLAG_VERSION1     0x80000000u

#define FIN_TRIES   10
#define FIN_WAIT_MS 100u

struct session {
    bool active;
    ip_addr_t peer;
    uint16_t port;
    uint64_t start, last; /* first and latest arrival, microseconds */
    uint64_t bytes;
    int64_t highest; /* number seen */
    int64_t lost, late;
    bool have_transit;
    int64_t transit;    /* of the latest datagram: its two clocks' difference */
    uint64_t jitter_16; /* sixteenths of a microsecond */
    uint8_t report[REPORT_LEN];
};

static struct udp_pcb *server;
static struct session session;

static uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_be32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 24);
    p[1] = (uint8_t)(value >> 16);
    p[2] = (uint8_t)(value >> 8);
    p[3] = (uint8_t)value;
}

/* ---- server ---- */

static int64_t datagram_id(const uint8_t *head)
{
    uint32_t low = load_be32(head + ID_LOW);

    if ((load_be32(head + FLAGS) & FLAG_ID64) == 0)
        return (int32_t)low;
    return (int64_t)((uint64_t)load_be32(head + ID_HIGH) << 32 | low);
}

/* The first difference is skipped: the two clocks need not agree. */
static void measure_jitter(const uint8_t *head, uint64_t now)
{
    int64_t sent = (int64_t)load_be32(head + SECONDS) * 1000000 + load_be32(head + MICROSECONDS);
    int64_t transit = (int64_t)now - sent;
    int64_t change = transit - session.transit;

    if (session.have_transit)
        session.jitter_16 += (uint64_t)(change < 0 ? -change : change) - session.jitter_16 / 16;
    session.have_transit = true;
    session.transit = transit;
}

static void account(const uint8_t *head, uint16_t len, uint64_t now)
{
    int64_t id = datagram_id(head);

    if (id < 0)
        id = -id;
    if (id > session.highest + 1)
        session.lost += id - session.highest - 1;
    else if (id < session.highest + 1)
        session.late++;
    if (id > session.highest)
        session.highest = id;
    session.bytes += len;
    session.last = now;
    measure_jitter(head, now);
}

static void write_report(const uint8_t *head)
{
    uint8_t *r = session.report;
    uint64_t us = session.last - session.start;
    uint32_t jitter = (uint32_t)(session.jitter_16 / 16);

    memset(r, 0, REPORT_LEN);
    memcpy(r, head, DATAGRAM_LEN);
    store_be32(r + REPORT_FLAGS, FLAG_VERSION1 | FLAG_ID64);
    store_be32(r + REPORT_BYTES_HIGH, (uint32_t)(session.bytes >> 32));
    store_be32(r + REPORT_BYTES_LOW, (uint32_t)session.bytes);
    store_be32(r + REPORT_SECONDS, (uint32_t)(us / 1000000));
    store_be32(r + REPORT_MICROS, (uint32_t)(us % 1000000));
    store_be32(r + REPORT_LOST, (uint32_t)session.lost);
    store_be32(r + REPORT_LATE, (uint32_t)session.late);
    store_be32(r + REPORT_DATAGRAMS, (uint32_t)session.highest);
    store_be32(r + REPORT_JITTER_S, jitter / 1000000);
    store_be32(r + REPORT_JITTER_US, jitter % 1000000);
}

static void print_result(void)
{
    char summary[IPERF_SUMMARY_MAX], name[IPADDR_STRLEN_MAX];
    uint32_t jitter = (uint32_t)(session.jitter_16 / 16);
    int64_t missing = session.lost > session.late ? session.lost - session.late : 0;

    console_notice("iperf: %s, %lld/%lld lost, jitter %u.%03u ms, from %s",
                   iperf_summary(summary, "udp rx", session.bytes, session.last - session.start),
                   (long long)missing, (long long)session.highest, (unsigned)(jitter / 1000),
                   (unsigned)(jitter % 1000), text_address(&session.peer, name));
}

static void send_report(void)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, REPORT_LEN, PBUF_RAM);

    if (!p)
        return; /* the client asks again */
    (void)pbuf_take(p, session.report, REPORT_LEN);
    (void)udp_sendto(server, p, &session.peer, session.port);
    pbuf_free(p);
}

static bool from_session(const ip_addr_t *from, u16_t port)
{
    return session.port == port && ip_addr_eq(&session.peer, from);
}

static void on_datagram(void *context, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                        u16_t port)
{
    uint8_t head[DATAGRAM_LEN + 4] = {0};
    uint64_t now = board_clock_us();
    u16_t len = p->tot_len;
    u16_t have = pbuf_copy_partial(p, head, sizeof head, 0);

    (void)context;
    (void)pcb;
    pbuf_free(p);
    if (have < DATAGRAM_LEN)
        return;

    bool last = datagram_id(head) < 0;

    if (!session.active || !from_session(from, port)) {
        if (last && from_session(from, port))
            send_report(); /* ours was lost */
        if (last)
            return;
        session = (struct session){.active = true, .peer = *from, .port = port, .start = now};
    }
    account(head, len, now);
    if (!last)
        return;
    session.active = false;
    write_report(head);
    send_report();
    print_result();
}

err_t iperf_udp_serve(uint16_t port)
{
    server = udp_new_ip_type(IPADDR_TYPE_ANY);

    err_t error = server ? udp_bind(server, IP_ANY_TYPE, port) : ERR_MEM;

    if (error == ERR_OK)
        udp_recv(server, on_datagram, NULL);
    else
        iperf_udp_stop();
    return error;
}

void iperf_udp_stop(void)
{
    if (server)
        udp_remove(server);
    server = NULL;
    session = (struct session){0};
}

/* ---- client ---- */

struct sender {
    struct udp_pcb *pcb;
    const struct iperf_options *options;
    uint32_t length;
    uint64_t start, sent_bytes;
    int64_t id;
    uint32_t refused; /* by the stack: out of buffers */
    volatile bool reported;
    uint8_t report[REPORT_LEN];
};

static void on_report(void *context, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                      u16_t port)
{
    struct sender *sender = context;

    (void)pcb;
    (void)from;
    (void)port;
    if (pbuf_copy_partial(p, sender->report, REPORT_LEN, 0) >= REPORT_JITTER_US + 4) {
        sender->reported = true;
        console_wake();
    }
    pbuf_free(p);
}

static void write_head(uint8_t head[CLIENT_LEN], int64_t id)
{
    uint64_t now = board_clock_us();

    memset(head, 0, CLIENT_LEN);
    store_be32(head + ID_LOW, (uint32_t)id);
    store_be32(head + SECONDS, (uint32_t)(now / 1000000));
    store_be32(head + MICROSECONDS, (uint32_t)(now % 1000000));
    store_be32(head + ID_HIGH, (uint32_t)((uint64_t)id >> 32));
    store_be32(head + FLAGS, FLAGS_PLAIN);
    store_be32(head + STREAMS, 1);
    store_be32(head + VERSION_HIGH, (uint32_t)(VERSION >> 32));
    store_be32(head + VERSION_LOW, (uint32_t)VERSION);
}

static void send_datagram(struct sender *sender, int64_t id)
{
    uint8_t head[CLIENT_LEN];

    write_head(head, id);

    LOCK_TCPIP_CORE();
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)sender->length, PBUF_RAM);
    err_t error = ERR_MEM;

    if (p) {
        memset(p->payload, 0, p->len);
        (void)pbuf_take(p, head, sizeof head);
        error = udp_send(sender->pcb, p);
        pbuf_free(p);
    }
    UNLOCK_TCPIP_CORE();

    if (error != ERR_OK)
        sender->refused++;
    sender->sent_bytes += sender->length;
}

/* Datagrams due by now at the wanted rate: late ones are made up for, as iperf does. */
static bool send_due(struct sender *sender)
{
    const struct iperf_options *options = sender->options;
    uint64_t passed = board_clock_us() - sender->start;
    uint64_t due = passed * options->rate_kbit / 8000 + sender->length;

    while (sender->sent_bytes + sender->length <= due) {
        bool done = options->bytes ? sender->sent_bytes >= options->bytes
                                   : passed >= options->milliseconds * 1000ull;

        if (done)
            return false;
        send_datagram(sender, ++sender->id);
    }
    return true;
}

static void print_sent(const struct sender *sender, uint64_t us)
{
    char summary[IPERF_SUMMARY_MAX], name[IPADDR_STRLEN_MAX];
    const uint8_t *r = sender->report;

    console_printf("iperf: %s, to %s\n", iperf_summary(summary, "udp tx", sender->sent_bytes, us),
                   text_address(&sender->options->host, name));
    if (sender->refused)
        console_printf("iperf: %u datagrams not sent: out of buffers\n", (unsigned)sender->refused);
    if (!sender->reported) {
        console_printf("iperf: the server sent no report\n");
        return;
    }

    /* Its jitter says nothing: iperf 2.1 counts the difference of the two clocks into it. */
    int32_t lost = (int32_t)(load_be32(r + REPORT_LOST) - load_be32(r + REPORT_LATE));

    console_printf("iperf: server report: %d/%u lost\n", lost < 0 ? 0 : (int)lost,
                   (unsigned)load_be32(r + REPORT_DATAGRAMS));
}

static void ask_for_report(struct sender *sender)
{
    for (int i = 0; i < FIN_TRIES && !sender->reported; i++) {
        send_datagram(sender, -++sender->id);
        sender->sent_bytes -= sender->length;
        if (!console_wait(FIN_WAIT_MS))
            return;
    }
}

static bool open(struct sender *sender)
{
    LOCK_TCPIP_CORE();
    sender->pcb = udp_new_ip_type(IP_GET_TYPE(&sender->options->host));
    err_t error = sender->pcb
                      ? udp_connect(sender->pcb, &sender->options->host, sender->options->port)
                      : ERR_MEM;
    if (error == ERR_OK)
        udp_recv(sender->pcb, on_report, sender);
    else if (sender->pcb)
        udp_remove(sender->pcb);
    UNLOCK_TCPIP_CORE();
    return error == ERR_OK || shell_error("iperf cannot send: %s", net_error(error));
}

bool iperf_udp_send(const struct iperf_options *options)
{
    static struct sender sender;

    sender = (struct sender){
        .options = options,
        .length = options->length            ? options->length
                  : IP_IS_V6(&options->host) ? 1450
                                             : 1470,
    };
    if (!open(&sender))
        return false;

    sender.start = board_clock_us();
    while (send_due(&sender)) {
        if (!console_wait(1))
            break;
    }

    uint64_t us = board_clock_us() - sender.start;

    ask_for_report(&sender);
    LOCK_TCPIP_CORE();
    udp_remove(sender.pcb);
    UNLOCK_TCPIP_CORE();
    print_sent(&sender, us);
    return true;
}
