/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in ESP-IDF.
 */
#pragma once
#include "esp_err.h"

typedef struct {
    const char *command, *help, *hint;
    int (*func)(int argc, char **argv);
    void *argtable;
} esp_console_cmd_t;

esp_err_t esp_console_cmd_register(const esp_console_cmd_t *command);
