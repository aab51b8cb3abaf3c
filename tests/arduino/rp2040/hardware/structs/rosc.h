/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The ring oscillator, as in the Pico SDK.
 */
#ifndef HARDWARE_STRUCTS_ROSC_H
#define HARDWARE_STRUCTS_ROSC_H

#include <stdint.h>

struct rosc_hw_t {
    volatile uint32_t randombit;
};
extern struct rosc_hw_t *rosc_hw;

#endif
