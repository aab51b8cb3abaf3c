/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The field of X25519 for ARMv6-M (Cortex-M0, M0+, M1, M23). Portable twins: the
 * functions of c/wyrm_fe_13.h.
 *
 *   void wyrm_fe_add_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sub_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_mul_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sqr_armv6m(struct fe *out, const struct fe *a, unsigned times);
 *   void wyrm_fe_mul_a24_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_select_armv6m(struct fe *out, const struct fe *a, uint32_t mask);
 *
 * Elements are twenty signed limbs of 13 bits in words; bounds and results are those of the twin,
 * limb for limb.
 *
 * Arithmetic. A product of 20 x 20 limbs is taken apart twice by Karatsuba's identity
 *   a0 b1 + a1 b0 = (a0 - a1)(b1 - b0) + a0 b0 + a1 b1
 * into nine of 5 x 5. Columns are sums modulo 2^32 all the way, and fit a word in the end, so no
 * step in between needs a carry. A product of five limbs has b in r3-r7 and a in r8-r12, from where
 * each limb must be copied anyhow, as MULS overwrites one of its operands.
 *
 * Reduction: 2^260 = 608, with the carries of both halves running side by side.
 *
 * Constant time: no branch but on the public count, no address but from the stack pointer and the
 * arguments; MULS takes the same time for all operands on these cores (32 cycles on an M0 with the
 * small multiplier).
 *
 * Stack: mul and sqr 456 bytes with all they call. Executed instructions on ARMv6-M: five limbs mul
 * 83, sqr 55; ten limbs mul 356, sqr 249; twenty limbs mul 1,602, sqr 1,255; the reduction in these
 * 322. The whole of X25519 takes 3.63 M and 1,496 bytes of stack (QEMU, mps2-an385,
 * GCC 12.2 -O2).
 */
#include "../wyrm_crypto_select.h"

#if WYRM_ARCH_ARMV6M && WYRM_X25519_ASM

    .syntax unified
    .thumb
    .text
    .cfi_sections .debug_frame

#define LIMBS 20

/* Splits \v into a limb and \carry, rounding; r7 = 2^12, \t is lost. */
.macro split v, carry, t
    adds    \t, \v, r7
    asrs    \carry, \t, #13
    lsls    \t, \carry, #13
    subs    \v, \v, \t
.endm

/* The last limb at [r0] holds 8 bits more than r4 took off: puts 19 * r4 in at the bottom of the
 * element before r0. r7 = 2^12. */
.macro wrap
    subs    r0, r0, #4*LIMBS
    movs    r1, #19
    muls    r4, r1
    ldr     r1, [r0]
    adds    r1, r1, r4
    split   r1, r4, r2
    str     r1, [r0]
    ldr     r1, [r0, #4]
    adds    r1, r1, r4
    split   r1, r4, r2
    str     r1, [r0, #4]
    ldr     r1, [r0, #8]
    adds    r1, r1, r4
    str     r1, [r0, #8]
.endm

/* As split for the last limb, of 8 bits. */
.macro split_last v, carry, t
    movs    \t, #128
    adds    \t, \t, \v
    asrs    \carry, \t, #8
    lsls    \t, \carry, #8
    subs    \v, \v, \t
.endm

/* r0 = or += \x * \y; \x is any register, r1 is lost */
.macro product_first x, y
    mov     r0, \x
    muls    r0, \y
.endm

.macro product x, y
    mov     r1, \x
    muls    r1, \y
    adds    r0, r0, r1
.endm

.macro save_all
    push    {r4-r7, lr}
    .cfi_adjust_cfa_offset 20
    .cfi_rel_offset r4, 0
    .cfi_rel_offset r5, 4
    .cfi_rel_offset r6, 8
    .cfi_rel_offset r7, 12
    .cfi_rel_offset lr, 16
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    push    {r4-r7}
    .cfi_adjust_cfa_offset 16
    .cfi_rel_offset r8, 0
    .cfi_rel_offset r9, 4
    .cfi_rel_offset r10, 8
    .cfi_rel_offset r11, 12
.endm

.macro restore_all
    pop     {r4-r7}
    .cfi_adjust_cfa_offset -16
    mov     r8, r4
    mov     r9, r5
    mov     r10, r6
    mov     r11, r7
    pop     {r4-r7, pc}
.endm

/* ---- Products --------------------------------------------------------- */

/* [r2] = nine columns of [r0] * [r1], five limbs each. Changes r0-r12. */
    .type   mul5, %function
mul5:
    .cfi_startproc
    ldmia   r0!, {r3-r7}
    mov     r8, r3
    mov     r9, r4
    mov     r10, r5
    mov     r11, r6
    mov     r12, r7
    ldmia   r1!, {r3-r7}
    product_first r8, r3
    stmia   r2!, {r0}
    product_first r8, r4
    product r9, r3
    stmia   r2!, {r0}
    product_first r8, r5
    product r9, r4
    product r10, r3
    stmia   r2!, {r0}
    product_first r8, r6
    product r9, r5
    product r10, r4
    product r11, r3
    stmia   r2!, {r0}
    product_first r8, r7
    product r9, r6
    product r10, r5
    product r11, r4
    product r12, r3
    stmia   r2!, {r0}
    product_first r9, r7
    product r10, r6
    product r11, r5
    product r12, r4
    stmia   r2!, {r0}
    product_first r10, r7
    product r11, r6
    product r12, r5
    stmia   r2!, {r0}
    product_first r11, r7
    product r12, r6
    stmia   r2!, {r0}
    product_first r12, r7
    stmia   r2!, {r0}
    bx      lr
    .cfi_endproc
    .size   mul5, . - mul5

/* [r2] = nine columns of [r0]^2, five limbs. Changes r0-r11; r8-r11 hold doubled limbs. */
    .type   sqr5, %function
sqr5:
    .cfi_startproc
    ldmia   r0!, {r3-r7}
    adds    r0, r3, r3
    mov     r8, r0
    adds    r0, r4, r4
    mov     r9, r0
    adds    r0, r5, r5
    mov     r10, r0
    adds    r0, r6, r6
    mov     r11, r0
    product_first r3, r3
    stmia   r2!, {r0}
    product_first r8, r4
    stmia   r2!, {r0}
    product_first r8, r5
    product r4, r4
    stmia   r2!, {r0}
    product_first r8, r6
    product r9, r5
    stmia   r2!, {r0}
    product_first r8, r7
    product r9, r6
    product r5, r5
    stmia   r2!, {r0}
    product_first r9, r7
    product r10, r6
    stmia   r2!, {r0}
    product_first r10, r7
    product r6, r6
    stmia   r2!, {r0}
    product_first r11, r7
    stmia   r2!, {r0}
    product_first r7, r7
    stmia   r2!, {r0}
    bx      lr
    .cfi_endproc
    .size   sqr5, . - sqr5

/* Puts a Karatsuba product together: [\to] holds a0 b0, a gap of one column, then a1 b1 from
 * column 2 \n on; \op adds or subtracts [\mid], the product of the differences. */
.macro combine n, op, to, mid
    .set    i, 0
    .rept   \n - 1
    ldr     r1, [\to, #4*(\n + i)]
    ldr     r2, [\to, #4*(2*\n + i)]
    adds    r1, r1, r2
    ldr     r2, [\to, #4*i]
    ldr     r3, [sp, #\mid + 4*i]
    \op     r2, r2, r3
    adds    r2, r2, r1
    str     r2, [\to, #4*(\n + i)]
    ldr     r2, [\to, #4*(3*\n + i)]
    ldr     r3, [sp, #\mid + 4*(\n + i)]
    \op     r2, r2, r3
    adds    r2, r2, r1
    str     r2, [\to, #4*(2*\n + i)]
    .set    i, i + 1
    .endr
    ldr     r1, [\to, #4*(\n - 1)]
    ldr     r2, [\to, #4*(3*\n - 1)]
    adds    r1, r1, r2
    ldr     r3, [sp, #\mid + 4*(\n - 1)]
    \op     r1, r1, r3
    str     r1, [\to, #4*(2*\n - 1)]
.endm

/* r3-r7 = [r0][0..4] - [r0][5..9] */
.macro difference5
    ldmia   r0!, {r3-r7}
    ldmia   r0!, {r1, r2}
    subs    r3, r3, r1
    subs    r4, r4, r2
    ldmia   r0!, {r1, r2}
    subs    r5, r5, r1
    subs    r6, r6, r2
    ldmia   r0!, {r1}
    subs    r7, r7, r1
.endm

/* The frame of mul10 and sqr10 */
#define DIFF_A 0
#define DIFF_B 20
#define MID    40
#define ARG_A  76
#define ARG_B  80
#define ARG_TO 84

/* [r2] = nineteen columns of [r0] * [r1], ten limbs each. Changes r0-r12. */
    .type   mul10, %function
mul10:
    .cfi_startproc
    push    {r0-r2, lr}
    .cfi_adjust_cfa_offset 16
    .cfi_rel_offset lr, 12
    sub     sp, sp, #ARG_A
    .cfi_adjust_cfa_offset ARG_A
    mov     r8, r1
    difference5
    mov     r1, sp
    stmia   r1!, {r3-r7}
    mov     r0, r8
    mov     r8, r1
    difference5
    rsbs    r3, r3, #0
    rsbs    r4, r4, #0
    rsbs    r5, r5, #0
    rsbs    r6, r6, #0
    rsbs    r7, r7, #0
    mov     r1, r8
    stmia   r1!, {r3-r7}
    mov     r0, sp
    add     r1, sp, #DIFF_B
    add     r2, sp, #MID
    bl      mul5
    ldr     r0, [sp, #ARG_A]
    ldr     r1, [sp, #ARG_B]
    ldr     r2, [sp, #ARG_TO]
    bl      mul5
    ldr     r0, [sp, #ARG_A]
    adds    r0, r0, #20
    ldr     r1, [sp, #ARG_B]
    adds    r1, r1, #20
    adds    r2, r2, #4                      @ columns 10 and up
    bl      mul5
    ldr     r0, [sp, #ARG_TO]
    combine 5, adds, r0, MID
    add     sp, sp, #ARG_A + 12
    .cfi_adjust_cfa_offset -(ARG_A + 12)
    pop     {pc}
    .cfi_endproc
    .size   mul10, . - mul10

/* [r2] = nineteen columns of [r0]^2, ten limbs. Changes r0-r11. */
    .type   sqr10, %function
sqr10:
    .cfi_startproc
    push    {r0-r2, lr}
    .cfi_adjust_cfa_offset 16
    .cfi_rel_offset lr, 12
    sub     sp, sp, #ARG_A
    .cfi_adjust_cfa_offset ARG_A
    difference5
    mov     r0, sp
    stmia   r0!, {r3-r7}
    mov     r0, sp
    add     r2, sp, #MID
    bl      sqr5
    ldr     r0, [sp, #ARG_A]
    ldr     r2, [sp, #ARG_TO]
    bl      sqr5
    ldr     r0, [sp, #ARG_A]
    adds    r0, r0, #20
    adds    r2, r2, #4
    bl      sqr5
    ldr     r0, [sp, #ARG_TO]
    combine 5, subs, r0, MID
    add     sp, sp, #ARG_A + 12
    .cfi_adjust_cfa_offset -(ARG_A + 12)
    pop     {pc}
    .cfi_endproc
    .size   sqr10, . - sqr10

/* ---- Reduction -------------------------------------------------------- */

/* Frame of mul and sqr: the columns of the product, those of the middle one, the differences. */
#define COLUMNS 0
#define MIDDLE  160
#define A_DIFF  236
#define B_DIFF  276
#define FRAME   316
#define OUT     FRAME
#define IN_A    (FRAME + 4)
#define IN_B    (FRAME + 8) /* of sqr: how often still */

/* [r0] = the columns in the frame of the caller; leaves r0 alone. Changes r1-r7. */
    .type   reduce, %function
reduce:
    .cfi_startproc
    movs    r7, #1
    lsls    r7, r7, #12
    movs    r6, #608 >> 5
    lsls    r6, r6, #5
    movs    r5, #0                          @ carry of the upper half
    movs    r4, #0                          @ of the lower half
    .set    i, 0
    .rept   LIMBS - 1
    ldr     r1, [sp, #COLUMNS + 4*(LIMBS + i)]
    adds    r1, r1, r5
    split   r1, r5, r2
    muls    r1, r6
    adds    r1, r1, r4
    ldr     r2, [sp, #COLUMNS + 4*i]
    adds    r1, r1, r2
    split   r1, r4, r2
    stmia   r0!, {r1}
    .set    i, i + 1
    .endr
    muls    r5, r6
    adds    r5, r5, r4
    ldr     r1, [sp, #COLUMNS + 4*(LIMBS - 1)]
    adds    r1, r1, r5
    split_last r1, r4, r2
    stmia   r0!, {r1}
    wrap
    bx      lr
    .cfi_endproc
    .size   reduce, . - reduce

/* [r2] = [r0] - [r1], ten limbs; all three move on. Changes r3-r6. */
.macro difference10
    .rept   5
    ldmia   r0!, {r3, r4}
    ldmia   r1!, {r5, r6}
    subs    r3, r3, r5
    subs    r4, r4, r6
    stmia   r2!, {r3, r4}
    .endr
.endm

    .global wyrm_fe_mul_armv6m
    .type   wyrm_fe_mul_armv6m, %function
wyrm_fe_mul_armv6m:
    .cfi_startproc
    save_all
    push    {r0-r2}
    .cfi_adjust_cfa_offset 12
    sub     sp, sp, #FRAME
    .cfi_adjust_cfa_offset FRAME
    mov     r7, r2
    mov     r0, r1
    adds    r1, r1, #40
    add     r2, sp, #A_DIFF
    difference10
    mov     r1, r7
    mov     r0, r1
    adds    r0, r0, #40
    difference10
    add     r0, sp, #A_DIFF
    add     r1, sp, #B_DIFF
    add     r2, sp, #MIDDLE
    bl      mul10
    ldr     r0, [sp, #IN_A]
    ldr     r1, [sp, #IN_B]
    add     r2, sp, #COLUMNS
    bl      mul10
    ldr     r0, [sp, #IN_A]
    adds    r0, r0, #40
    ldr     r1, [sp, #IN_B]
    adds    r1, r1, #40
    add     r2, sp, #COLUMNS + 80
    bl      mul10
    combine 10, adds, sp, MIDDLE
    ldr     r0, [sp, #OUT]
    bl      reduce
    add     sp, sp, #FRAME
    .cfi_adjust_cfa_offset -FRAME
    add     sp, sp, #12
    .cfi_adjust_cfa_offset -12
    restore_all
    .cfi_endproc
    .size   wyrm_fe_mul_armv6m, . - wyrm_fe_mul_armv6m

    .global wyrm_fe_sqr_armv6m
    .type   wyrm_fe_sqr_armv6m, %function
wyrm_fe_sqr_armv6m:
    .cfi_startproc
    save_all
    push    {r0-r2}
    .cfi_adjust_cfa_offset 12
    sub     sp, sp, #FRAME
    .cfi_adjust_cfa_offset FRAME
.Lsqr:
    mov     r0, r1
    adds    r1, r1, #40
    add     r2, sp, #A_DIFF
    difference10
    add     r0, sp, #A_DIFF
    add     r2, sp, #MIDDLE
    bl      sqr10
    ldr     r0, [sp, #IN_A]
    add     r2, sp, #COLUMNS
    bl      sqr10
    ldr     r0, [sp, #IN_A]
    adds    r0, r0, #40
    add     r2, sp, #COLUMNS + 80
    bl      sqr10
    combine 10, subs, sp, MIDDLE
    ldr     r0, [sp, #OUT]
    bl      reduce
    mov     r1, r0                          @ back at its first limb
    str     r1, [sp, #IN_A]
    ldr     r2, [sp, #IN_B]
    subs    r2, r2, #1
    str     r2, [sp, #IN_B]
    beq     .Lsquared
    b       .Lsqr                           @ out of reach of a branch
.Lsquared:
    add     sp, sp, #FRAME
    .cfi_adjust_cfa_offset -FRAME
    add     sp, sp, #12
    .cfi_adjust_cfa_offset -12
    restore_all
    .cfi_endproc
    .size   wyrm_fe_sqr_armv6m, . - wyrm_fe_sqr_armv6m

/* ---- Rest of the ladder ----------------------------------------------- */

.macro limbwise name, op
    .global \name
    .type   \name, %function
\name:
    .cfi_startproc
    push    {r4-r6, lr}
    .cfi_adjust_cfa_offset 16
    .cfi_rel_offset r4, 0
    .cfi_rel_offset r5, 4
    .cfi_rel_offset r6, 8
    .cfi_rel_offset lr, 12
    .rept   LIMBS / 2
    ldmia   r1!, {r3, r4}
    ldmia   r2!, {r5, r6}
    \op     r3, r3, r5
    \op     r4, r4, r6
    stmia   r0!, {r3, r4}
    .endr
    pop     {r4-r6, pc}
    .cfi_endproc
    .size   \name, . - \name
.endm

    limbwise wyrm_fe_add_armv6m, adds
    limbwise wyrm_fe_sub_armv6m, subs

    .global wyrm_fe_select_armv6m
    .type   wyrm_fe_select_armv6m, %function
wyrm_fe_select_armv6m:
    .cfi_startproc
    push    {r4-r6, lr}
    .cfi_adjust_cfa_offset 16
    .cfi_rel_offset r4, 0
    .cfi_rel_offset r5, 4
    .cfi_rel_offset r6, 8
    .cfi_rel_offset lr, 12
    .rept   LIMBS / 2
    ldmia   r1!, {r3, r4}
    ldr     r5, [r0]
    ldr     r6, [r0, #4]
    eors    r3, r5
    ands    r3, r2
    eors    r3, r5
    eors    r4, r6
    ands    r4, r2
    eors    r4, r6
    stmia   r0!, {r3, r4}
    .endr
    pop     {r4-r6, pc}
    .cfi_endproc
    .size   wyrm_fe_select_armv6m, . - wyrm_fe_select_armv6m

    .global wyrm_fe_mul_a24_armv6m
    .type   wyrm_fe_mul_a24_armv6m, %function
wyrm_fe_mul_a24_armv6m:
    .cfi_startproc
    push    {r4-r7, lr}
    .cfi_adjust_cfa_offset 20
    .cfi_rel_offset r4, 0
    .cfi_rel_offset r5, 4
    .cfi_rel_offset r6, 8
    .cfi_rel_offset r7, 12
    .cfi_rel_offset lr, 16
    mov     r3, r1
    ldr     r6, .La24
    movs    r7, #1
    lsls    r7, r7, #12
    movs    r4, #0
    .set    i, 0
    .rept   LIMBS
    ldmia   r2!, {r1}
    muls    r1, r6
    adds    r1, r1, r4
    ldmia   r3!, {r5}
    adds    r1, r1, r5
    .if     i < LIMBS - 1
    split   r1, r4, r5
    .else
    split_last r1, r4, r5
    .endif
    stmia   r0!, {r1}
    .set    i, i + 1
    .endr
    wrap
    pop     {r4-r7, pc}
    .cfi_endproc
    .align  2
.La24:
    .word   121665
    .size   wyrm_fe_mul_a24_armv6m, . - wyrm_fe_mul_a24_armv6m

#endif

#if defined(__linux__) || defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
