/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A Raspberry Pi Pico W (arduino-pico) in a tunnel. It has no secure random generator, so the
 * sketch condenses the jitter of the ring oscillator; nobody has certified this source.
 */
#include <WiFi.h>
#include <WyrmlingWireGuard.h>

#include <hardware/structs/rosc.h>
#include <time.h>

static const char SSID[] = "your network";
static const char PASSWORD[] = "your password";
static const char TUNNEL[] = R"(
[Interface]
PrivateKey = (paste yours: wg genkey makes one)
Address = 10.0.0.2/24

[Peer]
PublicKey = (paste that of your server)
Endpoint = 192.0.2.1:51820
AllowedIPs = 10.0.0.0/24
)";

static WireGuard wg;

/* 8,192 samples for 256 bits; false if the oscillator hardly ever changes its bit. */
static bool sample(uint8_t out[WYRM_HASH_LEN])
{
    struct wyrm_blake2s state;
    unsigned changes = 0;
    uint8_t last = 0;

    wyrm_blake2s_init(&state, WYRM_HASH_LEN, nullptr, 0);
    for (unsigned i = 0; i < 8192; i++) {
        uint8_t bit = rosc_hw->randombit & 1;

        changes += bit != last;
        last = bit;
        wyrm_blake2s_update(&state, &bit, 1);
    }
    wyrm_blake2s_final(&state, out);
    return changes > 1024;
}

static bool oscillator(void *, void *out, size_t len)
{
    uint8_t *at = static_cast<uint8_t *>(out);
    uint8_t block[WYRM_HASH_LEN];
    bool good = true;

    while (good && len > 0) {
        size_t part = len < sizeof(block) ? len : sizeof(block);

        good = sample(block);
        memcpy(at, block, part);
        at += part;
        len -= part;
    }
    wyrm_wipe(block, sizeof(block));
    return good;
}

void setup()
{
    Serial.begin(115200);
    WiFi.begin(SSID, PASSWORD);
    while (WiFi.status() != WL_CONNECTED) {
        delay(100);
    }
    NTP.begin("pool.ntp.org"); /* the first handshake waits for the clock */
    WireGuard::set_random(oscillator);
    if (!wg.begin(TUNNEL)) {
        Serial.println(wg.error());
    }
}

void loop()
{
    wg.loop(); /* computes handshakes, outside the network's interrupt */
}
