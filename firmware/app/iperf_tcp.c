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
#include "lwip/timeouts.h"

#include "board_api.h"
#include "console.h"
#include "iperf_series.h"
#include "net.h"
#include "shell.h"
#include "text.h"

#define STREAMS          IPERF_STREAMS
#define POLL_HALF_SECOND 1

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
    uint16_t peer_port;
    uint64_t start, moved; /* beginning, latest progress; of the clock, in microseconds */
    uint64_t received;
    uint64_t written, acknowledged;
    uint64_t bytes;    /* bytes to send; 0: use `duration` */
    uint64_t duration; /* ...as many microseconds */
    uint32_t chunk;    /* limit of a write, bytes */
    uint32_t window;   /* limit of unacknowledged bytes; 0: lwIP's */
    uint32_t mss;      /* limit of segments sent; 0: none */
    uint32_t withheld; /* received bytes to keep closed, so that the window shrinks */
    uint64_t timeout;  /* without progress, microseconds */
    uint32_t interval_ms;
    struct iperf_series series;
    bool ours; /* the shell started it and waits */
    bool has_header;
    uint8_t header[IPERF_HEADER_LEN];
    struct iperf_request request; /* the client's, once its header has arrived */
};

static struct stream streams[STREAMS];
static struct tcp_pcb *listener;
static struct iperf_options serving; /* of the listener */

/* The shell's client, if any: connections still expected back, results. Core lock. */
static struct {
    uint32_t expected;
    bool failed;
    uint64_t sent, start, end; /* of all its streams that sent */
} client;

/* The payload; written by reference, never copied. */
#define DIGITS     "0123456789"
#define DIGITS_100 DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS
#define DIGITS_500 DIGITS_100 DIGITS_100 DIGITS_100 DIGITS_100 DIGITS_100
static const _Alignas(uint32_t) char pattern[] = DIGITS_500 DIGITS_500 DIGITS_500;
_Static_assert(TCP_MSS < sizeof pattern, "one segment at a time");

/* ---- end of a stream ---- */

static void connect_back(const struct stream *from);

static bool is_sender(const struct stream *stream)
{
    return stream->state == STREAM_SENDING || stream->state == STREAM_DRAINING;
}

static uint64_t moved_bytes(const struct stream *stream)
{
    return is_sender(stream) ? stream->acknowledged : stream->received;
}

static void print_interval(const struct stream *stream, const struct iperf_interval *interval)
{
    char line[TEXT_INTERVAL_MAX], name[IPADDR_STRLEN_MAX];
    bool sent = is_sender(stream);

    console_notice(
        "iperf: %s, %s %s port %u",
        text_interval(line, sent ? "tx" : "rx", interval->from, interval->to, interval->bytes),
        sent ? "to" : "from", text_address(&stream->peer, name), stream->peer_port);
}

static void print_series(struct stream *stream)
{
    struct iperf_interval interval;

    while (iperf_series_next(&stream->series, board_clock_us(), moved_bytes(stream), &interval))
        print_interval(stream, &interval);
}

/* One timer for all streams, at the end of the interval that ends first. */
static void on_interval(void *unused)
{
    uint64_t now = board_clock_us(), due = UINT64_MAX;

    (void)unused;
    for (struct stream *stream = streams; stream < streams + STREAMS; stream++) {
        if (stream->state == STREAM_FREE)
            continue;
        print_series(stream);
        due = LWIP_MIN(due, iperf_series_due(&stream->series));
    }
    sys_untimeout(on_interval, NULL);
    if (due != UINT64_MAX)
        sys_timeout(due > now ? (u32_t)((due - now) / 1000 + 1) : 1, on_interval, NULL);
}

/* The start of its byte count. */
static void begin_transfer(struct stream *stream)
{
    stream->start = board_clock_us();
    iperf_series_begin(&stream->series, stream->start, stream->interval_ms);
    if (stream->interval_ms > 0)
        on_interval(NULL);
}

static void report(struct stream *stream)
{
    char summary[TEXT_TRANSFER_MAX], name[IPADDR_STRLEN_MAX];
    struct iperf_interval interval;
    bool sent = is_sender(stream);
    uint64_t now = board_clock_us();

    print_series(stream);
    if (iperf_series_end(&stream->series, now, moved_bytes(stream), &interval))
        print_interval(stream, &interval);
    console_notice(
        "iperf: %s, %s %s",
        text_transfer(summary, sent ? "tx" : "rx", moved_bytes(stream), now - stream->start),
        sent ? "to" : "from", text_address(&stream->peer, name));
    if (stream->ours && sent) {
        client.sent += stream->acknowledged;
        client.start = client.start == 0 ? stream->start : LWIP_MIN(client.start, stream->start);
        client.end = now;
    }
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
    if (done.state == STREAM_RECEIVING && done.request.mode == IPERF_SEND_AFTERWARDS)
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

/* Whole segments, so that no short segment is sent, unless shorter writes are requested. */
static size_t next_chunk(const struct stream *stream)
{
    size_t most = LWIP_MIN(tcp_mss(stream->pcb), stream->chunk);
    uint64_t left = stream->bytes ? stream->bytes - stream->written : most;

    return left < most ? (size_t)left : most;
}

static bool has_room(const struct stream *stream, size_t len)
{
    uint64_t underway = stream->written - stream->acknowledged;

    return tcp_sndbuf(stream->pcb) >= len &&
           (stream->window == 0 || underway == 0 || underway + len <= stream->window);
}

/* The header is sent first and counts as data. */
static bool write_header(struct stream *stream)
{
    size_t len =
        stream->bytes ? (size_t)LWIP_MIN(stream->bytes, IPERF_HEADER_LEN) : IPERF_HEADER_LEN;

    if (tcp_write(stream->pcb, stream->header, (u16_t)len, TCP_WRITE_FLAG_COPY) != ERR_OK)
        return false;
    stream->written += len;
    stream->has_header = false;
    return true;
}

static void fill(struct stream *stream)
{
    if (stream->has_header && !write_header(stream))
        return;
    while (!all_written(stream)) {
        size_t len = next_chunk(stream);

        if (!has_room(stream, len) || tcp_write(stream->pcb, pattern, (u16_t)len, 0) != ERR_OK)
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
    return board_clock_us() - stream->moved >= stream->timeout;
}

static void give_up(struct stream *stream)
{
    unsigned seconds = (unsigned)(stream->timeout / 1000000);
    char name[IPADDR_STRLEN_MAX];

    (void)text_address(&stream->peer, name);
    if (stream->state == STREAM_CONNECTING)
        console_notice("error: iperf could not connect to %s: no answer for %u s", name, seconds);
    else
        console_notice("error: iperf gave up on %s: no data for %u s", name, seconds);
    client.failed |= stream->ours;
    abandon(stream);
}

static err_t on_poll(void *context, struct tcp_pcb *pcb)
{
    struct stream *stream = context;

    if (is_idle(stream)) {
        give_up(stream);
        return ERR_ABRT;
    }
    if (stream->state == STREAM_CONNECTING)
        return ERR_OK;

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

static void limit_segments(const struct stream *stream)
{
    if (stream->mss > 0 && stream->pcb->mss > stream->mss)
        stream->pcb->mss = (u16_t)stream->mss;
}

static void start_reverse(struct stream *stream)
{
    take_amount(stream, &stream->request);
    stream->state = STREAM_SENDING;
    begin_transfer(stream);
    limit_segments(stream);
    fill(stream);
}

static void obey_header(struct stream *stream)
{
    stream->request = iperf_parse_header(stream->header, sizeof stream->header);
    if (stream->request.mode == IPERF_SEND_INSTEAD)
        start_reverse(stream);
    else if (stream->request.mode == IPERF_SEND_NOW)
        connect_back(stream);
    else if (stream->request.mode == IPERF_FULL_DUPLEX)
        console_notice("error: iperf does not support %s; it only receives",
                       iperf_mode_name(stream->request.mode));
}

static void count(struct stream *stream, struct pbuf *p)
{
    bool had_header = stream->received >= IPERF_HEADER_LEN;

    if (stream->received == 0)
        begin_transfer(stream);
    if (!had_header)
        (void)pbuf_copy_partial(p, stream->header + stream->received,
                                (u16_t)(IPERF_HEADER_LEN - stream->received), 0);
    stream->received += p->tot_len;
    if (!had_header && stream->received >= IPERF_HEADER_LEN)
        obey_header(stream);
}

/* lwIP's initial window shrinks to the requested one as data arrives, so nothing in flight has to
 * be retransmitted. */
static u16_t offered_again(struct stream *stream, u16_t len)
{
    u16_t kept = (u16_t)LWIP_MIN(stream->withheld, len);

    stream->withheld -= kept;
    return (u16_t)(len - kept);
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
    tcp_recved(pcb, offered_again(stream, p->tot_len));
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
    client.failed |= stream->ours;
    release(stream);
}

static void use_options(struct stream *stream, const struct iperf_options *options)
{
    stream->interval_ms = options->interval_ms;
    stream->timeout = options->timeout_ms * 1000ull;
    stream->chunk = options->length > 0 ? options->length : UINT32_MAX;
    stream->mss = options->mss;
    stream->window = options->window;
    if (options->window > 0 && options->window < TCP_WND)
        stream->withheld = TCP_WND - options->window;
}

static struct stream *attach(struct tcp_pcb *pcb, const struct iperf_options *options)
{
    for (size_t i = 0; i < STREAMS; i++) {
        struct stream *stream = &streams[i];

        if (stream->state != STREAM_FREE)
            continue;
        *stream = (struct stream){.pcb = pcb, .peer = pcb->remote_ip, .moved = board_clock_us()};
        stream->peer_port = pcb->remote_port;
        use_options(stream, options);
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

    struct stream *stream = attach(pcb, &serving);

    if (!stream) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    stream->state = STREAM_RECEIVING;
    stream->start = board_clock_us();
    if (client.expected > 0) {
        client.expected--;
        stream->ours = true;
    }
    return ERR_OK;
}

static err_t listen_on(uint16_t port, const struct iperf_options *options)
{
    struct tcp_pcb *pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);
    err_t error = pcb ? tcp_bind(pcb, IP_ANY_TYPE, port) : ERR_MEM;

    serving = *options;
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

err_t iperf_tcp_serve(const struct iperf_options *options)
{
    return listen_on(options->port, options);
}

static void stop_listening(void)
{
    if (listener)
        (void)tcp_close(listener); /* a listener always closes */
    listener = NULL;
}

void iperf_tcp_stop(void)
{
    stop_listening();
    for (size_t i = 0; i < STREAMS; i++)
        abandon(&streams[i]);
}

/* ---- client ---- */

static err_t on_connected(void *context, struct tcp_pcb *pcb, err_t error)
{
    struct stream *stream = context;

    (void)error; /* always ERR_OK; failures come to on_error */
    (void)pcb;
    stream->moved = board_clock_us();
    stream->state = STREAM_SENDING;
    begin_transfer(stream);
    limit_segments(stream);
    fill(stream);
    return ERR_OK;
}

/* The caller sets the amount to send before it releases the core lock. */
static struct stream *connect(const ip_addr_t *host, uint16_t port,
                              const struct iperf_options *options, err_t *error)
{
    struct tcp_pcb *pcb = tcp_new_ip_type(IP_GET_TYPE(host));
    struct stream *stream = pcb ? attach(pcb, options) : NULL;

    *error = ERR_MEM;
    if (stream) {
        stream->state = STREAM_CONNECTING;
        stream->peer = *host;
        stream->peer_port = port;
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
    struct stream *stream = connect(&from->peer, from->request.port, &serving, &error);

    if (stream)
        take_amount(stream, &from->request);
    else
        console_notice("error: iperf cannot connect back: %s", net_error(error));
}

/* A server takes the first bytes of a stream for a header, and does not count them as data. */
static void introduce(struct stream *stream, const struct iperf_options *options)
{
    const struct iperf_request request = {.mode = options->mode,
                                          .port = options->back_port,
                                          .bytes = options->bytes,
                                          .duration =
                                              options->bytes ? 0 : options->milliseconds * 1000ull};

    iperf_write_header(stream->header, &request, false);
    stream->has_header = true;
}

/* Connects as many of the streams as fit. Core lock held. */
static err_t connect_all(const struct iperf_options *options)
{
    err_t error = ERR_OK;

    for (uint32_t i = 0; i < options->streams && error == ERR_OK; i++) {
        struct stream *stream = connect(&options->host, options->port, options, &error);

        if (!stream)
            break;
        stream->bytes = options->bytes;
        stream->duration = options->milliseconds * 1000ull;
        stream->ours = true;
        introduce(stream, options);
    }
    return error;
}

/* With -d and -r the other side connects back. A running server accepts these connections. */
static err_t start_client(const struct iperf_options *options, bool *listening)
{
    err_t error = ERR_OK;

    client.failed = false;
    client.sent = client.start = client.end = 0;
    client.expected = options->mode != IPERF_RECEIVE;
    *listening = client.expected > 0 && !listener;
    if (*listening)
        error = listen_on(options->back_port, options);
    return error == ERR_OK ? connect_all(options) : error;
}

static unsigned count_ours(void)
{
    unsigned count = 0;

    for (size_t i = 0; i < STREAMS; i++)
        count += streams[i].state != STREAM_FREE && streams[i].ours;
    return count;
}

static void abandon_ours(void)
{
    for (size_t i = 0; i < STREAMS; i++)
        if (streams[i].ours)
            abandon(&streams[i]);
}

/* Every stream ends when complete or for lack of progress; the same time limit applies to waiting
 * for a connection back. False: interrupted. */
static bool wait_for_streams(const struct iperf_options *options)
{
    uint64_t moved = board_clock_us();

    for (;;) {
        LOCK_TCPIP_CORE();
        unsigned ours = count_ours();
        bool expecting = client.expected > 0;
        UNLOCK_TCPIP_CORE();

        if (ours > 0)
            moved = board_clock_us();
        if (ours == 0 && (!expecting || client.failed))
            return true;
        if (ours == 0 && board_clock_us() - moved >= options->timeout_ms * 1000ull) {
            client.failed = true;
            console_notice("error: iperf: no connection back to port %u", options->back_port);
            return true;
        }
        if (!console_wait(500))
            return false;
    }
}

bool iperf_tcp_send(const struct iperf_options *options)
{
    char summary[TEXT_TRANSFER_MAX];
    bool listening;

    LOCK_TCPIP_CORE();
    err_t error = start_client(options, &listening);
    UNLOCK_TCPIP_CORE();

    bool finished = error == ERR_OK && wait_for_streams(options);

    LOCK_TCPIP_CORE();
    client.expected = 0;
    abandon_ours();
    if (listening)
        stop_listening();
    UNLOCK_TCPIP_CORE();
    console_flush();
    if (error != ERR_OK)
        return shell_error("iperf cannot connect: %s", net_error(error));
    if (!finished)
        return shell_error("iperf was interrupted");
    if (options->streams > 1 && client.end > client.start)
        console_printf("iperf: sum of %u streams: %s\n", (unsigned)options->streams,
                       text_transfer(summary, "tx", client.sent, client.end - client.start));
    return !client.failed;
}
