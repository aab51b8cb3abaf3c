/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The IPv6 hooks that ESP-IDF defines as functions, weak or the application's. The linker leads
 * calls of them here (--wrap), and __real_ to them.
 */
/* Arduino compiles every file of a library, and has a class of its own. */
#if !defined(ESP_PLATFORM) || defined(ARDUINO)

typedef int wyrm_esp_hooks_not_built; /* ISO C requires a declaration in every file */

#else

#include "wyrm_lwip.h"

#if LWIP_IPV6

struct netif *__real_lwip_hook_ip6_route(const ip6_addr_t *src, const ip6_addr_t *dest);
struct netif *__wrap_lwip_hook_ip6_route(const ip6_addr_t *src, const ip6_addr_t *dest);
int __real_lwip_hook_ip6_input(struct pbuf *p, struct netif *inp);
int __wrap_lwip_hook_ip6_input(struct pbuf *p, struct netif *inp);

#if defined(CONFIG_LWIP_HOOK_IP6_ROUTE_DEFAULT) || defined(CONFIG_LWIP_HOOK_IP6_ROUTE_CUSTOM)
struct netif *__wrap_lwip_hook_ip6_route(const ip6_addr_t *src, const ip6_addr_t *dest)
{
    struct netif *tunnel = wyrm_lwip_route6(src, dest);

    return tunnel != NULL ? tunnel : __real_lwip_hook_ip6_route(src, dest);
}
#endif

#if defined(CONFIG_LWIP_HOOK_IP6_INPUT_DEFAULT) || defined(CONFIG_LWIP_HOOK_IP6_INPUT_CUSTOM)
int __wrap_lwip_hook_ip6_input(struct pbuf *p, struct netif *inp)
{
    return wyrm_lwip_input6(p, inp) ? 1 : __real_lwip_hook_ip6_input(p, inp);
}
#endif

#endif /* LWIP_IPV6 */

#endif /* ESP_PLATFORM */
