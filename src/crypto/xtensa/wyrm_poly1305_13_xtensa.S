/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
 *                           uint32_t top);
 *
 * Poly1305 for an Xtensa that has the low words of products (MULL) but not the high ones (ESP8266),
 * either calling convention. Portable twin: c/wyrm_poly1305_13.h, which also says why no column
 * overflows.
 *
 * The columns of h r are a matrix of key words times the limbs; an entry depends only on its
 * distance d from the diagonal. Written in quarters of five by five,
 *
 *   ( T   U )   ( low  )     low columns  = T (low + high) + (U - T) high
 *   ( L   T ) * ( high )     high columns = T (low + high) + (L - T) low
 *
 * and U - T and L - T depend on the key only: 75 products instead of 100. All arithmetic is modulo
 * 2^32; the final columns are below that.
 *
 * A block computes the low columns and T (low + high), adds the message, propagates the carries of
 * the low columns, completes the high ones and propagates theirs. The columns of the previous call
 * and those of the last product pass through the same code, so a call computes one matrix more than
 * it has blocks.
 *
 *   a7-a11   low columns, then limbs         a14, a3, a15, a4, a0   high ones, then limbs
 *   a2-a6    sums of limbs                   a14, a15, a2, a5       words of the message
 *   a12      word of the key                 a13                    product, carry
 *
 * Stack: 208 bytes with register windows, 224 without. The words of secrets in it are cleared.
 * Instructions per block: 75 products 145, words of the key 27, the message 31, sums and carries
 * 39, registers to the frame and back 24, the rest 3: 269; per call 335. A misaligned message takes
 * 8 more.
 *
 * Alternatives measured: the 100 products with three columns side by side, 311; 64 products of 16
 * bits by the 14 bits of clamped key words, about 290, because their columns have no spare bits and
 * take at least 11 instructions each to carry; the same 75 products by Karatsuba's method for
 * polynomials, 340. With registers allocated by an optimizing program, which needs 261 for the form
 * used here: two blocks at once by r^2 and r, 258, because limbs must then be signed to fit;
 * quarters of four by four with a border, quartered again, 292; 12 limbs of 11 bits, two blocks and
 * twice quartered, 345.
 *
 * Constant time: branches depend on the number of blocks and the alignment, addresses on the
 * arguments. MULL is pipelined with a latency that does not depend on operands, as far as its
 * vendor publishes it. A misaligned message is read in whole words, each of which contains at least
 * one byte of it.
 */
#include "wyrm_asm_xtensa.inc"

#if WYRM_POLY1305_ASM && WYRM_ARCH_XTENSA && WYRM_POLY1305_BITS == 13

/* The frame */
#define LOW    0  /* limbs 0 to 4 */
#define HIGH_1 20 /* limbs 6 and 8 */
#define HIGH_3 24
#define SUM_0  28 /* columns 0, 2 and 4 of T (low + high) */
#define SUM_2  32
#define SUM_4  36
#define T      40 /* d from -4 to 4 */
#define U_T    76
#define L_T    112
#define IN     148
#define END    152
#define TOP    156 /* in its place in limb 8 */
#define STATE  160
#define CLEARED 160
#define FRAME  (176 + ABI_FRAME)

/* struct wyrm_poly1305 */
#define COLUMNS 0
#define KEY     40 /* of the matrix, d from -9 to 9 */

#define W a12
#define P a13

/* \c += \v * W */
.macro product c, v
    mull    P, \v, W
    add.n   \c, \c, P
.endm

/* \c = \v * W */
.macro product_first c, v
    mull    \c, \v, W
.endm

/* \c = matrix at \at * \v, the first product of a column initializes it or is added. */
.macro matrix at, first, v0, v1, v2, v3, v4, c0, c1, c2, c3, c4
    l32i    W, a1, \at
    \first  \c0, \v4
    l32i    W, a1, \at+4
    product \c0, \v3
    \first  \c1, \v4
    l32i    W, a1, \at+8
    product \c0, \v2
    product \c1, \v3
    \first  \c2, \v4
    l32i    W, a1, \at+12
    product \c0, \v1
    product \c1, \v2
    product \c2, \v3
    \first  \c3, \v4
    l32i    W, a1, \at+16
    product \c0, \v0
    product \c1, \v1
    product \c2, \v2
    product \c3, \v3
    \first  \c4, \v4
    l32i    W, a1, \at+20
    product \c1, \v0
    product \c2, \v1
    product \c3, \v2
    product \c4, \v3
    l32i    W, a1, \at+24
    product \c2, \v0
    product \c3, \v1
    product \c4, \v2
    l32i    W, a1, \at+28
    product \c3, \v0
    product \c4, \v1
    l32i    W, a1, \at+32
    product \c4, \v0
.endm

/* \limb, P = 13 bits of \limb, the rest */
.macro split limb
    srli    P, \limb, 13
    extui   \limb, \limb, 0, 13
.endm

.macro carry limb
    add.n   \limb, \limb, P
    split   \limb
.endm

/* \c += 26 bits, from \shift on, of two words; their mask is in a0. */
.macro add_bits c, shift, upper, lower
    ssai    \shift
    src     P, \upper, \lower
    and     P, P, a0
    add.n   \c, \c, P
.endm

    .text
    func    wyrm_poly1305_blocks
    save FRAME
    s32i    a2, a1, STATE
    s32i    a3, a1, IN
    slli    a4, a4, 4
    add.n   a4, a4, a3
    s32i    a4, a1, END
    slli    a5, a5, 24
    s32i    a5, a1, TOP

    mov.n   a3, a1
    addi    a4, a2, 36
.Lkey:
    l32i    a5, a2, KEY+20
    l32i    a6, a2, KEY
    l32i    a7, a2, KEY+40
    sub     a6, a6, a5
    sub     a7, a7, a5
    s32i    a5, a3, T
    s32i    a6, a3, U_T
    s32i    a7, a3, L_T
    addi.n  a2, a2, 4
    addi.n  a3, a3, 4
    bne     a2, a4, .Lkey

    l32i    a2, a1, STATE                   /* zero limbs; their columns are unchanged */
    movi.n  a3, 0
    s32i.n  a3, a1, LOW
    s32i.n  a3, a1, LOW+4
    s32i.n  a3, a1, LOW+8
    s32i.n  a3, a1, LOW+12
    s32i.n  a3, a1, LOW+16
    l32i.n  a3, a2, COLUMNS+20
    l32i.n  a4, a2, COLUMNS+28
    l32i.n  a5, a2, COLUMNS+36
    s32i.n  a3, a1, SUM_0
    s32i.n  a4, a1, SUM_2
    s32i.n  a5, a1, SUM_4
    l32i.n  a7, a2, COLUMNS
    l32i.n  a8, a2, COLUMNS+4
    l32i.n  a9, a2, COLUMNS+8
    l32i.n  a10, a2, COLUMNS+12
    l32i.n  a11, a2, COLUMNS+16
    l32i.n  a3, a2, COLUMNS+24
    l32i.n  a4, a2, COLUMNS+32

.Lblock: /* low columns in a7 to a11; T (low + high) in the frame, but 1 and 3 in a3, a4 */
    l32i    W, a1, IN
    l32i    P, a1, END
    beq     W, P, .Llast
    extui   P, W, 0, 2
    bnez    P, .Lmisaligned
    l32i.n  a14, W, 0
    l32i.n  a15, W, 4
    l32i.n  a2, W, 8
    l32i.n  a5, W, 12
.Lloaded:
    addi    W, W, 16
    s32i    W, a1, IN
    movi.n  a0, -1
    srli    a0, a0, 6
    and     P, a14, a0
    add.n   a7, a7, P
    add_bits a9, 26, a15, a14
    add_bits a11, 20, a2, a15
    add_bits a3, 14, a5, a2
    srli    a5, a5, 8
    l32i    P, a1, TOP
    add.n   a4, a4, a5
    add.n   a4, a4, P

.Lcarry:
    split   a7
    carry   a8
    carry   a9
    carry   a10
    carry   a11
    l32i.n  a14, a1, SUM_0
    l32i.n  a15, a1, SUM_2
    l32i.n  a0, a1, SUM_4
    add.n   a14, a14, P
    l32i.n  a5, a1, LOW+12
    l32i.n  a6, a1, LOW+16
    s32i.n  a10, a1, LOW+12
    s32i.n  a11, a1, LOW+16
    l32i.n  a2, a1, LOW
    l32i.n  a10, a1, LOW+4
    l32i.n  a11, a1, LOW+8
    matrix  L_T, product, a2, a10, a11, a5, a6, a14, a3, a15, a4, a0
    split   a14
    carry   a3
    carry   a15
    carry   a4
    carry   a0
    addx4   P, P, P                         /* 2^130 = 5 */
    add.n   a7, a7, P
    split   a7
    add.n   a8, a8, P
    s32i.n  a7, a1, LOW
    s32i.n  a8, a1, LOW+4
    s32i.n  a9, a1, LOW+8
    l32i    P, a1, END
    beqz    P, .Ldone
    s32i.n  a3, a1, HIGH_1
    s32i.n  a4, a1, HIGH_3

    l32i.n  a5, a1, LOW+12                  /* low + high */
    l32i.n  a6, a1, LOW+16
    add.n   a2, a7, a14
    add.n   a3, a8, a3
    add.n   a4, a5, a4
    add.n   a5, a9, a15
    add.n   a6, a6, a0
    matrix  T, product_first, a2, a3, a5, a4, a6, a7, a8, a9, a10, a11
    s32i.n  a7, a1, SUM_0
    s32i.n  a9, a1, SUM_2
    s32i.n  a11, a1, SUM_4
    mov.n   a3, a8
    mov.n   a4, a10
    l32i.n  a2, a1, HIGH_1
    l32i.n  a5, a1, HIGH_3
    matrix  U_T, product, a14, a2, a15, a5, a0, a7, a8, a9, a10, a11
    j       .Lblock

.Llast:
    movi.n  P, 0                            /* the next limbs are to be the last */
    s32i    P, a1, END
    j       .Lcarry

.Lmisaligned:
    ssa8l   W
    sub     P, W, P
    l32i.n  a14, P, 0
    l32i.n  a15, P, 4
    l32i.n  a2, P, 8
    l32i.n  a5, P, 12
    l32i.n  P, P, 16
    src     a14, a15, a14
    src     a15, a2, a15
    src     a2, a5, a2
    src     a5, P, a5
    j       .Lloaded

.Ldone:
    l32i    P, a1, STATE
    l32i.n  a5, a1, LOW+12
    l32i.n  a6, a1, LOW+16
    s32i.n  a7, P, COLUMNS
    s32i.n  a8, P, COLUMNS+4
    s32i.n  a9, P, COLUMNS+8
    s32i.n  a5, P, COLUMNS+12
    s32i.n  a6, P, COLUMNS+16
    s32i.n  a14, P, COLUMNS+20
    s32i.n  a3, P, COLUMNS+24
    s32i.n  a15, P, COLUMNS+28
    s32i.n  a4, P, COLUMNS+32
    s32i.n  a0, P, COLUMNS+36
    movi.n  a2, 0
    mov.n   a3, a1
    addmi   a4, a1, 256
    addi    a4, a4, CLEARED - 256
.Lclear:
    s32i.n  a2, a3, 0
    s32i.n  a2, a3, 4
    s32i.n  a2, a3, 8
    s32i.n  a2, a3, 12
    addi    a3, a3, 16
    bne     a3, a4, .Lclear
    restore_and_return FRAME
    end_func wyrm_poly1305_blocks

#endif
