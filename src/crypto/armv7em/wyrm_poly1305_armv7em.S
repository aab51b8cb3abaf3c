/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
 *                           uint32_t top);
 *
 * Poly1305 for Cortex-M4, M7 and M33 (ARMv7E-M, ARMv8-M mainline with DSP).
 * Portable twin: c/wyrm_poly1305_32.h.
 *
 * Limbs of 32 bits, bounds as in ../c/wyrm_poly1305_32.h. The product is taken column by column.
 * UMAAL adds two words to a product. One is the carry of the previous column, the other the
 * corresponding word of the next message block, which thus costs no separate addition. After the
 * last block, a block of zeros is added.
 *
 *   r4-r8   h0-h4, the next block's words already added      lr  r[0]
 *   r2, r3, r0, r10, r9   columns 0 to 4                     r1  message
 *   r9-r12  r[1], s1, s2, s3 at first; r9, r10 then become columns, r11 r[2] and r[3], r12 r[1]
 *
 * Stack: 88 bytes. Clobbers r0-r3, r12, flags. Per block: 40 instructions, 20 of them multiply.
 * Constant time: branches depend on the number of blocks, addresses on the arguments; UMAAL, UMLAL
 * and MLA take the same time for all values on these cores (not on Cortex-M3).
 * The copy of the key in the frame is cleared before return.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_POLY1305_ASM && WYRM_ARCH_ARMV7EM

/* struct wyrm_poly1305 */
#define H 0
#define R 20
#define S 36

/* The frame. */
#define KEY_R1 0 /* then s1, s2, s3 */
#define KEY_R2 16
#define KEY_R3 20
#define ZEROS  24
#define END    40 /* end of the message, or of the zeros */
#define STATE  44
#define FRAME  52

    func    wyrm_poly1305_blocks, 4
    save    R4_R11, lr
    reserve FRAME

    /* Lay out the key, the zeros and the end. */
    add     r2, r1, r2, lsl #4
    strd    r2, r0, [sp, #END]
    ldrd    r4, r5, [r0, #R + 8]
    strd    r4, r5, [sp, #KEY_R2]
    ldrd    lr, r8, [r0, #R]
    add     r12, r0, #S
    ldm     r12, {r9-r11}
    stm     sp, {r8-r11}
    movs    r4, #0
    strd    r4, r4, [sp, #ZEROS]
    strd    r4, r4, [sp, #ZEROS + 8]

    /* h += the first block */
    ldm     r0, {r4-r8}
    ldr     r9, [r1], #4
    ldr     r10, [r1], #4
    ldr     r11, [r1], #4
    ldr     r12, [r1], #4
    adds    r4, r4, r9
    adcs    r5, r5, r10
    adcs    r6, r6, r11
    adcs    r7, r7, r12
    adc     r8, r8, r3
    ldr     r12, [sp, #END]
    cmp     r1, r12
    beq     .Llast

.Lblock:
    ldm     sp, {r9-r12}
    /* column 0: h0 r0 + h1 s3 + h2 s2 + h3 s1 */
    ldr     r2, [r1], #4
    mov     r3, #0
    umlal   r2, r3, r4, lr
    umlal   r2, r3, r5, r12
    umlal   r2, r3, r6, r11
    umlal   r2, r3, r7, r10
    /* column 1: h4 s1 + h0 r1 + h1 r0 + h2 s3 + h3 s2 */
    ldr     r0, [r1], #4
    umaal   r3, r0, r8, r10
    umlal   r3, r0, r4, r9
    umlal   r3, r0, r5, lr
    umlal   r3, r0, r6, r12
    umlal   r3, r0, r7, r11
    /* column 2: h4 s2 + h0 r2 + h1 r1 + h2 r0 + h3 s3 */
    ldr     r10, [r1], #4
    umaal   r0, r10, r8, r11
    ldr     r11, [sp, #KEY_R2]
    umlal   r0, r10, r5, r9
    umlal   r0, r10, r6, lr
    umlal   r0, r10, r7, r12
    umlal   r0, r10, r4, r11
    /* column 3: h4 s3 + h0 r3 + h1 r2 + h2 r1 + h3 r0 */
    ldr     r9, [r1], #4
    umaal   r10, r9, r8, r12
    ldr     r12, [sp, #KEY_R1]
    umlal   r10, r9, r5, r11
    ldr     r11, [sp, #KEY_R3]
    umlal   r10, r9, r7, lr
    umlal   r10, r9, r6, r12
    umlal   r10, r9, r4, r11
    /* column 4: h4 r0 */
    mla     r8, r8, lr, r9
    /* 2^130 = 5; the last addition includes bit 128 of the next block */
    bic     r9, r8, #3
    add     r9, r9, r8, lsr #2
    and     r8, r8, #3
    adds    r4, r2, r9
    adcs    r5, r3, #0
    adcs    r6, r0, #0
    adcs    r7, r10, #0
    adc     r8, r8, #1
    ldr     r12, [sp, #END]
    cmp     r1, r12
    bne     .Lblock

.Llast:
    /* Once more with zeros as the next block, unless that was done already. */
    add     r12, sp, #ZEROS + 16
    cmp     r1, r12
    ittt    ne
    strne   r12, [sp, #END]
    addne   r1, sp, #ZEROS
    bne     .Lblock

    sub     r8, r8, #1 /* there was no next block */
    ldr     r0, [sp, #STATE]
    stm     r0, {r4-r8}
    movs    r0, #0
    strd    r0, r0, [sp, #KEY_R1]
    strd    r0, r0, [sp, #KEY_R1 + 8]
    strd    r0, r0, [sp, #KEY_R2]
    release FRAME
    pop     {r4-r11, pc}
    end_func wyrm_poly1305_blocks
#endif
