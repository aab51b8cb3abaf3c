/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The lwIP port called from any task, where only the TCP/IP task may enter lwIP.
 */
#include "any_task.h"
