/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_blake2s_compress(struct wyrm_blake2s *state, const uint8_t block[64], uint32_t last);
 *
 * BLAKE2s for Xtensa (base instruction set with the density option), either calling convention.
 * Portable twin: c/wyrm_blake2s.c.
 *
 * A rotation is one SRC, by the amount that SSAI has set in SAR. So steps that share a rotation are
 * interleaved: three together, then one, because the state has more words than there are free
 * registers. One word each of rows c and d is in the frame; it is exchanged between the three and
 * the one, in the columns one way, in the diagonals back.
 *
 *   a2-a5    v0-v3         a10-a12  v8-v10, in the diagonals v8, v11, v10
 *   a6-a9    v4-v7         a13-a15  v12-v14, in the diagonals v12, v13, v15
 *   a0       message word; return address into the rounds
 *
 * The mixing of four columns and that of four diagonals exist once; only the loads of the
 * message are unrolled over the ten rounds, so their order needs no table and no address
 * computation: the first word of each step is added before the call, the second is kept in the
 * frame.
 *
 * Stack: 144 bytes with register windows, 160 without; it is cleared. Instructions: 20 times 68 to
 * mix, 16 to fetch and 4 to call, the rest 151 with register windows, 162 without; 72 more if the
 * block is misaligned.
 * Constant time: branches depend on the alignment of the block only, addresses on the arguments.
 *
 * Alternatives measured: all rounds unrolled, 1,700 in 4,300 bytes; one loop over a table of
 * offsets, 2,100.
 */
#include "wyrm_asm_xtensa.inc"

#if WYRM_BLAKE2S_ASM && WYRM_ARCH_XTENSA

/* struct wyrm_blake2s */
#define COUNTER 32

/* The frame */
#define MESSAGE 0
#define SECOND  64 /* second words of four steps */
#define V9      80 /* or V11 */
#define V11     84
#define V14     88 /* or V15 */
#define V15     92
#define CLEARED 96 /* to here */
#define STATE   96
#define BACK    100
#define FRAME   (112 + ABI_FRAME)

#define T a0

/* x += y, z = (z ^ x) >>> \n in one step, and in three */
.macro mix n, x, y, z
    add.n   \x, \x, \y
    xor     \z, \z, \x
    ssai    \n
    src     \z, \z, \z
.endm

.macro mix_3 n, x0, y0, z0, x1, y1, z1, x2, y2, z2
    add.n   \x0, \x0, \y0
    add.n   \x1, \x1, \y1
    add.n   \x2, \x2, \y2
    xor     \z0, \z0, \x0
    xor     \z1, \z1, \x1
    xor     \z2, \z2, \x2
    ssai    \n
    src     \z0, \z0, \z0
    src     \z1, \z1, \z1
    src     \z2, \z2, \z2
.endm

.macro add_word x, offset
    l32i    T, a1, \offset
    add.n   \x, \x, T
.endm

/* The function G of RFC 7693; its first message word has been added to \a already. */
.macro step a, b, c, d, second
    mix     16, \a, \b, \d
    mix     12, \c, \d, \b
    add_word \a, \second
    mix     8, \a, \b, \d
    mix     7, \c, \d, \b
.endm

.macro steps a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2
    mix_3   16, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2
    mix_3   12, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2
    add_word \a0, SECOND
    add_word \a1, SECOND+4
    add_word \a2, SECOND+8
    mix_3   8, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2
    mix_3   7, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2
.endm

.macro put_second to, n
    l32i.n  T, a1, MESSAGE + 4 * \n
    s32i    T, a1, SECOND + 4 * \to
.endm

.macro fetch n0, n1, n2, n3, n4, n5, n6, n7
    add_word a2, MESSAGE + 4 * \n0
    add_word a3, MESSAGE + 4 * \n2
    add_word a4, MESSAGE + 4 * \n4
    add_word a5, MESSAGE + 4 * \n6
    put_second 0, \n1
    put_second 1, \n3
    put_second 2, \n5
    put_second 3, \n7
.endm

/* A row of the table of RFC 7693, section 2.7 */
.macro round n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15
    fetch   \n0, \n1, \n2, \n3, \n4, \n5, \n6, \n7
    call0   .Lcolumns
    fetch   \n8, \n9, \n10, \n11, \n12, \n13, \n14, \n15
    call0   .Ldiagonals
.endm

/* h[n] ^= \v, which holds v[n] ^ v[n + 8]; the state is at T, changes a10. */
.macro put_word v, n
    l32i.n  a10, T, 4 * \n
    xor     \v, \v, a10
    s32i.n  \v, T, 4 * \n
.endm

    .text
    .align  4
.Lvector:
    .long   0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a
    .long   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19

    .align  4
.Lcolumns:
    s32i    T, a1, BACK
    steps   a2, a6, a10, a13, a3, a7, a11, a14, a4, a8, a12, a15
    s32i    a11, a1, V9
    s32i    a15, a1, V14
    l32i    a11, a1, V11
    l32i    a15, a1, V15
    step    a5, a9, a11, a15, SECOND+12
    l32i    T, a1, BACK
    ret.n

    .align  4
.Ldiagonals:
    s32i    T, a1, BACK
    steps   a2, a7, a12, a15, a3, a8, a11, a13, a4, a9, a10, a14
    s32i    a11, a1, V11
    s32i    a15, a1, V15
    l32i    a11, a1, V9
    l32i    a15, a1, V14
    step    a5, a6, a11, a15, SECOND+12
    l32i    T, a1, BACK
    ret.n

    func    wyrm_blake2s_compress
    save FRAME
    s32i    a2, a1, STATE
    mov.n   a5, a1
    addi    a6, a1, 64
    extui   a7, a3, 0, 2
    bnez    a7, .Lmisaligned
.Lcopy:
.irp offset, 0, 4, 8, 12
    l32i.n  a7, a3, \offset
    s32i.n  a7, a5, \offset
.endr
    addi    a3, a3, 16
    addi    a5, a5, 16
    bne     a5, a6, .Lcopy
.Lcopied:
    l32i    a13, a2, COUNTER
    l32i    a14, a2, COUNTER+4
    mov.n   a15, a4
    l32r    a10, .Lvector+12
    l32r    a11, .Lvector+28
    s32i    a10, a1, V11
    s32i    a11, a1, V15
    l32r    a10, .Lvector+16
    l32r    a11, .Lvector+20
    l32r    a12, .Lvector+24
    xor     a13, a13, a10
    xor     a14, a14, a11
    xor     a15, a15, a12
    l32r    a10, .Lvector
    l32r    a11, .Lvector+4
    l32r    a12, .Lvector+8
    l32i.n  a3, a2, 4
    l32i.n  a4, a2, 8
    l32i.n  a5, a2, 12
    l32i.n  a6, a2, 16
    l32i.n  a7, a2, 20
    l32i.n  a8, a2, 24
    l32i.n  a9, a2, 28
    l32i.n  a2, a2, 0

    round   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    round   14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3
    round   11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4
    round   7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8
    round   9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13
    round   2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9
    round   12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11
    round   13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10
    round   6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5
    round   10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0

    xor     a2, a2, a10
    xor     a3, a3, a11
    xor     a4, a4, a12
    xor     a6, a6, a13
    xor     a7, a7, a14
    xor     a8, a8, a15
    l32i    a10, a1, V11
    l32i    a11, a1, V15
    l32i    T, a1, STATE
    xor     a5, a5, a10
    xor     a9, a9, a11
    put_word a2, 0
    put_word a3, 1
    put_word a4, 2
    put_word a5, 3
    put_word a6, 4
    put_word a7, 5
    put_word a8, 6
    put_word a9, 7

    movi.n  a2, 0
    mov.n   a3, a1
    addi    a4, a1, CLEARED
.Lclear:
    s32i.n  a2, a3, 0
    s32i.n  a2, a3, 4
    s32i.n  a2, a3, 8
    s32i.n  a2, a3, 12
    addi    a3, a3, 16
    bne     a3, a4, .Lclear
    restore_and_return FRAME

.Lmisaligned:
    ssa8l   a3
    sub     a3, a3, a7
    l32i.n  a7, a3, 0
.Lshift:
    l32i.n  a8, a3, 4
    src     a7, a8, a7
    s32i.n  a7, a5, 0
    mov.n   a7, a8
    addi.n  a3, a3, 4
    addi.n  a5, a5, 4
    bne     a5, a6, .Lshift
    j       .Lcopied
    end_func wyrm_blake2s_compress

#endif
