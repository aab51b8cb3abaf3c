/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The field and the ladder of X25519 for ARMv6-M (Cortex-M0, M0+, M1, M23). Portable twins: fe_mul,
 * fe_sqr_times and the ladder of c/wyrm_x25519.c over c/wyrm_fe_32.h.
 *
 *   void wyrm_fe_mul_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sqr_armv6m(struct fe *out, const struct fe *a, unsigned times);
 *   void wyrm_fe_ladder_armv6m(struct fe *x, struct fe *z, const uint8_t swaps[32]);
 *   void wyrm_fe_ladder_from_9_armv6m(struct fe *x, struct fe *z, const uint8_t swaps[32]);
 *
 * Elements are eight words, any 256-bit value; mul, sqr and the ladder give values below
 * 2^255 + 2^160. out may be a or b.
 *
 * Arithmetic. Karatsuba's identity, applied twice, splits a 256-bit product
 *   x0 y1 + x1 y0 = x0 y0 + x1 y1 - (x0 - x1)(y0 - y1)
 * into nine 64-bit products of absolute values, with a sign. Those are built from 16 x 16 -> 32 bit
 * products: the ones of odd weight are summed separately and shifted up by 16 bits together. MULS,
 * LDM and EORS preserve the carry flag, so products are computed in the middle of a chain of
 * additions; LDRH reloads half words because MULS overwrites its operand.
 *
 *   r0      pointer to both operands, later to a part of the result
 *   r1-r3   half words, words in transit, carries      r4-r7   product of 64 bits, words of a sum
 *   r12     deferred carry
 *
 * Reduction: the upper half of a product is folded first (2^256 = 38); then the carry out of the
 * top and bit 255 are folded into the lower half (2^255 = 19).
 *
 * Constant time: branches depend on public counts only, addresses on the stack pointer and the
 * arguments; MULS takes the same time for all operands on these cores (32 cycles on an M0 with the
 * small multiplier).
 *
 * Stack: mul and sqr use 228 bytes including callees, the ladder 232 more. Executed instructions:
 * 64 bits mul 69, sqr 44; 128 bits mul 274, sqr 179; elements mul 1,077, sqr 773, both including
 * 191 to combine and reduce. The whole of X25519 takes 2,396,882 and 792 bytes of stack (QEMU,
 * mps2-an385, GCC 12.2 -O2), a tenth less from the base point 9. Alternatives measured: twenty
 * limbs of 13 bits and two levels of Karatsuba down to five limbs, mul 1,602, sqr 1,255, 3.63 M;
 * inversion by exponentiation, 126,000 more.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_ARCH_ARMV6M && WYRM_X25519_ASM

/* ---- Products of 64 bits ---------------------------------------------- */

/* Distance of operands x and y in memory. */
#define Y 32

/* Half word \i of x and y at r0 */
.macro x d, i
    ldrh    \d, [r0, #2*\i]
.endm

.macro y d, i
    ldrh    \d, [r0, #Y + 2*\i]
.endm

/* r4-r7 = x * y of 64 bits at r0; r3 = 0. Preserves r0, changes r1, r2. */
    local_func mul64
    /* r4-r7 = the odd weights: x0 y1 + x1 y0, ... */
    x       r1, 0
    y       r5, 1
    x       r7, 2
    y       r6, 3
    mov     r4, r1
    muls    r4, r5                          @ x0 y1
    muls    r5, r7                          @ x2 y1
    muls    r1, r6                          @ x0 y3
    muls    r6, r7                          @ x2 y3
    adds    r5, r5, r1
    movs    r7, #0
    adcs    r6, r7
    x       r1, 1
    y       r2, 0
    mov     r3, r1
    muls    r3, r2                          @ x1 y0
    adds    r4, r4, r3
    x       r3, 3
    muls    r2, r3                          @ x3 y0
    adcs    r5, r2
    adcs    r6, r7
    adcs    r7, r7
    y       r2, 2
    muls    r1, r2                          @ x1 y2
    adds    r5, r5, r1
    muls    r2, r3                          @ x3 y2
    adcs    r6, r2
    movs    r1, #0
    adcs    r7, r1
    /* up by 16 bits */
    lsls    r7, r7, #16
    lsrs    r1, r6, #16
    orrs    r7, r1
    lsls    r6, r6, #16
    lsrs    r1, r5, #16
    orrs    r6, r1
    lsls    r5, r5, #16
    lsrs    r1, r4, #16
    orrs    r5, r1
    lsls    r4, r4, #16
    /* the even weights */
    x       r1, 0
    y       r2, 0
    mov     r3, r1
    muls    r3, r2                          @ x0 y0
    adds    r4, r4, r3
    x       r3, 2
    muls    r2, r3                          @ x2 y0
    adcs    r5, r2
    y       r2, 2
    muls    r3, r2                          @ x2 y2
    adcs    r6, r3
    muls    r1, r2                          @ x0 y2
    x       r2, 3
    y       r3, 3
    muls    r2, r3                          @ x3 y3
    adcs    r7, r2
    adds    r5, r5, r1
    x       r1, 1
    muls    r3, r1                          @ x1 y3
    adcs    r6, r3
    movs    r3, #0
    adcs    r7, r3
    y       r2, 1
    muls    r1, r2                          @ x1 y1
    adds    r5, r5, r1
    x       r1, 3
    muls    r2, r1                          @ x3 y1
    adcs    r6, r2
    adcs    r7, r3
    bx      lr
    end_func mul64

/* r4-r7 = x^2 of 64 bits at r0; r3 = 0. Preserves r0, changes r1, r2. */
    local_func sqr64
    /* r4, r2, r3 = the odd weights, halved */
    x       r1, 0
    x       r2, 1
    x       r3, 2
    x       r7, 3
    mov     r4, r1
    muls    r4, r2                          @ x0 x1
    muls    r1, r7                          @ x0 x3
    muls    r2, r3                          @ x1 x2
    muls    r3, r7                          @ x2 x3
    adds    r2, r2, r1
    movs    r1, #0
    adcs    r3, r1
    /* up by 17 bits to r4-r6, r3 */
    lsls    r5, r2, #17
    lsrs    r1, r4, #15
    orrs    r5, r1
    lsls    r4, r4, #17
    lsls    r6, r3, #17
    lsrs    r2, r2, #15
    orrs    r6, r2
    lsrs    r3, r3, #15
    /* the even weights */
    x       r1, 0
    x       r2, 2
    muls    r1, r2                          @ x0 x2
    x       r2, 1
    muls    r2, r7                          @ x1 x3
    muls    r7, r7                          @ x3 x3
    adds    r5, r5, r1
    adcs    r6, r2
    adcs    r7, r3
    movs    r3, #0
    adds    r5, r5, r1
    adcs    r6, r2
    adcs    r7, r3
    x       r1, 0
    muls    r1, r1
    adds    r4, r4, r1
    x       r1, 1
    muls    r1, r1
    adcs    r5, r1
    x       r1, 2
    muls    r1, r1
    adcs    r6, r1
    adcs    r7, r3
    bx      lr
    end_func sqr64

/* ---- Products of 128 bits --------------------------------------------- */

/* \a, \b = |(\a, \b) - (\c, \d)|, \sign = -1 if that was negative; \sign may be \c or \d. */
.macro difference64 a, b, c, d, sign
    subs    \a, \a, \c
    sbcs    \b, \d
    sbcs    \sign, \sign
    eors    \a, \sign
    eors    \b, \sign
    subs    \a, \a, \sign
    sbcs    \b, \sign
.endm

/* With r4-r7 = h, the product of the upper halves, and [r0] = l, that of the lower ones, as the
 * lowest four words of a product: leaves the words 2.. of l + (l + h) * 2^64 + h * 2^128 in
 * r1, r2, r4-r7 and r0 at word 2. r3 = 0. */
.macro outer128
    ldr     r1, [r0, #8]
    ldr     r2, [r0, #12]
    adds    r4, r4, r1
    adcs    r5, r2
    adcs    r6, r3
    adcs    r7, r3
    ldmia   r0!, {r1, r2}
    adds    r1, r1, r4
    adcs    r2, r5
    adcs    r4, r6
    adcs    r5, r7
    adcs    r6, r3
    adcs    r7, r3
.endm

/* The frame of mul128: the differences of x, the sign, the middle product, the differences of y,
 * the arguments */
#define SIGN 8
#define MID  12
#define FROM 40
#define TO   44

/* [r1] = x * y of 128 bits at r0. Changes r0-r7. */
    local_func mul128
    push_own_and_lr r0, r1
    ldmia   r0!, {r4-r7}
    difference64 r4, r5, r6, r7, r7
    adds    r0, r0, #Y - 16
    ldmia   r0!, {r1, r2, r3, r6}
    difference64 r3, r6, r1, r2, r1         @ the upper less the lower
    eors    r7, r1
    push_own r3, r6
    reserve Y - 12
    push_own r4, r5, r7
    mov     r0, sp
    bl      mul64
    ldr     r2, [sp, #SIGN]
    eors    r4, r2
    eors    r5, r2
    eors    r6, r2
    eors    r7, r2
    add     r1, sp, #MID
    stmia   r1!, {r4-r7}
    ldr     r0, [sp, #FROM]
    bl      mul64
    ldr     r1, [sp, #TO]
    stmia   r1!, {r4-r7}
    adds    r0, r0, #8
    bl      mul64
    ldr     r0, [sp, #TO]
    outer128
    ldr     r3, [sp, #SIGN]
    adds    r3, r3, r3                      @ the carry
    ldr     r3, [sp, #MID]
    adcs    r1, r3
    ldr     r3, [sp, #MID + 4]
    adcs    r2, r3
    ldr     r3, [sp, #MID + 8]
    adcs    r4, r3
    ldr     r3, [sp, #MID + 12]
    adcs    r5, r3
    ldr     r3, [sp, #SIGN]
    adcs    r6, r3
    adcs    r7, r3
    stmia   r0!, {r1, r2, r4-r7}
    release TO + 4
    pop     {pc}
    end_func mul128

/* [r1] = x^2 of 128 bits at r0. Changes r0-r7. */
    local_func sqr128
    push_own_and_lr r0, r1
    ldmia   r0!, {r4-r7}
    difference64 r4, r5, r6, r7, r7
    push_own r4, r5
    mov     r0, sp
    bl      sqr64
    push_own R4_R7
    ldr     r0, [sp, #24]
    bl      sqr64
    ldr     r1, [sp, #28]
    stmia   r1!, {r4-r7}
    adds    r0, r0, #8
    bl      sqr64
    ldr     r0, [sp, #28]
    outer128
    ldr     r3, [sp]
    subs    r1, r1, r3
    ldr     r3, [sp, #4]
    sbcs    r2, r3
    ldr     r3, [sp, #8]
    sbcs    r4, r3
    ldr     r3, [sp, #12]
    sbcs    r5, r3
    movs    r3, #0
    sbcs    r6, r3
    sbcs    r7, r3
    stmia   r0!, {r1, r2, r4-r7}
    release 32
    pop     {pc}
    end_func sqr128

/* ---- Products of elements --------------------------------------------- */

/* The frame of mul and sqr. First the differences of x and, Y further on, of y; then over them the
 * products of the lower and of the upper halves, and over the latter what becomes of them. */
#define LOWER 0
#define UPPER 32
#define IN_X  48
#define IN_Y  (IN_X + Y)
#define INNER 112 /* the product of the differences, */
#define MINUS 144 /* and -1 if it is to be subtracted */
#define TIMES 148
#define FRAME 152
#define OUT   FRAME /* the argument, pushed */

/* Copies the element at r1 to r0, r4-r7 = |its lower - its upper half|, r2 = -1 if that was
 * negative. Both pointers are advanced; changes r3. */
.macro difference128
    ldmia   r1!, {r4-r7}
    stmia   r0!, {r4-r7}
    ldmia   r1!, {r2, r3}
    stmia   r0!, {r2, r3}
    subs    r4, r4, r2
    sbcs    r5, r3
    ldmia   r1!, {r2, r3}
    stmia   r0!, {r2, r3}
    sbcs    r6, r2
    sbcs    r7, r3
    sbcs    r2, r2
    eors    r4, r2
    eors    r5, r2
    eors    r6, r2
    eors    r7, r2
    subs    r4, r4, r2
    sbcs    r5, r2
    sbcs    r6, r2
    sbcs    r7, r2
.endm

/* (\a, \b) = two words at [sp, #\low] + 38 * (\a, \b) + r2, r2 = the carry into the next word. r3 =
 * 38; changes r0, r1. */
.macro times38 a, b, low, first=0
    uxth    r0, \a
    lsrs    \a, \a, #16
    muls    r0, r3
    muls    \a, r3
    .if     !\first
    adds    r0, r0, r2
    .endif
    uxth    r1, \b
    lsrs    \b, \b, #16
    muls    r1, r3
    muls    \b, r3
    lsrs    r2, \a, #16
    adds    r1, r1, r2
    lsls    \a, \a, #16
    lsrs    r2, \b, #16
    lsls    \b, \b, #16
    adds    \a, \a, r0
    adcs    \b, r1
    movs    r0, #0
    adcs    r2, r0
    ldr     r0, [sp, #\low]
    ldr     r1, [sp, #\low + 4]
    adds    \a, \a, r0
    adcs    \b, r1
    movs    r0, #0
    adcs    r2, r0
.endm

/* \d += a word of the inner product, by the sign in r2, and the carry */
.macro add_inner d
    ldmia   r1!, {r0}
    eors    r0, r2
    adcs    \d, r0
.endm

/* [OUT] = the product combined from the three parts in the caller's frame. Changes r0-r7, r12. */
    local_func finish
    /* r4-r7 = the middle of the outer products; its carry, in r12, has the weight of words 8 and
     * 12 */
    add     r0, sp, #LOWER + 16
    ldmia   r0!, {r4-r7}
    ldmia   r0!, {r1-r3}
    adds    r4, r4, r1
    adcs    r5, r2
    adcs    r6, r3
    ldmia   r0!, {r1}
    adcs    r7, r1
    movs    r3, #0
    adcs    r3, r3
    mov     r12, r3
    push_own R4_R7

    /* words 4..7; r3 = the carry of the first sum, that of the second goes on */
    add     r1, sp, #16 + LOWER
    ldmia   r1!, {r2, r3}
    adds    r4, r4, r2
    adcs    r5, r3
    ldmia   r1!, {r2, r3}
    adcs    r6, r2
    adcs    r7, r3
    movs    r3, #0
    adcs    r3, r3
    ldr     r2, [sp, #16 + MINUS]
    add     r1, sp, #16 + INNER
    lsrs    r0, r2, #1
    add_inner r4
    add_inner r5
    add_inner r6
    add_inner r7
    add     r0, sp, #16 + LOWER + 16
    stmia   r0!, {r4-r7}

    /* words 8..11; r2 = the carry into word 12. It includes the carry still missing in word 8, so
     * the words from 12 on cannot become negative. */
    pop_own R4_R7
    add_inner r4
    add_inner r5
    add_inner r6
    add_inner r7
    movs    r0, #0
    adcs    r2, r0
    add     r2, r12
    lsrs    r3, r3, #1
    add     r0, sp, #UPPER + 16
    ldmia   r0!, {r1, r3}
    adcs    r4, r1
    adcs    r5, r3
    ldmia   r0!, {r1, r3}
    adcs    r6, r1
    adcs    r7, r3
    movs    r1, #0
    adcs    r2, r1
    add     r0, sp, #UPPER
    stmia   r0!, {r4-r7}

    /* words 12..15, on to words 4..7 */
    ldmia   r0!, {r4-r7}
    asrs    r1, r2, #31
    adds    r4, r4, r2
    adcs    r5, r1
    adcs    r6, r1
    adcs    r7, r1
    movs    r3, #38
    times38 r4, r5, LOWER + 16, 1
    times38 r6, r7, LOWER + 24

    /* r2 = 19 for each 2^255 in r2, r7, and 38 for the missing carry */
    lsls    r2, r2, #1
    lsrs    r0, r7, #31
    adds    r2, r2, r0
    lsls    r7, r7, #1
    lsrs    r7, r7, #1
    movs    r0, #19
    muls    r2, r0
    mov     r0, r12
    muls    r0, r3
    adds    r2, r2, r0
    push_own R4_R7

    /* words 8..11, on to words 0..3 */
    add     r0, sp, #16 + UPPER
    ldmia   r0!, {r4-r7}
    times38 r4, r5, 16 + LOWER
    times38 r6, r7, 16 + LOWER + 8
    ldr     r0, [sp, #16 + OUT]
    stmia   r0!, {r4-r7}
    pop_own R4_R7
    movs    r1, #0
    adds    r4, r4, r2
    adcs    r5, r1
    adcs    r6, r1
    adcs    r7, r1
    stmia   r0!, {r4-r7}
    bx      lr
    end_func finish

.macro enter
    save    r0, R4_R7, lr
    reserve FRAME
.endm

.macro leave
    release FRAME
    pop     {r0, r4-r7, pc}
.endm

    func    wyrm_fe_mul_armv6m
    enter
    mov     r12, r2
    add     r0, sp, #IN_X
    difference128
    mov     r3, sp
    stmia   r3!, {r4-r7}
    mov     r1, r12
    mov     r12, r2
    difference128
    add     r3, sp, #Y
    stmia   r3!, {r4-r7}
    mov     r3, r12
    eors    r2, r3
    mvns    r2, r2
    str     r2, [sp, #MINUS]
    mov     r0, sp
    add     r1, sp, #INNER
    bl      mul128
    add     r0, sp, #IN_X
    mov     r1, sp
    bl      mul128
    add     r0, sp, #IN_X + 16
    add     r1, sp, #UPPER
    bl      mul128
    bl      finish
    leave
    end_func wyrm_fe_mul_armv6m

    func    wyrm_fe_sqr_armv6m
    enter
    str     r2, [sp, #TIMES]
    movs    r2, #0
    mvns    r2, r2
    str     r2, [sp, #MINUS]
.Lsqr:
    add     r0, sp, #IN_X
    difference128
    mov     r3, sp
    stmia   r3!, {r4-r7}
    mov     r0, sp
    add     r1, sp, #INNER
    bl      sqr128
    add     r0, sp, #IN_X
    mov     r1, sp
    bl      sqr128
    add     r0, sp, #IN_X + 16
    add     r1, sp, #UPPER
    bl      sqr128
    bl      finish
    ldr     r1, [sp, #OUT]
    ldr     r2, [sp, #TIMES]
    subs    r2, r2, #1
    str     r2, [sp, #TIMES]
    bne     .Lsqr
    leave
    end_func wyrm_fe_sqr_armv6m

/* ---- Ladder ----------------------------------------------------------- */

/* [r0] = [r1] \first, \next [r2] modulo 2^256; r0 is advanced past it. */
.macro eight first, next
    .set    i, 0
    .rept   4
    ldmia   r1!, {r4, r5}
    ldmia   r2!, {r6, r7}
    .if     i == 0
    \first  r4, r4, r6
    .else
    \next   r4, r6
    .endif
    \next   r5, r7
    stmia   r0!, {r4, r5}
    .set    i, i + 1
    .endr
.endm

/* [r0] = [r1] + [r2], of two results of mul. Changes r0-r7. */
    local_func plus
    eight   adds, adcs
    sbcs    r3, r3
    movs    r2, #38
    bics    r2, r3
    movs    r3, #0
    b       settle
    end_func plus

/* [r0] = [r1] - [r2], of two results of mul. Changes r0-r7. */
    local_func minus
    eight   subs, sbcs
    sbcs    r3, r3
    movs    r2, #38
    ands    r2, r3
    rsbs    r2, r2, #0
settle:                                     @ the element before r0 += r2; r3 = its sign
    subs    r0, r0, #32
    mov     r1, r0
    ldmia   r1!, {r4-r7}
    adds    r4, r4, r2
    adcs    r5, r3
    adcs    r6, r3
    adcs    r7, r3
    stmia   r0!, {r4-r7}
    ldmia   r1!, {r4-r7}
    adcs    r4, r3
    adcs    r5, r3
    adcs    r6, r3
    adcs    r7, r3
    stmia   r0!, {r4-r7}
    bx      lr
    end_func minus

/* [r0] += 121665 * [r1]. Changes r0-r7. */
    local_func plus_a24
    ldr     r3, .La24
    movs    r7, #0                          @ the carry into the next word
    mov     r2, r0
    adds    r2, r2, #32
.La24_word:
    ldmia   r1!, {r4}
    lsrs    r5, r4, #16
    uxth    r4, r4
    mov     r6, r5
    muls    r6, r3
    adds    r6, r6, r4                      @ 121665 = 2^16 + 56129
    muls    r4, r3
    adds    r4, r4, r7
    lsls    r7, r6, #16
    lsrs    r6, r6, #16
    adds    r5, r5, r6
    movs    r6, #0
    adds    r4, r4, r7
    adcs    r5, r6
    ldr     r7, [r0]
    adds    r4, r4, r7
    adcs    r5, r6
    mov     r7, r5
    stmia   r0!, {r4}
    cmp     r0, r2
    bne     .La24_word
    lsls    r2, r7, #1
    lsrs    r5, r4, #31
    adds    r2, r2, r5
    lsls    r4, r4, #1
    lsrs    r4, r4, #1
    subs    r0, r0, #4
    stmia   r0!, {r4}
    movs    r3, #19
    muls    r2, r3
    movs    r3, #0
    b       settle
    .align  2
.La24:
    .word   121665 - 0x10000
    end_func plus_a24

/* The frame of the ladder. The doubled point x2, z2 and the summed point x3, z3 are placed as in
 * c/wyrm_x25519.c. */
#define X2      0
#define Z3      32
#define T0      64
#define Z2      96
#define X3      128
#define T1      160
#define ARGS    192
#define SWAPS   (ARGS + 8)
#define BASE    (ARGS + 12) /* x1, or null for 9 */
#define BIT     (ARGS + 16)
#define L_FRAME 212

.macro call function, out, a, b=none
    add     r0, sp, #\out
    add     r1, sp, #\a
    .ifnc   \b, none
    add     r2, sp, #\b
    .endif
    bl      \function
.endm

.macro square out, a
    movs    r2, #1
    call    wyrm_fe_sqr_armv6m, \out, \a
.endm

/* The ladder for *x = 9 = 3^2: multiplies by 3 before the squaring instead of by 9 after it. */
    func    wyrm_fe_ladder_from_9_armv6m
    movs    r3, #0
    b       .Lladder
    end_func wyrm_fe_ladder_from_9_armv6m

    func    wyrm_fe_ladder_armv6m
    mov     r3, r0
.Lladder:
    save    R4_R7, lr
    reserve L_FRAME
    add     r4, sp, #ARGS
    stmia   r4!, {r0-r3}
    movs    r3, #0
    mov     r2, sp                          @ x2 = z3 = 1, z2 = 0, x3 = x
    movs    r1, #ARGS
.Lclear:
    subs    r1, r1, #4
    str     r3, [r2, r1]
    bne     .Lclear
    movs    r3, #1
    str     r3, [sp, #X2]
    str     r3, [sp, #Z3]
    add     r2, sp, #X3
    ldmia   r0!, {r4-r7}
    stmia   r2!, {r4-r7}
    ldmia   r0!, {r4-r7}
    stmia   r2!, {r4-r7}
    movs    r0, #254
.Lstep:
    str     r0, [sp, #BIT]
    call    plus, T0, X2, Z2                @ A
    call    minus, Z2, X2, Z2               @ B
    call    plus, X2, X3, Z3                @ C
    call    minus, Z3, X3, Z3               @ D
    ldr     r0, [sp, #BIT]                  @ the lowest bits are clear: after the last
    cmp     r0, #3                          @ possible swap the sum is not needed
    blo     .Lchoose
    call    wyrm_fe_mul_armv6m, X3, Z3, T0  @ DA
    call    wyrm_fe_mul_armv6m, T1, X2, Z2  @ CB

.Lchoose:
    ldr     r0, [sp, #BIT]
    ldr     r1, [sp, #SWAPS]
    lsrs    r2, r0, #3
    ldrb    r2, [r1, r2]
    movs    r1, #7
    ands    r1, r0
    lsrs    r2, r1
    lsls    r2, r2, #31
    asrs    r2, r2, #31
    mov     r1, sp                          @ T0, Z2: A or C, B or D
    add     r0, sp, #T0
    mov     r3, r0
    add     r4, sp, #X3
    mov     r12, r4
.Lselect:
    .rept   2
    ldmia   r1!, {r4, r5}
    ldmia   r3!, {r6, r7}
    eors    r4, r6
    eors    r5, r7
    ands    r4, r2
    ands    r5, r2
    eors    r4, r6
    eors    r5, r7
    stmia   r0!, {r4, r5}
    .endr
    cmp     r0, r12
    bne     .Lselect

    ldr     r0, [sp, #BIT]
    cmp     r0, #3
    blo     .Ldouble
    call    minus, Z3, X3, T1
    call    plus, X3, X3, T1
    square  X3, X3
    ldr     r0, [sp, #BASE]
    cmp     r0, #0
    bne     .Lnot_9
    call    plus, T1, Z3, Z3                @ does not reach 2^257 - 38, nor does the next
    call    plus, Z3, Z3, T1
    square  Z3, Z3
    b       .Ldouble
.Lnot_9:
    square  Z3, Z3
    add     r0, sp, #Z3
    mov     r1, r0
    ldr     r2, [sp, #BASE]
    bl      wyrm_fe_mul_armv6m

.Ldouble:
    square  T0, T0                          @ AA
    square  T1, Z2                          @ BB
    call    wyrm_fe_mul_armv6m, X2, T0, T1
    call    minus, T1, T0, T1               @ E
    call    plus_a24, T0, T1
    call    wyrm_fe_mul_armv6m, Z2, T0, T1

    ldr     r0, [sp, #BIT]
    subs    r0, r0, #1
    bmi     .Ldone
    b       .Lstep                          @ beyond the range of a branch
.Ldone:
    add     r3, sp, #ARGS
    ldmia   r3!, {r0, r1}
    mov     r2, sp
    ldmia   r2!, {r4-r7}
    stmia   r0!, {r4-r7}
    ldmia   r2!, {r4-r7}
    stmia   r0!, {r4-r7}
    add     r2, sp, #Z2
    ldmia   r2!, {r4-r7}
    stmia   r1!, {r4-r7}
    ldmia   r2!, {r4-r7}
    stmia   r1!, {r4-r7}
    release L_FRAME
    pop     {r4-r7, pc}
    end_func wyrm_fe_ladder_armv6m

#endif
