/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ESP-IDF keeps its FreeRTOS in a folder.
 */
#include "../FreeRTOS.h"
