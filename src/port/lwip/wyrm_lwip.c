/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Data path: packets between lwIP and the core, and the tunnel's one timer. Everything here
 * requires lwIP's core lock.
 *
 *   in:  UDP callback -> unseal() decrypts in the pbuf -> pass_up() -> netif->input
 *   out: netif->output -> send_packet() encrypts into one new pbuf -> wyrm_lwip_transmit() -> UDP
 *
 * After either, wyrm_lwip_service_locked() polls the core. Recursion is bounded: a packet that
 * reaches its own tunnel a second time, in either direction, is dropped and counted as a loop.
 */
#include "wyrm_lwip_private.h"

#if WYRM_PORT_LWIP

#include "lwip/memp.h"
#include "lwip/prot/ip.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

/* An idle tunnel wakes up twice a day to extend lwIP's 32-bit clock before it wraps. */
#define TIMER_MAX ((uint32_t)12 * 60 * 60 * 1000)

static struct wyrm_lwip *tunnel_of(struct netif *netif)
{
    return (struct wyrm_lwip *)(void *)((char *)netif - offsetof(struct wyrm_lwip, netif));
}

struct wyrm_lwip *wyrm_lwip_from_netif(struct netif *netif)
{
#if LWIP_IPV4
    bool ours = netif->output == wyrm_lwip_output4;
#else
    bool ours = netif->output_ip6 == wyrm_lwip_output6;
#endif

    return ours ? tunnel_of(netif) : NULL;
}

wyrm_ms wyrm_lwip_now_locked(struct wyrm_lwip *lwip)
{
    return wyrm_clock_widen(&lwip->clock, sys_now());
}

/* ---- Output --------------------------------------------------------------- */

/* Reduces a contiguous pbuf to the packet that the core produced inside it. */
static void trim(struct pbuf *p, const struct wyrm_packet *out)
{
    p->payload = out->data;
    p->len = p->tot_len = (uint16_t)out->len;
}

/* Copies a packet to where its ciphertext will be; `mss` is NULL or says where to clamp the copy.
 */
static struct wyrm_span copy_into(struct pbuf *sealed, struct wyrm_lwip *lwip,
                                  const struct pbuf *packet, const struct wyrm_lwip_mss *mss)
{
    uint8_t *copy = (uint8_t *)sealed->payload + WYRM_HEADER_LEN;

    lwip->counters.tx_copies++;
    pbuf_copy_partial(packet, copy, packet->tot_len, 0);
    if (WYRM_LWIP_CLAMP_MSS && mss != NULL)
        wyrm_lwip_clamp_mss(sealed, WYRM_HEADER_LEN, mss);
    return (struct wyrm_span){copy, packet->tot_len};
}

/* Encrypts `packet` into `sealed`, which is large enough. Gathers the packet's segments without a
 * copy unless there are too many or the MSS must be clamped. */
static wyrm_status seal(struct wyrm_lwip *lwip, const struct pbuf *packet, struct pbuf *sealed,
                        struct wyrm_packet *out)
{
    struct wyrm_span spans[WYRM_LWIP_SPANS];
    struct wyrm_lwip_mss mss;
    const struct pbuf *rest = packet;
    unsigned n = 0;
    bool clamp = WYRM_LWIP_CLAMP_MSS && wyrm_lwip_mss_too_big(packet, lwip->netif.mtu, &mss);

    for (; rest != NULL && n < WYRM_LWIP_SPANS; rest = rest->next)
        spans[n++] = (struct wyrm_span){rest->payload, rest->len};
    if (clamp || rest != NULL) {
        spans[0] = copy_into(sealed, lwip, packet, clamp ? &mss : NULL);
        n = 1;
    }
    return wyrm_output(lwip->device, wyrm_lwip_now_locked(lwip), spans, n, sealed->payload,
                       sealed->len, out);
}

static err_t refuse(struct wyrm_lwip *lwip, struct pbuf *packet, enum wyrm_lwip_error error)
{
    if (error == WYRM_LWIP_TOO_BIG)
        lwip->counters.too_big++;
    else
        lwip->counters.unreachable++;
    if (WYRM_LWIP_ICMP_ERRORS)
        wyrm_lwip_send_icmp_error(lwip, packet, error);
    return error == WYRM_LWIP_TOO_BIG ? ERR_VAL : ERR_RTE;
}

/* Encrypts and sends an inner packet, or holds or refuses it. The caller keeps its reference. */
static err_t send_packet(struct wyrm_lwip *lwip, struct pbuf *packet)
{
    struct wyrm_packet out;
    struct pbuf *sealed = wyrm_lwip_alloc(lwip, WYRM_SEALED_LEN(packet->tot_len));

    if (sealed == NULL)
        return ERR_MEM;
    wyrm_status status = seal(lwip, packet, sealed, &out);

    if (status == WYRM_SEND) {
        trim(sealed, &out);
        err_t err = wyrm_lwip_transmit(lwip, sealed, &out.to);

        lwip->counters.tx_packets += err == ERR_OK;
        return err;
    }
    pbuf_free(sealed);
    return status == WYRM_HOLD ? wyrm_lwip_hold_push(lwip, out.peer, packet)
                               : refuse(lwip, packet, WYRM_LWIP_UNREACHABLE);
}

static WYRM_NOINLINE err_t output(struct wyrm_lwip *lwip, struct pbuf *packet)
{
    if (lwip->sending) {
        lwip->counters.loops++;
        return ERR_RTE;
    }
    if (packet->tot_len > lwip->netif.mtu)
        return refuse(lwip, packet, WYRM_LWIP_TOO_BIG);
    if (lwip->running && lwip->filter != NULL && !lwip->filter(lwip->arg, WYRM_LWIP_OUT, packet)) {
        lwip->counters.filtered++;
        return ERR_OK;
    }
    if (!lwip->running) { /* perhaps stopped by the filter */
        lwip->counters.down++;
        return refuse(lwip, packet, WYRM_LWIP_UNREACHABLE);
    }
    if (WYRM_LWIP_FILL_CHECKSUMS)
        wyrm_lwip_fill_checksums(packet);
    err_t err = send_packet(lwip, packet);
    wyrm_lwip_service_locked(lwip);
    return err;
}

#if LWIP_IPV4
err_t wyrm_lwip_output4(struct netif *netif, struct pbuf *packet, const ip4_addr_t *next_hop)
{
    LWIP_UNUSED_ARG(next_hop);
    return output(tunnel_of(netif), packet);
}
#endif

#if LWIP_IPV6
err_t wyrm_lwip_output6(struct netif *netif, struct pbuf *packet, const ip6_addr_t *next_hop)
{
    LWIP_UNUSED_ARG(next_hop);
    return output(tunnel_of(netif), packet);
}
#endif

/* ---- Input ---------------------------------------------------------------- */

/* Contiguous, not shared, and in writable memory: allocated with the pbuf, or a driver's buffer (a
 * custom PBUF_REF). A custom PBUF_ROM may lie in flash. */
static bool writable(const struct pbuf *p)
{
    return p->next == NULL && p->ref == 1 &&
           ((p->type_internal & PBUF_TYPE_FLAG_STRUCT_DATA_CONTIGUOUS) != 0 ||
            ((p->type_internal & PBUF_TYPE_FLAG_DATA_VOLATILE) != 0 &&
             (p->flags & PBUF_FLAG_IS_CUSTOM) != 0));
}

/* Returns a writable datagram in place of `p`, which it consumes. NULL: out of memory. */
static struct pbuf *make_writable(struct wyrm_lwip *lwip, struct pbuf *p)
{
    if (writable(p))
        return p;
    struct pbuf *copy = wyrm_lwip_clone(lwip, p, &lwip->counters.rx_copies);

    pbuf_free(p);
    return copy;
}

/* Passes a datagram to the core. Returns `p` reduced to the inner packet, or NULL after freeing it.
 */
static WYRM_NOINLINE struct pbuf *unseal(struct wyrm_lwip *lwip, struct pbuf *p, uint16_t port)
{
    struct wyrm_meta meta;
    struct wyrm_packet out;

    wyrm_lwip_current_meta(&meta, port);
    p = make_writable(lwip, p);
    if (p == NULL)
        return NULL;
    wyrm_status status =
        wyrm_input(lwip->device, wyrm_lwip_now_locked(lwip), &meta, p->payload, p->len, &out);
    if (status == WYRM_DELIVER) {
        trim(p, &out);
        return p;
    }
    (void)wyrm_lwip_handle_status(lwip, status, &out);
    pbuf_free(p);
    return NULL;
}

#if LWIP_IPV6
/* lwIP accepts router advertisements on any interface, and a peer allowed ::/0 may send from any
 * address. A tunnel has no on-link neighbours, so lower a hop limit of 255, without which neighbour
 * discovery is invalid (RFC 4861) even inside extension headers or fragments. */
static void invalidate_neighbour_discovery(struct pbuf *p)
{
    uint8_t *ip = p->payload; /* the core has checked the header and its length */

    if (ip[0] >> 4 == 6 && ip[7] == 255 && ip[6] != IP_PROTO_TCP && ip[6] != IP_PROTO_UDP)
        ip[7] = 254;
}
#endif

/* Passes an inner packet to lwIP, which frees it. */
static void pass_up(struct wyrm_lwip *lwip, struct pbuf *p)
{
    if (!netif_is_up(&lwip->netif)) {
        lwip->counters.down++;
    } else if (lwip->filter != NULL && !lwip->filter(lwip->arg, WYRM_LWIP_IN, p)) {
        lwip->counters.filtered++;
    } else {
        struct wyrm_lwip_mss mss;

        if (WYRM_LWIP_CLAMP_MSS && wyrm_lwip_mss_too_big(p, lwip->netif.mtu, &mss))
            wyrm_lwip_clamp_mss(p, 0, &mss);
#if LWIP_IPV6
        invalidate_neighbour_discovery(p);
#endif
        lwip->counters.rx_packets++;
        if (lwip->netif.input(p, &lwip->netif) == ERR_OK)
            return;
    }
    pbuf_free(p);
}

void wyrm_lwip_receive(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *addr,
                       u16_t port)
{
    struct wyrm_lwip *lwip = arg;

    LWIP_UNUSED_ARG(pcb);
    LWIP_UNUSED_ARG(addr); /* wyrm_lwip_current_meta() reads it from lwIP */
    /* An authenticated packet may contain another datagram for the same tunnel, and so on. Each
     * level would take more stack. */
    if (lwip->receiving || ip_current_input_netif() == &lwip->netif) {
        lwip->counters.loops++;
        pbuf_free(p);
        return;
    }
    lwip->receiving = true;
    p = unseal(lwip, p, port);
    if (p != NULL)
        pass_up(lwip, p);
    lwip->receiving = false;
    wyrm_lwip_service_locked(lwip);
}

void wyrm_lwip_release(struct wyrm_lwip *lwip, wyrm_peer_id peer, bool send)
{
    struct pbuf *packet;

    /* Limited to the number held now: sending may hold a packet again. */
    for (unsigned n = lwip->held_count;
         n > 0 && (packet = wyrm_lwip_hold_pop(lwip, peer, 0)) != NULL; n--) {
        if (send)
            (void)send_packet(lwip, packet); /* counts its own errors */
        else
            lwip->counters.held_dropped++;
        pbuf_free(packet);
    }
}

/* ---- Polling and the timer -------------------------------------------------- */

/* Polls the core once and sends its message, if any. Sets `*peer` for WYRM_READY and WYRM_LOST. */
static WYRM_NOINLINE wyrm_status poll_once(struct wyrm_lwip *lwip, wyrm_peer_id *peer)
{
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    wyrm_status status =
        wyrm_poll(lwip->device, wyrm_lwip_now_locked(lwip), buf, sizeof(buf), &out);

    *peer = out.peer;
    return wyrm_lwip_handle_status(lwip, status, &out);
}

static void handle_peer_event(struct wyrm_lwip *lwip, wyrm_status status, wyrm_peer_id peer)
{
    bool ready = status == WYRM_READY;

    if (ready || status == WYRM_LOST) {
        wyrm_lwip_release(lwip, peer, ready);
        if (lwip->event != NULL)
            lwip->event(lwip->arg, status, peer);
    }
}

static void on_timer(void *arg);

bool wyrm_lwip_timeout_available(void)
{
    void *entry = memp_malloc(MEMP_SYS_TIMEOUT);

    memp_free(MEMP_SYS_TIMEOUT, entry);
    return entry != NULL;
}

/* A deadline that moves into the future, as with every packet, needs no work: the timer fires early
 * once and is armed again. A timer that has expired or could not be allocated counts as unset. */
static void arm_timer(struct wyrm_lwip *lwip)
{
    wyrm_ms now = lwip->clock.ms; /* as of the last poll */
    wyrm_ms due = wyrm_deadline(lwip->device);
    uint32_t wait = due <= now ? 0 : (uint32_t)LWIP_MIN(due - now, TIMER_MAX);
    uint32_t left = lwip->timer_due - (uint32_t)now; /* TIMER_MAX is far from half of its range */

    if ((int32_t)left > 0 && left <= wait)
        return;
    sys_untimeout(on_timer, lwip);
    lwip->timer_due = (uint32_t)now;
    if (wyrm_lwip_timeout_available()) {
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

void wyrm_lwip_cancel_timer(struct wyrm_lwip *lwip)
{
    sys_untimeout(on_timer, lwip);
    lwip->timer_due = (uint32_t)lwip->clock.ms;
}

void wyrm_lwip_service_locked(struct wyrm_lwip *lwip)
{
    wyrm_peer_id peer;
    wyrm_status status;

    if (!lwip->running || lwip->polling)
        return; /* the outer call keeps polling */
    lwip->polling = true;
    while (lwip->running && (status = poll_once(lwip, &peer)) > WYRM_IDLE)
        handle_peer_event(lwip, status, peer);
    lwip->polling = false;
    if (lwip->running)
        arm_timer(lwip);
}

#endif /* WYRM_PORT_LWIP */
