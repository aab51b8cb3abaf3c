/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * iperf 2 over UDP: a server for one session at a time, and a paced sender. The server answers the
 * last datagram with a report and sends nothing else: the address of a client that asks it to send
 * (iperf -R, -d, -r) may be forged, and the device would flood a third party.
 */
#include "iperf_udp.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/pbuf.h"
#include "lwip/tcpip.h"
#include "lwip/udp.h"

#include "board_api.h"
#include "console.h"
#include "iperf_wire.h"
#include "net.h"
#include "shell.h"
#include "text.h"

#define FIN_TRIES   10
#define FIN_WAIT_MS 100u

/* A new client may begin once the current one has been silent for this long. */
#define SILENCE_US 1000000u

/* Minimum time between two reports, and between two refusals: addresses may be forged. */
#define REPORT_GAP_US  20000u
#define REFUSAL_GAP_US 1000000u

/* A late sender catches up for at most this long, then checks for Ctrl-C and lets tasks of lower
 * priority run. */
#define BURST_US 5000u

struct session {
    bool active;
    ip_addr_t peer;
    uint16_t port;
    struct iperf_count count;
    int64_t answered; /* id (negative) of the last datagram that got a report */
    uint8_t report[IPERF_REPORT_LEN];
};

static struct udp_pcb *server;
static struct session session;
static uint64_t next_report, next_refusal; /* earliest time, device clock */

/* ---- server ---- */

static void print_result(void)
{
    const struct iperf_count *count = &session.count;
    char summary[TEXT_TRANSFER_MAX], name[IPADDR_STRLEN_MAX];
    uint32_t jitter = iperf_jitter_us(count);

    console_notice("iperf: %s, %lld/%lld lost, jitter %u.%03u ms, from %s",
                   text_transfer(summary, "udp rx", count->bytes, count->last - count->start),
                   (long long)iperf_missing(count), (long long)count->highest,
                   (unsigned)(jitter / 1000), (unsigned)(jitter % 1000),
                   text_address(&session.peer, name));
}

/* Sends at most one report per id, and ids only advance: a report that an echo service reflects
 * looks like another last datagram, but repeats the previous id. */
static void send_report(int64_t id, uint64_t now)
{
    struct pbuf *p;

    session.answered = id;
    next_report = now + REPORT_GAP_US;
    p = pbuf_alloc(PBUF_TRANSPORT, IPERF_REPORT_LEN, PBUF_RAM);
    if (!p)
        return; /* the client asks again */
    (void)pbuf_take(p, session.report, IPERF_REPORT_LEN);
    (void)udp_sendto(server, p, &session.peer, session.port);
    pbuf_free(p);
}

static bool from_session(const ip_addr_t *from, u16_t port)
{
    return session.port == port && ip_addr_eq(&session.peer, from);
}

/* Reordered datagrams may arrive after the end of a session; they do not begin a new one. Nor does
 * another client while a session is active. */
static bool may_begin(const ip_addr_t *from, u16_t port, uint64_t now)
{
    bool silent = now - session.count.last >= SILENCE_US;

    if (session.port == 0 || silent)
        return true;
    return !session.active && !from_session(from, port);
}

static void refuse(const struct iperf_request *request, const ip_addr_t *from, uint64_t now)
{
    char name[IPADDR_STRLEN_MAX];

    if (now < next_refusal)
        return;
    next_refusal = now + REFUSAL_GAP_US;
    console_notice("error: iperf refuses to send UDP to %s (%s): the address may be forged; use "
                   "'iperf -c HOST -u' here",
                   text_address(from, name), iperf_wish_name(request->wish));
}

static void on_last(const uint8_t *head, uint16_t len, uint64_t now)
{
    int64_t id = iperf_datagram_id(head);

    if (session.active)
        iperf_count_datagram(&session.count, head, len, now);
    if (now < next_report || id >= session.answered)
        return;
    if (session.active)
        print_result();
    session.active = false;
    iperf_write_report(&session.count, head, session.report);
    send_report(id, now);
}

static void on_datagram(void *context, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                        u16_t port)
{
    uint8_t head[IPERF_DATAGRAM_MIN] = {0};
    uint64_t now = board_clock_us();
    u16_t len = p->tot_len;
    u16_t have = pbuf_copy_partial(p, head, sizeof head, 0);
    bool last = iperf_datagram_id(head) < 0;

    (void)context;
    (void)pcb;
    pbuf_free(p);
    if (have < IPERF_DATAGRAM_LEN)
        return;
    if (last) {
        if (from_session(from, port))
            on_last(head, len, now);
        return;
    }
    if (!session.active || !from_session(from, port)) {
        struct iperf_request request =
            iperf_parse_header(head + IPERF_DATAGRAM_LEN, have - IPERF_DATAGRAM_LEN);

        if (request.wish != IPERF_RECEIVE)
            refuse(&request, from, now);
        if (request.wish == IPERF_SEND_INSTEAD || !may_begin(from, port, now))
            return;
        session =
            (struct session){.active = true, .peer = *from, .port = port, .count = {.start = now}};
    }
    iperf_count_datagram(&session.count, head, len, now);
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
    uint64_t start;
    uint64_t offered, sent; /* bytes passed to the stack, bytes it accepted */
    int64_t id;             /* of the latest datagram sent */
    uint32_t refused;       /* datagrams that the stack rejected; the reason */
    err_t reason;
    volatile bool reported;
    uint8_t report[IPERF_REPORT_LEN];
    size_t report_len;
};

static void on_report(void *context, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                      u16_t port)
{
    struct sender *sender = context;

    (void)pcb;
    (void)from;
    (void)port;
    if (!sender->reported) {
        sender->report_len = pbuf_copy_partial(p, sender->report, IPERF_REPORT_LEN, 0);
        sender->reported = true;
        console_wake();
    }
    pbuf_free(p);
}

static bool send_datagram(struct sender *sender, int64_t id)
{
    uint8_t head[IPERF_DATAGRAM_MIN];

    iperf_write_datagram(head, id, board_clock_us());

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
        sender->reason = error;
    return error == ERR_OK;
}

/* Only a datagram that was sent consumes an id: the server would count the others as lost. */
static void send_next(struct sender *sender)
{
    sender->offered += sender->length;
    if (send_datagram(sender, sender->id + 1)) {
        sender->id++;
        sender->sent += sender->length;
    } else {
        sender->refused++;
    }
}

static bool is_over(const struct sender *sender, uint64_t passed)
{
    const struct iperf_options *options = sender->options;

    return options->bytes ? sender->offered >= options->bytes
                          : passed >= options->milliseconds * 1000ull;
}

/* Sends the datagrams due by now at the requested rate. Catches up if late, as iperf does, but for
 * at most one burst and not beyond the end. False at the end. */
static bool send_due(struct sender *sender)
{
    uint64_t begun = board_clock_us(), now;

    while ((now = board_clock_us()) - begun < BURST_US) {
        uint64_t passed = now - sender->start;
        uint64_t due = passed * sender->options->rate_kbit / 8000;

        if (is_over(sender, passed))
            return false;
        if (sender->offered > due)
            break;
        send_next(sender);
    }
    return true;
}

static void print_sent(const struct sender *sender, uint64_t us)
{
    char summary[TEXT_TRANSFER_MAX], name[IPADDR_STRLEN_MAX];
    uint32_t lost, total;

    console_printf("iperf: %s, to %s\n", text_transfer(summary, "udp tx", sender->sent, us),
                   text_address(&sender->options->host, name));
    if (sender->refused)
        console_printf("iperf: %u datagrams not sent: %s\n", (unsigned)sender->refused,
                       net_error(sender->reason));
    if (sender->reported && iperf_read_report(sender->report, sender->report_len, &lost, &total))
        console_printf("iperf: server report: %u/%u lost\n", (unsigned)lost, (unsigned)total);
    else
        console_printf("iperf: the server sent no report\n");
}

static void ask_for_report(struct sender *sender)
{
    for (int i = 0; i < FIN_TRIES && !sender->reported; i++) {
        (void)send_datagram(sender, -++sender->id);
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
    bool finished = true;

    sender = (struct sender){
        .options = options,
        .length = options->length            ? options->length
                  : IP_IS_V6(&options->host) ? 1450
                                             : 1470,
    };
    if (!open(&sender))
        return false;

    sender.start = board_clock_us();
    while (finished && send_due(&sender))
        finished = console_wait(1);

    uint64_t us = board_clock_us() - sender.start;

    if (finished)
        ask_for_report(&sender);
    LOCK_TCPIP_CORE();
    udp_remove(sender.pcb);
    UNLOCK_TCPIP_CORE();
    print_sent(&sender, us);
    return finished || shell_error("iperf was interrupted");
}
