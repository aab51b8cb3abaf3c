/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The core lock recorded by wyrm_lwip_lock.h, where FreeRTOS cannot tell its holder.
 */
#include "lock_answer.h"
