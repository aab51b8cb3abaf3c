/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The core lock of ST's lwIP on CMSIS-RTOS version 2.
 */
#include "lock_answer.h"
