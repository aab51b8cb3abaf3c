/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ESP-IDF without core locking, its default.
 */
#include "lock_answer.h"
