/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
 *                           uint32_t top);
 *
 * Poly1305 for an Xtensa with MULUH (ESP32 and later), either calling convention.
 * Portable twin: c/wyrm_poly1305_26.h, which also says why no carry is lost.
 *
 * Columns 0 to 2 are summed up side by side, then 3 and 4: a word of the key is loaded and shifted
 * once for all of these columns.
 *
 *   a2-a6    h, then the sum above bit 29 of column 4 in a6      a0    2^26 - 1
 *   a7-a12   sums of low words and above bit 29; new limbs       a13   word of the key
 *   a14      scratch                                             a15   state
 *
 * Stack: 32 bytes with register windows, 48 without; no secret is in it.
 * Instructions per block: 25 products 90, words of the key 26, limbs and carries 43, the message 20
 * and, aligned, 6, the rest 4: 189. A misaligned message takes 8 more.
 * Constant time: branches depend on the number of blocks and the alignment, addresses on the
 * arguments. MULL and MULUH of the LX6 and LX7 are pipelined with a latency that does not depend on
 * operands, as far as their vendor publishes it. A misaligned message is read in whole words, each
 * of which contains at least one byte of it.
 */
#include "wyrm_asm_xtensa.inc"

#if WYRM_POLY1305_ASM && WYRM_ARCH_XTENSA && WYRM_POLY1305_BITS == 26

/* The frame */
#define IN    0
#define END   4
#define TOP   8 /* in its place in limb 4 */
#define FRAME (16 + ABI_FRAME)

#define MASK  a0
#define W     a13
#define T     a14
#define STATE a15

/* W = r[\j], 5 r[\j + 5] if \j is negative */
.macro key j
    l32i.n  W, STATE, 20 + 4 * (4 + \j)
.endm

/* Headroom for sums above bit 29, for a word in W from here on. */
.macro overlap
    slli    W, W, 3
.endm

.macro low_first sum, h
    mull    \sum, \h, W
.endm

.macro low sum, h
    mull    T, \h, W
    add.n   \sum, \sum, T
.endm

.macro high_first sum, h
    muluh   \sum, \h, W
.endm

.macro high sum, h
    muluh   T, \h, W
    add.n   \sum, \sum, T
.endm

/* \high = the carry into the next column */
.macro carry_of low, high
    slli    T, \high, 29
    sub     T, \low, T
    extui   T, T, 26, 6
    addx8   \high, \high, T
.endm

/* \low, \high += \carry, which is destroyed */
.macro add_carry low, high, carry
    add.n   \low, \low, \carry
    extui   \carry, \carry, 29, 3
    add.n   \high, \high, \carry
.endm

/* \h += bits from \shift on of two words */
.macro add_bits h, shift, upper, lower
    ssai    \shift
    src     T, \upper, \lower
    and     T, T, MASK
    add.n   \h, \h, T
.endm

    .text
    func    wyrm_poly1305_blocks
    save FRAME
    mov.n   STATE, a2
    slli    a4, a4, 4
    add.n   a4, a4, a3
    s32i.n  a4, a1, END
    slli    a5, a5, 24
    s32i.n  a5, a1, TOP
    movi.n  MASK, -1
    slli    MASK, MASK, 6
    srli    MASK, MASK, 6
    l32i.n  a2, STATE, 0
    l32i.n  a4, STATE, 8
    l32i.n  a5, STATE, 12
    l32i.n  a6, STATE, 16
    mov.n   a7, a3
    l32i.n  a3, STATE, 4

.Lblock:                                    /* a7 = in */
    extui   T, a7, 0, 2
    bnez    T, .Lmisaligned
    l32i.n  a8, a7, 0
    l32i.n  a9, a7, 4
    l32i.n  a10, a7, 8
    l32i.n  a11, a7, 12
.Lloaded:
    addi    a7, a7, 16
    s32i.n  a7, a1, IN
    and     T, a8, MASK
    add.n   a2, a2, T
    add_bits a3, 26, a9, a8
    add_bits a4, 20, a10, a9
    add_bits a5, 14, a11, a10
    srli    a11, a11, 8
    l32i.n  T, a1, TOP
    add.n   a6, a6, a11
    add.n   a6, a6, T

    key     -4
    low_first a7, a6
    overlap
    high_first a8, a6
    key     -3
    low     a7, a5
    low_first a9, a6
    overlap
    high    a8, a5
    high_first a10, a6
    key     -2
    low     a7, a4
    low     a9, a5
    low_first a11, a6
    overlap
    high    a8, a4
    high    a10, a5
    high_first a12, a6
    key     -1
    low     a7, a3
    low     a9, a4
    low     a11, a5
    overlap
    high    a8, a3
    high    a10, a4
    high    a12, a5
    key     0
    low     a7, a2
    low     a9, a3
    low     a11, a4
    overlap
    high    a8, a2
    high    a10, a3
    high    a12, a4
    key     1
    low     a9, a2
    low     a11, a3
    overlap
    high    a10, a2
    high    a12, a3
    key     2
    low     a11, a2
    overlap
    high    a12, a2

    carry_of a7, a8
    and     a7, a7, MASK
    add_carry a9, a10, a8
    carry_of a9, a10
    and     a8, a9, MASK
    add_carry a11, a12, a10
    carry_of a11, a12
    and     a9, a11, MASK

    /* New limbs in a7 to a9, carry in a12. */
    key     -1
    low_first a10, a6
    overlap
    high_first a11, a6
    add_carry a10, a11, a12
    key     0
    low     a10, a5
    low_first a12, a6
    overlap
    high    a11, a5
    high_first a6, a6
    key     1
    low     a10, a4
    low     a12, a5
    overlap
    high    a11, a4
    high    a6, a5
    key     2
    low     a10, a3
    low     a12, a4
    overlap
    high    a11, a3
    high    a6, a4
    key     3
    low     a10, a2
    low     a12, a3
    overlap
    high    a11, a2
    high    a6, a3
    key     4
    low     a12, a2
    overlap
    high    a6, a2

    carry_of a10, a11
    and     a5, a10, MASK
    add_carry a12, a6, a11
    carry_of a12, a6
    addx4   T, a6, a6                       /* 2^130 = 5 */
    add.n   a7, a7, T
    and     a6, a12, MASK
    and     a2, a7, MASK
    extui   T, a7, 26, 6
    add.n   a3, a8, T
    mov.n   a4, a9

    l32i.n  a7, a1, IN
    l32i.n  T, a1, END
    beq     a7, T, .Ldone
    j       .Lblock
.Ldone:
    s32i.n  a2, STATE, 0
    s32i.n  a3, STATE, 4
    s32i.n  a4, STATE, 8
    s32i.n  a5, STATE, 12
    s32i.n  a6, STATE, 16
    restore_and_return FRAME

.Lmisaligned:
    ssa8l   a7
    sub     T, a7, T
    l32i.n  a8, T, 0
    l32i.n  a9, T, 4
    l32i.n  a10, T, 8
    l32i.n  a11, T, 12
    l32i.n  T, T, 16
    src     a8, a9, a8
    src     a9, a10, a9
    src     a10, a11, a10
    src     a11, T, a11
    j       .Lloaded
    end_func wyrm_poly1305_blocks

#endif
