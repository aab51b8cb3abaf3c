/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Endpoints that are names: lwIP's resolver is asked until it finds them, and again when a peer
 * does not answer, whose address may have changed. Everything here runs under lwIP's lock.
 */
#include "tunnel.h"

#include "lwip/dns.h"
#include "lwip/tcpip.h"
#include "lwip/timeouts.h"

#include <string.h>

#define LOOK_MS    10000u
#define UNANSWERED 2 /* initiations in a row: a single one may be lost */

static struct wyrm_lwip *of; /* NULL: stopped */
static const struct wyrm_conf *names;

static bool find(const struct wyrm_conf_peer *peer, wyrm_peer_id *id, struct wyrm_peer_info *info)
{
    const struct wyrm_device *device = wyrm_lwip_device(of);

    return wyrm_peer_find(device, peer->pub, id) >= 0 &&
           wyrm_peer_get(device, wyrm_lwip_now_locked(of), *id, info) >= 0;
}

static void use(const struct wyrm_conf_peer *peer, const ip_addr_t *address)
{
    struct wyrm_endpoint found;
    struct wyrm_peer_info info;
    wyrm_peer_id id;

    if (!find(peer, &id, &info))
        return;
    memset(&found, 0, sizeof found); /* it is compared whole */
    found.port = peer->endpoint.address.port;
    found.family = IP_IS_V6(address) ? 6 : 4;
#if LWIP_IPV6
    if (IP_IS_V6(address))
        memcpy(found.addr, ip_2_ip6(address)->addr, 16);
    else
#endif
        memcpy(found.addr, &ip_2_ip4(address)->addr, 4);
    if (memcmp(&found, &info.configured, sizeof found) == 0)
        return;
    if (wyrm_peer_set_endpoint(wyrm_lwip_device(of), id, &found) < 0)
        return;
    (void)wyrm_peer_connect(wyrm_lwip_device(of), wyrm_lwip_now_locked(of), id);
    wyrm_lwip_service_locked(of);
}

/* The answer may come after tunnel_stop, or when the place belongs to another peer. */
static void on_answer(const char *name, const ip_addr_t *address, void *place)
{
    const struct wyrm_conf_peer *peer = place;

    if (of == NULL || address == NULL || strlen(name) != peer->endpoint.name_len ||
        memcmp(name, peer->endpoint.name, peer->endpoint.name_len) != 0)
        return;
    use(peer, address);
}

static void ask(struct wyrm_conf_peer *peer)
{
    static char name[UINT8_MAX + 1]; /* lwIP takes a copy */
    ip_addr_t address;

    memcpy(name, peer->endpoint.name, peer->endpoint.name_len);
    name[peer->endpoint.name_len] = '\0';
    if (dns_gethostbyname(name, &address, on_answer, peer) == ERR_OK)
        use(peer, &address);
}

static void look(void *unused)
{
    struct wyrm_peer_info info;
    wyrm_peer_id id;

    (void)unused;
    sys_untimeout(look, NULL); /* there is one at most, even after stop and start */
    if (of == NULL)
        return;
    for (uint16_t i = 0; i < names->n_peers; i++) {
        struct wyrm_conf_peer *peer = &names->peers[i];

        if (peer->endpoint.address.family == 0 && peer->endpoint.name_len > 0 &&
            find(peer, &id, &info) &&
            (info.configured.family == 0 || info.unanswered >= UNANSWERED))
            ask(peer);
    }
    sys_timeout(LOOK_MS, look, NULL);
}

void names_start(struct wyrm_lwip *lwip, const struct wyrm_conf *conf)
{
    of = lwip;
    names = conf;
    /* In the TCP/IP task, whose timers another task's call would not wake. */
    if (tcpip_try_callback(look, NULL) != ERR_OK)
        sys_timeout(LOOK_MS, look, NULL);
}

void names_stop(void)
{
    of = NULL;
    sys_untimeout(look, NULL);
}
