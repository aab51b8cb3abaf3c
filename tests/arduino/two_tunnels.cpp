/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Two objects of the class WireGuard on one real lwIP without an operating system, as on an
 * ESP8266: they tunnel to each other through an interface that leads back to itself. Prints what
 * happens; test_arduino.py compares it.
 */
#include <WyrmlingWireGuard.h>

#include <Esp.h>
#include <Schedule.h>

#include "lwip/init.h"
#include "lwip/timeouts.h"

#include <stdio.h>
#include <time.h>

#define ALICE        "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo="
#define ALICE_PUBLIC "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
#define BOB          "XasIfmJKikt54X+Lg4AO5m87sSkmGLb9HC+LJ/+I4Os="
#define BOB_PUBLIC   "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="

/* ---- The core that the class runs on ---------------------------------------- */

static uint32_t now_ms = 1000;
static time_t clock_s; /* 0: not set */
static std::function<void()> scheduled;
static struct netif outside;
EspClass ESP;

uint8_t *EspClass::random(uint8_t *out, const size_t len) const
{
    static uint8_t next;

    for (size_t i = 0; i < len; i++)
        out[i] = next++;
    return out;
}

bool schedule_function(const std::function<void()> &fn)
{
    scheduled = fn;
    return true;
}

extern "C" {
u32_t sys_now(void)
{
    return now_ms;
}
time_t time(time_t *)
{
    return clock_s;
}
void delay(unsigned long ms)
{
    now_ms += ms;
}
unsigned int lwip_port_rand(void)
{
    return 4;
}
}

static err_t leave(struct netif *, struct pbuf *, const ip4_addr_t *)
{
    return ERR_OK;
}

static err_t add_outside(struct netif *netif)
{
    netif->output = leave;
    netif->mtu = 1500;
    netif->name[0] = 'o';
    netif->name[1] = 's';
    return ERR_OK;
}

static void connect_network()
{
    ip4_addr_t address, netmask, gateway;

    IP4_ADDR(&address, 192, 0, 2, 2);
    IP4_ADDR(&netmask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 192, 0, 2, 1);
    netif_add(&outside, &address, &netmask, &gateway, nullptr, add_outside, ip_input);
    netif_set_default(&outside);
    netif_set_up(&outside);
    netif_set_link_up(&outside);
}

static void run(unsigned seconds)
{
    for (uint32_t end = now_ms + seconds * 1000; now_ms < end; now_ms += 10) {
        sys_check_timeouts();
        netif_poll(&outside);
        if (scheduled) {
            std::function<void()> work = scheduled;

            scheduled = nullptr;
            work();
        }
    }
}

/* ---- The story ----------------------------------------------------------------- */

static WireGuard alice, bob;
static unsigned ups;

static void on_event(bool up)
{
    ups += up;
}

static unsigned interfaces()
{
    unsigned count = 0;

    for (const struct netif *netif = netif_list; netif != nullptr; netif = netif->next)
        count++;
    return count;
}

static void say(const char *what, bool yes)
{
    printf("%s: %s\n", what, yes ? "yes" : "no");
}

int main()
{
    static const char to_bob[] = "[Interface]\nPrivateKey = " ALICE "\nAddress = 10.0.0.1/24\n"
                                 "[Peer]\nPublicKey = " BOB_PUBLIC "\nAllowedIPs = 10.0.0.2/32\n"
                                 "Endpoint = 192.0.2.2:51821\n";
    static const char to_alice[] =
        "[Interface]\nPrivateKey = " BOB "\nAddress = 10.0.1.2/24\n"
        "ListenPort = 51821\n"
        "[Peer]\nPublicKey = " ALICE_PUBLIC "\nAllowedIPs = 10.0.1.1/32\n";

    lwip_init();
    say("starts without a network", alice.begin(to_bob));
    printf("%s\n", alice.error());
    say("starts with a bad key",
        alice.begin(IPAddress(10, 0, 0, 1), "short", "192.0.2.2", BOB_PUBLIC, 51821));
    printf("%s\n", alice.error());

    connect_network();
    unsigned before = interfaces();
    alice.on_event(on_event);
    say("starts", alice.begin(to_bob) && bob.begin(to_alice));
    say("starts twice", alice.begin(to_bob));
    run(20);
    say("up without a clock", alice.peer_up() || bob.peer_up());
    clock_s = 1800000000;
    run(60);
    say("up with a clock", alice.peer_up() && bob.peer_up());
    printf("events: %u\n", ups);
    say("another route", alice.add_allowed_ip(IPAddress(10, 9, 0, 0), IPAddress(255, 255, 0, 0)));
    say("default route taken", netif_default != &outside);
    alice.end();
    say("up after the end", alice.peer_up());

    say("starts anew", alice.begin(IPAddress(10, 0, 0, 1), ALICE, "192.0.2.2", BOB_PUBLIC, 51821));
    say("default route taken", netif_default != &outside);
    netif_set_default(&outside); /* as a core does when its network reconnects */
    run(60);
    say("default route taken back", netif_default != &outside);
    say("up", alice.peer_up());
    alice.end();
    say("default route returned", netif_default == &outside);
    bob.end();
    say("interfaces left over", interfaces() != before);
    return 0;
}
