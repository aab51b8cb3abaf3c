/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The field of X25519 and its ladder for RV32IM.
 * Portable twins: fe_mul, fe_sqr_times and ladder over c/wyrm_fe_32.h.
 *
 *   void wyrm_fe_mul_rv32(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sqr_rv32(struct fe *out, const struct fe *a, unsigned times);
 *   void wyrm_fe_ladder_rv32(struct fe *x, struct fe *z, const uint8_t swaps[32]);
 *   void wyrm_fe_ladder_from_9_rv32(struct fe *x, struct fe *z, const uint8_t swaps[32]);
 *
 * Elements are eight little-endian words, any value below 2^256 on entry of mul and sqr. These give
 * results below 2^255 + 40 * 2^224; only such values are added and subtracted, which gives values
 * below 2^256.
 *
 * The ladder requires a clamped scalar: bit 254 is the highest bit set, so that the first step only
 * doubles the point; its bits 2 to 0 are zero, so that the last three only double too. If the point
 * is the base point, one product of a step is by 9; which ladder runs is no secret.
 *
 * Arithmetic. mul works by rows: word + product + carry fits two words, so a product costs eight
 * instructions and its carry affects one word only. All sixteen words of the product stay in
 * registers beside the eight of a.
 *
 * sqr works by rows too: row j is a[j] times 2 * (a[0]..a[j - 1]), then a[j]. The doubled word d[i]
 * replaces a[i] after row i; the bit shifted out of d[j - 1] adds one more a[j] to the column of
 * a[j] * a[j]. The carry of a row ends in a new word.
 *
 *   s0-s7   operand and result of mul and sqr                      t2  word of b
 *   a0-a7, s8-s11, t3-t6   the words of the product                t0, t1  parts of products
 *
 * Reduction: 2^256 = 38. The top word is computed first: 19 times its part above bit 255 is
 * the first carry of the chain at the bottom. Sums and
 * differences also start with the top word.
 *
 * Constant time: branches depend on the public counter only, addresses on the stack pointer and the
 * arguments; all words are aligned. It needs a multiplier whose time does not depend on its
 * operands.
 *
 * Stack: 336 bytes for the ladder; mul and sqr use none. Executed instructions: mul 542, sqr 358, a
 * sum 44, a difference 47, a step of the ladder 4,787, or 4,291 from the base point. The whole of
 * X25519 takes 1,241,150, of which 28,300 divide (c/wyrm_divsteps_30.h), and 624 bytes of stack
 * (QEMU, virt, GCC 12.2 -O2).
 *
 * Alternatives measured: one level of Karatsuba, three products of four words at 104 instead of one
 * of eight at 464, needs about 170 instructions more for signs and carries, as there is no carry
 * flag. Nine limbs of 29 bits, where a column needs no carries (sum the low words of a * b and the
 * high words of 8 a * b; the overlap recovers the carries), need four instructions a product, but
 * six more a column and the folding: about 570 in all.
 */
#include "wyrm_asm_rv32.inc"

#if WYRM_ARCH_RV32 && WYRM_X25519_ASM

/* Registers of mul and sqr. Of the words W15 is first the pointer to b. */
#define T0 t0
#define T1 t1
#define B  t2
#define W0 a0
#define W1 a1
#define W2 a2
#define W3 a3
#define W4 a4
#define W5 a5
#define W6 a6
#define W7 a7
#define W8 s8
#define W9 s9
#define W10 s10
#define W11 s11
#define W12 t3
#define W13 t4
#define W14 t5
#define W15 t6

/* The frame of the ladder. B replaces z2; AA replaces x2, DA replaces z3, DA + CB replaces x3; E
 * replaces C. */
#define X2    0
#define Z2    32
#define A     64
#define X3    96
#define Z3    128
#define C     160
#define D     192
#define A24   192 /* AA + 121665 E, in the place of D */
#define X1    224
#define BITS  256 /* scalar bits to come, from the top, with a marker bit below the last */
#define BYTES 260 /* scalar bytes not yet started; negative: counts the last doublings */
#define SWAPS 264 /* the arguments */
#define OUT_X 268
#define OUT_Z 272
#define BY_X1 276 /* mul_by_x1 or mul_by_9 */
#define MASK  280 /* all ones to swap */
#define SAVED 284 /* ra, s0-s11 */
#define FRAME 336

/* \to, \c = \w + \x * \b + \c */
.macro product to, w, c, x, b
    mul     T0, \x, \b
    mulhu   T1, \x, \b
    add     \w, \w, \c
    sltu    \c, \w, \c
    add     T1, T1, \c
    add     \to, \w, T0
    sltu    \c, \to, T0
    add     \c, \c, T1
.endm

/* \w, \c = \w + \x * \b */
.macro product_first w, c, x, b
    mul     T0, \x, \b
    mulhu   \c, \x, \b
    add     \w, \w, T0
    sltu    T0, \w, T0
    add     \c, \c, T0
.endm

/* \w, \c = \x * \b + \c; \w may be a register of its own or that of \c */
.macro product_last w, c, x, b
    mul     T0, \x, \b
    mulhu   T1, \x, \b
    add     \w, T0, \c
    sltu    T0, \w, T0
    add     \c, T1, T0
.endm

/* First step of a reduction: \top, \c = \top + \next * \k without bits from 255 upwards, and
 * 19 * those bits; \k38 holds 38. */
.macro fold_top top, next, k, k38, c
    mul     T0, \next, \k
    mulhu   T1, \next, \k
    add     \top, \top, T0
    sltu    T0, \top, T0
    add     T1, T1, T0
    mul     \c, T1, \k38
    srai    T0, \top, 31
    andi    T0, T0, 19
    add     \c, \c, T0
    slli    \top, \top, 1
    srli    \top, \top, 1
.endm

/* s0-s7 = W0-W15 reduced; returns to the caller. */
.macro reduce
    li      B, 38
    fold_top W7, W15, B, B, s7
    product s0, W0, s7, W8, B
    product s1, W1, s7, W9, B
    product s2, W2, s7, W10, B
    product s3, W3, s7, W11, B
    product s4, W4, s7, W12, B
    product s5, W5, s7, W13, B
    product s6, W6, s7, W14, B
    add     s7, s7, W7
    ret
.endm

.macro row w0, w1, w2, w3, w4, w5, w6, w7, c
    product_first \w0, \c, s0, B
    product \w1, \w1, \c, s1, B
    product \w2, \w2, \c, s2, B
    product \w3, \w3, \c, s3, B
    product \w4, \w4, \c, s4, B
    product \w5, \w5, \c, s5, B
    product \w6, \w6, \c, s6, B
    product \w7, \w7, \c, s7, B
.endm

/* s0-s7 *= x of the point, for the ladder; then mul. */
    local_func mul_by_x1
    addi    W15, sp, X1

/* s0-s7 = s0-s7 * [W15]. Changes everything but ra. */
mul:
    lw      B, 0(W15)
    mul     W0, s0, B
    mulhu   W8, s0, B
    product_last W1, W8, s1, B
    product_last W2, W8, s2, B
    product_last W3, W8, s3, B
    product_last W4, W8, s4, B
    product_last W5, W8, s5, B
    product_last W6, W8, s6, B
    product_last W7, W8, s7, B
    lw      B, 4(W15)
    row     W1, W2, W3, W4, W5, W6, W7, W8, W9
    lw      B, 8(W15)
    row     W2, W3, W4, W5, W6, W7, W8, W9, W10
    lw      B, 12(W15)
    row     W3, W4, W5, W6, W7, W8, W9, W10, W11
    lw      B, 16(W15)
    row     W4, W5, W6, W7, W8, W9, W10, W11, W12
    lw      B, 20(W15)
    row     W5, W6, W7, W8, W9, W10, W11, W12, W13
    lw      B, 24(W15)
    row     W6, W7, W8, W9, W10, W11, W12, W13, W14
    lw      B, 28(W15)
    row     W7, W8, W9, W10, W11, W12, W13, W14, W15
    reduce
    end_func mul_by_x1

#if !WYRM_SMALL
/* s0-s7 *= 9. The part above bit 255 is below 18, so the result is below 2^255 + 2^229. */
    local_func mul_by_9
    li      B, 9
    mul     W7, s7, B
    mulhu   W0, s7, B
    slli    W0, W0, 1
    srli    T0, W7, 31
    or      W0, W0, T0
    li      T0, 19
    mul     W0, W0, T0
    slli    W7, W7, 1
    srli    W7, W7, 1
    product_last s0, W0, s0, B
    product_last s1, W0, s1, B
    product_last s2, W0, s2, B
    product_last s3, W0, s3, B
    product_last s4, W0, s4, B
    product_last s5, W0, s5, B
    product_last s6, W0, s6, B
    add     s7, W7, W0
    ret
    end_func mul_by_9
#endif

/* End of row j of a square: \w, \c = a[j]^2 + a[j] * (bit that leaves d[j - 1]) + \w, where \bit
 * holds a[j - 1] >> 31. */
.macro square w, c, a, bit
    mul     T0, \a, \a
    mulhu   \c, \a, \a
    add     \w, \w, T0
    sltu    T0, \w, T0
    add     \c, \c, T0
    mul     T0, \a, \bit
    add     \w, \w, T0
    sltu    T0, \w, T0
    add     \c, \c, T0
.endm

/* Turns a[j] into d[j], and leaves the next bit. */
.macro double a, bit, next
    srli    \next, \a, 31
    slli    \a, \a, 1
    or      \a, \a, \bit
.endm

/* s0-s7 = (s0-s7)^2. Changes everything but ra. The bit shifted from one word to the next is in B
 * or W15. */
    local_func sqr
    mul     W0, s0, s0
    mulhu   W1, s0, s0
    srli    B, s0, 31
    slli    s0, s0, 1
    product_first W1, W2, s0, s1
    square  W2, W3, s1, B
    double  s1, B, W15
    product_first W2, W4, s0, s2
    product W3, W3, W4, s1, s2
    square  W4, W5, s2, W15
    double  s2, W15, B
    product_first W3, W6, s0, s3
    product W4, W4, W6, s1, s3
    product W5, W5, W6, s2, s3
    square  W6, W7, s3, B
    double  s3, B, W15
    product_first W4, W8, s0, s4
    product W5, W5, W8, s1, s4
    product W6, W6, W8, s2, s4
    product W7, W7, W8, s3, s4
    square  W8, W9, s4, W15
    double  s4, W15, B
    product_first W5, W10, s0, s5
    product W6, W6, W10, s1, s5
    product W7, W7, W10, s2, s5
    product W8, W8, W10, s3, s5
    product W9, W9, W10, s4, s5
    square  W10, W11, s5, B
    double  s5, B, W15
    product_first W6, W12, s0, s6
    product W7, W7, W12, s1, s6
    product W8, W8, W12, s2, s6
    product W9, W9, W12, s3, s6
    product W10, W10, W12, s4, s6
    product W11, W11, W12, s5, s6
    square  W12, W13, s6, W15
    double  s6, W15, B
    product_first W7, W14, s0, s7
    product W8, W8, W14, s1, s7
    product W9, W9, W14, s2, s7
    product W10, W10, W14, s3, s7
    product W11, W11, W14, s4, s7
    product W12, W12, W14, s5, s7
    product W13, W13, W14, s6, s7
    square  W14, W15, s7, B
    reduce
    end_func sqr

/* ---- Ladder ----------------------------------------------------------- */

.macro words instruction, base, offset, r0, r1, r2, r3, r4, r5, r6, r7
    \instruction \r0, \offset(\base)
    \instruction \r1, \offset+4(\base)
    \instruction \r2, \offset+8(\base)
    \instruction \r3, \offset+12(\base)
    \instruction \r4, \offset+16(\base)
    \instruction \r5, \offset+20(\base)
    \instruction \r6, \offset+24(\base)
    \instruction \r7, \offset+28(\base)
.endm

.macro get offset, base=sp
    words   lw, \base, \offset, s0, s1, s2, s3, s4, s5, s6, s7
.endm

.macro get_other offset, base=sp
    words   lw, \base, \offset, a0, a1, a2, a3, a4, a5, a6, a7
.endm

.macro put offset, base=sp
    words   sw, \base, \offset, s0, s1, s2, s3, s4, s5, s6, s7
.endm

.macro mul_by offset
    addi    W15, sp, \offset
    jal     mul
.endm

.macro sum_word x, y, to, r
    add     \r, \x, \y
    sltu    T1, \r, \y
    add     \r, \r, B
    sltu    B, \r, B
    add     B, B, T1
    sw      \r, \to(sp)
.endm

/* [sp + to] = s0-s7 + a0-a7 below 2^256: both without bit 255, plus 19 for each such bit set. The
 * words pass through r0-r7, and remain there if these differ; t5 holds 19. */
.macro sum to, r0=T0, r1=T0, r2=T0, r3=T0, r4=T0, r5=T0, r6=T0, r7=t6
    srli    T0, s7, 31
    srli    T1, a7, 31
    add     T0, T0, T1
    mul     B, T0, t5
    slli    T0, T0, 31
    add     \r7, s7, a7
    sub     \r7, \r7, T0
    sum_word s0, a0, \to, \r0
    sum_word s1, a1, \to+4, \r1
    sum_word s2, a2, \to+8, \r2
    sum_word s3, a3, \to+12, \r3
    sum_word s4, a4, \to+16, \r4
    sum_word s5, a5, \to+20, \r5
    sum_word s6, a6, \to+24, \r6
    add     \r7, \r7, B
    sw      \r7, \to+28(sp)
.endm

/* Top word of a difference: \top = \x - \y + k * 2^31 and \borrow = 19 k, with k = 1 + (y is large)
 * - (x is large), where large is from 2^31 - 1 upwards, and all are below 2^31 + 41. So \top is
 * below 2^32, and either k = 0 and \top > 0, which covers the one borrow that can follow, or \top >
 * 1, which covers the two that 19 k makes possible. t5 holds 19. */
.macro difference_top top, x, y
    addi    T0, \y, 1
    srli    T0, T0, 31
    addi    T1, \x, 1
    srli    T1, T1, 31
    sub     T0, T0, T1
    addi    T0, T0, 1
    mul     B, T0, t5
    slli    T0, T0, 31
    sub     \top, \x, \y
    add     \top, \top, T0
.endm

.macro difference_word to, x, y
    sub     T0, \x, \y
    sltu    T1, \x, \y
    sub     \to, T0, B
    sltu    B, T0, B
    add     B, B, T1
.endm

/* s0-s7 -= a0-a7 */
.macro difference
    difference_top s7, s7, a7
    difference_word s0, s0, a0
    difference_word s1, s1, a1
    difference_word s2, s2, a2
    difference_word s3, s3, a3
    difference_word s4, s4, a4
    difference_word s5, s5, a5
    difference_word s6, s6, a6
    sub     s7, s7, B
.endm

/* a0-a7 -= s0-s7 */
.macro difference_other
    difference_top a7, a7, s7
    difference_word a0, a0, s0
    difference_word a1, a1, s1
    difference_word a2, a2, s2
    difference_word a3, a3, s3
    difference_word a4, a4, s4
    difference_word a5, a5, s5
    difference_word a6, a6, s6
    sub     a7, a7, B
.endm

.macro difference_word_to to, x, y
    difference_word ra, \x, \y
    sw      ra, \to(sp)
.endm

/* [sp + to] = s0-s7 - a0-a7, which are preserved; changes ra. */
.macro difference_to to
    difference_top t6, s7, a7
    difference_word_to \to, s0, a0
    difference_word_to \to+4, s1, a1
    difference_word_to \to+8, s2, a2
    difference_word_to \to+12, s3, a3
    difference_word_to \to+16, s4, a4
    difference_word_to \to+20, s5, a5
    difference_word_to \to+24, s6, a6
    sub     t6, t6, B
    sw      t6, \to+28(sp)
.endm

/* \to = \mask ? \to : \other */
.macro choose to, other, mask
    xor     \to, \to, \other
    and     \to, \to, \mask
    xor     \to, \to, \other
.endm

.macro choose_stored to, other, mask
    lw      T0, \other(sp)
    choose  \to, T0, \mask
.endm

.macro choose_loaded to, offset, other, mask
    lw      \to, \offset(sp)
    choose_stored \to, \other, \mask
.endm

/* s0-s7 = swap ? [sp + offset] : [sp + other] */
.macro choose_words offset, other
    lw      T1, MASK(sp)
    choose_loaded s0, \offset+0, \other+0, T1
    choose_loaded s1, \offset+4, \other+4, T1
    choose_loaded s2, \offset+8, \other+8, T1
    choose_loaded s3, \offset+12, \other+12, T1
    choose_loaded s4, \offset+16, \other+16, T1
    choose_loaded s5, \offset+20, \other+20, T1
    choose_loaded s6, \offset+24, \other+24, T1
    choose_loaded s7, \offset+28, \other+28, T1
.endm

/* One word of BB + 121666 E = AA + 121665 E, from s0-s7 and a0-a7, which are preserved. */
.macro a24_word x, y, offset
    mul     T0, \y, B
    mulhu   T1, \y, B
    add     T0, T0, t3
    sltu    t3, T0, t3
    add     T1, T1, t3
    add     T0, T0, \x
    sltu    t3, T0, \x
    add     t3, t3, T1
    sw      T0, A24+\offset(sp)
.endm

.macro put_other offset
    words   sw, sp, \offset, a0, a1, a2, a3, a4, a5, a6, a7
.endm

#if !WYRM_SMALL
    func    wyrm_fe_ladder_from_9_rv32
    lla     t0, mul_by_9
    j       .Lladder
    end_func wyrm_fe_ladder_from_9_rv32
#endif

    func    wyrm_fe_ladder_rv32
    lla     t0, mul_by_x1
.Lladder:
    save    FRAME, SAVED, S0_S11, ra
    sw      t0, BY_X1(sp)
    sw      a0, OUT_X(sp)
    sw      a1, OUT_Z(sp)
    sw      a2, SWAPS(sp)
    lbu     t0, 31(a2)
    slli    t0, t0, 26                      # bits 253 to 248
    li      t1, 1 << 25
    or      t0, t0, t1
    sw      t0, BITS(sp)
    li      t0, 31
    sw      t0, BYTES(sp)
    get     0, a0
    put     X1
    put     X3
    put     X2
    words   sw, sp, Z3, x0, x0, x0, x0, x0, x0, x0, x0
    get     Z3
    li      s0, 1
    sw      s0, Z3(sp)
    j       .Ldouble_only                   # bit 254 is the first that is set: x3, z3 are the point

.Lstep:                                     # s0-s7 = z2
    sw      t0, BITS(sp)
    sw      t1, MASK(sp)
    get_other X2
    li      t5, 19
    sum     A, s8, s9, s10, s11, t3, t4
    difference_other
    put_other Z2                            # B
    get     X3
    get_other Z3
    difference_to D
    sum     C, s0, s1, s2, s3, s4, s5, s6, s7

    lw      T1, MASK(sp)                    # AA, of C or A: the doubled point
    choose  s0, s8, T1
    choose  s1, s9, T1
    choose  s2, s10, T1
    choose  s3, s11, T1
    choose  s4, t3, T1
    choose  s5, t4, T1
    choose_stored s6, A+24, T1
    choose_stored s7, A+28, T1
    jal     sqr
    put     X2

    get     D                               # DA
    mul_by  A
    put     Z3
    get     C                               # CB
    mul_by  Z2
    get_other Z3
    li      t5, 19
    sum     X3
    difference
    jal     sqr                             # z3 = x1 (DA - CB)^2
    lw      t0, BY_X1(sp)
    jalr    t0
    put     Z3
    get     X3                              # x3 = (DA + CB)^2
    jal     sqr
    put     X3

    choose_words D, Z2                      # BB, of D or B
.Ldouble:
    jal     sqr
    get_other X2                            # E = AA - BB
    li      t5, 19
    difference_other
    put_other C
    li      B, 121666                       # BB + 121666 E
    li      t5, 38
    mv      t4, s7
    fold_top t4, a7, B, t5, t3
    a24_word s0, a0, 0
    a24_word s1, a1, 4
    a24_word s2, a2, 8
    a24_word s3, a3, 12
    a24_word s4, a4, 16
    a24_word s5, a5, 20
    a24_word s6, a6, 24
    add     t4, t4, t3
    sw      t4, A24+28(sp)
    mul_by  X2                              # x2 = AA BB
    put     X2
    get     C
    mul_by  A24                             # z2 = E (AA + 121665 E), which stays in s0-s7

    lw      t0, BITS(sp)
    srai    t1, t0, 31
    slli    t0, t0, 1
    bnez    t0, .Lstep

    lw      t2, BYTES(sp)
    lw      a0, SWAPS(sp)
    addi    t2, t2, -1
    sw      t2, BYTES(sp)
    bltz    t2, .Llast_bits
    add     a0, a0, t2
    lbu     t1, 0(a0)
    li      t0, 1 << 24                     # below the last bit
    slli    t1, t1, 24
    bnez    t2, .Lbyte
    li      t0, 1 << 27
.Lbyte:
    slli    t3, t1, 1
    srai    t1, t1, 31
    or      t0, t0, t3
    j       .Lstep

    /* Of the last three bits only the first can swap, and no sum is used after them. */
.Llast_bits:
    addi    t2, t2, 1
    bnez    t2, .Lno_swap
    put     Z2
    lbu     t0, 0(a0)
    slli    t0, t0, 29
    srai    t0, t0, 31
    mv      t1, sp
    addi    t2, sp, 64
.Lswap:
    lw      a0, X3(t1)
    lw      a1, X2(t1)
    choose  a0, a1, t0
    sw      a0, X2(t1)
    addi    t1, t1, 4
    bne     t1, t2, .Lswap
    get     Z2
    j       .Ldouble_only
.Lno_swap:
    addi    t2, t2, 3
    beqz    t2, .Ldone
.Ldouble_only:                              # s0-s7 = z2
    get_other X2
    li      t5, 19
    sum     A
    difference_other
    put_other Z2
    get     A
    jal     sqr
    put     X2
    get     Z2
    j       .Ldouble

.Ldone:
    lw      a0, OUT_X(sp)
    lw      a1, OUT_Z(sp)
    put     0, a1
    get     X2
    put     0, a0
    restore_and_return FRAME, SAVED, S0_S11, ra
    end_func wyrm_fe_ladder_rv32

/* ---- For the inversion ------------------------------------------------ */

#define LEFT        0 /* squarings to go */
#define OUT         4
#define LEAF_SAVED  8
#define LEAF_FRAME  64

    func    wyrm_fe_mul_rv32
    save    LEAF_FRAME, LEAF_SAVED, S0_S11, ra
    sw      a0, OUT(sp)
    get     0, a1
    mv      W15, a2
    jal     mul
    lw      a0, OUT(sp)
    put     0, a0
    restore_and_return LEAF_FRAME, LEAF_SAVED, S0_S11, ra
    end_func wyrm_fe_mul_rv32

    func    wyrm_fe_sqr_rv32
    save    LEAF_FRAME, LEAF_SAVED, S0_S11, ra
    sw      a0, OUT(sp)
    sw      a2, LEFT(sp)
    get     0, a1
.Lsqr:
    jal     sqr
    lw      t0, LEFT(sp)
    addi    t0, t0, -1
    sw      t0, LEFT(sp)
    bnez    t0, .Lsqr
    lw      a0, OUT(sp)
    put     0, a0
    restore_and_return LEAF_FRAME, LEAF_SAVED, S0_S11, ra
    end_func wyrm_fe_sqr_rv32

#endif
