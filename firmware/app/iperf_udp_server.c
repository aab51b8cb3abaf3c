/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * iperf 2 over UDP, the server: several sessions at once. It answers the last datagram of each with
 * its figures, and sends nothing else: a client that asks it to send (iperf -R, -d, -r) may have
 * forged its address, and the device would flood a third party.
 */
#include <string.h>

#include "lwip/pbuf.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"

#include "board_api.h"
#include "console.h"
#include "iperf_series.h"
#include "iperf_udp.h"
#include "text.h"

#define SESSIONS IPERF_STREAMS

/* A new client may replace one that has been silent for this long. */
#define SILENCE_US 1000000u

/* Minimum time between two reports, and between two refusals: addresses may be forged. */
#define REPORT_GAP_US  20000u
#define REFUSAL_GAP_US 1000000u

struct session {
    bool active;
    ip_addr_t peer;
    uint16_t port; /* 0: never used */
    struct iperf_count count;
    struct iperf_series series;
    int64_t answered; /* id (negative) of the last datagram that got a report */
    uint8_t report[IPERF_REPORT_LEN];
};

static struct udp_pcb *server;
static struct iperf_options serving;
static struct session sessions[SESSIONS];
static uint64_t next_report, next_refusal; /* earliest time, device clock */
static uint32_t ended;

/* ---- results ---- */

static void print_counts(const struct session *session, const char *bytes)
{
    const struct iperf_count *count = &session->count;
    char name[IPADDR_STRLEN_MAX];
    uint32_t jitter = iperf_jitter_us(count);

    console_notice("iperf: %s, %lld/%lld lost, jitter %u.%03u ms, from %s", bytes,
                   (long long)iperf_missing(count), (long long)count->highest,
                   (unsigned)(jitter / 1000), (unsigned)(jitter % 1000),
                   text_address(&session->peer, name));
}

static void print_series(struct session *session)
{
    char line[TEXT_INTERVAL_MAX];
    struct iperf_interval i;

    while (iperf_series_next(&session->series, board_clock_us(), session->count.bytes, &i))
        print_counts(session, text_interval(line, "udp rx", i.from, i.to, i.bytes));
}

/* The result of the whole session; the last interval ends with its last datagram. */
static void end_session(struct session *session)
{
    const struct iperf_count *count = &session->count;
    char line[TEXT_TRANSFER_MAX];
    struct iperf_interval i;

    if (iperf_series_end(&session->series, count->last, count->bytes, &i) && i.to > i.from)
        print_counts(session, text_interval(line, "udp rx", i.from, i.to, i.bytes));
    print_counts(session, text_transfer(line, "udp rx", count->bytes, count->last - count->start));
    session->active = false;
    ended++;
    console_wake();
}

/* While sessions are active: ends those whose last datagram was lost, and intervals. */
static void on_timer(void *unused)
{
    uint64_t now = board_clock_us(), due = UINT64_MAX;
    char name[IPADDR_STRLEN_MAX];

    (void)unused;
    for (struct session *session = sessions; session < sessions + SESSIONS; session++) {
        uint64_t silent_at = session->count.last + serving.timeout_ms * 1000ull;

        if (!session->active)
            continue;
        if (now >= silent_at) {
            console_notice("error: iperf gave up on %s: no data for %u s",
                           text_address(&session->peer, name),
                           (unsigned)(serving.timeout_ms / 1000));
            end_session(session);
            continue;
        }
        print_series(session);
        due = LWIP_MIN(due, LWIP_MIN(silent_at, iperf_series_due(&session->series)));
    }
    sys_untimeout(on_timer, NULL);
    if (due != UINT64_MAX)
        sys_timeout(due > now ? (u32_t)((due - now) / 1000 + 1) : 1, on_timer, NULL);
}

/* ---- sessions ---- */

static struct session *find(const ip_addr_t *from, u16_t port)
{
    for (struct session *session = sessions; session < sessions + SESSIONS; session++)
        if (session->port == port && ip_addr_eq(&session->peer, from))
            return session;
    return NULL;
}

static bool is_silent(const struct session *session, uint64_t now)
{
    return now - session->count.last >= SILENCE_US;
}

/* Reordered datagrams may arrive after the end of a session; they do not start a new one. An active
 * session is not replaced unless it is silent. */
static struct session *place_for(const ip_addr_t *from, u16_t port, uint64_t now)
{
    struct session *same = find(from, port), *place = NULL;

    if (same)
        return is_silent(same, now) ? same : NULL;
    for (struct session *session = sessions; session < sessions + SESSIONS; session++) {
        if (session->port == 0)
            return session;
        if (session->active && !is_silent(session, now))
            continue;
        if (!place || session->count.last < place->count.last)
            place = session;
    }
    return place;
}

static void refuse(const struct iperf_request *request, const ip_addr_t *from, uint64_t now)
{
    char name[IPADDR_STRLEN_MAX];

    if (now < next_refusal)
        return;
    next_refusal = now + REFUSAL_GAP_US;
    console_notice("error: iperf refuses to send UDP to %s (%s): the address may be forged; use "
                   "'iperf -c HOST -u' here",
                   text_address(from, name), iperf_mode_name(request->mode));
}

static struct session *begin(const ip_addr_t *from, u16_t port, const uint8_t *head, u16_t have,
                             uint64_t now)
{
    struct iperf_request request =
        iperf_parse_header(head + IPERF_DATAGRAM_LEN, have - IPERF_DATAGRAM_LEN);
    struct session *session;

    if (request.mode != IPERF_RECEIVE)
        refuse(&request, from, now);
    if (request.mode == IPERF_SEND_INSTEAD)
        return NULL;
    session = place_for(from, port, now);
    if (!session)
        return NULL;
    if (session->active)
        end_session(session);
    *session = (struct session){
        .active = true, .peer = *from, .port = port, .count = {.start = now, .last = now}};
    iperf_series_begin(&session->series, now, serving.interval_ms);
    on_timer(NULL);
    return session;
}

/* One report per datagram number, and numbers must increase: an echo service turns a report into
 * another last datagram with the same number. */
static void send_report(struct session *session, int64_t id, uint64_t now)
{
    struct pbuf *p;

    session->answered = id;
    next_report = now + REPORT_GAP_US;
    p = pbuf_alloc(PBUF_TRANSPORT, IPERF_REPORT_LEN, PBUF_RAM);
    if (!p)
        return; /* the client repeats its request */
    (void)pbuf_take(p, session->report, IPERF_REPORT_LEN);
    (void)udp_sendto(server, p, &session->peer, session->port);
    pbuf_free(p);
}

static void on_last(struct session *session, const uint8_t *head, uint16_t len, uint64_t now)
{
    int64_t id = iperf_datagram_id(head);

    if (session->active) {
        iperf_count_datagram(&session->count, head, len, now);
        end_session(session);
    }
    if (now < next_report || id >= session->answered)
        return;
    iperf_write_report(&session->count, head, session->report);
    send_report(session, id, now);
}

static void on_datagram(void *context, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                        u16_t port)
{
    uint8_t head[IPERF_DATAGRAM_MIN] = {0};
    uint64_t now = board_clock_us();
    u16_t len = p->tot_len;
    u16_t have = pbuf_copy_partial(p, head, sizeof head, 0);
    struct session *session = find(from, port);

    (void)context;
    (void)pcb;
    pbuf_free(p);
    if (have < IPERF_DATAGRAM_LEN)
        return;
    if (iperf_datagram_id(head) < 0) {
        if (session)
            on_last(session, head, len, now);
        return;
    }
    if (!session || !session->active)
        session = begin(from, port, head, have, now);
    if (session)
        iperf_count_datagram(&session->count, head, len, now);
}

/* ---- control ---- */

static err_t listen_on(uint16_t port, const struct iperf_options *options)
{
    err_t error;

    serving = *options;
    server = udp_new_ip_type(IPADDR_TYPE_ANY);
    error = server ? udp_bind(server, IP_ANY_TYPE, port) : ERR_MEM;
    if (error == ERR_OK)
        udp_recv(server, on_datagram, NULL);
    else
        iperf_udp_stop();
    return error;
}

err_t iperf_udp_serve(const struct iperf_options *options)
{
    return listen_on(options->port, options);
}

err_t iperf_udp_expect(const struct iperf_options *options, bool *started)
{
    *started = !server;
    return *started ? listen_on(options->back_port, options) : ERR_OK;
}

uint32_t iperf_udp_sessions_ended(void)
{
    return ended;
}

void iperf_udp_stop(void)
{
    sys_untimeout(on_timer, NULL);
    for (struct session *session = sessions; session < sessions + SESSIONS; session++)
        if (session->active)
            end_session(session);
    memset(sessions, 0, sizeof sessions);
    if (server)
        udp_remove(server);
    server = NULL;
}
