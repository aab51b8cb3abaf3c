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
#include "lwip/netif.h"
#include "lwip/prot/dhcp.h"
#include "lwip/tcpip.h"

#include "board_api.h"
#include "commands.h"
#include "console.h"
#include "shell.h"
#include "text.h"
#include "wyrm.h"

#define DEFAULT_IP4     "10.9.0.2/24"
#define DEFAULT_GATEWAY "10.9.0.1"
#define DEFAULT_IP6     "fd09::2/64"

#define DHCP_WAIT_MS 10000u
#define DNS_WAIT_MS  10000u

static struct netif interface;

/* ---- what lwIP asks of us (config/lwipopts.h, config/arch/cc.h) ---- */

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

    /* No entropy: enough to tell connections apart, no more. */
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

/* ---- addresses ---- */

static void set_ip4(const ip_addr_t *address, uint8_t bits, const ip_addr_t *gateway)
{
    ip4_addr_t mask = {PP_HTONL(bits ? UINT32_MAX << (32 - bits) : 0)};

    netif_set_addr(&interface, ip_2_ip4(address), &mask, ip_2_ip4(gateway));
}

/* Slot 0 is the link-local address; ours is set valid at once, without duplicate detection, so
 * that the device is reachable when it says so. Going through invalid moves the multicast group
 * from the old address to the new one. */
static void set_ip6(const ip_addr_t *address)
{
    netif_ip6_addr_set_state(&interface, 1, IP6_ADDR_INVALID);
    netif_ip6_addr_set(&interface, 1, ip_2_ip6(address));
    netif_ip6_addr_set_state(&interface, 1, IP6_ADDR_PREFERRED);
}

static bool parse_ip4(const char *word, ip_addr_t *address, uint8_t *bits)
{
    return text_to_prefix(word, address, bits) && IP_IS_V4(address) && *bits <= 32;
}

/* lwIP takes every address of its own as one of a /64. */
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
    if (!text_to_address(gw, &gateway) || !IP_IS_V4(&gateway)) {
        (void)shell_error("argument gw=%s is not an IPv4 address, using none", gw);
        ip_addr_set_zero_ip4(&gateway);
    }
    set_ip4(&address, bits, &gateway);

    if (!parse_ip6(ip6, &address)) {
        (void)shell_error("argument ip6=%s is not ADDRESS/64, using " DEFAULT_IP6, ip6);
        (void)parse_ip6(DEFAULT_IP6, &address);
    }
    set_ip6(&address);

    if (dns && text_to_address(dns, &address))
        dns_setserver(0, &address);
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
    (void)xSemaphoreGive((SemaphoreHandle_t)semaphore);
}

void net_start(void)
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
    interface.ip6_autoconfig_enabled = 1;
    set_addresses();
    netif_set_up(&interface);
    UNLOCK_TCPIP_CORE();

    if (board_argument("dhcp"))
        use_dhcp();
}

static uint8_t mask_bits(uint32_t mask)
{
    return (uint8_t)__builtin_popcount(mask);
}

void net_describe(char *out, size_t cap)
{
    char ip4[IPADDR_STRLEN_MAX], ip6[IPADDR_STRLEN_MAX];

    LOCK_TCPIP_CORE();
    (void)text_format(out, cap, "%s/%u %s/64", text_address(netif_ip_addr4(&interface), ip4),
                      mask_bits(ip4_addr_get_u32(netif_ip4_netmask(&interface))),
                      text_address(netif_ip_addr6(&interface, 1), ip6));
    UNLOCK_TCPIP_CORE();
}

/* ---- names ---- */

static struct {
    uintptr_t question; /* its number: the answer to one that was given up may still come */
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

    while (!lookup.answered && board_clock_us() < end) {
        if (!console_wait(100))
            return false;
    }
    return lookup.answered && lookup.found;
}

static bool look_up(const char *name, u8_t type, ip_addr_t *out)
{
    LOCK_TCPIP_CORE();
    lookup.question++;
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
        return shell_error("'%s' is not an address, and there is no name server to ask; set one "
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

    LOCK_TCPIP_CORE();
    unsigned bits = mask_bits(ip4_addr_get_u32(netif_ip4_netmask(&interface)));
    const char *source = dhcp_supplied_address(&interface) ? "dhcp"
                         : netif_dhcp_data(&interface)     ? "dhcp, no answer yet"
                                                           : "static";
    (void)text_address(netif_ip_addr4(&interface), address);
    (void)text_address(netif_ip_gw4(&interface), gateway);
    (void)text_address(dns_getserver(0), dns);
    UNLOCK_TCPIP_CORE();

    console_printf("interface  %c%c%u  %s  mtu %u\n", interface.name[0], interface.name[1],
                   interface.num, netif_is_up(&interface) ? "up" : "down", interface.mtu);
    console_printf("mac        %02x:%02x:%02x:%02x:%02x:%02x\n", mac[0], mac[1], mac[2], mac[3],
                   mac[4], mac[5]);
    console_printf("address    %s/%u  %s\n", address, bits, source);
    show_ip6();
    console_printf("gateway    %s\n", gateway);
    console_printf("dns        %s\n", dns);
}

static bool set_static(int argc, char **argv)
{
    ip_addr_t address, gateway = IPADDR4_INIT(0);
    uint8_t bits;

    if (strchr(argv[1], ':')) {
        if (argc != 2 || !parse_ip6(argv[1], &address))
            return shell_error("'%s' is not an IPv6 ADDRESS/64", argv[1]);
        LOCK_TCPIP_CORE();
        set_ip6(&address);
        UNLOCK_TCPIP_CORE();
        return true;
    }

    if (!parse_ip4(argv[1], &address, &bits))
        return shell_error("'%s' is not an ADDRESS/BITS like 10.9.0.2/24", argv[1]);
    if (argc == 4 && (!text_to_address(argv[3], &gateway) || !IP_IS_V4(&gateway)))
        return shell_error("'%s' is not an IPv4 address", argv[3]);
    LOCK_TCPIP_CORE();
    dhcp_release_and_stop(&interface);
    set_ip4(&address, bits, &gateway);
    UNLOCK_TCPIP_CORE();
    return true;
}

bool command_ip(int argc, char **argv)
{
    ip_addr_t server;

    if (argc == 2 && strcmp(argv[1], "dhcp") == 0) {
        use_dhcp();
    } else if (argc == 3 && strcmp(argv[1], "dns") == 0) {
        if (!text_to_address(argv[2], &server))
            return shell_error("'%s' is not an address", argv[2]);
        LOCK_TCPIP_CORE();
        dns_setserver(0, &server);
        UNLOCK_TCPIP_CORE();
    } else if (argc == 2 || (argc == 4 && strcmp(argv[2], "gw") == 0)) {
        if (!set_static(argc, argv))
            return false;
    } else if (argc != 1) {
        return shell_usage();
    }
    show();
    return true;
}
