/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * iperf 2 over TCP, on lwIP's raw API. A stream counts what it receives from the first byte to the
 * peer's FIN, and what it sends from the connection to the last acknowledgement. The server reads
 * the client's header only to learn whether the client also wants data sent: in the other direction
 * of the same connection (iperf -c HOST -R), or on a connection back to the client, at once (-d) or
 * afterwards (-r).
 */
#include "iperf_tcp.h"

#include <string.h>

#include "lwip/pbuf.h"
#include "lwip/tcp.h"
#include "lwip/tcpip.h"

#include "board_api.h"
#include "console.h"
#include "iperf_wire.h"
#include "net.h"
#include "shell.h"
#include "text.h"

#define STREAMS          4
#define POLL_HALF_SECOND 1

/* An idle connection is closed so that others can use its slot. */
#define IDLE_SECONDS 30u

enum stream_state {
    STREAM_FREE,
    STREAM_CONNECTING,
    STREAM_RECEIVING,
    STREAM_SENDING,
    STREAM_DRAINING, /* all written, waiting for the acknowledgements */
};

struct stream {
    enum stream_state state;
    struct tcp_pcb *pcb;
    ip_addr_t peer;
    uint64_t start, moved; /* beginning and latest progress, device clock in microseconds */
    uint64_t received;
    uint64_t written, acknowledged;
    uint64_t bytes;    /* to send; 0: send for `duration` */
    uint64_t duration; /* microseconds */
    bool ours;         /* started by the shell, which waits for it */
    uint8_t header[IPERF_HEADER_LEN];
    struct iperf_request request; /* from the client's header, once received */
};

static struct stream streams[STREAMS];
static struct tcp_pcb *listener;

/* The payload; written by reference, never copied. */
#define DIGITS     "0123456789"
#define DIGITS_100 DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS
#define DIGITS_500 DIGITS_100 DIGITS_100 DIGITS_100 DIGITS_100 DIGITS_100
static const char pattern[] = DIGITS_500 DIGITS_500 DIGITS_500;
_Static_assert(TCP_MSS < sizeof pattern, "one segment at a time");

/* ---- end of a stream ---- */

static void connect_back(const struct stream *from);

static void report(const struct stream *stream)
{
    char summary[TEXT_TRANSFER_MAX], name[IPADDR_STRLEN_MAX];
    bool sent = stream->state == STREAM_SENDING || stream->state == STREAM_DRAINING;
    uint64_t bytes = sent ? stream->acknowledged : stream->received;

    console_notice(
        "iperf: %s, %s %s",
        text_transfer(summary, sent ? "tx" : "rx", bytes, board_clock_us() - stream->start),
        sent ? "to" : "from", text_address(&stream->peer, name));
}

static void release(struct stream *stream)
{
    stream->state = STREAM_FREE;
    stream->ours = false;
    console_wake();
}

static void detach(struct tcp_pcb *pcb)
{
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
}

static void abandon(struct stream *stream)
{
    struct tcp_pcb *pcb = stream->pcb;

    if (stream->state == STREAM_FREE)
        return;
    if (stream->state != STREAM_CONNECTING)
        report(stream);
    release(stream);
    detach(pcb);
    tcp_abort(pcb);
}

/* Returns what the lwIP callback that calls it returns. */
static err_t finish(struct stream *stream)
{
    const struct stream done = *stream;
    struct tcp_pcb *pcb = stream->pcb;

    report(stream);
    release(stream);
    detach(pcb);
    if (done.state == STREAM_RECEIVING && done.request.wish == IPERF_SEND_AFTERWARDS)
        connect_back(&done);
    if (tcp_close(pcb) == ERR_OK)
        return ERR_OK;
    tcp_abort(pcb);
    return ERR_ABRT;
}

/* ---- sending ---- */

static bool all_written(const struct stream *stream)
{
    return stream->bytes ? stream->written == stream->bytes
                         : board_clock_us() - stream->start >= stream->duration;
}

/* Write whole segments only, so that no short segment is sent. */
static size_t next_chunk(const struct stream *stream)
{
    size_t segment = tcp_mss(stream->pcb);
    uint64_t left = stream->bytes ? stream->bytes - stream->written : segment;

    return left < segment ? (size_t)left : segment;
}

static void fill(struct stream *stream)
{
    while (!all_written(stream)) {
        size_t len = next_chunk(stream);

        if (tcp_sndbuf(stream->pcb) < len ||
            tcp_write(stream->pcb, pattern, (u16_t)len, 0) != ERR_OK)
            return;
        stream->written += len;
    }
    if (tcp_shutdown(stream->pcb, 0, 1) == ERR_OK)
        stream->state = STREAM_DRAINING;
}

static err_t keep_sending(struct stream *stream)
{
    if (stream->state == STREAM_SENDING)
        fill(stream);
    if (stream->state == STREAM_DRAINING && stream->acknowledged == stream->written)
        return finish(stream);
    return ERR_OK;
}

static err_t on_sent(void *context, struct tcp_pcb *pcb, u16_t len)
{
    struct stream *stream = context;

    (void)pcb;
    stream->acknowledged += len;
    stream->moved = board_clock_us();
    return keep_sending(stream);
}

static bool is_idle(const struct stream *stream)
{
    return stream->state != STREAM_CONNECTING &&
           board_clock_us() - stream->moved >= IDLE_SECONDS * 1000000u;
}

static err_t on_poll(void *context, struct tcp_pcb *pcb)
{
    struct stream *stream = context;
    char name[IPADDR_STRLEN_MAX];

    if (is_idle(stream)) {
        console_notice("error: iperf gave up on %s: no data for %u s",
                       text_address(&stream->peer, name), IDLE_SECONDS);
        abandon(stream);
        return ERR_ABRT;
    }

    err_t result = keep_sending(stream);

    if (result == ERR_OK && stream->state == STREAM_SENDING)
        (void)tcp_output(pcb);
    return result;
}

/* ---- receiving ---- */

static void take_amount(struct stream *stream, const struct iperf_request *request)
{
    stream->bytes = request->bytes;
    stream->duration = request->duration;
}

static void start_reverse(struct stream *stream)
{
    take_amount(stream, &stream->request);
    stream->start = board_clock_us();
    stream->state = STREAM_SENDING;
    fill(stream);
}

static void obey_header(struct stream *stream)
{
    stream->request = iperf_parse_header(stream->header, sizeof stream->header);
    if (stream->request.wish == IPERF_SEND_INSTEAD)
        start_reverse(stream);
    else if (stream->request.wish == IPERF_SEND_NOW)
        connect_back(stream);
    else if (stream->request.wish == IPERF_FULL_DUPLEX)
        console_notice("error: iperf does not support %s; it only receives",
                       iperf_wish_name(stream->request.wish));
}

static void count(struct stream *stream, struct pbuf *p)
{
    bool had_header = stream->received >= IPERF_HEADER_LEN;

    if (stream->received == 0)
        stream->start = board_clock_us();
    if (!had_header)
        (void)pbuf_copy_partial(p, stream->header + stream->received,
                                (u16_t)(IPERF_HEADER_LEN - stream->received), 0);
    stream->received += p->tot_len;
    if (!had_header && stream->received >= IPERF_HEADER_LEN)
        obey_header(stream);
}

static err_t on_receive(void *context, struct tcp_pcb *pcb, struct pbuf *p, err_t error)
{
    struct stream *stream = context;

    (void)error;
    if (!p)
        return finish(stream);
    stream->moved = board_clock_us();
    if (stream->state == STREAM_RECEIVING)
        count(stream, p);
    tcp_recved(pcb, p->tot_len);
    pbuf_free(p);
    return ERR_OK;
}

/* lwIP has already freed the connection. */
static void on_error(void *context, err_t error)
{
    struct stream *stream = context;
    char name[IPADDR_STRLEN_MAX];

    (void)text_address(&stream->peer, name);
    if (stream->state == STREAM_CONNECTING) {
        console_notice("error: iperf could not connect to %s: %s; is 'iperf -s' running there?",
                       name, net_error(error));
    } else {
        report(stream);
        console_notice("error: iperf lost %s: %s", name, net_error(error));
    }
    release(stream);
}

static struct stream *attach(struct tcp_pcb *pcb)
{
    for (size_t i = 0; i < STREAMS; i++) {
        struct stream *stream = &streams[i];

        if (stream->state != STREAM_FREE)
            continue;
        *stream = (struct stream){.pcb = pcb, .peer = pcb->remote_ip, .moved = board_clock_us()};
        tcp_arg(pcb, stream);
        tcp_recv(pcb, on_receive);
        tcp_sent(pcb, on_sent);
        tcp_err(pcb, on_error);
        tcp_poll(pcb, on_poll, POLL_HALF_SECOND);
        tcp_nagle_disable(pcb);
        return stream;
    }
    return NULL;
}

/* ---- server ---- */

static err_t on_accept(void *context, struct tcp_pcb *pcb, err_t error)
{
    (void)context;
    if (error != ERR_OK || !pcb)
        return ERR_VAL;

    struct stream *stream = attach(pcb);

    if (!stream) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    stream->state = STREAM_RECEIVING;
    stream->start = board_clock_us();
    return ERR_OK;
}

err_t iperf_tcp_serve(uint16_t port)
{
    struct tcp_pcb *pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);
    err_t error = pcb ? tcp_bind(pcb, IP_ANY_TYPE, port) : ERR_MEM;

    if (error == ERR_OK)
        listener = tcp_listen_with_backlog_and_err(pcb, STREAMS, &error);
    if (error != ERR_OK && pcb) {
        (void)tcp_close(pcb);
        return error;
    }
    if (listener)
        tcp_accept(listener, on_accept);
    return error;
}

void iperf_tcp_stop(void)
{
    if (listener)
        (void)tcp_close(listener); /* a listener always closes */
    listener = NULL;
    for (size_t i = 0; i < STREAMS; i++)
        abandon(&streams[i]);
}

/* ---- client ---- */

static err_t on_connected(void *context, struct tcp_pcb *pcb, err_t error)
{
    struct stream *stream = context;

    (void)error; /* always ERR_OK; failures come to on_error */
    (void)pcb;
    stream->start = stream->moved = board_clock_us();
    stream->state = STREAM_SENDING;
    fill(stream);
    return ERR_OK;
}

/* The caller sets how much to send before it releases the core lock. */
static struct stream *connect(const ip_addr_t *host, uint16_t port, err_t *error)
{
    struct tcp_pcb *pcb = tcp_new_ip_type(IP_GET_TYPE(host));
    struct stream *stream = pcb ? attach(pcb) : NULL;

    *error = ERR_MEM;
    if (stream) {
        stream->state = STREAM_CONNECTING;
        stream->peer = *host;
        *error = tcp_connect(pcb, host, port, on_connected);
        if (*error == ERR_OK)
            return stream;
        release(stream);
    }
    if (pcb) {
        detach(pcb);
        tcp_abort(pcb);
    }
    return NULL;
}

static void connect_back(const struct stream *from)
{
    err_t error;
    struct stream *stream = connect(&from->peer, from->request.port, &error);

    if (stream)
        take_amount(stream, &from->request);
    else
        console_notice("error: iperf cannot connect back: %s", net_error(error));
}

bool iperf_tcp_send(const struct iperf_options *options)
{
    err_t error;

    LOCK_TCPIP_CORE();
    struct stream *stream = connect(&options->host, options->port, &error);
    if (stream) {
        stream->bytes = options->bytes;
        stream->duration = options->milliseconds * 1000ull;
        stream->ours = true;
    }
    UNLOCK_TCPIP_CORE();
    if (!stream)
        return shell_error("iperf cannot connect: %s", net_error(error));

    while (stream->ours) {
        if (console_wait(1000))
            continue;
        LOCK_TCPIP_CORE();
        if (stream->ours)
            abandon(stream);
        UNLOCK_TCPIP_CORE();
        console_flush();
        return shell_error("iperf was interrupted");
    }
    console_flush();
    return true;
}
