/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * An ESP32 that sends its uptime through a tunnel every 10 s. Paste the wg-quick file of your
 * server and the name and password of your Wi-Fi.
 */
#include <WiFi.h>
#include <WiFiUdp.h>
#include <WyrmlingWireGuard.h>

static const char SSID[] = "your network";
static const char PASSWORD[] = "your password";
static const char TUNNEL[] = R"(
[Interface]
PrivateKey = (paste yours: wg genkey makes one)
Address = 10.0.0.2/24

[Peer]
PublicKey = (paste that of your server)
Endpoint = vpn.example.org:51820
AllowedIPs = 10.0.0.0/24
PersistentKeepalive = 25
)";

static WireGuard wg;
static WiFiUDP udp;

void setup()
{
    Serial.begin(115200);
    WiFi.begin(SSID, PASSWORD);
    while (WiFi.status() != WL_CONNECTED) {
        delay(100);
    }
    if (!wg.begin(TUNNEL)) {
        Serial.println(wg.error());
    }
    udp.begin(5000);
}

void loop()
{
    if (wg.peer_up()) {
        udp.beginPacket(IPAddress(10, 0, 0, 1), 5000);
        udp.println("up");
        udp.endPacket();
    }
    delay(10000);
}
