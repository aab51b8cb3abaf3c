/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The core lock of ST's lwIP on CMSIS-RTOS version 1.
 */
#include "lock_answer.h"
