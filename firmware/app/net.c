/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "net.h"

#include <string.h>

#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"

#include "lwip/dhcp.h"
#include "lwip/dns.h"
#include "lwip/etharp.h"
#include "lwip/nd6.h"
#include "lwip/netif.h"
#include "lwip/prot/dhcp.h"
#include "lwip/prot/icmp6.h"
#include "lwip/prot/ip6.h"
#include "lwip/tcpip.h"

#include "board_api.h"
#include "commands.h"
#include "console.h"
#include "lwip_hooks.h"
#include "shell.h"
#include "text.h"
#include "timers.h"
#include "wyrm_lwip.h"

#define DEFAULT_IP4     "10.9.0.2/24"
#define DEFAULT_GATEWAY "10.9.0.1"
#define DEFAULT_IP6     "fd09::2/64"

#define DHCP_WAIT_MS 10000u
#define DNS_WAIT_MS  10000u

static struct netif interface;

struct netif *net_interface(void)
{
    return &interface;
}

/* ---- functions that lwIP calls (config/lwipopts.h, config/arch/cc.h) ---- */

bool net_lock_held(void)
{
    return xSemaphoreGetMutexHolderFromISR((SemaphoreHandle_t)lock_tcpip_core.mut) ==
           xTaskGetCurrentTaskHandle();
}

void net_assert_locked(void)
{
    if (sys_mutex_valid(&lock_tcpip_core) && !net_lock_held())
        board_panic("lwIP called without its core lock", "", 0);
}

uint32_t net_random(void)
{
    static uint32_t pool[16];
    static size_t left;
    static uint32_t weak = 1;

    if (left == 0 && board_random(pool, sizeof pool))
        left = sizeof pool / sizeof pool[0];
    if (left > 0) {
        uint32_t value = pool[--left];

        pool[left] = 0;
        return value;
    }

    /* Without entropy: good enough to distinguish connections, nothing else. */
    weak = weak * 1664525u + 1013904223u + (uint32_t)board_clock_ticks();
    return weak ^ weak >> 16;
}

const char *net_error(err_t error)
{
    switch (error) {
    case ERR_OK:
        return "no error";
    case ERR_MEM:
    case ERR_BUF:
        return "out of buffers";
    case ERR_TIMEOUT:
        return "timed out";
    case ERR_RTE:
        return "no route";
    case ERR_USE:
        return "the port is in use";
    case ERR_ABRT:
        return "aborted: no answer";
    case ERR_RST:
        return "reset by the other side";
    case ERR_CLSD:
        return "closed by the other side";
    default:
        return "network error";
    }
}

/* ---- name servers ---- */

static ip_addr_t lan_dns[DNS_MAX_SERVERS]; /* in the order received, without gaps */
static bool lan_dns_in_force = true;

/* DHCP calls this instead of dns_setserver (see CMakeLists.txt). */
void net_set_lan_dns(u8_t n, const ip_addr_t *server);
void net_set_lan_dns(u8_t n, const ip_addr_t *server)
{
    if (n >= DNS_MAX_SERVERS)
        return;
    lan_dns[n] = *server;
    if (lan_dns_in_force)
        dns_setserver(n, server);
}

bool net_lan_dns(unsigned n, ip_addr_t *out)
{
    unsigned count = 0;

    while (count < DNS_MAX_SERVERS && !ip_addr_isany(&lan_dns[count]))
        count++;
    if (count > 0)
        *out = lan_dns[n % count];
    return count > 0;
}

void net_use_dns(const ip_addr_t *servers, unsigned count)
{
    lan_dns_in_force = count == 0;
    for (u8_t i = 0; i < DNS_MAX_SERVERS; i++)
        dns_setserver(i, lan_dns_in_force ? &lan_dns[i] : i < count ? &servers[i] : NULL);
}

/* ---- neighbors and routers ---- */

void net_forget_neighbors(void)
{
    etharp_cleanup_netif(&interface);
}

/* lwIP accepts every router advertisement and redirect on the link. Drop redirects always, and
 * advertisements unless autoconfiguration is on. Neighbor discovery behind extension headers or in
 * fragments is not allowed either (RFC 6980, RFC 7113): a hop limit other than 255 makes lwIP
 * reject it as forged. */
int net_input6(struct pbuf *p, struct netif *netif)
{
    uint8_t *ip = p->payload; /* lwIP has checked that the header is complete */
    uint8_t next, type = 0;

    if (WYRM_FIRMWARE_TUNNEL && (wyrm_lwip_input6(p, netif) || gateway_take6(p, netif)))
        return 1;
    if (netif != &interface || p->len < IP6_HLEN || ip[7] != 255)
        return 0;
    next = ip[6];
    if (next == IP6_NEXTH_HOPBYHOP || next == IP6_NEXTH_ROUTING || next == IP6_NEXTH_FRAGMENT ||
        next == IP6_NEXTH_DESTOPTS)
        ip[7] = 254;
    if (next == IP6_NEXTH_ICMP6)
        type = pbuf_get_at(p, IP6_HLEN);
    if (type != ICMP6_TYPE_RD && (type != ICMP6_TYPE_RA || interface.ip6_autoconfig_enabled))
        return 0;
    pbuf_free(p);
    return 1;
}

static void set_autoconf(bool on)
{
    interface.ip6_autoconfig_enabled = on;
    if (on)
        nd6_restart_netif(&interface); /* sends router solicitations */
    else
        interface.rs_count = 0;
}

/* ---- addresses ---- */

static void set_ip4(const ip_addr_t *address, uint8_t bits, const ip_addr_t *gateway)
{
    ip4_addr_t mask = {PP_HTONL(bits ? UINT32_MAX << (32 - bits) : 0)};

    netif_set_addr(&interface, ip_2_ip4(address), &mask, ip_2_ip4(gateway));
}

/* Slot 0 holds the link-local address. This one becomes valid at once, without duplicate address
 * detection, so that the device is reachable when it prints "ready". Setting it invalid first makes
 * lwIP move from the old address's multicast group to the new one's. */
static void set_ip6(const ip_addr_t *address)
{
    netif_ip6_addr_set_state(&interface, 1, IP6_ADDR_INVALID);
    netif_ip6_addr_set(&interface, 1, ip_2_ip6(address));
    netif_ip6_addr_set_state(&interface, 1, IP6_ADDR_PREFERRED);
}

/* Accepts host addresses only, with a prefix length. */
static bool parse_ip4(const char *word, ip_addr_t *address, uint8_t *bits)
{
    return text_to_prefix(word, address, bits) && IP_IS_V4(address) && *bits > 0 &&
           !ip_addr_isany(address) && !ip_addr_ismulticast(address) && !ip_addr_isloopback(address);
}

static bool parse_gateway(const char *word, ip_addr_t *gateway)
{
    return text_to_address(word, gateway) && IP_IS_V4(gateway);
}

/* True also without a gateway. */
static bool can_reach(const ip_addr_t *address, uint8_t bits, const ip_addr_t *gateway)
{
    ip4_addr_t mask = {PP_HTONL(UINT32_MAX << (32 - bits))};

    return ip_addr_isany(gateway) ||
           (ip4_addr_net_eq(ip_2_ip4(address), ip_2_ip4(gateway), &mask) &&
            !ip_addr_eq(address, gateway));
}

/* lwIP treats each of its addresses as part of a /64. */
static bool parse_ip6(const char *word, ip_addr_t *address)
{
    uint8_t bits;

    return text_to_prefix(word, address, &bits) && IP_IS_V6(address) && bits == 64;
}

static const char *argument_or(const char *name, const char *otherwise)
{
    const char *value = board_argument(name);

    return value && *value ? value : otherwise;
}

static void set_addresses(void)
{
    const char *ip4 = argument_or("ip", DEFAULT_IP4);
    const char *gw = argument_or("gw", board_argument("ip") ? "0.0.0.0" : DEFAULT_GATEWAY);
    const char *ip6 = argument_or("ip6", DEFAULT_IP6);
    const char *dns = argument_or("dns", NULL);
    ip_addr_t address, gateway;
    uint8_t bits;

    if (!parse_ip4(ip4, &address, &bits)) {
        (void)shell_error("argument ip=%s is not ADDRESS/BITS, using " DEFAULT_IP4, ip4);
        (void)parse_ip4(DEFAULT_IP4, &address, &bits);
    }
    if (!parse_gateway(gw, &gateway) || !can_reach(&address, bits, &gateway)) {
        (void)shell_error("argument gw=%s is not another IPv4 address of the network, using none",
                          gw);
        ip_addr_set_zero_ip4(&gateway);
    }
    set_ip4(&address, bits, &gateway);

    if (!parse_ip6(ip6, &address)) {
        (void)shell_error("argument ip6=%s is not ADDRESS/64, using " DEFAULT_IP6, ip6);
        (void)parse_ip6(DEFAULT_IP6, &address);
    }
    set_ip6(&address);

    if (dns && text_to_address(dns, &address))
        net_set_lan_dns(0, &address);
    else if (dns)
        (void)shell_error("argument dns=%s is not an address, using none", dns);
}

static bool dhcp_is_bound(void)
{
    LOCK_TCPIP_CORE();
    bool bound = dhcp_supplied_address(&interface) != 0;
    UNLOCK_TCPIP_CORE();
    return bound;
}

static void wait_for_dhcp(void)
{
    for (uint32_t waited = 0; !dhcp_is_bound(); waited += 20) {
        if (waited >= DHCP_WAIT_MS) {
            (void)shell_error(
                "no DHCP server answered in 10 s; still trying, 'ip' shows the state");
            return;
        }
        if (!console_wait(20))
            return;
    }
}

static void use_dhcp(void)
{
    ip_addr_t none = IPADDR4_INIT(0);

    LOCK_TCPIP_CORE();
    set_ip4(&none, 0, &none);
    err_t error = dhcp_start(&interface);
    UNLOCK_TCPIP_CORE();

    if (error == ERR_OK)
        wait_for_dhcp();
    else
        (void)shell_error("DHCP did not start: %s", net_error(error));
}

static void stack_is_up(void *semaphore)
{
    timers_start();
    (void)xSemaphoreGive((SemaphoreHandle_t)semaphore);
}

void net_init(void)
{
    StaticSemaphore_t storage;
    SemaphoreHandle_t up = xSemaphoreCreateBinaryStatic(&storage);

    tcpip_init(stack_is_up, up);
    (void)xSemaphoreTake(up, portMAX_DELAY);
    vSemaphoreDelete(up);

    LOCK_TCPIP_CORE();
    (void)netif_add_noaddr(&interface, NULL, board_netif_init, tcpip_input);
    netif_set_default(&interface);
    interface.hostname = "wyrmling";
    netif_create_ip6_linklocal_address(&interface, 1);
    UNLOCK_TCPIP_CORE();
}

void net_start(void)
{
    LOCK_TCPIP_CORE();
    set_addresses();
    netif_set_up(&interface);
    set_autoconf(board_argument("autoconf") != NULL);
    UNLOCK_TCPIP_CORE();

    if (board_argument("dhcp"))
        use_dhcp();
}

void net_describe(char *out, size_t cap)
{
    char ip4[IPADDR_STRLEN_MAX], ip6[IPADDR_STRLEN_MAX];

    LOCK_TCPIP_CORE();
    (void)text_format(out, cap, "%s/%u %s/64", text_address(netif_ip_addr4(&interface), ip4),
                      wyrm_lwip_mask_bits(netif_ip4_netmask(&interface)),
                      text_address(netif_ip_addr6(&interface, 1), ip6));
    UNLOCK_TCPIP_CORE();
}

/* ---- names ---- */

static struct {
    uintptr_t question; /* its number, because the answer to an abandoned one may still arrive */
    volatile bool answered;
    bool found;
    ip_addr_t address;
} lookup;

static void on_answer(const char *name, const ip_addr_t *address, void *question)
{
    (void)name;
    if ((uintptr_t)question != lookup.question)
        return;
    lookup.found = address != NULL;
    if (address)
        lookup.address = *address;
    lookup.answered = true;
    console_wake();
}

static bool wait_for_answer(void)
{
    uint64_t end = board_clock_us() + DNS_WAIT_MS * 1000u;

    while (!lookup.answered && board_clock_us() < end)
        if (!console_wait(100))
            return false;
    return lookup.answered && lookup.found;
}

static bool look_up(const char *name, u8_t type, ip_addr_t *out)
{
    LOCK_TCPIP_CORE();
    lookup.question++;
    timers_expect_lookup();
    lookup.answered = false;
    err_t error = dns_gethostbyname_addrtype(name, out, on_answer, (void *)lookup.question, type);
    UNLOCK_TCPIP_CORE();

    if (error == ERR_OK)
        return true;
    if (error != ERR_INPROGRESS || !wait_for_answer())
        return false;
    *out = lookup.address;
    return true;
}

bool net_resolve(const char *host, ip_addr_t *out)
{
    if (text_to_address(host, out))
        return true;

    LOCK_TCPIP_CORE();
    bool server = !ip_addr_isany(dns_getserver(0));
    UNLOCK_TCPIP_CORE();
    if (!server)
        return shell_error("'%s' is not an address, and no name server is set; set one "
                           "with 'ip dns ADDRESS'",
                           host);
    return look_up(host, LWIP_DNS_ADDRTYPE_IPV4, out) ||
           look_up(host, LWIP_DNS_ADDRTYPE_IPV6, out) ||
           shell_error("the name '%s' was not found", host);
}

void net_to_endpoint(const ip_addr_t *address, uint16_t port, struct wyrm_endpoint *out)
{
    memset(out, 0, sizeof *out);
    out->family = IP_IS_V6(address) ? 6 : 4;
    out->port = port;
    if (IP_IS_V6(address))
        memcpy(out->addr, ip_2_ip6(address)->addr, 16);
    else
        memcpy(out->addr, &ip_2_ip4(address)->addr, 4);
}

bool net_address_of(uint8_t family, const uint8_t *bytes, ip_addr_t *out)
{
    if (family == 6) {
        ip_addr_set_zero_ip6(out);
        memcpy(ip_2_ip6(out)->addr, bytes, 16);
    } else if (family == 4) {
        ip_addr_set_zero_ip4(out);
        memcpy(&ip_2_ip4(out)->addr, bytes, 4);
    }
    return family == 4 || family == 6;
}

/* ---- the command ---- */

static const char *const ip6_states[] = {"invalid", "tentative", "deprecated", "preferred"};

static const char *ip6_state(u8_t state)
{
    if (ip6_addr_istentative(state))
        return ip6_states[1];
    if (ip6_addr_ispreferred(state))
        return ip6_states[3];
    return ip6_addr_isvalid(state) ? ip6_states[2] : ip6_states[0];
}

static void show_ip6(void)
{
    for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES; i++) {
        char text[IPADDR_STRLEN_MAX];

        LOCK_TCPIP_CORE();
        u8_t state = netif_ip6_addr_state(&interface, i);
        (void)text_address(netif_ip_addr6(&interface, i), text);
        UNLOCK_TCPIP_CORE();
        if (!ip6_addr_isinvalid(state))
            console_printf("address    %s/64  %s\n", text, ip6_state(state));
    }
}

static void show(void)
{
    const u8_t *mac = interface.hwaddr;
    char address[IPADDR_STRLEN_MAX], gateway[IPADDR_STRLEN_MAX], dns[IPADDR_STRLEN_MAX];
    char outer[IPADDR_STRLEN_MAX];

    LOCK_TCPIP_CORE();
    unsigned bits = wyrm_lwip_mask_bits(netif_ip4_netmask(&interface));
    const char *source = dhcp_supplied_address(&interface) ? "dhcp"
                         : netif_dhcp_data(&interface)     ? "dhcp, no answer yet"
                                                           : "static";
    (void)text_address(netif_ip_addr4(&interface), address);
    (void)text_address(netif_ip_gw4(&interface), gateway);
    (void)text_address(dns_getserver(0), dns);
    (void)text_address(&lan_dns[0], outer);
    bool own = lan_dns_in_force;
    UNLOCK_TCPIP_CORE();

    console_printf("interface  %c%c%u  %s  mtu %u%s\n", interface.name[0], interface.name[1],
                   interface.num, netif_is_up(&interface) ? "up" : "down", interface.mtu,
                   netif_is_link_up(&interface) ? "" : "  no link");
    console_printf("mac        %02x:%02x:%02x:%02x:%02x:%02x\n", mac[0], mac[1], mac[2], mac[3],
                   mac[4], mac[5]);
    console_printf("address    %s/%u  %s\n", address, bits, source);
    show_ip6();
    console_printf("gateway    %s\n", gateway);
    console_printf("dns        %s%s\n", dns, own ? "" : "  of the tunnel");
    if (!own)
        console_printf("dns        %s  for endpoints\n", outer);
    console_printf("autoconf   %s\n", interface.ip6_autoconfig_enabled ? "on" : "off");
#if WYRM_FIRMWARE_TUNNEL
    show_ip_forward();
#endif
}

static bool set_static6(const char *word)
{
    ip_addr_t address;

    if (!parse_ip6(word, &address))
        return shell_error("'%s' is not an IPv6 ADDRESS/64", word);
    LOCK_TCPIP_CORE();
    set_ip6(&address);
    UNLOCK_TCPIP_CORE();
    return true;
}

/* Without `gw` keeps the gateway if it is in the new network. */
static bool set_static4(const char *word, const char *gw)
{
    ip_addr_t address, gateway = IPADDR4_INIT(0);
    uint8_t bits;

    if (!parse_ip4(word, &address, &bits))
        return shell_error("'%s' is not an ADDRESS/BITS like 10.9.0.2/24", word);
    if (gw && !parse_gateway(gw, &gateway))
        return shell_error("'%s' is not an IPv4 address", gw);
    if (gw && !can_reach(&address, bits, &gateway))
        return shell_error("the gateway %s is not another address of the network of %s", gw, word);

    LOCK_TCPIP_CORE();
    dhcp_release_and_stop(&interface);
    if (!gw)
        ip_addr_copy_from_ip4(gateway, *netif_ip4_gw(&interface));
    bool dropped = !can_reach(&address, bits, &gateway);
    if (dropped)
        ip_addr_set_zero_ip4(&gateway);
    set_ip4(&address, bits, &gateway);
    UNLOCK_TCPIP_CORE();
    if (dropped)
        console_printf("note: the gateway is not in this network, so there is none now; "
                       "'ip %s gw ADDRESS' sets one\n",
                       word);
    return true;
}

static bool set_dns(const char *word)
{
    ip_addr_t server;

    if (!text_to_address(word, &server))
        return shell_error("'%s' is not an address", word);
    LOCK_TCPIP_CORE();
    net_set_lan_dns(0, &server);
    UNLOCK_TCPIP_CORE();
    return true;
}

static bool switch_autoconf(const char *word)
{
    bool on = strcmp(word, "on") == 0;

    if (!on && strcmp(word, "off") != 0)
        return shell_usage();
    LOCK_TCPIP_CORE();
    set_autoconf(on);
    UNLOCK_TCPIP_CORE();
    return true;
}

static bool change(int argc, char **argv)
{
    const char *what = argv[1];

    if (argc == 2 && strcmp(what, "dhcp") == 0) {
        use_dhcp();
        return true;
    }
    if (argc == 3 && strcmp(what, "dns") == 0)
        return set_dns(argv[2]);
    if (argc == 3 && strcmp(what, "autoconf") == 0)
        return switch_autoconf(argv[2]);
#if WYRM_FIRMWARE_TUNNEL
    if (argc == 3 && strcmp(what, "forward") == 0)
        return command_ip_forward(argv[2]);
#endif
    if (argc == 2 && strchr(what, ':'))
        return set_static6(what);
    if (argc == 2 && what[0] >= '0' && what[0] <= '9')
        return set_static4(what, NULL);
    if (argc == 4 && strcmp(argv[2], "gw") == 0)
        return set_static4(what, argv[3]);
    return shell_usage();
}

bool command_ip(int argc, char **argv)
{
    if (argc > 1 && !change(argc, argv))
        return false;
    show();
    return true;
}
