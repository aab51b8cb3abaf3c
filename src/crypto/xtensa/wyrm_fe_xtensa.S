/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The field of X25519 and its ladder for an Xtensa with MULUH and MULSH (ESP32 and later), either
 * calling convention. Portable twins: fe_mul, fe_sqr_times and ladder over c/wyrm_fe_26.h, which
 * explains the arithmetic and its bounds.
 *
 *   void wyrm_fe_mul_xtensa(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sqr_xtensa(struct fe *out, const struct fe *a, unsigned times);
 *   void wyrm_fe_ladder_xtensa(struct fe *x, struct fe *z, const uint8_t swaps[32]);
 *
 * Elements are ten limbs of 26 bits. The ladder requires a clamped scalar: bit 254 is the highest
 * bit set, so that the first step only doubles the point; its bits 2 to 0 are zero, so that the
 * last two only double too.
 *
 * mul computes four columns at a time: a limb of b is loaded and shifted once for all of them, and
 * a window of four limbs of a moves along. sqr holds all limbs in registers and computes each
 * product of two limbs once: ADDX2 and SUBX2 double a column along the way.
 *
 *             mul                               sqr
 *   a2        pointer to b                      x[0]; from column 10 on high words of columns
 *   a3        limb of b                         x[1]; from column 12 on high words of columns
 *   a4        high words of column 2            x[2]
 *   a5-a8     window of a; mask, carry          x[3]-x[6]
 *   a9        low words of columns 0 to 3:      x[7]
 *   a10, a11    a9 to a12                       x[8], x[9]; then the mask, 2^5 * 608
 *   a12-a14   high words of columns 0, 1:       low, high words; low words of an odd column or the
 *               a13, a14                        carry
 *   a15       scratch                           scratch
 *   a0        high words of column 3            limb with room above bit 26
 *
 * Stack: 432 bytes for the ladder with register windows, 448 without. Executed instructions: mul
 * 644, sqr 428, a step of the ladder 5,500; the whole of X25519 takes 1,508,943, of which 118,000
 * divide (QEMU, Clang 22 -O2).
 * Constant time: branches depend on the public counter only, addresses on the stack pointer and the
 * arguments. MOVNEZ, which takes the same time whether it moves or not, selects the point to be
 * doubled. Multiplications are pipelined with a latency that does not depend on operands, as far as
 * their vendor publishes it.
 */
#include "wyrm_asm_xtensa.inc"

#if WYRM_X25519_ASM && WYRM_ARCH_XTENSA

/* The frame: elements, of which the first is nearest for short instructions. */
#define P        0  /* first operand of mul, result of sqr */
#define CARRY    40
#define COLUMN_8 44 /* rest of column 8 */
#define HIGH     48 /* high words of a column between two blocks of them */
#define LINK     52 /* return address of mul and sqr */
#define LIMB_0   56 /* of sqr */
#define LIMB_1   60
#define W        64  /* result of mul: z2, DA, CB, z3, x2 */
#define X1       104 /* x of the point */
#define X2       144 /* then A or C, whichever is doubled */
#define B        184 /* then B or D likewise */
#define C        224
#define D        264
#define S        304 /* DA, DA + CB, AA */
#define F        344 /* DA - CB, E */
#define SWAP     384 /* whether to swap */
#define BIT      388 /* index of the current scalar bit */
#define SWAPS    392 /* the arguments */
#define OUT_X    396
#define OUT_Z    400
#define LADDER_FRAME (416 + ABI_FRAME)

#define EACH_LIMB 0, 4, 8, 12, 16, 20, 24, 28, 32, 36

/* ---- Product ---------------------------------------------------------- */

#define PTR a2
#define Y   a3
#define T   a15
#define L0  a9
#define L1  a10
#define L2  a11
#define L3  a12
#define H0  a13
#define H1  a14
#define H2  a4
#define H3  a0

/* The registers of the first operand's limbs rotate. */
#define A0  a5
#define A1  a6
#define A2  a7
#define A3  a8
#define A4  a5
#define A5  a6
#define A6  a7
#define A7  a8
#define A8  a5
#define A9  a6

.macro get x, i
    l32i.n  \x, a1, P + 4 * \i
.endm

.macro limb j
    l32i.n  Y, PTR, 4 * \j
.endm

/* Headroom for sums above bit 26 of Y. */
.macro overlap
    slli    Y, Y, 5
.endm

.macro low l, x
    mull    T, \x, Y
    add.n   \l, \l, T
.endm

.macro high h, x
    mulsh   T, \x, Y
    add.n   \h, \h, T
.endm

/* Limb \j of b times up to four limbs of a, in columns from 0 or up to column 3; "first" as the
 * first of its column. */
.macro row j, x0, x1, x2, x3
    limb    \j
    low     L0, \x0
    low     L1, \x1
    low     L2, \x2
    low     L3, \x3
    overlap
    high    H0, \x0
    high    H1, \x1
    high    H2, \x2
    high    H3, \x3
.endm

.macro row_begin_0 j, x0
    limb    \j
    mull    L0, \x0, Y
    overlap
    mulsh   H0, \x0, Y
.endm

.macro row_begin_0_1 j, x0, x1
    limb    \j
    mull    L0, \x0, Y
    mull    L1, \x1, Y
    overlap
    mulsh   H0, \x0, Y
    mulsh   H1, \x1, Y
.endm

.macro row_begin_1 j, x0, x1
    limb    \j
    low     L0, \x0
    mull    L1, \x1, Y
    overlap
    high    H0, \x0
    mulsh   H1, \x1, Y
.endm

.macro row_begin_2 j, x0, x1, x2
    limb    \j
    low     L0, \x0
    low     L1, \x1
    mull    L2, \x2, Y
    overlap
    high    H0, \x0
    high    H1, \x1
    mulsh   H2, \x2, Y
.endm

.macro row_begin_3 j, x0, x1, x2, x3
    limb    \j
    low     L0, \x0
    low     L1, \x1
    low     L2, \x2
    mull    L3, \x3, Y
    overlap
    high    H0, \x0
    high    H1, \x1
    high    H2, \x2
    mulsh   H3, \x3, Y
.endm

.macro row_from_1 j, x1, x2, x3
    limb    \j
    low     L1, \x1
    low     L2, \x2
    low     L3, \x3
    overlap
    high    H1, \x1
    high    H2, \x2
    high    H3, \x3
.endm

.macro row_from_2 j, x2, x3
    limb    \j
    low     L2, \x2
    low     L3, \x3
    overlap
    high    H2, \x2
    high    H3, \x3
.endm

.macro row_from_3 j, x3
    limb    \j
    low     L3, \x3
    overlap
    high    H3, \x3
.endm

/* \r = remainder of a column: \low less the part that \high contains. Clobbers \t. */
.macro rest r, low, high, t
    slli    \t, \high, 27
    sub     \r, \low, \t
.endm

/* Word \to = remainder of an upper column plus the carry of the column below, whose high words are
 * in \below. */
.macro upper low, high, below, to
    rest    T, \low, \high, T
    addx2   T, \below, T
    s32i    T, a1, \to
.endm

/* Limb \to of the result; \c is the carry from column to column. Changes \t. */
.macro lower low, high, to, c, mask, t
    rest    \t, \low, \high, \t
    add.n   \c, \c, \t
    and     \t, \c, \mask
    s32i    \t, a1, \to
    srai    \c, \c, 26
    addx2   \c, \high, \c
.endm

/* First product of a lower column: 2^260 = 608, of which A0 and A1 hold 608 and 2^5 * 608. */
.macro fold low, high, from
    l32i    T, a1, \from
    mull    \low, T, A0
    mulsh   \high, T, A1
.endm

.macro fold_four from
    movi    A0, 608
    slli    A1, A0, 5
    fold    L0, H0, \from
    fold    L1, H1, \from + 4
    fold    L2, H2, \from + 8
    fold    L3, H3, \from + 12
.endm

#define LIMB_MASK A0
#define COL_CARRY A1

.macro get_mask mask
    movi.n  \mask, -1
    srli    \mask, \mask, 6
.endm

.macro lower_four to
    get_mask LIMB_MASK
    l32i.n  COL_CARRY, a1, CARRY
    lower   L0, H0, \to, COL_CARRY, LIMB_MASK, T
    lower   L1, H1, \to + 4, COL_CARRY, LIMB_MASK, T
    lower   L2, H2, \to + 8, COL_CARRY, LIMB_MASK, T
    lower   L3, H3, \to + 12, COL_CARRY, LIMB_MASK, T
.endm

/* \limb = column 9 and \high = high words of column 18, as at 2^260: what lies above bit 255 becomes
 * the first carry. 2^255 = 19. */
.macro fold_top limb, high, t
    movi    \t, 2 * 608
    mull    \t, \high, \t
    add.n   \limb, \limb, \t
    srai    \t, \limb, 21
    slli    \limb, \limb, 11
    srli    \limb, \limb, 11
    addx8   \high, \t, \t
    addx2   \high, \high, \t
    s32i.n  \high, a1, CARRY
.endm

    .text

/* [a1 + W] = [a1 + P] * [PTR]. Changes every register but a1. */
    local_func mul
    s32i.n  a0, a1, LINK
    get     A8, 8
    get     A9, 9
    row_begin_0_1 0, A8, A9
    get     A7, 7
    row_begin_2 1, A7, A8, A9
    get     A6, 6
    row_begin_3 2, A6, A7, A8, A9
    get     A5, 5
    row     3, A5, A6, A7, A8
    get     A4, 4
    row     4, A4, A5, A6, A7
    get     A3, 3
    row     5, A3, A4, A5, A6
    get     A2, 2
    row     6, A2, A3, A4, A5
    get     A1, 1
    row     7, A1, A2, A3, A4
    get     A0, 0
    row     8, A0, A1, A2, A3
    row_from_1 9, A0, A1, A2
    rest    T, L0, H0, T
    s32i.n  T, a1, COLUMN_8
    upper   L1, H1, H0, W + 36
    upper   L2, H2, H1, W
    upper   L3, H3, H2, W + 4
    s32i.n  H3, a1, HIGH

    get     A9, 9
    row_begin_0 3, A9
    get     A8, 8
    row_begin_1 4, A8, A9
    get     A7, 7
    row_begin_2 5, A7, A8, A9
    get     A6, 6
    row_begin_3 6, A6, A7, A8, A9
    get     A5, 5
    row     7, A5, A6, A7, A8
    get     A4, 4
    row     8, A4, A5, A6, A7
    get     A3, 3
    row     9, A3, A4, A5, A6
    l32i.n  Y, a1, HIGH
    upper   L0, H0, Y, W + 8
    upper   L1, H1, H0, W + 12
    upper   L2, H2, H1, W + 16
    upper   L3, H3, H2, W + 20

    get     A9, 9
    row_begin_0 7, A9
    get     A8, 8
    row_begin_1 8, A8, A9
    get     A7, 7
    row_begin_2 9, A7, A8, A9
    upper   L0, H0, H3, W + 24
    upper   L1, H1, H0, W + 28
    upper   L2, H2, H1, W + 32
    l32i    T, a1, W + 36
    fold_top T, H2, Y
    s32i    T, a1, W + 36

    fold_four W
    get     A0, 0
    get     A1, 1
    get     A2, 2
    get     A3, 3
    row     0, A0, A1, A2, A3
    row_from_1 1, A0, A1, A2
    row_from_2 2, A0, A1
    row_from_3 3, A0
    lower_four W
    s32i.n  COL_CARRY, a1, CARRY

    fold_four W + 16
    get     A4, 4
    get     A5, 5
    get     A6, 6
    get     A7, 7
    row     0, A4, A5, A6, A7
    get     A3, 3
    row     1, A3, A4, A5, A6
    get     A2, 2
    row     2, A2, A3, A4, A5
    get     A1, 1
    row     3, A1, A2, A3, A4
    get     A0, 0
    row     4, A0, A1, A2, A3
    row_from_1 5, A0, A1, A2
    row_from_2 6, A0, A1
    row_from_3 7, A0
    lower_four W + 16

    l32i    T, a1, W + 32
    movi    Y, 608
    mull    L0, T, Y
    slli    Y, Y, 5
    mulsh   H0, T, Y
    l32i.n  T, a1, COLUMN_8
    l32i.n  a0, a1, LINK
    add.n   L0, L0, T
    lower   L0, H0, W + 32, COL_CARRY, LIMB_MASK, T
    l32i    T, a1, W + 36
    add.n   T, T, COL_CARRY
    s32i    T, a1, W + 36
    ret.n
    end_func mul

/* ---- Square ----------------------------------------------------------- */

#define V0 a2
#define V1 a3
#define V2 a4
#define V3 a5
#define V4 a6
#define V5 a7
#define V6 a8
#define V7 a9
#define V8 a10
#define V9 a11
#define SHIFTED a0

/* With headroom for sums above bit 26. */
.macro shift x
    slli    SHIFTED, \x, 5
.endm

/* \low, \high += \x * \y; SHIFTED is \y. */
.macro product low, high, x, y
    mull    T, \x, \y
    add.n   \low, \low, T
    mulsh   T, \x, SHIFTED
    add.n   \high, \high, T
.endm

.macro product_first low, high, x, y
    mull    \low, \x, \y
    mulsh   \high, \x, SHIFTED
.endm

/* Twice the products so far, and the square of \x. */
.macro double_and_square low, high, x
    shift   \x
    mull    T, \x, \x
    addx2   \low, \low, T
    mulsh   T, \x, SHIFTED
    addx2   \high, \high, T
.endm

/* As upper, where \low and \high are to be doubled, or \below is. */
.macro upper_odd low, high, below, to
    slli    T, \high, 28
    subx2   T, \low, T
    addx2   T, \below, T
    s32i.n  T, a1, \to
.endm

.macro upper_even low, high, below, to
    rest    T, \low, \high, T
    addx4   T, \below, T
    s32i.n  T, a1, \to
.endm

/* \low, \high = \low + ..., or \low * 2 + ..., and the first product of a lower column. */
.macro fold_into low, high, from, add
    l32i.n  SHIFTED, a1, \from
    movi    T, 608
    mull    T, SHIFTED, T
    \add    \low, \low, T
    mulsh   T, SHIFTED, a11
    \add    \high, \high, T
.endm

.macro lower_sqr to
    lower   a12, a13, \to, a14, a10, T
.endm

/* [a1 + P] = [PTR]^2. Changes every register but a1. */
    local_func sqr
    s32i.n  a0, a1, LINK
    l32i.n  V1, PTR, 4
    l32i.n  V2, PTR, 8
    l32i.n  V3, PTR, 12
    l32i.n  V4, PTR, 16
    l32i.n  V5, PTR, 20
    l32i.n  V6, PTR, 24
    l32i.n  V7, PTR, 28
    l32i.n  V8, PTR, 32
    l32i.n  V9, PTR, 36
    l32i.n  V0, PTR, 0
    s32i.n  V1, a1, LIMB_1
    s32i.n  V0, a1, LIMB_0
    shift   V8
    product_first a12, a13, V0, V8
    shift   V7
    product a12, a13, V1, V7
    shift   V6
    product a12, a13, V2, V6
    shift   V5
    product a12, a13, V3, V5
    double_and_square a12, a13, V4
    rest    T, a12, a13, T
    s32i.n  T, a1, COLUMN_8
    shift   V9
    product_first a12, a14, V0, V9
    shift   V8
    product a12, a14, V1, V8
    shift   V7
    product a12, a14, V2, V7
    shift   V6
    product a12, a14, V3, V6
    shift   V5
    product a12, a14, V4, V5
    upper_odd a12, a14, a13, P + 36
    s32i.n  a14, a1, HIGH

    shift   V9                              /* columns 10, 11 */
    product_first a12, a13, V1, V9
    product_first a14, a2, V2, V9
    shift   V8
    product a12, a13, V2, V8
    product a14, a2, V3, V8
    shift   V7
    product a12, a13, V3, V7
    product a14, a2, V4, V7
    shift   V6
    product a12, a13, V4, V6
    product a14, a2, V5, V6
    double_and_square a12, a13, V5
    l32i.n  SHIFTED, a1, HIGH
    upper_even a12, a13, SHIFTED, P
    upper_odd a14, a2, a13, P + 4

    shift   V9                              /* 12, 13 */
    product_first a12, a13, V3, V9
    product_first a14, a3, V4, V9
    shift   V8
    product a12, a13, V4, V8
    product a14, a3, V5, V8
    shift   V7
    product a12, a13, V5, V7
    product a14, a3, V6, V7
    double_and_square a12, a13, V6
    upper_even a12, a13, a2, P + 8
    upper_odd a14, a3, a13, P + 12

    shift   V9                              /* 14, 15 */
    product_first a12, a13, V5, V9
    product_first a14, a2, V6, V9
    shift   V8
    product a12, a13, V6, V8
    product a14, a2, V7, V8
    double_and_square a12, a13, V7
    upper_even a12, a13, a3, P + 16
    upper_odd a14, a2, a13, P + 20

    shift   V9                              /* 16 to 18 */
    product_first a12, a13, V7, V9
    product_first a14, a3, V8, V9
    double_and_square a12, a13, V8
    upper_even a12, a13, a2, P + 24
    upper_odd a14, a3, a13, P + 28
    shift   V9
    mull    a12, V9, V9
    mulsh   a13, V9, SHIFTED
    upper_even a12, a13, a3, P + 32
    l32i.n  a12, a1, P + 36
    fold_top a12, a13, T
    s32i.n  a12, a1, P + 36

    l32i.n  V0, a1, LIMB_0
    l32i.n  V1, a1, LIMB_1
    mov.n   a14, a13
    get_mask a10
    movi    a11, 608
    slli    a11, a11, 5
    slli    SHIFTED, V0, 4                  /* a sum can have bit 26 in limb 0 */
    slli    T, V0, 1
    mull    a12, V0, V0
    mulsh   a13, SHIFTED, T
    fold_into a12, a13, P, add
    lower_sqr P

    shift   V1
    product_first a12, a13, V0, V1
    fold_into a12, a13, P + 4, addx2
    lower_sqr P + 4

    shift   V2
    product_first a12, a13, V0, V2
    double_and_square a12, a13, V1
    fold_into a12, a13, P + 8, add
    lower_sqr P + 8

    shift   V3
    product_first a12, a13, V0, V3
    shift   V2
    product a12, a13, V1, V2
    fold_into a12, a13, P + 12, addx2
    lower_sqr P + 12

    shift   V4
    product_first a12, a13, V0, V4
    shift   V3
    product a12, a13, V1, V3
    double_and_square a12, a13, V2
    fold_into a12, a13, P + 16, add
    lower_sqr P + 16

    shift   V5
    product_first a12, a13, V0, V5
    shift   V4
    product a12, a13, V1, V4
    shift   V3
    product a12, a13, V2, V3
    fold_into a12, a13, P + 20, addx2
    lower_sqr P + 20

    shift   V6
    product_first a12, a13, V0, V6
    shift   V5
    product a12, a13, V1, V5
    shift   V4
    product a12, a13, V2, V4
    double_and_square a12, a13, V3
    fold_into a12, a13, P + 24, add
    lower_sqr P + 24

    shift   V7
    product_first a12, a13, V0, V7
    shift   V6
    product a12, a13, V1, V6
    shift   V5
    product a12, a13, V2, V5
    shift   V4
    product a12, a13, V3, V4
    fold_into a12, a13, P + 28, addx2
    lower_sqr P + 28

    l32i.n  SHIFTED, a1, P + 32
    movi    T, 608
    mull    a12, SHIFTED, T
    mulsh   a13, SHIFTED, a11
    l32i.n  T, a1, COLUMN_8
    l32i.n  a0, a1, LINK
    add.n   a12, a12, T
    lower_sqr P + 32
    l32i.n  T, a1, P + 36
    add.n   T, T, a14
    s32i.n  T, a1, P + 36
    ret.n
    end_func sqr

/* ---- Ladder ----------------------------------------------------------- */

.macro copy to, from
.irp i, EACH_LIMB
    l32i    a2, a1, \from + \i
    s32i    a2, a1, \to + \i
.endr
.endm

/* [sum] = x + y - p and [diff] = x - y, for limbs below 2^26 in absolute value; a4 holds 2^26 -
 * 1. */
.macro sum_and_difference x, y, sum, diff
.irp i, EACH_LIMB
    l32i    a2, a1, \x + \i
    l32i    a3, a1, \y + \i
    add.n   a5, a2, a3
    sub     a2, a2, a3
.if \i == 36
    srli    a4, a4, 5
.endif
    sub     a5, a5, a4
.if \i == 0
    addi    a5, a5, 18
.endif
    s32i    a5, a1, \sum + \i
    s32i    a2, a1, \diff + \i
.endr
.endm

.macro point_to slot
.if \slot < 128
    addi    PTR, a1, \slot
.else
    addmi   PTR, a1, 256
    addi    PTR, PTR, \slot - 256
.endif
.endm

.macro mul_by slot
    point_to \slot
    call0   mul
.endm

.macro sqr_of slot
    point_to \slot
    call0   sqr
.endm

    func    wyrm_fe_ladder_xtensa
    save LADDER_FRAME
    s32i    a2, a1, OUT_X
    s32i    a3, a1, OUT_Z
    s32i    a4, a1, SWAPS
    movi.n  a4, 0
.irp i, EACH_LIMB
    l32i.n  a3, a2, \i
    s32i    a3, a1, X1 + \i
    s32i    a3, a1, X2 + \i
    s32i    a4, a1, W + \i
.endr
    movi.n  a4, 1
    s32i    a4, a1, W
    get_mask a4
    sum_and_difference X2, W, C, D
    movi    a2, 254
    s32i    a2, a1, BIT
    j       .Ldouble_only

.Lstep:                                     /* a2 = number of the bit */
    l32i    a3, a1, SWAPS
    srli    a4, a2, 3
    add.n   a3, a3, a4
    l8ui    a3, a3, 0
    extui   a2, a2, 0, 3
    ssr     a2
    srl     a3, a3
    extui   a3, a3, 0, 1
    s32i    a3, a1, SWAP

    get_mask a4
    sum_and_difference X2, W, P, B
    mul_by  D                               /* DA */
    l32i    a5, a1, SWAP
.irp i, EACH_LIMB
    l32i    a2, a1, P + \i
    l32i    a3, a1, C + \i
    l32i    a4, a1, W + \i
    s32i    a3, a1, P + \i
    movnez  a2, a3, a5
    s32i    a4, a1, S + \i
    s32i    a2, a1, X2 + \i
.endr
    mul_by  B                               /* CB */
    l32i    a5, a1, SWAP
.irp i, EACH_LIMB
    l32i    a2, a1, B + \i
    l32i    a3, a1, D + \i
    movnez  a2, a3, a5
    s32i    a2, a1, B + \i
.endr
    get_mask a4
    sum_and_difference S, W, S, F
    sqr_of  F                               /* z3 = x1 (DA - CB)^2 */
    mul_by  X1
    sqr_of  S                               /* x3 = (DA + CB)^2 */
    get_mask a4
    sum_and_difference P, W, C, D
    sqr_of  X2                              /* AA, of A or C: the doubled point */
.Ldouble:
    copy    S, P
    sqr_of  B                               /* BB, of B or D */
.irp i, EACH_LIMB                           /* E = AA - BB */
    l32i    a2, a1, S + \i
    l32i    a3, a1, P + \i
    sub     a2, a2, a3
    s32i    a2, a1, F + \i
.endr
    mul_by  S                               /* x2 = AA BB */

    /* AA + 121665 E - p, without carries. The upper part of limb 9 begins at bit 255. */
    movi    a4, 475
    slli    a4, a4, 8
    addi    a4, a4, 65
    l32i    a2, a1, F + 36
    slli    a5, a4, 11
    mull    a6, a2, a4
    mulsh   a7, a2, a5
    slli    a5, a7, 21
    sub     a6, a6, a5                      /* a6 = limb 9 */
    addx8   a5, a7, a7
    addx2   a7, a5, a7
    addi    a7, a7, 18                      /* a7 = carry */
    slli    a5, a4, 6
    get_mask a8
.irp i, 0, 4, 8, 12, 16, 20, 24, 28, 32
    l32i    a2, a1, F + \i
    l32i    a3, a1, S + \i
    mull    a9, a2, a4
    add.n   a3, a3, a7
    mulsh   a7, a2, a5
    sub     a3, a3, a8
    slli    a2, a7, 26
    sub     a9, a9, a2
    add.n   a3, a3, a9
    s32i.n  a3, a1, P + \i
.endr
    l32i    a3, a1, S + 36
    srli    a8, a8, 5
    add.n   a6, a6, a7
    sub     a3, a3, a8
    add.n   a3, a3, a6
    s32i.n  a3, a1, P + 36
    copy    X2, W
    mul_by  F                               /* z2 = E (AA + 121665 E), which stays in W */

    l32i    a2, a1, BIT
    addi    a2, a2, -1
    s32i    a2, a1, BIT
    addi    a3, a2, -2
    bltz    a3, .Lend
    j       .Lstep                          /* beyond the range of a branch */

    /* Bit 254 of the scalar is the highest bit set: C and D are those of the point already. Bits 2
     * to 0 are zero, so C and D are not needed any more. */
.Lend:
    bltz    a2, .Ldone
.Ldouble_only:
    get_mask a4
    sum_and_difference X2, W, P, B
    sqr_of  P
    j       .Ldouble

.Ldone:
    l32i    a2, a1, OUT_X
    l32i    a3, a1, OUT_Z
    movi.n  a6, 0
.irp i, EACH_LIMB
    l32i    a4, a1, X2 + \i
    l32i    a5, a1, W + \i
    s32i.n  a4, a2, \i
    s32i.n  a5, a3, \i
.endr
    mov.n   a2, a1                          /* clear secrets */
    addmi   a3, a1, 512
    addi    a3, a3, SWAP - 512
    s32i.n  a6, a3, 0
.Lclear:
    s32i.n  a6, a2, 0
    addi.n  a2, a2, 4
    bne     a2, a3, .Lclear
    restore_and_return LADDER_FRAME
    end_func wyrm_fe_ladder_xtensa

/* ---- For the inversion ------------------------------------------------ */

#define OUT   X1
#define LEFT  X1 + 4 /* squarings to go */
#define LEAF_FRAME (112 + ABI_FRAME)

    func    wyrm_fe_mul_xtensa
    save LEAF_FRAME
    s32i    a2, a1, OUT
.irp i, EACH_LIMB
    l32i.n  a2, a3, \i
    s32i.n  a2, a1, P + \i
.endr
    mov.n   PTR, a4
    call0   mul
    l32i    a2, a1, OUT
.irp i, EACH_LIMB
    l32i    a3, a1, W + \i
    s32i.n  a3, a2, \i
.endr
    restore_and_return LEAF_FRAME
    end_func wyrm_fe_mul_xtensa

    func    wyrm_fe_sqr_xtensa
    save LEAF_FRAME
    s32i    a2, a1, OUT
    mov.n   PTR, a3
.Lsqr:
    s32i    a4, a1, LEFT
    call0   sqr
    addi    PTR, a1, P
    l32i    a4, a1, LEFT
    addi.n  a4, a4, -1
    bnez    a4, .Lsqr
    l32i    a2, a1, OUT
.irp i, EACH_LIMB
    l32i.n  a3, a1, P + \i
    s32i.n  a3, a2, \i
.endr
    restore_and_return LEAF_FRAME
    end_func wyrm_fe_sqr_xtensa

#endif
