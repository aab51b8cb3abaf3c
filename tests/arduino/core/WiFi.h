/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The part of the Wi-Fi libraries that the examples use.
 */
#ifndef WIFI_H
#define WIFI_H

#include <Arduino.h>

enum wl_status_t { WL_IDLE_STATUS = 0, WL_CONNECTED = 3 };
enum { WIFI_STA = 1 };

struct WiFiClass {
    void mode(int mode);
    int begin(const char *ssid, const char *password);
    uint8_t status();
    IPAddress localIP();
};
extern WiFiClass WiFi;

struct NTPClass { /* arduino-pico */
    void begin(const char *server);
};
extern NTPClass NTP;

#endif
