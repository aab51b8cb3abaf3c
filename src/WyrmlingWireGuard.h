/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A WireGuard tunnel for Arduino sketches on cores with lwIP: ESP32, ESP8266, and Raspberry Pi Pico
 * W (arduino-pico). Connect the network first, then:
 *
 *     WireGuard wg; // global: it must not be destroyed
 *     if (!wg.begin(wg_quick_file)) Serial.println(wg.error());
 *
 * Any task may call it, from `setup` and `loop` as a rule; never an interrupt. The library does not
 * wait: begin() returns before the first handshake has ended.
 */
#ifndef WYRMLING_WIREGUARD_H
#define WYRMLING_WIREGUARD_H

#include "wyrm_lwip.h"
#include "wyrm_store.h"
#include "wyrm_text.h"

#include <Arduino.h>
#include <IPAddress.h>

#if WYRM_PORT_FREERTOS
#include "wyrm_freertos.h"
#endif

class WireGuard
{
  public:
    WireGuard();
    WireGuard(const WireGuard &) = delete;
    WireGuard &operator=(const WireGuard &) = delete;

    /* Starts the tunnel of an ordinary wg-quick file. False: error() says why. Takes the default
     * route if AllowedIPs contain 0.0.0.0/0. */
    bool begin(const char *wg_quick_file);
    /* The same with one peer that may have every address, persistent keepalives every 25 s, and
     * the default route through the tunnel. `endpoint` is a name or an address. */
    bool begin(const IPAddress &address, const IPAddress &netmask, const IPAddress &gateway,
               const char *private_key, const char *endpoint, const char *public_key, uint16_t port,
               const char *preshared_key = nullptr);
    bool begin(const IPAddress &address, const char *private_key, const char *endpoint,
               const char *public_key, uint16_t port, const char *preshared_key = nullptr);
    /* Removes the tunnel and wipes its keys; other interfaces take over its traffic. Waits for a
     * handshake that is being computed. */
    void end();

    bool is_initialized() const
    {
        return running_;
    }
    /* One sentence about the last begin() that returned false. */
    const char *error() const
    {
        return error_;
    }
    /* True if a peer has a session that can carry data. */
    bool peer_up();
    /* Gives the first peer another network. */
    bool add_allowed_ip(const IPAddress &network, const IPAddress &netmask);

    /* ---- Before begin() ---- */

    /* Called when a peer has got a session (true), or does not answer (false). It runs inside the
     * network stack: set a flag and return. */
    void on_event(void (*callback)(bool up))
    {
        callback_ = callback;
    }
    /* 1: packets that no other interface's network contains go into the tunnel; 0: only those for
     * the tunnel's own network. Overrides what begin() derives. */
    void set_default_route(bool enabled)
    {
        default_route_ = enabled ? 1 : 0;
    }
    /* Cryptographically secure bytes, or false. Needed on cores without a secure generator, such as
     * the RP2040; ESP32 and ESP8266 have one while their radio is on. */
    static void set_random(bool (*random)(void *ctx, void *out, size_t len));
    /* Where timestamps survive a reboot, see wyrm_store.h; the ESP32 keeps them in NVS. Without
     * such a store, set the clock (configTime) before the first handshake. */
    static void set_store(const struct wyrm_store_io *store);

    /* Computes a pending handshake, in 0.1 to 1 s, and resolves names. Call it in loop() on the
     * Pico; ESP32 and ESP8266 do it by themselves. */
    void loop();

  private:
    struct Peer {
        char name[WYRM_ARDUINO_NAME_MAX + 1]; /* of the endpoint; empty: a numeric address */
        uint16_t port;
    };

    struct wyrm_lwip lwip_;
    struct wyrm_device device_;
    struct wyrm_pools pools_;
    struct wyrm_peer peers_[WYRM_ARDUINO_PEERS];
    struct wyrm_route routes_[WYRM_ARDUINO_ROUTES];
    struct wyrm_slot slots_[WYRM_HANDSHAKE_SLOTS];
    struct wyrm_source sources_[WYRM_SOURCES];
    uint16_t index_[WYRM_INDEX_HEADS(WYRM_ARDUINO_PEERS)];
    struct wyrm_lwip_held held_[WYRM_ARDUINO_HELD];
    struct wyrm_conf_peer conf_peers_[WYRM_ARDUINO_PEERS];
    struct wyrm_prefix conf_prefixes_[WYRM_ARDUINO_ROUTES + 2];
    struct wyrm_conf conf_; /* wiped once the tunnel has it */
    Peer names_[WYRM_ARDUINO_PEERS];
    struct netif *outside_; /* the default interface before ours */
    void (*callback_)(bool up);
    int default_route_; /* chosen before begin(); -1: as begin() derives it */
    bool takes_default_route_;
    bool running_;
    unsigned long next_look_ms_; /* without a timer of lwIP's */
    char error_[WYRM_CONF_ERROR_MAX];
#if WYRM_PORT_FREERTOS
    struct wyrm_worker worker_;
#else
    struct wyrm_job job_;
    volatile bool pending_;
#endif

    void prepare();
    bool fail(const char *reason);
    bool start();
    bool remember_names();
    wyrm_status bring_up_locked();
    wyrm_status add_peer_locked(uint16_t position);
    void take_default_route_locked();
    void tear_down_locked();
    void look_locked();
    void resolve_locked(wyrm_peer_id peer);
    void use_locked(wyrm_peer_id peer, const ip_addr_t *address);
    void schedule_look_locked();

    static wyrm_status bring_up(struct wyrm_lwip *lwip, void *self);
    static wyrm_status tear_down(struct wyrm_lwip *lwip, void *self);
    static wyrm_status any_up(struct wyrm_device *device, wyrm_ms now, void *up);
    static void look(void *self);
    static wyrm_status look_now(struct wyrm_lwip *lwip, void *self);
    static void found(const char *name, const ip_addr_t *address, void *self);
    static void event(void *self, wyrm_status event, wyrm_peer_id peer);
    static void wake(void *self);
};

#endif /* WYRMLING_WIREGUARD_H */
