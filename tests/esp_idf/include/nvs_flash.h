/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in ESP-IDF.
 */
#pragma once
#include "esp_err.h"

esp_err_t nvs_flash_init(void);
