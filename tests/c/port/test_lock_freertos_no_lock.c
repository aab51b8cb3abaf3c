/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS without core locking: the TCP/IP task is recognized by its name.
 */
#include "lock_answer.h"
