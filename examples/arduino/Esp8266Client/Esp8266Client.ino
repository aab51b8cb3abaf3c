/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * An ESP8266 that sends all its traffic through a tunnel. The clock must be set before the first
 * handshake: this chip has no store for timestamps unless you give it one (set_store).
 */
#include <ESP8266WiFi.h>
#include <WyrmlingWireGuard.h>

#include <time.h>

static const char SSID[] = "your network";
static const char PASSWORD[] = "your password";
static const char PRIVATE_KEY[] = "(paste yours: wg genkey makes one)";
static const char SERVER_KEY[] = "(paste that of your server)";

static WireGuard wg;
static volatile bool changed;

static void on_event(bool)
{
    changed = true; /* called inside the network stack */
}

void setup()
{
    Serial.begin(115200);
    WiFi.mode(WIFI_STA);
    WiFi.begin(SSID, PASSWORD);
    while (WiFi.status() != WL_CONNECTED) {
        delay(100);
    }
    configTime(0, 0, "pool.ntp.org");
    while (time(nullptr) < 1760000000) {
        delay(100);
    }
    wg.on_event(on_event);
    if (!wg.begin(IPAddress(10, 0, 0, 2), PRIVATE_KEY, "vpn.example.org", SERVER_KEY, 51820)) {
        Serial.println(wg.error());
    }
}

void loop()
{
    if (changed) {
        changed = false;
        Serial.println(wg.peer_up() ? "the tunnel is up" : "the server does not answer");
    }
}
