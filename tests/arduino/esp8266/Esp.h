/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in the ESP8266 core.
 */
#ifndef ESP_H
#define ESP_H

#include <stddef.h>
#include <stdint.h>

struct EspClass {
    uint8_t *random(uint8_t *out, const size_t len) const;
};
extern EspClass ESP;

#endif
