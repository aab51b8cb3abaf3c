/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
 *                           uint32_t top);
 *
 * Poly1305 for Cortex-M3 (ARMv7-M without DSP), whose UMULL takes longer for some operands.
 * Portable twin: c/wyrm_poly1305_13.h.
 *
 * Limbs of 13 bits, representation and bounds as in ../c/wyrm_poly1305_13.h. A block is added in
 * pieces of 26 bits to every other column; the columns have room for it before their carries are
 * propagated. The limbs are then stored and reloaded in pairs; each loaded word of w is used with
 * both.
 *
 *   r0-r9   columns 0 to 9, between them limbs       r12, lr  words of w
 *   r10, r11  two limbs, or words of the message
 *
 * Stack: 168 bytes. Clobbers r0-r3, r12, flags. Per block: 181 instructions, 100 of them multiply.
 * Constant time: branches depend on the number of blocks, addresses on the arguments; MUL and MLA
 * take the same time for all values.
 * The limbs and the copy of the key in the frame are cleared before return.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_POLY1305_ASM && WYRM_ARCH_ARMV7M

/* The frame. */
#define LIMBS 0
#define W     40
#define IN    116
#define LAST  120 /* where the last block is */
#define STATE 124
#define FRAME 132

/* columns += limb[i] * r 2^(13 i) + limb[i + 1] * r 2^(13 (i + 1)); the first one initializes
 * them. */
.macro products i, first
.macro multiply column, limb, word
.if \first
    mul     \column, \limb, \word
.else
    mla     \column, \limb, \word, \column
.endif
.endm
    ldrd    r10, r11, [sp, #LIMBS + 4 * \i]
    ldrd    r12, lr, [sp, #W + 4 * (8 - \i)]
    multiply r0, r11, r12
    mla     r0, r10, lr, r0
    multiply r1, r11, lr
    ldrd    r12, lr, [sp, #W + 4 * (10 - \i)]
    mla     r1, r10, r12, r1
    multiply r2, r11, r12
    mla     r2, r10, lr, r2
    multiply r3, r11, lr
    ldrd    r12, lr, [sp, #W + 4 * (12 - \i)]
    mla     r3, r10, r12, r3
    multiply r4, r11, r12
    mla     r4, r10, lr, r4
    multiply r5, r11, lr
    ldrd    r12, lr, [sp, #W + 4 * (14 - \i)]
    mla     r5, r10, r12, r5
    multiply r6, r11, r12
    mla     r6, r10, lr, r6
    multiply r7, r11, lr
    ldrd    r12, lr, [sp, #W + 4 * (16 - \i)]
    mla     r7, r10, r12, r7
    multiply r8, r11, r12
    mla     r8, r10, lr, r8
    multiply r9, r11, lr
    ldr     r12, [sp, #W + 4 * (18 - \i)]
    mla     r9, r10, r12, r9
.purgem multiply
.endm

/* Propagates the carry of one limb into the next. */
.macro carry from, to
    add     \to, \to, \from, lsr #13
    ubfx    \from, \from, #0, #13
.endm

    func    wyrm_poly1305_blocks, 4
    save    R4_R11, lr
    reserve FRAME

    str     r0, [sp, #STATE]
    sub     r2, r2, #1
    add     r2, r1, r2, lsl #4
    strd    r1, r2, [sp, #IN]
    rsb     lr, r3, #1

    /* w, then the columns; adding a block always adds bit 128, so subtract it first if the block
     * has none. */
    add     r12, sp, #W
    add     r0, r0, #40
    ldm     r0!, {r1-r10}
    stm     r12!, {r1-r10}
    ldm     r0, {r1-r9}
    stm     r12, {r1-r9}
    ldr     r12, [sp, #STATE]
    ldm     r12, {r0-r9}
    sub     r8, r8, lr, lsl #24

.Lblock:
    ldrd    lr, r12, [sp, #IN]
    cmp     lr, r12 /* tested at the end of the loop; no instruction in between changes the flags */
    ldr     r10, [lr], #4
    ldr     r11, [lr], #4
    ubfx    r12, r10, #0, #26
    add     r0, r0, r12
    add     r2, r2, r10, lsr #26
    ubfx    r12, r11, #0, #20
    add     r2, r2, r12, lsl #6
    add     r4, r4, r11, lsr #20
    ldr     r10, [lr], #4
    ldr     r11, [lr], #4
    ubfx    r12, r10, #0, #14
    add     r4, r4, r12, lsl #12
    add     r6, r6, r10, lsr #14
    ubfx    r12, r11, #0, #8
    add     r6, r6, r12, lsl #18
    add     r8, r8, r11, lsr #8
    add     r8, r8, #1 << 24
    str     lr, [sp, #IN]

    carry   r0, r1
    carry   r1, r2
    carry   r2, r3
    carry   r3, r4
    carry   r4, r5
    carry   r5, r6
    carry   r6, r7
    carry   r7, r8
    carry   r8, r9
    lsr     r12, r9, #13
    ubfx    r9, r9, #0, #13
    add     r12, r12, r12, lsl #2 /* 2^130 = 5 */
    add     r0, r0, r12
    carry   r0, r1
    stm     sp, {r0-r9}

    products 0, 1
    products 2, 0
    products 4, 0
    products 6, 0
    products 8, 0
    bne     .Lblock

    ldr     r12, [sp, #STATE]
    stm     r12, {r0-r9}
    movs    r0, #0
    movs    r1, #0
    movs    r2, #0
    movs    r3, #0
    movs    r4, #0
    movs    r5, #0
    mov     r12, sp
.rept 5
    stm     r12!, {r0-r5}
.endr
    release FRAME
    pop     {r4-r11, pc}
    end_func wyrm_poly1305_blocks
#endif
