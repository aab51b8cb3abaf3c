/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The field of X25519 for ARMv7-M (Cortex-M3). Portable twins: the functions of c/wyrm_fe_13.h.
 *
 *   void wyrm_fe_add_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sub_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_mul_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_sqr_armv7m(struct fe *out, const struct fe *a);
 *   void wyrm_fe_mul_a24_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
 *   void wyrm_fe_select_armv7m(struct fe *out, const struct fe *a, uint32_t mask);
 *
 * Elements are twenty signed limbs of 13 bits in words; bounds and results are those of the
 * portable twin, except that rounding happens at a different place.
 *
 * Arithmetic. The product is computed in blocks of 4 x 4 limbs. Blocks that contribute to the same
 * seven columns follow each other, with the columns in registers and one MLA per product. For the
 * next four columns the registers are renamed and a is traversed in the opposite direction, so the
 * block of a that is already loaded is used again. sqr computes each off-diagonal block once, with
 * one operand doubled.
 *
 *   r0-r3     four limbs of a             lr  pointer to a
 *   r4-r10    columns                     r11, r12  two limbs of b, or of 2 a
 *
 * Reduction: 2^260 = 608. The carries of both halves run side by side; SBFX extracts the rounded
 * limb of the low one, and the remainder continues as `asr #13`.
 *
 * Constant time: no branches; addresses depend on the stack pointer and the arguments. MUL and MLA
 * of 32 x 32 -> 32 bits take the same time for all operands on a Cortex-M3; UMULL does not, and is
 * not used.
 *
 * Stack: 280 bytes. Executed instructions: mul 661, sqr 458, both including 154 for the reduction.
 * The whole of X25519 takes 1,494,219 and 1,480 bytes of stack (QEMU, mps2-an385, GCC 12.2 -O2).
 * Alternatives measured: two levels of Karatsuba down to five limbs, 3.06 M, because a product
 * costs one instruction, less than the additions that Karatsuba needs to save it; four loads for
 * each block and rounding in both halves, 1.66 M (1.76 M with exponentiation instead of division
 * steps).
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_ARCH_ARMV7M && WYRM_X25519_ASM

#define LIMBS 20

/* The frame: columns, then b or 2 a. */
#define COLUMNS 0
#define OTHER   160
#define FRAME   240
#define OUT     FRAME /* the argument, pushed */

/* r0-r3 = limbs 4 I.. of a, unless already loaded; lr is advanced past them, or before them if
 * \down. */
.macro limbs_of_a I, down
    .if     \I <> held
    .ifb    \down
    .if     at <> \I
    add     lr, lr, #16*(\I - at)
    .endif
    ldmia   lr!, {r0-r3}
    .set    at, \I + 1
    .else
    .if     at <> \I + 1
    add     lr, lr, #16*(\I + 1 - at)
    .endif
    ldmdb   lr!, {r0-r3}
    .set    at, \I
    .endif
    .set    held, \I
    .endif
.endm

/* Initial state: lr points to the first limb of a, and no limb is loaded. */
.macro limbs_of_a_begin
    .set    at, 0
    .set    held, -1
.endm

/* One product of column \n, which it initializes if \n >= \fresh. */
.macro product n, fresh, c, x, y
    .if     \n >= \fresh
    mul     \c, \x, \y
    .else
    mla     \c, \x, \y, \c
    .endif
.endm

/* c0-c6 += limbs 4 I.. of a times limbs 4 J.. of b; columns from \fresh on are initialized here. */
.macro block I, J, c0, c1, c2, c3, c4, c5, c6, fresh, down
    limbs_of_a \I, \down
    ldrd    r11, r12, [sp, #OTHER + 16*\J]
    product 0, \fresh, \c0, r0, r11
    product 1, \fresh, \c1, r1, r11
    product 2, \fresh, \c2, r2, r11
    product 3, \fresh, \c3, r3, r11
    mla     \c1, r0, r12, \c1
    mla     \c2, r1, r12, \c2
    mla     \c3, r2, r12, \c3
    product 4, \fresh, \c4, r3, r12
    ldrd    r11, r12, [sp, #OTHER + 16*\J + 8]
    mla     \c2, r0, r11, \c2
    mla     \c3, r1, r11, \c3
    mla     \c4, r2, r11, \c4
    product 5, \fresh, \c5, r3, r11
    mla     \c3, r0, r12, \c3
    mla     \c4, r1, r12, \c4
    mla     \c5, r2, r12, \c5
    product 6, \fresh, \c6, r3, r12
.endm

/* c0-c6 += square of limbs 4 I.. of a */
.macro diagonal I, c0, c1, c2, c3, c4, c5, c6, fresh=7
    limbs_of_a \I
    ldr     r12, [sp, #OTHER + 16*\I + 4]
    product 0, \fresh, \c0, r0, r0
    product 2, \fresh, \c2, r1, r1
    product 4, \fresh, \c4, r2, r2
    product 6, \fresh, \c6, r3, r3
    product 1, \fresh, \c1, r0, r12
    ldrd    r11, r12, [sp, #OTHER + 16*\I + 8]
    mla     \c2, r0, r11, \c2
    product 3, \fresh, \c3, r1, r11
    mla     \c3, r0, r12, \c3
    mla     \c4, r1, r12, \c4
    product 5, \fresh, \c5, r2, r12
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

/* One limb of both halves: \high, \low are the columns, \low becomes the limb. \before is the
 * previous high column, r6 the remainder of the previous low limb, r4 = 608. Clobbers \t, which may
 * be \before. The high column carries its floor, because its limb need not be centred on zero. */
.macro limb before, high, low, t, bits=13
    add     \high, \high, \before, asr #13
    .if     \bits == 13
    ubfx    \t, \high, #0, #13
    mla     \t, \t, r4, \low
    .else
    mla     \t, \high, r4, \low /* the last one: signed */
    .endif
    add     \t, \t, r6, asr #13
    sbfx    \low, \t, #0, #\bits
    sub     r6, \t, \low
.endm

/* Four limbs. The last high column remains in \h3 for the next four limbs, which change \t and
 * store theirs there. */
.macro limbs h3, t, bits=13
    ldmia   r12!, {r1-r3, \h3}
    pop_own r7, r8, r9, r10
    limb    \t, r1, r7, \t
    limb    r1, r2, r8, \t
    limb    r2, r3, r9, \t
    limb    r3, \h3, r10, \t, \bits
    stmia   r0!, {r7-r10}
.endm

/* r6 is the remainder of the last limb, which has 8 bits: adds 19 * (r6 >> 8) to the lowest limb of
 * [r0]. Clobbers r1-r6. */
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

/* [r0] = COLUMNS; preserves r0 and lr. */
    local_func reduce
    add     r12, sp, #COLUMNS + 4*LIMBS
    mov     r4, #608
    mov     r6, #0
    mov     r11, #0
    limbs   r5, r11
    limbs   r11, r5
    limbs   r5, r11
    limbs   r11, r5
    limbs   r5, r11, 8
    reserve 4*LIMBS
    sub     r0, r0, #4*LIMBS
    wrap
    bx      lr
    end_func reduce

.macro enter
    save    r0, R4_R11, lr
    reserve FRAME
.endm

.macro leave
    release FRAME
    pop     {r0, r4-r11, pc}
.endm

    func    wyrm_fe_mul_armv7m
    enter
    mov     lr, r1
    add     r0, sp, #OTHER
    .rept   2
    ldmia   r2!, {r3-r12}
    stmia   r0!, {r3-r12}
    .endr
    limbs_of_a_begin
    block   0, 0, r4, r5, r6, r7, r8, r9, r10, 0
    columns 0, r4, r5, r6, r7
    block   0, 1, r8, r9, r10, r4, r5, r6, r7, 3
    block   1, 0, r8, r9, r10, r4, r5, r6, r7, 7
    columns 1, r8, r9, r10, r4
    block   1, 1, r5, r6, r7, r8, r9, r10, r4, 3
    block   2, 0, r5, r6, r7, r8, r9, r10, r4, 7
    block   0, 2, r5, r6, r7, r8, r9, r10, r4, 7
    columns 2, r5, r6, r7, r8
    block   0, 3, r9, r10, r4, r5, r6, r7, r8, 3
    block   1, 2, r9, r10, r4, r5, r6, r7, r8, 7
    block   2, 1, r9, r10, r4, r5, r6, r7, r8, 7
    block   3, 0, r9, r10, r4, r5, r6, r7, r8, 7
    columns 3, r9, r10, r4, r5
    block   3, 1, r6, r7, r8, r9, r10, r4, r5, 3
    block   4, 0, r6, r7, r8, r9, r10, r4, r5, 7
    block   2, 2, r6, r7, r8, r9, r10, r4, r5, 7, down
    block   1, 3, r6, r7, r8, r9, r10, r4, r5, 7, down
    block   0, 4, r6, r7, r8, r9, r10, r4, r5, 7, down
    columns 4, r6, r7, r8, r9
    block   1, 4, r10, r4, r5, r6, r7, r8, r9, 3
    block   2, 3, r10, r4, r5, r6, r7, r8, r9, 7
    block   3, 2, r10, r4, r5, r6, r7, r8, r9, 7
    block   4, 1, r10, r4, r5, r6, r7, r8, r9, 7
    columns 5, r10, r4, r5, r6
    block   4, 2, r7, r8, r9, r10, r4, r5, r6, 3
    block   3, 3, r7, r8, r9, r10, r4, r5, r6, 7, down
    block   2, 4, r7, r8, r9, r10, r4, r5, r6, 7, down
    columns 6, r7, r8, r9, r10
    block   3, 4, r4, r5, r6, r7, r8, r9, r10, 3
    block   4, 3, r4, r5, r6, r7, r8, r9, r10, 7
    columns 7, r4, r5, r6, r7
    block   4, 4, r8, r9, r10, r4, r5, r6, r7, 3
    columns 8, r8, r9, r10, r4
    columns_end r5, r6, r7
    ldr     r0, [sp, #OUT]
    bl      reduce
    leave
    end_func wyrm_fe_mul_armv7m

    func    wyrm_fe_sqr_armv7m
    enter
    mov     lr, r1
    add     r0, sp, #OTHER
    .rept   2
    ldmia   r1!, {r3-r12}
    .irp    r, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12
    lsl     \r, \r, #1
    .endr
    stmia   r0!, {r3-r12}
    .endr
    limbs_of_a_begin
    diagonal 0, r4, r5, r6, r7, r8, r9, r10, 0
    columns 0, r4, r5, r6, r7
    block   0, 1, r8, r9, r10, r4, r5, r6, r7, 3
    columns 1, r8, r9, r10, r4
    block   0, 2, r5, r6, r7, r8, r9, r10, r4, 3
    diagonal 1, r5, r6, r7, r8, r9, r10, r4
    columns 2, r5, r6, r7, r8
    block   1, 2, r9, r10, r4, r5, r6, r7, r8, 3
    block   0, 3, r9, r10, r4, r5, r6, r7, r8, 7
    columns 3, r9, r10, r4, r5
    block   0, 4, r6, r7, r8, r9, r10, r4, r5, 3
    block   1, 3, r6, r7, r8, r9, r10, r4, r5, 7
    diagonal 2, r6, r7, r8, r9, r10, r4, r5
    columns 4, r6, r7, r8, r9
    block   2, 3, r10, r4, r5, r6, r7, r8, r9, 3
    block   4, 1, r10, r4, r5, r6, r7, r8, r9, 7
    columns 5, r10, r4, r5, r6
    block   4, 2, r7, r8, r9, r10, r4, r5, r6, 3
    diagonal 3, r7, r8, r9, r10, r4, r5, r6
    columns 6, r7, r8, r9, r10
    block   3, 4, r4, r5, r6, r7, r8, r9, r10, 3
    columns 7, r4, r5, r6, r7
    diagonal 4, r8, r9, r10, r4, r5, r6, r7, 3
    columns 8, r8, r9, r10, r4
    columns_end r5, r6, r7
    ldr     r0, [sp, #OUT]
    bl      reduce
    leave
    end_func wyrm_fe_sqr_armv7m

/* ---- Rest of the ladder ----------------------------------------------- */

.macro enter_leaf
    save    R4_R11, lr
.endm

.macro limbwise name, op
    func    \name
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
    end_func \name
.endm

    limbwise wyrm_fe_add_armv7m, add
    limbwise wyrm_fe_sub_armv7m, sub

/* \to + (\from - \to) if r2 = -1 */
.macro select_word to, from
    sub     \from, \from, \to
    mls     \to, \from, r2, \to
.endm

    func    wyrm_fe_select_armv7m
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
    end_func wyrm_fe_select_armv7m

/* One limb of a + 121665 b, \a becomes it; r6 as in limb, r12 = 121665. */
.macro limb_a24 a, b, bits
    mla     \b, \b, r12, \a
    add     \b, \b, r6, asr #13
    sbfx    \a, \b, #0, #\bits
    sub     r6, \b, \a
.endm

    func    wyrm_fe_mul_a24_armv7m
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
    end_func wyrm_fe_mul_a24_armv7m

#endif
