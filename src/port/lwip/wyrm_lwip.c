/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The tunnel as a network interface: packets between lwIP and the core, and one timer. Everything
 * here runs under lwIP's core lock; wyrm_lwip_api.c is the door for other tasks.
 *
 *   in:  UDP callback -> unseal() decrypts in the pbuf -> deliver() -> netif->input
 *   out: netif->output -> send_packet() encrypts into one new pbuf -> wyrm_lwip_transmit() -> UDP
 *
 * After each, wyrm_lwip_service_locked() gives the core its turn. Re-entry is bounded: a packet
 * that meets its own tunnel again, inwards or outwards, is dropped and counted as a loop.
 */
#ifdef WYRM_PORT_LWIP

#include "wyrm_lwip_parts.h"

#include "lwip/memp.h"
#include "lwip/prot/ip.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

/* Idle tunnels wake up twice a day, so that the 32-bit clock of lwIP can be widened. */
#define TIMER_MAX ((uint32_t)12 * 60 * 60 * 1000)

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

/* ---- Outwards ------------------------------------------------------------- */

/* Leaves of a pbuf in one piece what the core made of it. */
static void cut(struct pbuf *p, const struct wyrm_packet *out)
{
    p->payload = out->data;
    p->len = p->tot_len = (uint16_t)out->len; /* without padding and tag, or with less padding */
}

/* Copies a packet to where its ciphertext goes; with `mss`, segments of its connection will fit. */
static struct wyrm_span copy_into(struct pbuf *sealed, struct wyrm_lwip *lwip,
                                  const struct pbuf *packet, const struct wyrm_lwip_mss *mss)
{
    uint8_t *copy = (uint8_t *)sealed->payload + WYRM_HEADER_LEN;

    lwip->counters.tx_copies++;
    pbuf_copy_partial(packet, copy, packet->tot_len, 0);
    if (WYRM_LWIP_CLAMP_MSS && mss != NULL) {
        wyrm_lwip_clamp_mss(sealed, WYRM_HEADER_LEN, mss);
    }
    return (struct wyrm_span){copy, packet->tot_len};
}

/* Encrypts `packet` into `sealed`, which has room: from where its pieces lie, unless they are too
 * many or must be changed. */
static wyrm_status seal(struct wyrm_lwip *lwip, const struct pbuf *packet, struct pbuf *sealed,
                        struct wyrm_packet *out)
{
    struct wyrm_span spans[WYRM_LWIP_SPANS];
    struct wyrm_lwip_mss mss;
    const struct pbuf *rest = packet;
    unsigned n = 0;
    bool clamp = WYRM_LWIP_CLAMP_MSS && wyrm_lwip_mss_too_big(packet, lwip->netif.mtu, &mss);

    for (; rest != NULL && n < WYRM_LWIP_SPANS; rest = rest->next) {
        spans[n++] = (struct wyrm_span){rest->payload, rest->len};
    }
    if (clamp || rest != NULL) {
        spans[0] = copy_into(sealed, lwip, packet, clamp ? &mss : NULL);
        n = 1;
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

/* Encrypts and sends an inner packet, or holds or refuses it. The packet stays the caller's. */
static err_t send_packet(struct wyrm_lwip *lwip, struct pbuf *packet)
{
    struct wyrm_packet out;
    struct pbuf *sealed = wyrm_lwip_datagram(lwip, WYRM_SEALED_LEN(packet->tot_len));

    if (sealed == NULL) {
        return ERR_MEM;
    }
    wyrm_status status = seal(lwip, packet, sealed, &out);

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
    if (lwip->running && lwip->filter != NULL && !lwip->filter(lwip->arg, WYRM_LWIP_OUT, packet)) {
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
    err_t err = send_packet(lwip, packet);
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

/* In one piece, ours alone, and in memory that may be written: the struct's own, or a buffer that a
 * driver has lent (a custom PBUF_REF). A custom PBUF_ROM may lie in flash. */
static bool writable(const struct pbuf *p)
{
    return p->next == NULL && p->ref == 1 &&
           ((p->type_internal & PBUF_TYPE_FLAG_STRUCT_DATA_CONTIGUOUS) != 0 ||
            ((p->type_internal & PBUF_TYPE_FLAG_DATA_VOLATILE) != 0 &&
             (p->flags & PBUF_FLAG_IS_CUSTOM) != 0));
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

/* Gives the datagram to the core; the inner packet if there is one. Consumes `p`. */
static WYRM_LWIP_APART struct pbuf *unseal(struct wyrm_lwip *lwip, struct pbuf *p, uint16_t port)
{
    struct wyrm_meta meta;
    struct wyrm_packet out;

    wyrm_lwip_describe(&meta, port);
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
    (void)wyrm_lwip_obey(lwip, status, &out);
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
    } else if (lwip->filter != NULL && !lwip->filter(lwip->arg, WYRM_LWIP_IN, p)) {
        lwip->counters.filtered++;
    } else {
        struct wyrm_lwip_mss mss;

        if (WYRM_LWIP_CLAMP_MSS && wyrm_lwip_mss_too_big(p, lwip->netif.mtu, &mss)) {
            wyrm_lwip_clamp_mss(p, 0, &mss);
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
    LWIP_UNUSED_ARG(addr); /* of the packet that lwIP is at, as all that describes it */
    /* An authentic packet may hold another datagram for this very tunnel, and so on; each level
     * would cost a round of stack. */
    if (lwip->receiving || ip_current_input_netif() == &lwip->netif) {
        lwip->counters.loops++;
        pbuf_free(p);
        return;
    }
    lwip->receiving = true;
    p = unseal(lwip, p, port);
    if (p != NULL) {
        deliver(lwip, p);
    }
    lwip->receiving = false;
    wyrm_lwip_service_locked(lwip);
}

void wyrm_lwip_release(struct wyrm_lwip *lwip, wyrm_peer_id peer, bool to_peer)
{
    struct pbuf *packet;

    /* Counted first, as a packet may have to wait again. */
    for (unsigned n = lwip->held_used; n > 0 && (packet = wyrm_lwip_unhold(lwip, peer, 0)) != NULL;
         n--) {
        if (to_peer) {
            (void)send_packet(lwip, packet); /* an error is counted there; nobody waits for it */
        } else {
            lwip->counters.held_dropped++;
        }
        pbuf_free(packet);
    }
}

/* ---- The core's turn ------------------------------------------------------- */

/* One verdict of the core; if it is about a peer, about which. */
static WYRM_LWIP_APART wyrm_status poll_once(struct wyrm_lwip *lwip, wyrm_peer_id *peer)
{
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    wyrm_status status =
        wyrm_poll(lwip->device, wyrm_lwip_now_locked(lwip), buf, sizeof(buf), &out);

    *peer = out.peer;
    return wyrm_lwip_obey(lwip, status, &out);
}

static void act(struct wyrm_lwip *lwip, wyrm_status status, wyrm_peer_id peer)
{
    bool ready = status == WYRM_READY;

    if (ready || status == WYRM_LOST) {
        wyrm_lwip_release(lwip, peer, ready);
        if (lwip->event != NULL) {
            lwip->event(lwip->arg, status, peer);
        }
    }
}

static void on_timer(void *arg);

/* lwIP keeps silent about a timer that it has no memory for. */
bool wyrm_lwip_timer_left(void)
{
    void *entry = memp_malloc(MEMP_SYS_TIMEOUT);

    memp_free(MEMP_SYS_TIMEOUT, entry);
    return entry != NULL;
}

/* A deadline that moves away, as it does with every packet, costs nothing: the timer fires early
 * once and is armed anew. A timer that is due, or could not be had, counts as none. */
static void arm_timer(struct wyrm_lwip *lwip)
{
    wyrm_ms now = lwip->clock.ms; /* as of the last poll */
    wyrm_ms due = wyrm_deadline(lwip->device);
    uint32_t wait = due <= now ? 0 : (uint32_t)LWIP_MIN(due - now, TIMER_MAX);
    uint32_t left = lwip->timer_due - (uint32_t)now; /* TIMER_MAX is far from half of its range */

    if ((int32_t)left > 0 && left <= wait) {
        return;
    }
    sys_untimeout(on_timer, lwip);
    lwip->timer_due = (uint32_t)now;
    if (wyrm_lwip_timer_left()) {
        sys_timeout(wait, on_timer, lwip);
        lwip->timer_due += wait;
    }
}

static void on_timer(void *arg)
{
    struct wyrm_lwip *lwip = arg;

    lwip->counters.timer_fired++;
    wyrm_lwip_service_locked(lwip);
}

void wyrm_lwip_disarm_timer(struct wyrm_lwip *lwip)
{
    sys_untimeout(on_timer, lwip);
    lwip->timer_due = (uint32_t)lwip->clock.ms;
}

void wyrm_lwip_service_locked(struct wyrm_lwip *lwip)
{
    wyrm_peer_id peer;
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
