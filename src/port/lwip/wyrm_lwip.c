/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The tunnel as a network interface: packets between lwIP and the core, and one timer. Everything
 * here runs under lwIP's core lock; wyrm_lwip_api.c is the door for other tasks.
 *
 *   in:  UDP callback -> unseal() decrypts in the pbuf -> deliver() -> netif->input
 *   out: netif->output -> wyrm_lwip_send() encrypts into one new pbuf -> wyrm_lwip_transmit() ->
 * UDP
 *
 * After each, wyrm_lwip_service_locked() gives the core its turn. Re-entry is bounded: a packet
 * that meets its own tunnel again, inwards or outwards, is dropped and counted as a loop.
 */
#ifdef WYRM_PORT_LWIP

#include "wyrm_lwip_parts.h"

#include "lwip/prot/ip.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

/* Idle tunnels wake up twice a day, so that the 32-bit clock of lwIP can be widened. */
#define TIMER_MAX ((wyrm_ms)12 * 60 * 60 * 1000)

static struct wyrm_lwip *around(struct netif *netif)
{
    return (struct wyrm_lwip *)(void *)((char *)netif - offsetof(struct wyrm_lwip, netif));
}

struct wyrm_lwip *wyrm_lwip_of(struct netif *netif)
{
#if LWIP_IPV4
    bool ours = netif->output == wyrm_lwip_output4;
#else
    bool ours = netif->output_ip6 == wyrm_lwip_output6;
#endif

    return ours ? around(netif) : NULL;
}

wyrm_ms wyrm_lwip_now_locked(struct wyrm_lwip *lwip)
{
    return wyrm_clock_widen(&lwip->clock, sys_now());
}

struct pbuf *wyrm_lwip_copy(struct wyrm_lwip *lwip, struct pbuf *packet, uint32_t *count)
{
    struct pbuf *copy = pbuf_clone(PBUF_RAW, PBUF_RAM, packet);

    *(copy == NULL ? &lwip->counters.no_memory : count) += 1;
    return copy;
}

struct pbuf *wyrm_lwip_datagram(struct wyrm_lwip *lwip, size_t len)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (uint16_t)len, PBUF_RAM);

    lwip->counters.no_memory += p == NULL;
    return p;
}

/* ---- Outwards ------------------------------------------------------------- */

/* `packet` in at most WYRM_LWIP_SPANS pieces and with a segment size that fits: itself, or a copy.
 * The caller frees it. NULL: no memory. */
static struct pbuf *presentable(struct wyrm_lwip *lwip, struct pbuf *packet)
{
    struct wyrm_lwip_mss mss;
    bool clamp = WYRM_LWIP_CLAMP_MSS && wyrm_lwip_mss_too_big(packet, lwip->netif.mtu, &mss);

    if (!clamp && pbuf_clen(packet) <= WYRM_LWIP_SPANS) {
        pbuf_ref(packet);
        return packet;
    }
    struct pbuf *copy = wyrm_lwip_copy(lwip, packet, &lwip->counters.tx_copies);

    if (clamp && copy != NULL) {
        wyrm_lwip_clamp_mss(copy, &mss);
    }
    return copy;
}

/* Leaves of a pbuf in one piece what the core made of it. */
static void cut(struct pbuf *p, const struct wyrm_packet *out)
{
    pbuf_remove_header(p, (size_t)(out->data - (uint8_t *)p->payload));
    p->len = p->tot_len = (uint16_t)out->len; /* without padding and tag, or with less padding */
}

/* Encrypts `packet` into `sealed`, which has room. */
static wyrm_status seal(struct wyrm_lwip *lwip, const struct pbuf *packet, struct pbuf *sealed,
                        struct wyrm_packet *out)
{
    struct wyrm_span spans[WYRM_LWIP_SPANS];
    unsigned n = 0;

    for (; packet != NULL; packet = packet->next) {
        spans[n++] = (struct wyrm_span){packet->payload, packet->len};
    }
    return wyrm_output(lwip->device, wyrm_lwip_now_locked(lwip), spans, n, sealed->payload,
                       sealed->len, out);
}

static err_t refuse(struct wyrm_lwip *lwip, struct pbuf *packet, enum wyrm_lwip_refusal why)
{
    if (why == WYRM_LWIP_TOO_BIG) {
        lwip->counters.too_big++;
    } else {
        lwip->counters.unreachable++;
    }
    if (WYRM_LWIP_ICMP_ERRORS) {
        wyrm_lwip_refuse(lwip, packet, why);
    }
    return why == WYRM_LWIP_TOO_BIG ? ERR_VAL : ERR_RTE;
}

err_t wyrm_lwip_send(struct wyrm_lwip *lwip, struct pbuf *packet)
{
    struct wyrm_packet out;
    struct pbuf *sealed = NULL, *plain = presentable(lwip, packet);
    wyrm_status status = WYRM_E_SPACE;

    if (plain != NULL) {
        sealed = wyrm_lwip_datagram(lwip, WYRM_SEALED_LEN(plain->tot_len));
        if (sealed != NULL) {
            status = seal(lwip, plain, sealed, &out);
        }
        pbuf_free(plain);
    }
    if (sealed == NULL) {
        return ERR_MEM;
    }
    if (status == WYRM_SEND) {
        cut(sealed, &out);
        err_t err = wyrm_lwip_transmit(lwip, sealed, &out.to);

        lwip->counters.tx_packets += err == ERR_OK;
        return err;
    }
    pbuf_free(sealed);
    return status == WYRM_HOLD ? wyrm_lwip_hold(lwip, out.peer, packet)
                               : refuse(lwip, packet, WYRM_LWIP_UNREACHABLE);
}

static WYRM_LWIP_APART err_t output(struct wyrm_lwip *lwip, struct pbuf *packet)
{
    if (lwip->sending) {
        lwip->counters.loops++;
        return ERR_RTE;
    }
    if (packet->tot_len > lwip->netif.mtu) {
        return refuse(lwip, packet, WYRM_LWIP_TOO_BIG);
    }
    if (lwip->running && lwip->config.filter != NULL &&
        !lwip->config.filter(lwip->config.arg, WYRM_LWIP_OUT, packet)) {
        lwip->counters.filtered++;
        return ERR_OK;
    }
    if (!lwip->running) { /* the filter may just have stopped it */
        lwip->counters.down++;
        return refuse(lwip, packet, WYRM_LWIP_UNREACHABLE);
    }
    if (WYRM_LWIP_FILL_CHECKSUMS) {
        wyrm_lwip_fill_checksums(packet);
    }
    err_t err = wyrm_lwip_send(lwip, packet);
    wyrm_lwip_service_locked(lwip);
    return err;
}

#if LWIP_IPV4
err_t wyrm_lwip_output4(struct netif *netif, struct pbuf *packet, const ip4_addr_t *next_hop)
{
    LWIP_UNUSED_ARG(next_hop);
    return output(around(netif), packet);
}
#endif

#if LWIP_IPV6
err_t wyrm_lwip_output6(struct netif *netif, struct pbuf *packet, const ip6_addr_t *next_hop)
{
    LWIP_UNUSED_ARG(next_hop);
    return output(around(netif), packet);
}
#endif

/* ---- Inwards -------------------------------------------------------------- */

/* In one piece, ours alone, and in memory that may be written: the struct's own, or a driver's. */
static bool writable(const struct pbuf *p)
{
    return p->next == NULL && p->ref == 1 &&
           ((p->type_internal & PBUF_TYPE_FLAG_STRUCT_DATA_CONTIGUOUS) != 0 ||
            (p->flags & PBUF_FLAG_IS_CUSTOM) != 0);
}

/* Consumes `p`; NULL: no memory. */
static struct pbuf *make_writable(struct wyrm_lwip *lwip, struct pbuf *p)
{
    if (writable(p)) {
        return p;
    }
    struct pbuf *copy = wyrm_lwip_copy(lwip, p, &lwip->counters.rx_copies);

    pbuf_free(p);
    return copy;
}

static void wake_for(struct wyrm_lwip *lwip, wyrm_status status)
{
    if (status == WYRM_WORK && lwip->config.wake != NULL) {
        lwip->config.wake(lwip->config.arg);
    }
}

/* Gives the datagram to the core; the inner packet if there is one. Consumes `p`. */
static WYRM_LWIP_APART struct pbuf *unseal(struct wyrm_lwip *lwip, struct pbuf *p,
                                           const ip_addr_t *addr, uint16_t port)
{
    struct wyrm_meta meta;
    struct wyrm_packet out;

    wyrm_lwip_describe(&meta, addr, port);
    p = make_writable(lwip, p);
    if (p == NULL) {
        return NULL;
    }
    wyrm_status status =
        wyrm_input(lwip->device, wyrm_lwip_now_locked(lwip), &meta, p->payload, p->len, &out);
    if (status == WYRM_DELIVER) {
        cut(p, &out);
        return p;
    }
    if (status == WYRM_SEND) {
        wyrm_lwip_send_control(lwip, &out);
    }
    wake_for(lwip, status);
    pbuf_free(p);
    return NULL;
}

#if LWIP_IPV6
/* lwIP believes router advertisements from any interface, and a peer with ::/0 may use any source.
 * They count only with a hop limit of 255 (RFC 4861), whatever extension headers or fragments they
 * hide in: nobody inside a tunnel is our neighbour. */
static void disarm_neighbour_discovery(struct pbuf *p)
{
    uint8_t *ip = p->payload; /* whole and of a good length: the core has looked at it */

    if (ip[0] >> 4 == 6 && ip[7] == 255 && ip[6] != IP_PROTO_TCP && ip[6] != IP_PROTO_UDP) {
        ip[7] = 254;
    }
}
#endif

/* Hands a plain packet to the stack. Consumes `p`. */
static void deliver(struct wyrm_lwip *lwip, struct pbuf *p)
{
    if (!netif_is_up(&lwip->netif)) {
        lwip->counters.down++;
    } else if (lwip->config.filter != NULL &&
               !lwip->config.filter(lwip->config.arg, WYRM_LWIP_IN, p)) {
        lwip->counters.filtered++;
    } else {
        struct wyrm_lwip_mss mss;

        if (WYRM_LWIP_CLAMP_MSS && wyrm_lwip_mss_too_big(p, lwip->netif.mtu, &mss)) {
            wyrm_lwip_clamp_mss(p, &mss);
        }
#if LWIP_IPV6
        disarm_neighbour_discovery(p);
#endif
        lwip->counters.rx_packets++;
        if (lwip->netif.input(p, &lwip->netif) == ERR_OK) {
            return;
        }
    }
    pbuf_free(p);
}

void wyrm_lwip_receive(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *addr,
                       u16_t port)
{
    struct wyrm_lwip *lwip = arg;

    LWIP_UNUSED_ARG(pcb);
    /* An authentic packet may hold another datagram for this very tunnel, and so on; each level
     * would cost a round of stack. */
    if (lwip->receiving || ip_current_input_netif() == &lwip->netif) {
        lwip->counters.loops++;
        pbuf_free(p);
        return;
    }
    lwip->receiving = true;
    p = unseal(lwip, p, addr, port);
    if (p != NULL) {
        deliver(lwip, p);
    }
    lwip->receiving = false;
    wyrm_lwip_service_locked(lwip);
}

/* ---- The core's turn ------------------------------------------------------- */

/* One verdict of the core, datagrams being sent at once. */
static WYRM_LWIP_APART wyrm_status poll_once(struct wyrm_lwip *lwip, wyrm_peer_id *peer)
{
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    wyrm_status status =
        wyrm_poll(lwip->device, wyrm_lwip_now_locked(lwip), buf, sizeof(buf), &out);

    if (status == WYRM_SEND) {
        wyrm_lwip_send_control(lwip, &out);
    } else if (status == WYRM_READY || status == WYRM_LOST) {
        *peer = out.peer;
    }
    return status;
}

static void act(struct wyrm_lwip *lwip, wyrm_status status, wyrm_peer_id peer)
{
    wake_for(lwip, status);
    if (status == WYRM_READY || status == WYRM_LOST) {
        wyrm_lwip_hold_end(lwip, peer, status == WYRM_READY);
        if (lwip->config.event != NULL) {
            lwip->config.event(lwip->config.arg, status, peer);
        }
    }
}

static void on_timer(void *arg);

/* A deadline that moves away, as it does with every packet, costs nothing: the timer fires early
 * once and is armed anew. */
static void arm_timer(struct wyrm_lwip *lwip)
{
    wyrm_ms due = wyrm_deadline(lwip->device);

    if (lwip->timer_due != 0 && lwip->timer_due <= due) {
        return;
    }
    wyrm_ms now = wyrm_lwip_now_locked(lwip);
    wyrm_ms wait = due <= now ? 0 : LWIP_MIN(due - now, TIMER_MAX);

    sys_untimeout(on_timer, lwip);
    sys_timeout((u32_t)wait, on_timer, lwip);
    lwip->timer_due = now + wait;
}

static void on_timer(void *arg)
{
    struct wyrm_lwip *lwip = arg;

    lwip->timer_due = 0;
    lwip->counters.timer_fired++;
    wyrm_lwip_service_locked(lwip);
}

void wyrm_lwip_disarm_timer(struct wyrm_lwip *lwip)
{
    sys_untimeout(on_timer, lwip);
    lwip->timer_due = 0;
}

void wyrm_lwip_service_locked(struct wyrm_lwip *lwip)
{
    wyrm_peer_id peer = WYRM_NO_PEER;
    wyrm_status status;

    if (!lwip->running || lwip->polling) {
        return; /* the outer call goes on polling */
    }
    lwip->polling = true;
    while (lwip->running && (status = poll_once(lwip, &peer)) > WYRM_IDLE) {
        act(lwip, status, peer);
    }
    lwip->polling = false;
    if (lwip->running) {
        arm_timer(lwip);
    }
}

#else
typedef int wyrm_lwip_is_not_built; /* ISO C wants something in every file */
#endif
