/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * host.h by semihosting, which Arm and RISC-V share but for the instruction that calls.
 */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stdint.h>

/** Supplied by the architecture: executes the call. */
int32_t semihost_trap(uint32_t operation, const void *block);

/** Told by the fault handler, which has then skipped the call: nothing answers, so no more calls.
 */
void semihost_refused(void);

#endif
