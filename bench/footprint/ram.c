/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * All the variables that the core needs for one peer with two routes. The debug information tells
 * the sizes of the structures.
 */
#include <wyrm.h>

WYRM_DEVICE_DEFINE(device, 1, 2);

const void *const kept[] = {&device, &device_pools};
const struct wyrm_job *const job = NULL; /* where a job lies is up to the port */
