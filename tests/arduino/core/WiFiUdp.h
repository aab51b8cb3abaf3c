/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The part of the UDP class that the examples use.
 */
#ifndef WIFIUDP_H
#define WIFIUDP_H

#include <Arduino.h>

struct WiFiUDP : Print {
    uint8_t begin(uint16_t port);
    int beginPacket(IPAddress address, uint16_t port);
    int endPacket();
};

#endif
