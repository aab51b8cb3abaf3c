/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
 *                           uint32_t top);
 *
 * Poly1305 for Cortex-M0, M0+, M1 and M23 (ARMv6-M, ARMv8-M baseline), which multiply 32 x 32 -> 32.
 * Portable twin: c/wyrm_poly1305_13.h.
 *
 * Limbs of 13 bits, representation and bounds as in ../c/wyrm_poly1305_13.h. All ten columns stay
 * in registers: ADD reaches the high ones. One limb at a time is multiplied by ten words of w. A
 * block is added in pieces of 26 bits to every other column; the columns have room for it before
 * their carries are propagated.
 *
 *   r4-r7, r8-r12, lr   columns 0 to 9      r0  limb, or column at work
 *   r1  product, piece                      r2  w, message       r3  product, message word
 *
 * Stack: 88 bytes. Clobbers r0-r3, r12, flags. Per block: 373 instructions, 100 of them multiply
 * (aligned message; misaligned words are assembled from bytes, 41 more).
 * Constant time: branches depend on the number of blocks and the alignment, addresses on the
 * arguments; MULS takes the same time for all values (1 or 32 cycles depending on the
 * manufacturer's choice).
 * The limbs in the frame are cleared before return.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_POLY1305_ASM && WYRM_ARCH_ARMV6M

/* struct wyrm_poly1305 */
#define STATE_W 40

/* The frame. */
#define LIMBS 0
#define IN    40
#define END   44
#define STATE 48
#define FRAME 52

/* r3 = the next word of the message at r2. */
.macro next_word aligned
.if \aligned
    ldm     r2!, {r3}
.else
    ldrb    r3, [r2]
    ldrb    r1, [r2, #1]
    lsls    r1, r1, #8
    orrs    r3, r3, r1
    ldrb    r1, [r2, #2]
    lsls    r1, r1, #16
    orrs    r3, r3, r1
    ldrb    r1, [r2, #3]
    lsls    r1, r1, #24
    orrs    r3, r3, r1
    adds    r2, #4
.endif
.endm

/* Adds a block to the columns. */
.macro add_block aligned
    next_word \aligned
    lsls    r1, r3, #6
    lsrs    r1, r1, #6
    adds    r4, r4, r1
    lsrs    r3, r3, #26
    adds    r6, r6, r3
    next_word \aligned
    lsls    r1, r3, #12
    lsrs    r1, r1, #6
    adds    r6, r6, r1
    lsrs    r3, r3, #20
    add     r8, r3
    next_word \aligned
    lsls    r1, r3, #18
    lsrs    r1, r1, #6
    add     r8, r1
    lsrs    r3, r3, #14
    add     r10, r3
    next_word \aligned
    lsls    r1, r3, #24
    lsrs    r1, r1, #6
    add     r10, r1
    lsrs    r3, r3, #8
    add     r12, r3
.endm

/* Propagates the carry of a low column into the next and stores the limb. */
.macro carry_low from, to, i
    lsrs    r1, \from, #13
    add     \to, r1
    lsls    r0, \from, #19
    lsrs    r0, r0, #19
    str     r0, [sp, #LIMBS + 4 * \i]
.endm

.macro carry_high from, to, i
    mov     r0, \from
    lsrs    r1, r0, #13
    add     \to, r1
    lsls    r0, r0, #19
    lsrs    r0, r0, #19
    str     r0, [sp, #LIMBS + 4 * \i]
.endm

/* columns += limb i * r 2^(13 i). The first limb initializes them. Words of w are loaded in pairs
 * from r2, which is then reset to one word lower, where the next limb begins. */
.macro products i, first
    ldr     r0, [sp, #LIMBS + 4 * \i]
.macro multiply even, odd
    ldm     r2!, {r1, r3}
    muls    r1, r0, r1
    muls    r3, r0, r3
.if \first
    mov     \even, r1
    mov     \odd, r3
.else
    add     \even, r1
    add     \odd, r3
.endif
.endm
    multiply r4, r5
    multiply r6, r7
    multiply r8, r9
    multiply r10, r11
    multiply r12, lr
.purgem multiply
.if \i < 9
    subs    r2, r2, #44
.endif
.endm

    func    wyrm_poly1305_blocks, 4
    save    R4_R7, lr
    save_high
    reserve FRAME

    str     r0, [sp, #STATE]
    lsls    r2, r2, #4
    adds    r2, r2, r1
    str     r1, [sp, #IN]
    str     r2, [sp, #END]

    /* The columns; adding a block always adds bit 128, so subtract it first if the block has
     * none. */
    ldr     r1, [r0, #16]
    mov     r8, r1
    ldr     r1, [r0, #20]
    mov     r9, r1
    ldr     r1, [r0, #24]
    mov     r10, r1
    ldr     r1, [r0, #28]
    mov     r11, r1
    ldr     r1, [r0, #32]
    subs    r3, r3, #1
    lsls    r3, r3, #24
    adds    r1, r1, r3
    mov     r12, r1
    ldr     r1, [r0, #36]
    mov     lr, r1
    ldm     r0!, {r4-r7}
    b       .Lblock

.Lmisaligned:
    add_block 0
    b       .Ladded
.Lblock:
    ldr     r2, [sp, #IN]
    lsls    r1, r2, #30
    bne     .Lmisaligned
    add_block 1
.Ladded:
    str     r2, [sp, #IN]
    movs    r1, #1
    lsls    r1, r1, #24
    add     r12, r1

    carry_low r4, r5, 0
    carry_low r5, r6, 1
    carry_low r6, r7, 2
    carry_low r7, r8, 3
    carry_high r8, r9, 4
    carry_high r9, r10, 5
    carry_high r10, r11, 6
    carry_high r11, r12, 7
    carry_high r12, lr, 8
    mov     r0, lr
    lsrs    r1, r0, #13
    lsls    r0, r0, #19
    lsrs    r0, r0, #19
    str     r0, [sp, #LIMBS + 36]
    lsls    r3, r1, #2 /* 2^130 = 5 */
    adds    r1, r1, r3
    ldr     r0, [sp, #LIMBS]
    adds    r1, r1, r0
    lsls    r0, r1, #19
    lsrs    r0, r0, #19
    str     r0, [sp, #LIMBS]
    lsrs    r1, r1, #13
    ldr     r0, [sp, #LIMBS + 4]
    adds    r0, r0, r1
    str     r0, [sp, #LIMBS + 4]

    ldr     r2, [sp, #STATE]
    adds    r2, r2, #STATE_W + 4 * 9
    products 0, 1
    products 1, 0
    products 2, 0
    products 3, 0
    products 4, 0
    products 5, 0
    products 6, 0
    products 7, 0
    products 8, 0
    products 9, 0
    ldr     r1, [sp, #IN]
    ldr     r2, [sp, #END]
    cmp     r1, r2
    beq     .Ldone
    b       .Lblock
.Ldone:
    ldr     r0, [sp, #STATE]
    stm     r0!, {r4-r7}
    mov     r1, r8
    mov     r2, r9
    mov     r3, r10
    mov     r4, r11
    stm     r0!, {r1-r4}
    mov     r1, r12
    mov     r2, lr
    stm     r0!, {r1-r2}

    movs    r0, #0
    movs    r1, #0
    movs    r2, #0
    movs    r3, #0
    movs    r4, #0
    mov     r5, sp
    stm     r5!, {r0-r4}
    stm     r5!, {r0-r4}
    release FRAME
    restore_high
    pop     {r4-r7, pc}
    end_func wyrm_poly1305_blocks
#endif
