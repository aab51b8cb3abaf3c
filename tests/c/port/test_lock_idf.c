/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The core lock of ESP-IDF.
 */
#include "lock_answer.h"
