/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "names.h"

#include <string.h>

#include "lwip/dns.h"
#include "lwip/tcpip.h"
#include "lwip/timeouts.h"

#include "console.h"
#include "net.h"
#include "resolver.h"
#include "tunnel_device.h"

#define RETRY_MS   10000u /* after a lookup that failed */
#define UNANSWERED 2      /* initiations before a new lookup: one may be lost */

static struct name {
    char text[DNS_MAX_NAME_LENGTH]; /* empty: the entry is free */
    uint8_t pub[WYRM_KEY_LEN];
    struct wyrm_endpoint found; /* family 0: not resolved yet, only the port is set */
    struct resolver lookup;
    bool reported; /* that the lookup failed */
} names[TUNNEL_PEERS];
static bool looking;

static void look(void *unused);

static void look_later(void)
{
    sys_untimeout(look, NULL);
    sys_timeout(RETRY_MS, look, NULL);
}

static void lookup_failed(struct name *name)
{
    ip_addr_t unused;
    bool server = net_lan_dns(0, &unused);

    if (!name->reported)
        console_notice("tunnel: the name '%s' was not found%s; retrying", name->text,
                       server ? "" : ", there is no name server ('ip dns ADDRESS' sets one)");
    name->reported = true;
    look_later();
}

static void use(struct name *name, wyrm_peer_id peer, const ip_addr_t *address)
{
    struct wyrm_device *device = wyrm_lwip_device(tunnel_lwip());
    struct wyrm_endpoint now;
    char text[WYRM_ENDPOINT_TEXT_MAX];

    net_to_endpoint(address, name->found.port, &now);
    name->reported = false;
    if (memcmp(&now, &name->found, sizeof now) == 0)
        return;
    name->found = now;
    (void)wyrm_endpoint_print(&now, text);
    console_notice("tunnel: '%s' is at %s", name->text, text);
    (void)wyrm_peer_set_endpoint(device, peer, &now);
    (void)wyrm_peer_connect(device, wyrm_lwip_now_locked(tunnel_lwip()), peer);
    wyrm_lwip_service_locked(tunnel_lwip());
}

/* Finds the peer with this name. Drops the name if its endpoint has been reconfigured in the
 * meantime. */
static bool find_peer(struct name *name, wyrm_peer_id *peer, struct wyrm_peer_info *info)
{
    struct wyrm_device *device = wyrm_lwip_device(tunnel_lwip());
    bool same;

    if (name->text[0] == '\0' || wyrm_peer_find(device, name->pub, peer) != WYRM_IDLE ||
        wyrm_peer_get(device, wyrm_lwip_now_locked(tunnel_lwip()), *peer, info) != WYRM_IDLE)
        return false;
    same = name->found.family == 0
               ? info->configured.family == 0
               : memcmp(&info->configured, &name->found, sizeof name->found) == 0;
    if (!same)
        name->text[0] = '\0';
    return same;
}

static void on_answer(const ip_addr_t *address, void *which)
{
    struct name *name = which;
    struct wyrm_peer_info info;
    wyrm_peer_id peer;

    if (!find_peer(name, &peer, &info))
        return; /* the peer was removed or has another endpoint */
    if (address)
        use(name, peer, address);
    else
        lookup_failed(name);
}

static void look(void *unused)
{
    struct wyrm_peer_info info;
    wyrm_peer_id peer;

    (void)unused;
    looking = false;
    for (struct name *name = names; name < names + TUNNEL_PEERS; name++)
        if (!resolver_is_busy(&name->lookup) && find_peer(name, &peer, &info) &&
            (name->found.family == 0 || info.unanswered >= UNANSWERED) &&
            !resolver_ask(&name->lookup, name->text, on_answer, name))
            lookup_failed(name);
}

void names_look(void)
{
    bool any = false;

    for (unsigned i = 0; i < TUNNEL_PEERS; i++)
        any |= names[i].text[0] != '\0';
    if (any && !looking)
        looking = tcpip_try_callback(look, NULL) == ERR_OK; /* not now: the tunnel calls us */
}

void names_forget(void)
{
    for (unsigned i = 0; i < TUNNEL_PEERS; i++) {
        names[i].text[0] = '\0';
        resolver_cancel(&names[i].lookup);
    }
    sys_untimeout(look, NULL);
}

void names_keep(const uint8_t pub[WYRM_KEY_LEN], const struct wyrm_host *host)
{
    struct name *name = names;

    _Static_assert(sizeof name->text > UINT8_MAX, "a name of any length fits");
    while (name->text[0] != '\0')
        name++; /* there are as many entries as peers */
    memcpy(name->text, host->name, host->name_len);
    name->text[host->name_len] = '\0';
    memcpy(name->pub, pub, WYRM_KEY_LEN);
    name->found = host->address;
    name->reported = false;
}
