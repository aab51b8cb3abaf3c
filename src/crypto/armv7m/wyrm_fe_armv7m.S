/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The field of X25519 for ARMv7-M (Cortex-M3). Portable twins: the functions of c/wyrm_fe_13.h.
 *
 *   void wyrm_fe_add_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sub_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_mul_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sqr_armv7m(struct fe *out, const struct fe *a, unsigned times);
 *   void wyrm_fe_mul_a24_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_select_armv7m(struct fe *out, const struct fe *a, uint32_t mask);
 *
 * Elements are twenty signed limbs of 13 bits in words; bounds and results are those of the twin,
 * limb for limb.
 *
 * Arithmetic. The product goes by blocks of 4 x 4 limbs, those that meet in the same columns one
 * after the other, with seven columns in registers: an MLA for each product and four loads for
 * sixteen of them. Going on to the next four columns renames the registers. sqr takes blocks off
 * the diagonal once, with one side doubled.
 *
 *   r0-r3     four limbs of a             lr  pointer to a
 *   r4-r10    columns                     r11, r12  two limbs of b, or of 2 a
 *
 * Reduction: 2^260 = 608. The carries of both halves run side by side; SBFX takes the rounded limb
 * out, and what is left after it goes on as `asr #13`.
 *
 * Constant time: no branch but on the public count, no address but from the stack pointer and the
 * arguments. MUL and MLA of 32 x 32 -> 32 bits take the same time for all operands on a Cortex-M3;
 * UMULL does not, and is not used.
 *
 * Stack: 284 bytes. Executed instructions: mul 724, sqr 529, both with the 187 of the reduction. The
 * whole of X25519 takes 1,658,316 and 1,480 bytes of stack (QEMU, mps2-an385, GCC 12.2 -O2). Before,
 * two levels of Karatsuba down to five limbs, with MLA, took 3.06 M: with one instruction a product
 * the sums around it cost more than the products they save.
 */
#include "../wyrm_crypto_select.h"

#if WYRM_ARCH_ARMV7M && WYRM_X25519_ASM

    .syntax unified
    .thumb
    .text
    .cfi_sections .debug_frame

#define LIMBS 20

/* The frame: columns, then b or 2 a, then the arguments. */
#define COLUMNS 0
#define OTHER   160
#define OUT     240
#define LEFT    244 /* squarings to go */
#define FRAME   248

/* c0-c6 += limbs 4 I.. of a times limbs 4 J.. of b; \op is mul if c3-c6 begin here. */
.macro block I, J, c0, c1, c2, c3, c4, c5, c6, op
    ldrd    r0, r1, [lr, #16*\I]
    ldrd    r2, r3, [lr, #16*\I + 8]
    ldrd    r11, r12, [sp, #OTHER + 16*\J]
    mla     \c0, r0, r11, \c0
    mla     \c1, r1, r11, \c1
    mla     \c2, r2, r11, \c2
    begin_\op \c3, r3, r11
    mla     \c1, r0, r12, \c1
    mla     \c2, r1, r12, \c2
    mla     \c3, r2, r12, \c3
    begin_\op \c4, r3, r12
    ldrd    r11, r12, [sp, #OTHER + 16*\J + 8]
    mla     \c2, r0, r11, \c2
    mla     \c3, r1, r11, \c3
    mla     \c4, r2, r11, \c4
    begin_\op \c5, r3, r11
    mla     \c3, r0, r12, \c3
    mla     \c4, r1, r12, \c4
    mla     \c5, r2, r12, \c5
    begin_\op \c6, r3, r12
.endm

.macro begin_mul c, x, y
    mul     \c, \x, \y
.endm

.macro begin_mla c, x, y
    mla     \c, \x, \y, \c
.endm

/* c0-c6 += square of limbs 4 I.. of a */
.macro diagonal I, c0, c1, c2, c3, c4, c5, c6
    ldrd    r0, r1, [lr, #16*\I]
    ldrd    r2, r3, [lr, #16*\I + 8]
    ldr     r12, [sp, #OTHER + 16*\I + 4]
    mla     \c0, r0, r0, \c0
    mla     \c2, r1, r1, \c2
    mla     \c4, r2, r2, \c4
    mla     \c6, r3, r3, \c6
    mla     \c1, r0, r12, \c1
    ldrd    r11, r12, [sp, #OTHER + 16*\I + 8]
    mla     \c2, r0, r11, \c2
    mla     \c3, r1, r11, \c3
    mla     \c3, r0, r12, \c3
    mla     \c4, r1, r12, \c4
    mla     \c5, r2, r12, \c5
.endm

.macro columns group, c0, c1, c2, c3
    strd    \c0, \c1, [sp, #COLUMNS + 16*\group]
    strd    \c2, \c3, [sp, #COLUMNS + 16*\group + 8]
.endm

/* The last three columns; there is no product in column 39. */
.macro columns_end c0, c1, c2
    mov     r3, #0
    columns 9, \c0, \c1, \c2, r3
.endm

/* One limb of both halves: \high, \low are the columns, \low becomes the limb. r5, r6 are what is
 * left of the limbs before, r4 = 608; r7 is lost. */
.macro limb high, low, bits
    add     \high, \high, r5, asr #13
    sbfx    r7, \high, #0, #13
    sub     r5, \high, r7
    mla     r7, r7, r4, \low
    add     r7, r7, r6, asr #13
    sbfx    \low, r7, #0, #\bits
    sub     r6, r7, \low
.endm

/* r6 is what is left of the last limb, of 8 bits: puts 19 * (r6 >> 8) in at the bottom of [r0].
 * Changes r1-r6. */
.macro wrap
    asr     r6, r6, #8
    mov     r4, #19
    ldrd    r1, r2, [r0]
    ldr     r3, [r0, #8]
    mla     r1, r6, r4, r1
    sbfx    r5, r1, #0, #13
    sub     r1, r1, r5
    add     r2, r2, r1, asr #13
    sbfx    r6, r2, #0, #13
    sub     r2, r2, r6
    add     r3, r3, r2, asr #13
    strd    r5, r6, [r0]
    str     r3, [r0, #8]
.endm

/* [r0] = COLUMNS; leaves r0 alone. Changes r1-r9. */
    .type   reduce, %function
reduce:
    .cfi_startproc
    mov     r4, #608
    mov     r5, #0
    mov     r6, #0
    .set    i, 0
    .rept   LIMBS / 2
    ldrd    r1, r2, [sp, #COLUMNS + 4*(LIMBS + i)]
    ldrd    r8, r9, [sp, #COLUMNS + 4*i]
    limb    r1, r8, 13
    .if     i + 2 < LIMBS
    limb    r2, r9, 13
    .else
    limb    r2, r9, 8
    .endif
    strd    r8, r9, [r0, #4*i]
    .set    i, i + 2
    .endr
    wrap
    bx      lr
    .cfi_endproc
    .size   reduce, . - reduce

.macro enter
    push    {r4-r11, lr}
    .cfi_adjust_cfa_offset 36
    .cfi_rel_offset lr, 32
    sub     sp, sp, #FRAME
    .cfi_adjust_cfa_offset FRAME
.endm

.macro leave
    add     sp, sp, #FRAME
    .cfi_adjust_cfa_offset -FRAME
    pop     {r4-r11, pc}
.endm

    .global wyrm_fe_mul_armv7m
    .type   wyrm_fe_mul_armv7m, %function
wyrm_fe_mul_armv7m:
    .cfi_startproc
    enter
    str     r0, [sp, #OUT]
    mov     lr, r1
    add     r0, sp, #OTHER
    .rept   2
    ldmia   r2!, {r3-r12}
    stmia   r0!, {r3-r12}
    .endr
    mov     r4, #0
    mov     r5, #0
    mov     r6, #0
    block   0, 0, r4, r5, r6, r7, r8, r9, r10, mul
    columns 0, r4, r5, r6, r7
    block   0, 1, r8, r9, r10, r4, r5, r6, r7, mul
    block   1, 0, r8, r9, r10, r4, r5, r6, r7, mla
    columns 1, r8, r9, r10, r4
    block   0, 2, r5, r6, r7, r8, r9, r10, r4, mul
    block   1, 1, r5, r6, r7, r8, r9, r10, r4, mla
    block   2, 0, r5, r6, r7, r8, r9, r10, r4, mla
    columns 2, r5, r6, r7, r8
    block   0, 3, r9, r10, r4, r5, r6, r7, r8, mul
    block   1, 2, r9, r10, r4, r5, r6, r7, r8, mla
    block   2, 1, r9, r10, r4, r5, r6, r7, r8, mla
    block   3, 0, r9, r10, r4, r5, r6, r7, r8, mla
    columns 3, r9, r10, r4, r5
    block   0, 4, r6, r7, r8, r9, r10, r4, r5, mul
    block   1, 3, r6, r7, r8, r9, r10, r4, r5, mla
    block   2, 2, r6, r7, r8, r9, r10, r4, r5, mla
    block   3, 1, r6, r7, r8, r9, r10, r4, r5, mla
    block   4, 0, r6, r7, r8, r9, r10, r4, r5, mla
    columns 4, r6, r7, r8, r9
    block   1, 4, r10, r4, r5, r6, r7, r8, r9, mul
    block   2, 3, r10, r4, r5, r6, r7, r8, r9, mla
    block   3, 2, r10, r4, r5, r6, r7, r8, r9, mla
    block   4, 1, r10, r4, r5, r6, r7, r8, r9, mla
    columns 5, r10, r4, r5, r6
    block   2, 4, r7, r8, r9, r10, r4, r5, r6, mul
    block   3, 3, r7, r8, r9, r10, r4, r5, r6, mla
    block   4, 2, r7, r8, r9, r10, r4, r5, r6, mla
    columns 6, r7, r8, r9, r10
    block   3, 4, r4, r5, r6, r7, r8, r9, r10, mul
    block   4, 3, r4, r5, r6, r7, r8, r9, r10, mla
    columns 7, r4, r5, r6, r7
    block   4, 4, r8, r9, r10, r4, r5, r6, r7, mul
    columns 8, r8, r9, r10, r4
    columns_end r5, r6, r7
    ldr     r0, [sp, #OUT]
    bl      reduce
    leave
    .cfi_endproc
    .size   wyrm_fe_mul_armv7m, . - wyrm_fe_mul_armv7m

    .global wyrm_fe_sqr_armv7m
    .type   wyrm_fe_sqr_armv7m, %function
wyrm_fe_sqr_armv7m:
    .cfi_startproc
    enter
    str     r0, [sp, #OUT]
    str     r2, [sp, #LEFT]
    mov     lr, r1
.Lsqr:
    add     r0, sp, #OTHER
    mov     r2, lr
    .rept   2
    ldmia   r2!, {r3-r12}
    .irp    r, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12
    lsl     \r, \r, #1
    .endr
    stmia   r0!, {r3-r12}
    .endr
    mov     r4, #0
    mov     r5, #0
    mov     r6, #0
    mov     r7, #0
    mov     r8, #0
    mov     r9, #0
    mov     r10, #0
    diagonal 0, r4, r5, r6, r7, r8, r9, r10
    columns 0, r4, r5, r6, r7
    block   0, 1, r8, r9, r10, r4, r5, r6, r7, mul
    columns 1, r8, r9, r10, r4
    block   0, 2, r5, r6, r7, r8, r9, r10, r4, mul
    diagonal 1, r5, r6, r7, r8, r9, r10, r4
    columns 2, r5, r6, r7, r8
    block   0, 3, r9, r10, r4, r5, r6, r7, r8, mul
    block   1, 2, r9, r10, r4, r5, r6, r7, r8, mla
    columns 3, r9, r10, r4, r5
    block   0, 4, r6, r7, r8, r9, r10, r4, r5, mul
    block   1, 3, r6, r7, r8, r9, r10, r4, r5, mla
    diagonal 2, r6, r7, r8, r9, r10, r4, r5
    columns 4, r6, r7, r8, r9
    block   1, 4, r10, r4, r5, r6, r7, r8, r9, mul
    block   2, 3, r10, r4, r5, r6, r7, r8, r9, mla
    columns 5, r10, r4, r5, r6
    block   2, 4, r7, r8, r9, r10, r4, r5, r6, mul
    diagonal 3, r7, r8, r9, r10, r4, r5, r6
    columns 6, r7, r8, r9, r10
    block   3, 4, r4, r5, r6, r7, r8, r9, r10, mul
    columns 7, r4, r5, r6, r7
    mov     r4, #0
    mov     r5, #0
    mov     r6, #0
    mov     r7, #0
    diagonal 4, r8, r9, r10, r4, r5, r6, r7
    columns 8, r8, r9, r10, r4
    columns_end r5, r6, r7
    ldr     r0, [sp, #OUT]
    bl      reduce
    mov     lr, r0
    ldr     r2, [sp, #LEFT]
    subs    r2, r2, #1
    str     r2, [sp, #LEFT]
    bne     .Lsqr
    leave
    .cfi_endproc
    .size   wyrm_fe_sqr_armv7m, . - wyrm_fe_sqr_armv7m

/* ---- Rest of the ladder ----------------------------------------------- */

.macro enter_leaf
    push    {r4-r11, lr}
    .cfi_adjust_cfa_offset 36
    .cfi_rel_offset lr, 32
.endm

.macro limbwise name, op
    .global \name
    .type   \name, %function
\name:
    .cfi_startproc
    enter_leaf
    .rept   LIMBS / 5
    ldmia   r1!, {r3-r7}
    ldmia   r2!, {r8-r12}
    \op     r3, r3, r8
    \op     r4, r4, r9
    \op     r5, r5, r10
    \op     r6, r6, r11
    \op     r7, r7, r12
    stmia   r0!, {r3-r7}
    .endr
    pop     {r4-r11, pc}
    .cfi_endproc
    .size   \name, . - \name
.endm

    limbwise wyrm_fe_add_armv7m, add
    limbwise wyrm_fe_sub_armv7m, sub

.macro select_word to, from
    eor     \from, \from, \to
    and     \from, \from, r2
    eor     \to, \to, \from
.endm

    .global wyrm_fe_select_armv7m
    .type   wyrm_fe_select_armv7m, %function
wyrm_fe_select_armv7m:
    .cfi_startproc
    enter_leaf
    .rept   LIMBS / 5
    ldmia   r1!, {r3-r7}
    ldmia   r0, {r8-r12}
    select_word r8, r3
    select_word r9, r4
    select_word r10, r5
    select_word r11, r6
    select_word r12, r7
    stmia   r0!, {r8-r12}
    .endr
    pop     {r4-r11, pc}
    .cfi_endproc
    .size   wyrm_fe_select_armv7m, . - wyrm_fe_select_armv7m

/* One limb of a + 121665 b, \a becomes it; r6 as in limb, r12 = 121665. */
.macro limb_a24 a, b, bits
    mla     \b, \b, r12, \a
    add     \b, \b, r6, asr #13
    sbfx    \a, \b, #0, #\bits
    sub     r6, \b, \a
.endm

    .global wyrm_fe_mul_a24_armv7m
    .type   wyrm_fe_mul_a24_armv7m, %function
wyrm_fe_mul_a24_armv7m:
    .cfi_startproc
    enter_leaf
    movw    r12, #:lower16:121665
    movt    r12, #:upper16:121665
    mov     r6, #0
    .set    i, 0
    .rept   LIMBS / 4
    ldmia   r1!, {r3-r5, r7}
    ldmia   r2!, {r8-r11}
    limb_a24 r3, r8, 13
    limb_a24 r4, r9, 13
    limb_a24 r5, r10, 13
    .if     i + 4 < LIMBS
    limb_a24 r7, r11, 13
    .else
    limb_a24 r7, r11, 8
    .endif
    stmia   r0!, {r3-r5, r7}
    .set    i, i + 4
    .endr
    sub     r0, r0, #4*LIMBS
    wrap
    pop     {r4-r11, pc}
    .cfi_endproc
    .size   wyrm_fe_mul_a24_armv7m, . - wyrm_fe_mul_a24_armv7m

#endif

#if defined(__linux__) || defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
