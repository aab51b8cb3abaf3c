/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Runs lwIP's own timers only while they have work to do. Unmodified they wake an idle device 15
 * times a second, MLD alone ten times. Here each timer runs at its interval while it is busy;
 * otherwise the age of its entries is updated once a minute, for all timers together.
 *
 * lwIP also expects its task to wake often: a timeout set by another task takes effect only when
 * the TCP/IP task next checks. Therefore releasing the core lock wakes that task if the next
 * timeout has become earlier.
 */
#include "timers.h"

#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"

#include "lwip/dhcp.h"
#include "lwip/dns.h"
#include "lwip/etharp.h"
#include "lwip/ip4_frag.h"
#include "lwip/ip6_frag.h"
#include "lwip/memp.h"
#include "lwip/mld6.h"
#include "lwip/nd6.h"
#include "lwip/netif.h"
#include "lwip/priv/nd6_priv.h"
#include "lwip/prot/dhcp.h"
#include "lwip/stats.h"
#include "lwip/sys.h"
#include "lwip/tcpip.h"
#include "lwip/timeouts.h"

#define AGE_MS 60000u
#define ARP_MS 7000u  /* an unanswered request is repeated five times */
#define DNS_MS 60000u /* longer than lwIP's retries of all servers */

static uint32_t arp_until; /* until then lwIP may have unresolved ARP entries */
static uint32_t dns_until; /* until then lwIP may be querying a name server */
static TaskHandle_t tcpip_task;
static struct tcpip_callback_msg *wake;
static uint32_t passes;

/* ---- which timers are busy ---- */

static bool is_before(uint32_t time, uint32_t end)
{
    return (int32_t)(end - time) > 0;
}

static bool arp_is_busy(void)
{
    return is_before(sys_now(), arp_until);
}

static bool reassembly4_is_busy(void)
{
    return lwip_stats.memp[MEMP_REASSDATA]->used > 0;
}

static bool reassembly6_is_busy(void)
{
    return lwip_stats.memp[MEMP_IP6_REASSDATA]->used > 0;
}

static bool has_tentative_address(const struct netif *netif)
{
    for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES; i++)
        if (ip6_addr_istentative(netif_ip6_addr_state(netif, i)))
            return true;
    return false;
}

/* Reachable and stale entries only need aging. */
static bool nd6_is_busy(void)
{
    const struct netif *netif;

    for (unsigned i = 0; i < LWIP_ND6_NUM_NEIGHBORS; i++) {
        uint8_t state = neighbor_cache[i].state;

        if (state == ND6_INCOMPLETE || state == ND6_DELAY || state == ND6_PROBE)
            return true;
    }
    NETIF_FOREACH(netif)
    {
        if (netif_is_up(netif) && netif_is_link_up(netif) &&
            (netif->rs_count > 0 || has_tentative_address(netif)))
            return true;
    }
    return false;
}

static bool mld6_is_busy(void)
{
    const struct netif *netif;

    NETIF_FOREACH(netif)
    for (const struct mld_group *group = netif_mld6_data(netif); group; group = group->next)
        if (group->timer > 0)
            return true;
    return false;
}

static bool dhcp_is_busy(void)
{
    const struct netif *netif;

    NETIF_FOREACH(netif)
    {
        const struct dhcp *dhcp = netif_dhcp_data(netif);

        if (dhcp && dhcp->request_timeout > 0)
            return true;
    }
    return false;
}

static bool dns_is_busy(void)
{
    return is_before(sys_now(), dns_until);
}

void timers_expect_lookup(void)
{
    dns_until = sys_now() + DNS_MS;
}

/* ---- running them ---- */

static struct cyclic {
    lwip_cyclic_timer_handler handler;
    uint32_t interval;
    bool (*is_busy)(void); /* NULL: it only ages entries */
    bool ages;
    bool runs;
    uint32_t last; /* time to which its entries have been aged, while it does not run */
    uint32_t debt; /* intervals before it started to run, still to be aged */
} cyclics[] = {
    {ip_reass_tmr, IP_TMR_INTERVAL, reassembly4_is_busy, .ages = false},
    {etharp_tmr, ARP_TMR_INTERVAL, arp_is_busy, .ages = true},
    {dhcp_coarse_tmr, DHCP_COARSE_TIMER_MSECS, NULL, .ages = true},
    {dhcp_fine_tmr, DHCP_FINE_TIMER_MSECS, dhcp_is_busy, .ages = false},
    {dns_tmr, DNS_TMR_INTERVAL, dns_is_busy, .ages = true},
    {nd6_tmr, ND6_TMR_INTERVAL, nd6_is_busy, .ages = true},
    {ip6_reass_tmr, IP6_REASS_TMR_INTERVAL, reassembly6_is_busy, .ages = false},
    {mld6_tmr, MLD6_TMR_INTERVAL, mld6_is_busy, .ages = false},
};
#define CYCLICS (sizeof cyclics / sizeof cyclics[0])

static bool is_busy(const struct cyclic *c)
{
    return c->is_busy && c->is_busy();
}

/* Age entries before new work starts. */
static void age(struct cyclic *c)
{
    uint32_t whole = (sys_now() - c->last) / c->interval;

    c->last += whole * c->interval;
    for (c->debt += whole; c->debt > 0 && !is_busy(c); c->debt--)
        c->handler();
}

static void run(void *argument)
{
    struct cyclic *c = argument;

    passes++;
    c->handler();
    c->last = sys_now();
    c->runs = is_busy(c);
    if (c->runs)
        sys_timeout(c->interval, run, c);
    else if (c->ages)
        age(c);
}

/* New entries must not age by the time before their creation. */
static void start(struct cyclic *c)
{
    uint32_t now = sys_now();

    if (c->ages)
        c->debt += (now - c->last) / c->interval;
    c->last = now;
    c->runs = true;
    sys_timeout(c->interval, run, c);
}

static void age_all(void *unused)
{
    passes++;
    for (struct cyclic *c = cyclics; c < cyclics + CYCLICS; c++)
        if (c->ages && !c->runs)
            age(c);
    sys_timeout(AGE_MS, age_all, unused);
}

/* ---- when to check ---- */

/* Counters of lwIP that show whether a timer may have become busy since the last check. */
static bool has_activity(void)
{
    static uint32_t arp, others;
    uint32_t now = lwip_stats.ip6.xmit + lwip_stats.ip6.recv + lwip_stats.ip_frag.recv +
                   lwip_stats.ip6_frag.recv;
    bool active = now != others || lwip_stats.etharp.xmit != arp;

    if (lwip_stats.etharp.xmit != arp)
        arp_until = sys_now() + ARP_MS;
    arp = lwip_stats.etharp.xmit;
    others = now;
    return active;
}

static void look(void)
{
    for (struct cyclic *c = cyclics; c < cyclics + CYCLICS; c++)
        if (!c->runs && is_busy(c))
            start(c);
}

/* ---- the core lock ---- */

static unsigned depth;   /* the mutex is recursive */
static bool had_timeout; /* when the lock was taken */
static uint32_t timeout_when_locked;

static void no_work(void *unused)
{
    (void)unused;
}

void timers_lock(void)
{
    sys_mutex_lock(&lock_tcpip_core);
    if (depth++ == 0) {
        const struct sys_timeo *next = *sys_timeouts_get_next_timeout();

        had_timeout = next != NULL;
        timeout_when_locked = next ? next->time : 0;
    }
}

static bool is_earlier_now(void)
{
    const struct sys_timeo *next = *sys_timeouts_get_next_timeout();

    return next && (!had_timeout || is_before(next->time, timeout_when_locked));
}

void timers_unlock(void)
{
    if (depth == 1 && tcpip_task) {
        bool look_anyway = xTaskGetCurrentTaskHandle() != tcpip_task;

        if (has_activity() || look_anyway)
            look();
        if (is_earlier_now())
            (void)tcpip_callbackmsg_trycallback(wake); /* if the queue is full, it is awake */
    }
    depth--;
    sys_mutex_unlock(&lock_tcpip_core);
}

void timers_start(void)
{
    tcpip_task = xTaskGetCurrentTaskHandle();
    wake = tcpip_callbackmsg_new(no_work, NULL);
    LWIP_ASSERT("memory at the start", wake != NULL);
    for (struct cyclic *c = cyclics; c < cyclics + CYCLICS; c++) {
        c->last = sys_now();
        for (int i = 0; i < lwip_num_cyclic_timers; i++)
            if (lwip_cyclic_timers[i].handler == c->handler)
                sys_untimeout(lwip_cyclic_timer, LWIP_CONST_CAST(void *, &lwip_cyclic_timers[i]));
    }
    sys_timeout(AGE_MS, age_all, NULL);
}

uint32_t timers_passes(void)
{
    return passes;
}
