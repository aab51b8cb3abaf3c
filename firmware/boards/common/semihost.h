/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * host.h by semihosting, which is the same on Arm and RISC-V except for the calling instruction.
 */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stdint.h>

/** Supplied by the architecture: executes the call. */
int32_t semihost_trap(uint32_t operation, const void *block);

/** Called by the fault handler after skipping a call: there is no host, so make no more calls.
 */
void semihost_refused(void);

#endif
