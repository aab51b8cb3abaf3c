/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * All is in FreeRTOS.h.
 */
#include "FreeRTOS.h"
