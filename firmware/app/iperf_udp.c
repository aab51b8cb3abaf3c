/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * iperf 2 over UDP, the client: paced streams, each from a separate port.
 */
#include "iperf_udp.h"

#include <string.h>

#include "lwip/pbuf.h"
#include "lwip/tcpip.h"
#include "lwip/udp.h"

#include "board_api.h"
#include "console.h"
#include "iperf_series.h"
#include "net.h"
#include "shell.h"
#include "text.h"

#define FIN_TRIES   10
#define FIN_WAIT_MS 100u

/* A late sender catches up for at most this long, then checks for Ctrl-C and lets tasks of lower
 * priority run. */
#define BURST_US 5000u

struct sender {
    struct udp_pcb *pcb;
    uint64_t offered, sent; /* bytes passed to the stack, bytes it accepted */
    int64_t id;             /* of the latest datagram sent */
    uint32_t refused;       /* datagrams that the stack rejected; the reason */
    err_t reason;
    bool over;
    struct iperf_series series;
    volatile bool reported;
    uint8_t report[IPERF_REPORT_LEN];
    size_t report_len;
};

static struct sender senders[IPERF_STREAMS];
static const struct iperf_options *options;
static uint32_t length; /* of a datagram */
static uint64_t start;

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

/* ---- sending ---- */

static void write_head(uint8_t head[IPERF_DATAGRAM_MIN], int64_t id)
{
    const struct iperf_request request = {.mode = options->mode,
                                          .port = options->back_port,
                                          .bytes = options->bytes,
                                          .duration =
                                              options->bytes ? 0 : options->milliseconds * 1000ull};

    iperf_write_datagram(head, id, board_clock_us());
    if (options->mode != IPERF_RECEIVE)
        iperf_write_header(head + IPERF_DATAGRAM_LEN, &request, true);
}

static bool send_datagram(struct sender *sender, int64_t id)
{
    uint8_t head[IPERF_DATAGRAM_MIN];

    write_head(head, id);
    LOCK_TCPIP_CORE();
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)length, PBUF_RAM);
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
    sender->offered += length;
    if (send_datagram(sender, sender->id + 1)) {
        sender->id++;
        sender->sent += length;
    } else {
        sender->refused++;
    }
}

static void print_sent(const char *bytes)
{
    char name[IPADDR_STRLEN_MAX];

    console_printf("iperf: %s, to %s\n", bytes, text_address(&options->host, name));
}

static void print_series(struct sender *sender, bool last)
{
    char line[TEXT_INTERVAL_MAX];
    struct iperf_interval i;
    uint64_t now = board_clock_us();

    while (iperf_series_next(&sender->series, now, sender->sent, &i) ||
           (last && iperf_series_end(&sender->series, now, sender->sent, &i)))
        print_sent(text_interval(line, "udp tx", i.from, i.to, i.bytes));
}

/* Number of datagrams due by now at the requested rate. Like iperf it catches up after delays, but
 * not beyond the end or one burst. Without a rate, sends until the stack refuses. */
static void send_due(struct sender *sender, uint64_t burst_end)
{
    uint64_t now;

    while (!sender->over && (now = board_clock_us()) < burst_end) {
        uint64_t passed = now - start;
        uint32_t refused = sender->refused;

        sender->over = options->bytes ? sender->offered >= options->bytes
                                      : passed >= options->milliseconds * 1000ull;
        if (sender->over ||
            (options->rate_kbit > 0 && sender->offered > passed * options->rate_kbit / 8000))
            return;
        send_next(sender);
        if (options->rate_kbit == 0 && sender->refused > refused)
            return;
    }
}

/* False: interrupted. */
static bool send_all(void)
{
    uint32_t active;

    do {
        uint64_t share = BURST_US / options->streams;

        active = 0;
        for (struct sender *s = senders; s < senders + options->streams; s++) {
            send_due(s, board_clock_us() + share);
            print_series(s, false);
            active += !s->over;
        }
        if (!console_wait(1))
            return false;
    } while (active > 0);
    return true;
}

/* ---- the end ---- */

static void print_result(struct sender *sender, uint64_t us)
{
    char summary[TEXT_TRANSFER_MAX];
    uint32_t lost, total;

    print_sent(text_transfer(summary, "udp tx", sender->sent, us));
    if (sender->refused)
        console_printf("iperf: %u datagrams not sent: %s\n", (unsigned)sender->refused,
                       net_error(sender->reason));
    if (sender->reported && iperf_read_report(sender->report, sender->report_len, &lost, &total))
        console_printf("iperf: server report: %u/%u lost\n", (unsigned)lost, (unsigned)total);
    else
        console_printf("iperf: the server sent no report\n");
}

static bool ask_for_reports(void)
{
    for (int i = 0; i < FIN_TRIES; i++) {
        bool waiting = false;

        for (struct sender *s = senders; s < senders + options->streams; s++) {
            if (s->reported)
                continue;
            waiting = true;
            (void)send_datagram(s, -++s->id);
        }
        if (!waiting)
            return true;
        if (!console_wait(FIN_WAIT_MS))
            return false;
    }
    return true;
}

/* ---- life ---- */

static err_t open(struct sender *sender)
{
    err_t error;

    sender->pcb = udp_new_ip_type(IP_GET_TYPE(&options->host));
    error = sender->pcb ? udp_connect(sender->pcb, &options->host, options->port) : ERR_MEM;
    if (error == ERR_OK)
        udp_recv(sender->pcb, on_report, sender);
    return error;
}

/* With -d and -r the other side also sends, to the port given. */
static err_t open_all(bool *serving)
{
    err_t error = ERR_OK;

    *serving = false;
    memset(senders, 0, sizeof senders);
    LOCK_TCPIP_CORE();
    if (options->mode != IPERF_RECEIVE)
        error = iperf_udp_expect(options, serving);
    for (uint32_t i = 0; i < options->streams && error == ERR_OK; i++)
        error = open(&senders[i]);
    UNLOCK_TCPIP_CORE();
    return error;
}

static void close_all(bool serving)
{
    LOCK_TCPIP_CORE();
    for (uint32_t i = 0; i < IPERF_STREAMS; i++) {
        if (senders[i].pcb)
            udp_remove(senders[i].pcb);
        senders[i].pcb = NULL;
    }
    if (serving)
        iperf_udp_stop();
    UNLOCK_TCPIP_CORE();
}

/* The session in the other direction ends with its last datagram or by timeout. False: none
 * arrived, or interrupted. */
static bool wait_for_session(uint32_t ended_before)
{
    uint64_t most = options->milliseconds * 1000ull + 2 * options->timeout_ms * 1000ull;
    uint64_t end = board_clock_us() + most;

    while (iperf_udp_sessions_ended() == ended_before) {
        if (board_clock_us() >= end)
            return shell_error("iperf received no datagrams on port %u", options->back_port);
        if (!console_wait(500))
            return shell_error("iperf was interrupted");
    }
    return true;
}

static bool send_and_report(void)
{
    uint32_t ended = iperf_udp_sessions_ended();
    char summary[TEXT_TRANSFER_MAX];
    uint64_t sum = 0, us;
    bool finished;

    start = board_clock_us();
    for (uint32_t i = 0; i < options->streams; i++)
        iperf_series_begin(&senders[i].series, start, options->interval_ms);
    finished = send_all();
    us = board_clock_us() - start;
    for (uint32_t i = 0; i < options->streams; i++)
        print_series(&senders[i], true);
    if (finished)
        finished = ask_for_reports();
    for (uint32_t i = 0; i < options->streams; i++) {
        print_result(&senders[i], us);
        sum += senders[i].sent;
    }
    if (options->streams > 1)
        console_printf("iperf: sum of %u streams: %s\n", (unsigned)options->streams,
                       text_transfer(summary, "udp tx", sum, us));
    if (!finished)
        return shell_error("iperf was interrupted");
    return options->mode == IPERF_RECEIVE || wait_for_session(ended);
}

bool iperf_udp_send(const struct iperf_options *wanted)
{
    bool serving, good;
    err_t error;

    options = wanted;
    length = wanted->length > 0 ? wanted->length : IP_IS_V6(&wanted->host) ? 1450 : 1470;
    error = open_all(&serving);
    good = error == ERR_OK ? send_and_report()
                           : shell_error("iperf cannot send: %s", net_error(error));
    close_all(serving);
    console_flush();
    return good;
}
