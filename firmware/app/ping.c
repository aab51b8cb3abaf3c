/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The ping command: ICMP and ICMPv6 echo over a raw socket of lwIP, timed on the device clock.
 */
#include "commands.h"

#include <string.h>

#include "lwip/icmp.h"
#include "lwip/icmp6.h"
#include "lwip/inet_chksum.h"
#include "lwip/pbuf.h"
#include "lwip/prot/ip6.h"
#include "lwip/raw.h"
#include "lwip/tcpip.h"

#include "board_api.h"
#include "console.h"
#include "net.h"
#include "ping.h"
#include "shell.h"
#include "text.h"

#define SIZE_MAX_BYTES 8000u
#define PATIENCE_US    1000000u
#define IN_FLIGHT      16u /* outstanding requests; a power of two */

struct ping {
    ip_addr_t target;
    struct raw_pcb *pcb;
    uint16_t id, sequence;       /* of the latest request */
    uint64_t sent_at[IN_FLIGHT]; /* by sequence; 0: not sent, or answered */
    bool quiet;
    uint32_t size, interval_ms, count;
    uint32_t sent, received;
    uint32_t least_us, most_us;
    uint64_t total_us;
};

struct echo {
    uint8_t type, code;
    uint16_t checksum, id, sequence;
};
_Static_assert(sizeof(struct echo) == 8, "ICMP echo header");

static void account(struct ping *ping, uint32_t us)
{
    if (ping->received == 0 || us < ping->least_us)
        ping->least_us = us;
    if (us > ping->most_us)
        ping->most_us = us;
    ping->total_us += us;
    ping->received++;
}

/* Send time of the request with this sequence number; its first reply clears it. */
static uint64_t *find_request(struct ping *ping, uint16_t sequence)
{
    return &ping->sent_at[sequence % IN_FLIGHT];
}

/* Runs in the TCP/IP task. Consumes all replies to us, late ones and duplicates too, because lwIP
 * would count them as dropped. Passes on everything else. */
static u8_t on_reply(void *context, struct raw_pcb *pcb, struct pbuf *p, const ip_addr_t *from)
{
    struct ping *ping = context;
    uint64_t now = board_clock_us();
    u16_t skip = IP_IS_V6(from) ? 0 : IPH_HL_BYTES((const struct ip_hdr *)p->payload);
    u8_t wanted = IP_IS_V6(from) ? ICMP6_TYPE_EREP : ICMP_ER;
    struct echo echo;

    (void)pcb;
    if (IP_IS_V6(from))
        skip = (u16_t)(ip_current_header_tot_len());
    if (pbuf_copy_partial(p, &echo, sizeof echo, skip) != sizeof echo || echo.type != wanted ||
        echo.id != ping->id)
        return 0;

    uint16_t sequence = lwip_ntohs(echo.sequence);
    uint64_t *sent_at = find_request(ping, sequence);

    if (*sent_at != 0 && (uint16_t)(ping->sequence - sequence) < IN_FLIGHT) {
        uint32_t us = (uint32_t)(now - *sent_at);
        char name[IPADDR_STRLEN_MAX];

        *sent_at = 0;
        account(ping, us);
        if (!ping->quiet)
            console_notice("reply %u from %s: %u bytes in %u.%03u ms", sequence,
                           text_address(from, name), (unsigned)(p->tot_len - skip),
                           (unsigned)(us / 1000), (unsigned)(us % 1000));
        console_wake();
    }
    pbuf_free(p);
    return 1;
}

static void fill(struct pbuf *p, const struct ping *ping)
{
    const bool v6 = IP_IS_V6(&ping->target);
    struct echo echo = {
        .type = v6 ? ICMP6_TYPE_EREQ : ICMP_ECHO,
        .id = ping->id,
        .sequence = lwip_htons(ping->sequence),
    };

    for (u16_t i = sizeof echo; i < p->tot_len; i++)
        pbuf_put_at(p, i, (u8_t)i);
    (void)pbuf_take(p, &echo, sizeof echo);
    if (!v6) { /* lwIP computes that of ICMPv6, which covers the addresses */
        echo.checksum = inet_chksum_pbuf(p);
        (void)pbuf_take(p, &echo, sizeof echo);
    }
}

static err_t send_request(struct ping *ping)
{
    LOCK_TCPIP_CORE();
    struct pbuf *p = pbuf_alloc(PBUF_IP, (u16_t)(sizeof(struct echo) + ping->size), PBUF_RAM);
    err_t error = ERR_MEM;

    if (p) {
        ping->sequence++;
        fill(p, ping);
        *find_request(ping, ping->sequence) = board_clock_us();
        error = raw_sendto(ping->pcb, p, &ping->target);
        pbuf_free(p);
    }
    UNLOCK_TCPIP_CORE();
    ping->sent++;
    return error;
}

/* Sleeps until `until`, or until all replies are here when `for_replies`. False on Ctrl-C. */
static bool sleep_until(const struct ping *ping, uint64_t until, bool for_replies)
{
    for (uint64_t now; (now = board_clock_us()) < until;) {
        if (for_replies && ping->received == ping->sent)
            break;
        if (!console_wait((uint32_t)((until - now) / 1000) + 1))
            return false;
    }
    return true;
}

static void run(struct ping *ping)
{
    for (uint32_t i = 0; i < ping->count; i++) {
        uint64_t start = board_clock_us();
        err_t error = send_request(ping);

        if (error != ERR_OK)
            console_printf("request %u was not sent: %s\n", ping->sequence, net_error(error));
        if (i + 1 < ping->count) {
            if (!sleep_until(ping, start + ping->interval_ms * 1000ull, false))
                return;
        } else if (!sleep_until(ping, start + PATIENCE_US, true)) {
            return;
        }
    }
}

static void summarize(const struct ping *ping)
{
    uint32_t lost = ping->sent - ping->received;

    console_flush();
    console_printf("ping: %u sent, %u received, %u %% loss", (unsigned)ping->sent,
                   (unsigned)ping->received, (unsigned)(ping->sent ? lost * 100 / ping->sent : 0));
    if (ping->received > 0) {
        uint32_t mean = (uint32_t)(ping->total_us / ping->received);

        console_printf(", min/avg/max %u.%03u/%u.%03u/%u.%03u ms",
                       (unsigned)(ping->least_us / 1000), (unsigned)(ping->least_us % 1000),
                       (unsigned)(mean / 1000), (unsigned)(mean % 1000),
                       (unsigned)(ping->most_us / 1000), (unsigned)(ping->most_us % 1000));
    }
    console_printf("\n");
}

static bool parse(int argc, char **argv, struct ping *ping)
{
    const char *host = NULL;

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (strcmp(argv[i], "-q") == 0) {
            ping->quiet = true;
        } else if (strcmp(argv[i], "-c") == 0) {
            if (!text_to_u32(value, 1, 1000000, &ping->count))
                return shell_error("-c must be a count from 1 to 1000000");
            i++;
        } else if (strcmp(argv[i], "-s") == 0) {
            if (!text_to_u32(value, 0, SIZE_MAX_BYTES, &ping->size))
                return shell_error("-s must be a size from 0 to %u bytes", SIZE_MAX_BYTES);
            i++;
        } else if (strcmp(argv[i], "-i") == 0) {
            if (!text_to_milli(value, 3600000, &ping->interval_ms) || ping->interval_ms < 1)
                return shell_error("-i must be 0.001 to 3600 seconds");
            i++;
        } else if (argv[i][0] == '-' || host) {
            return shell_usage();
        } else {
            host = argv[i];
        }
    }
    return host ? net_resolve(host, &ping->target) : shell_usage();
}

static bool open(struct ping *ping)
{
    const bool v6 = IP_IS_V6(&ping->target);

    LOCK_TCPIP_CORE();
    ping->id = (uint16_t)net_random();
    ping->pcb = v6 ? raw_new_ip_type(IPADDR_TYPE_V6, IP6_NEXTH_ICMP6) : raw_new(IP_PROTO_ICMP);
    if (ping->pcb) {
        ping->pcb->chksum_reqd = v6;
        ping->pcb->chksum_offset = 2;
        raw_recv(ping->pcb, on_reply, ping);
    }
    UNLOCK_TCPIP_CORE();
    return ping->pcb != NULL;
}

bool ping_run(int argc, char **argv, struct ping_result *result)
{
    struct ping ping = {.size = 56, .interval_ms = 1000, .count = 4};

    if (!parse(argc, argv, &ping))
        return false;
    if (!open(&ping))
        return shell_error("no free raw socket; stop another ping");
    run(&ping);
    LOCK_TCPIP_CORE();
    raw_remove(ping.pcb);
    UNLOCK_TCPIP_CORE();
    summarize(&ping);
    *result = (struct ping_result){.sent = ping.sent, .received = ping.received};
    return !board_console_interrupted();
}

bool command_ping(int argc, char **argv)
{
    struct ping_result unused;

    return ping_run(argc, argv, &unused);
}
