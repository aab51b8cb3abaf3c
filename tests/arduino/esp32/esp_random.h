/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in ESP-IDF.
 */
#ifndef ESP_RANDOM_H
#define ESP_RANDOM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C"
#endif
    void
    esp_fill_random(void *buf, size_t len);

#endif
