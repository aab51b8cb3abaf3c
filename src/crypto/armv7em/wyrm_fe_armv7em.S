/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The field of X25519 and its ladder for ARMv7E-M and ARMv8-M with DSP (Cortex-M4, M7, M33).
 * Portable twins: fe_mul, fe_sqr_times and ladder over c/wyrm_fe_32.h.
 *
 *   void wyrm_fe_mul_armv7em(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sqr_armv7em(struct fe *out, const struct fe *a, unsigned times);
 *   void wyrm_fe_ladder_armv7em(struct fe *x, struct fe *z, const uint8_t swaps[32]);
 *
 * Elements are eight little-endian words, any value below 2^256 on entry. mul and sqr give results
 * below 2^255 + 40 * 2^224; sums and differences of two such are brought below 2^256.
 *
 * Arithmetic. UMAAL adds two words to a product and never overflows, so a column of products needs
 * no carry chain: each UMAAL takes two words of weight k and leaves one of weight k and one of
 * weight k + 1. Counting words per column shows that a product of 8 x 8 words balances with eight
 * UMULL, one in each of the columns 0..7, and 56 UMAAL, with no zero to load anywhere. mul goes
 * through it in rows of four; where a row of the lower half of b leaves nothing to be added to the
 * lowest product of a row of the upper half, that one is the UMULL, and its low word is kept for
 * the other half of a.
 *
 * sqr goes by columns with a in r0-r7: each product a[i] * a[j], i < j, is taken once, as
 * d[i] * a[j] with d = 2 a. Word i turns from a[i] into d[i] in place (ADCS, the carry stays in the
 * flag) after column 2 i, where a[i] * a[i] has been used and after which only d[i] is. The bit
 * that leaves d[j - 1] belongs to the column of a[j] * a[j] and is added there as `a[j] & -(bit)`.
 *
 *   r0-r7   the element at work, into and out of mul, sqr, plus and minus
 *   r8-r11, lr   words of the product; of the other operand in sums       r12  pointer to that
 *
 * Reduction: 2^256 = 38. The top word is computed first: 19 times its part above bit 255 is
 * the first carry of the chain at the bottom.
 *
 * Constant time: no branch but on the public counter, no address but from the stack pointer and
 * the arguments. UMULL, UMAAL and MLA take the same time for all operands on these cores (that is
 * not so for UMULL on Cortex-M3, which cannot assemble this file: it has no UMAAL). The choice
 * between points is made by SEL on the GE flags.
 *
 * Stack: 276 bytes of the ladder and 68 of mul below it. Executed instructions: mul 102, sqr 83
 * (with choose_sqr 95), plus 22, minus 21, a step of the ladder 1,117. The whole of X25519 takes
 * 309,954 and 520 bytes of stack (QEMU, mps2-an386, GCC 12.2 -O2). With plus and minus expanded in
 * place it would take 3,570 fewer, for 370 bytes of code more. WYRM_SMALL: squares are products, 298
 * bytes less and 9 % more instructions.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_ARCH_ARMV7EM && WYRM_X25519_ASM

/* Product row of four: \w[0..3] += (\x0..\x3) * \b, \c has the weight of \w0 on entry and that of
 * the word above \w3 on return; \w0 is then complete. */
.macro row w0, w1, w2, w3, c, x0, x1, x2, x3, b
    umaal   \w0, \c, \x0, \b
    umaal   \w1, \c, \x1, \b
    umaal   \w2, \c, \x2, \b
    umaal   \w3, \c, \x3, \b
.endm

/* The same without \c on entry: \l is the remaining word of weight \w0. */
.macro row_start l, w1, w2, w3, c, x0, x1, x2, x3, b
    umull   \l, \c, \x0, \b
    umaal   \w1, \c, \x1, \b
    umaal   \w2, \c, \x2, \b
    umaal   \w3, \c, \x3, \b
.endm

/* First step of a reduction, for the words \top of weight 2^224 and \next of weight 2^480. Leaves
 * bits 0..30 of their sum in \top, 19 * (bits 31..) in \carry and 38 in \k38; changes \t, \u. */
.macro fold_top top, next, carry, k38, t, u
    mov     \t, #19
    lsl     \k38, \t, #1
    mov     \u, #0
    umaal   \top, \u, \next, \k38
    and     \t, \t, \top, asr #31
    mla     \carry, \u, \k38, \t
    bic     \top, \top, #0x80000000
.endm

/* r0-r7 = r0-r7 * [r12]. Changes r8-r12, lr.
 *
 *              rows b0..b3 of a0..a3   rows b4..b7 of a0..a3   rows b0..b7 of a4..a7
 *   r0-r3      words 0..2 (r0,r2,r3)   words 8..11             a4..a7
 *   r4,r5,r9,r10   a0..a3              a0..a3                  words 4,4,5,5 -> 8,9,12,13
 *   r7,r11     words 7, 6              words 7, 6              words 7, 6 -> 14
 *   r6,r8,lr   words 4, 5, 3           left over 6, 7; b       words 6, 7 -> 10, 11; b
 *   r12        pointer to a            pointer to a            b -> 15
 */
    local_func mul
    push_own_and_lr r0, r1, r2, r3, R4_R7   @ [sp] = b
.Lmul:
    ldmia   r12!, {r4, r5, r9, r10}         @ a0..a3
    /* b0: only UMULL; columns 1..3 have two pending words each */
    umull   lr, r6, r10, r0
    umull   r3, r8, r9, r0
    umull   r2, r11, r5, r0
    umull   r0, r7, r4, r0
    /* b1 */
    umaal   r2, r7, r4, r1
    umaal   r3, r11, r5, r1
    umaal   lr, r8, r9, r1
    umaal   r6, r8, r10, r1
    ldr     r1, [sp, #8]                    @ b2
    umaal   r3, r7, r4, r1
    umaal   lr, r11, r5, r1
    umaal   r6, r11, r9, r1
    umaal   r8, r11, r10, r1
    ldr     r1, [sp, #12]                   @ b3
    row     lr, r6, r8, r11, r7, r4, r5, r9, r10, r1
    push_own r0, r2, r3, lr                 @ words 0..3 are complete; r6, r8, r11, r7 = words 4..7

    ldrd    r3, lr, [sp, #32]               @ b4, b5
    row_start r2, r8, r11, r7, r0, r4, r5, r9, r10, r3
    row_start r3, r11, r7, r0, r1, r4, r5, r9, r10, lr
    push_own r2, r3, r6, r8                 @ carries into 4 and 5, words 4 and 5
    ldrd    r3, lr, [sp, #56]               @ b6, b7
    row_start r6, r7, r0, r1, r2, r4, r5, r9, r10, r3
    row_start r8, r0, r1, r2, r3, r4, r5, r9, r10, lr
    pop_own r4, r5, r9, r10
    push_own r0, r1, r2, r3                 @ words 8..11

    ldmia   r12, {r0-r3}                    @ a4..a7
    ldrd    r12, lr, [sp, #32]              @ b0, b1
    row     r9, r10, r11, r7, r4, r0, r1, r2, r3, r12
    row     r10, r11, r7, r4, r5, r0, r1, r2, r3, lr
    ldrd    r12, lr, [sp, #40]              @ b2, b3
    row     r11, r7, r4, r5, r6, r0, r1, r2, r3, r12
    row     r7, r4, r5, r6, r8, r0, r1, r2, r3, lr
    strd    r9, r10, [sp, #32]              @ words 4..6 replace b0..b2
    str     r11, [sp, #40]
    ldrd    r12, lr, [sp, #48]              @ b4, b5
    pop_own r9, r10                         @ words 8, 9 of a0..a3
    row     r4, r5, r6, r8, r9, r0, r1, r2, r3, r12
    row     r5, r6, r8, r9, r10, r0, r1, r2, r3, lr
    ldrd    r12, lr, [sp, #48]              @ b6, b7
    pop_own r11
    row     r6, r8, r9, r10, r11, r0, r1, r2, r3, r12
    pop_own r12
    row     r8, r9, r10, r11, r12, r0, r1, r2, r3, lr

    /* words 7..15 = r7, r4, r5, r6, r8, r9, r10, r11, r12; words 0..6 on the stack */
    fold_top r7, r12, r12, lr, r0, r1
    pop_own r0, r1, r2, r3
    umaal   r0, r12, r4, lr
    umaal   r1, r12, r5, lr
    umaal   r2, r12, r6, lr
    umaal   r3, r12, r8, lr
    pop_own r4, r5, r6
    umaal   r4, r12, r9, lr
    umaal   r5, r12, r10, lr
    umaal   r6, r12, r11, lr
    add     r7, r7, r12
    pop     {r8-r12, pc}
    end_func mul

/* sqr:         r0-r7 = (r0-r7)^2
 * choose_sqr:  the same for GE ? [r12 + 96] : [r12]
 * Changes r8-r12, lr, which hold the pending words of the next column, among them x[j] = a[j] &
 * -(bit 31 of a[j - 1]). */
    local_func sqr, entry=choose_sqr
    ldmia   r12!, {r0-r7}
    add     r12, r12, #64
    ldmia   r12!, {r8-r11}
    sel     r0, r8, r0
    sel     r1, r9, r1
    sel     r2, r10, r2
    sel     r3, r11, r3
    ldmia   r12, {r8-r11}
    sel     r4, r8, r4
    sel     r5, r9, r5
    sel     r6, r10, r6
    sel     r7, r11, r7
sqr:
#if WYRM_SMALL
    push_own_and_lr r0, r1, r2, r3, R4_R7
    mov     r12, sp                         @ a is b; mul stores its result there after reading a
    b       .Lmul
#else
    push_own_and_lr r0, r1, r2, r3, r4, r5, r6 @ room for words 0..6
    umull   r8, r9, r0, r0                  @ column 0
    and     r11, r1, r0, asr #31
    adds    r0, r0, r0
    mov     r10, #0                         @ 1
    umaal   r9, r10, r0, r1
    strd    r8, r9, [sp]
    umaal   r10, r11, r1, r1                @ 2
    mov     r8, #0
    umaal   r10, r8, r0, r2
    and     r12, r2, r1, asr #31
    adcs    r1, r1, r1
    umaal   r11, r8, r0, r3                 @ 3
    mov     r9, #0
    umaal   r11, r9, r1, r2
    strd    r10, r11, [sp, #8]
    umaal   r8, r9, r0, r4                  @ 4
    umaal   r8, r12, r1, r3
    mov     r10, #0
    umaal   r8, r10, r2, r2
    and     r11, r3, r2, asr #31
    adcs    r2, r2, r2
    umaal   r9, r12, r0, r5                 @ 5
    umaal   r9, r10, r1, r4
    mov     lr, #0
    umaal   r9, lr, r2, r3
    strd    r8, r9, [sp, #16]
    umaal   r12, r10, r0, r6                @ 6
    umaal   r12, lr, r1, r5
    umaal   r12, r11, r2, r4
    mov     r8, #0
    umaal   r12, r8, r3, r3
    str     r12, [sp, #24]
    and     r9, r4, r3, asr #31
    adcs    r3, r3, r3
    umaal   r10, lr, r0, r7                 @ 7
    umaal   r10, r11, r1, r6
    umaal   r10, r8, r2, r5
    mov     r12, #0
    umaal   r10, r12, r3, r4
    umaal   lr, r11, r1, r7                 @ 8
    umaal   lr, r8, r2, r6
    umaal   lr, r12, r3, r5
    umaal   lr, r9, r4, r4
    and     r0, r5, r4, asr #31
    adcs    r4, r4, r4
    umaal   r11, r8, r2, r7                 @ 9
    umaal   r11, r12, r3, r6
    umaal   r11, r9, r4, r5
    umaal   r8, r12, r3, r7                 @ 10
    umaal   r8, r9, r4, r6
    umaal   r8, r0, r5, r5
    umaal   r12, r9, r4, r7                 @ 11
    and     r4, r6, r5, asr #31
    adcs    r5, r5, r5
    umaal   r12, r0, r5, r6
    umaal   r9, r0, r5, r7                  @ 12
    umaal   r9, r4, r6, r6
    and     r5, r7, r6, asr #31
    adcs    r6, r6, r6
    umaal   r4, r0, r6, r7                  @ 13
    umaal   r5, r0, r7, r7                  @ 14

    /* words 7..15 = r10, lr, r11, r8, r12, r9, r4, r5, r0 */
    fold_top r10, r0, r6, r7, r1, r2
    pop_own r0, r1, r2, r3
    umaal   r0, r6, lr, r7
    umaal   r1, r6, r11, r7
    umaal   r2, r6, r8, r7
    umaal   r3, r6, r12, r7
    mov     r8, r4
    mov     r11, r5
    mov     lr, r6
    pop_own r4, r5, r6
    umaal   r4, lr, r9, r7
    umaal   r5, lr, r8, r7
    umaal   r6, lr, r11, r7
    add     r7, r10, lr
    pop     {pc}
#endif
    end_func sqr

/* ---- Ladder ----------------------------------------------------------- */

/* The frame. B replaces z2, D replaces z3; DA replaces x2, CB replaces x3; AA and BB replace A and
 * B; E replaces C. */
#define X2     0
#define Z2     32
#define A      64
#define X3     96
#define Z3     128
#define C      160
#define X1     192
#define BIT    224 /* index of the current scalar bit */
#define SWAPS  228 /* the arguments */
#define OUT    232 /* two pointers */
#define FRAME  240

/* plus:       r0-r7 += [r12], r12 is advanced
 * plus_pair:  the same after loading r0-r7 from [r12], for adjacent elements
 * A carry out of the top adds 38, once: the result is then small. */
    local_func plus, entry=plus_pair
    ldmia   r12!, {r0-r7}
plus:
    ldmia   r12!, {r8-r11}
    adds    r0, r0, r8
    adcs    r1, r1, r9
    adcs    r2, r2, r10
    adcs    r3, r3, r11
    ldmia   r12!, {r8-r11}
    adcs    r4, r4, r8
    adcs    r5, r5, r9
    adcs    r6, r6, r10
    adcs    r7, r7, r11
    sbc     r8, r8, r8
    and     r8, r8, #38
    rsb     r8, r8, #38
    adds    r0, r0, r8
    adcs    r1, r1, #0
    adcs    r2, r2, #0
    adcs    r3, r3, #0
    adcs    r4, r4, #0
    adcs    r5, r5, #0
    adcs    r6, r6, #0
    adc     r7, r7, #0
    bx      lr
    end_func plus

/* minus, minus_pair: likewise, r0-r7 -= [r12].
 * A borrow out of the top subtracts 38, once: the result is then large. */
    local_func minus, entry=minus_pair
    ldmia   r12!, {r0-r7}
minus:
    ldmia   r12!, {r8-r11}
    subs    r0, r0, r8
    sbcs    r1, r1, r9
    sbcs    r2, r2, r10
    sbcs    r3, r3, r11
    ldmia   r12!, {r8-r11}
    sbcs    r4, r4, r8
    sbcs    r5, r5, r9
    sbcs    r6, r6, r10
    sbcs    r7, r7, r11
    sbc     r8, r8, r8
    and     r8, r8, #38
    subs    r0, r0, r8
    sbcs    r1, r1, #0
    sbcs    r2, r2, #0
    sbcs    r3, r3, #0
    sbcs    r4, r4, #0
    sbcs    r5, r5, #0
    sbcs    r6, r6, #0
    sbc     r7, r7, #0
    bx      lr
    end_func minus

.macro get from
    add     r12, sp, #\from
    ldmia   r12, {r0-r7}
.endm

.macro put to
    add     r12, sp, #\to
    stmia   r12, {r0-r7}
.endm

.macro mul_by element
    add     r12, sp, #\element
    bl      mul
.endm

    func    wyrm_fe_ladder_armv7em
    save    R4_R11, lr
    reserve FRAME
    str     r2, [sp, #SWAPS]
    strd    r0, r1, [sp, #OUT]
    ldmia   r0, {r0-r7}
    put     X1
    put     X3
    movs    r0, #1
    movs    r1, #0
    movs    r2, #0
    movs    r3, #0
    movs    r4, #0
    movs    r5, #0
    movs    r6, #0
    movs    r7, #0
    put     X2
    put     Z3
    movs    r0, #0
    put     Z2
    mov     r8, #254
    str     r8, [sp, #BIT]

.Lstep:
    ldr     r0, [sp, #SWAPS]
    lsr     r1, r8, #3
    ldrb    r0, [r0, r1]
    and     r1, r8, #7
    lsr     r0, r0, r1
    sbfx    r0, r0, #0, #1
    uadd8   r0, r0, r0                      @ GE = swap

    mov     r12, sp                         @ A = x2 + z2
    bl      plus_pair
    stmia   r12, {r0-r7}
    mov     r12, sp                         @ B = x2 - z2
    bl      minus_pair
    stmdb   r12, {r0-r7}
    add     r12, sp, #X3                    @ C = x3 + z3
    bl      plus_pair
    stmia   r12, {r0-r7}
    add     r12, sp, #X3                    @ D = x3 - z3
    bl      minus_pair
    stmdb   r12, {r0-r7}

    mul_by  A                               @ DA
    put     X2
    get     C                               @ CB
    mul_by  Z2
    put     X3

    add     r12, sp, #A                     @ AA, of C or A: the doubled point
    bl      choose_sqr
    put     A
    add     r12, sp, #Z2                    @ BB, of D or B
    bl      choose_sqr
    put     Z2

    get     X2                              @ z3 = x1 (DA - CB)^2
    add     r12, sp, #X3
    bl      minus
    bl      sqr
    mul_by  X1
    put     Z3
    get     X3                              @ x3 = (DA + CB)^2
    mov     r12, sp
    bl      plus
    bl      sqr
    put     X3

    get     Z2                              @ x2 = AA BB
    mul_by  A
    put     X2
    get     A                               @ E = AA - BB
    add     r12, sp, #Z2
    bl      minus
    put     C

    get     A                               @ AA + 121665 E
    add     r12, sp, #C
    ldr     r8, [r12, #28]
    mov     r9, #0
    movw    r10, #:lower16:121665
    movt    r10, #:upper16:121665
    umaal   r7, r9, r8, r10
    mov     r11, #19
    lsl     lr, r11, #1
    and     r11, r11, r7, asr #31
    mla     r9, r9, lr, r11
    bic     r7, r7, #0x80000000
    ldmia   r12!, {r8, r11, lr}
    umaal   r0, r9, r8, r10
    umaal   r1, r9, r11, r10
    umaal   r2, r9, lr, r10
    ldmia   r12!, {r8, r11, lr}
    umaal   r3, r9, r8, r10
    umaal   r4, r9, r11, r10
    umaal   r5, r9, lr, r10
    ldr     r8, [r12]
    umaal   r6, r9, r8, r10
    add     r7, r7, r9
    mul_by  C                               @ z2 = E (AA + 121665 E)
    put     Z2

    ldr     r8, [sp, #BIT]
    subs    r8, r8, #1
    str     r8, [sp, #BIT]
    bpl     .Lstep

    ldrd    r10, r11, [sp, #OUT]
    mov     r12, sp
    ldmia   r12!, {r0-r7}                   @ x2
    stmia   r10, {r0-r7}
    ldmia   r12, {r0-r7}                    @ z2
    stmia   r11, {r0-r7}
    release FRAME
    pop     {r4-r11, pc}
    end_func wyrm_fe_ladder_armv7em

/* ---- For the inversion ------------------------------------------------ */

    func    wyrm_fe_mul_armv7em
    save    r0, R4_R11, lr
    mov     r12, r1
    ldmia   r2, {r0-r7}
    bl      mul
    pop_own r12
    stmia   r12, {r0-r7}
    pop     {r4-r11, pc}
    end_func wyrm_fe_mul_armv7em

    func    wyrm_fe_sqr_armv7em
    save    R4_R11, lr
    push_own r0, r2
    ldmia   r1, {r0-r7}
.Lsqr:
    bl      sqr
    ldr     r8, [sp, #4]
    subs    r8, r8, #1
    str     r8, [sp, #4]
    bne     .Lsqr
    pop_own r8, r9
    stmia   r8, {r0-r7}
    pop     {r4-r11, pc}
    end_func wyrm_fe_sqr_armv7em

#endif
