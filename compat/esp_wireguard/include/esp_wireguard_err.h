/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Error codes of esp_wireguard.h, with the values that its users have compiled in.
 */
#ifndef ESP_WIREGUARD_ERR_H
#define ESP_WIREGUARD_ERR_H

#ifdef ESP_PLATFORM
#include <esp_err.h>
#else
typedef int esp_err_t;

#define ESP_OK                0
#define ESP_FAIL              (-1)
#define ESP_ERR_NO_MEM        0x101
#define ESP_ERR_INVALID_ARG   0x102
#define ESP_ERR_INVALID_STATE 0x103
#endif

#define ESP_ERR_INVALID_IP 0x200
#define ESP_ERR_RETRY      0x201

#endif /* ESP_WIREGUARD_ERR_H */
