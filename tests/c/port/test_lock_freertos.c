/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The core lock on FreeRTOS with lwIP's own port.
 */
#include "lock_answer.h"
