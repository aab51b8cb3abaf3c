/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The part of an Arduino core that the library and its examples use: declared as the cores declare
 * it.
 */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#include "IPAddress.h"

struct Print {
    size_t print(const char *text);
    size_t println(const char *text);
    size_t println(const IPAddress &address);
};

struct HardwareSerial : Print {
    void begin(unsigned long baud);
};
extern HardwareSerial Serial;

void configTime(long offset_s, int daylight_s, const char *server);

extern "C" {
#endif
void setup(void);
void loop(void);
unsigned long millis(void);
void delay(unsigned long ms);
#ifdef __cplusplus
}
#endif

#endif
