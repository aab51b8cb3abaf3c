/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * For assembly that serves both calling conventions of Xtensa: with register windows (ESP32) and
 * without (call0, ESP8266). Either brings arguments in a2 to a7; within a function a0 and a2 to a15
 * are free, the frame lies at a1.
 */
#ifndef WYRM_ABI_XTENSA_H
#define WYRM_ABI_XTENSA_H

#include "../wyrm_crypto_select.h"

/* \frame bytes, a multiple of 16, of which the function leaves the last ABI_FRAME alone. */
#if WYRM_ARCH_XTENSA && WYRM_XTENSA_WINDOWED

#define ABI_FRAME 16

.macro abi_enter frame
    entry   a1, \frame + 16
    s32i    a0, a1, \frame - 4
.endm

.macro abi_leave frame
    l32i    a0, a1, \frame - 4
    retw.n
.endm

#elif WYRM_ARCH_XTENSA

#define ABI_FRAME 32

.macro abi_enter frame
    addi    a1, a1, -\frame
    s32i    a0, a1, \frame - 4
    s32i    a12, a1, \frame - 8
    s32i    a13, a1, \frame - 12
    s32i    a14, a1, \frame - 16
    s32i    a15, a1, \frame - 20
.endm

.macro abi_leave frame
    l32i    a0, a1, \frame - 4
    l32i    a12, a1, \frame - 8
    l32i    a13, a1, \frame - 12
    l32i    a14, a1, \frame - 16
    l32i    a15, a1, \frame - 20
    addi    a1, a1, \frame
    ret.n
.endm

#endif

#endif /* WYRM_ABI_XTENSA_H */
