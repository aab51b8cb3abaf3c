/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The lwIP port called from any task, where tasks take lwIP's core lock.
 */
#include "any_task.h"
