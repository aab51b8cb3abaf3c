/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_chacha20_blocks(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t blocks);
 *
 * ChaCha20 for Cortex-M3, M4, M7 and M33 (ARMv7-M, ARMv7E-M, ARMv8-M mainline).
 * Portable twin: c/wyrm_chacha.c.
 *
 * Rotations cost nothing: they are deferred to the next instruction that reads the word, through
 * the barrel shifter. Before and after a quarter round, rows b and d have right rotations by 25 and
 * 24 pending; the start values are rotated left accordingly. Fourteen words are in registers; of
 * row c only the active pair.
 *
 *   r0-r3    x0-x3                    r4-r7           x4-x7, pending 25
 *   r8, r9   x8, x9 or x10, x11       r10-r12, lr     x12-x15, pending 24
 *
 * Stack: 144 bytes. Clobbers r0-r3, r12, flags.
 * Instructions per block: 20 rounds of 32 additions and XORs = 640, exchanging row c 40, loop 20,
 * the rest 72 if both buffers are aligned, otherwise 97. WYRM_SMALL: loop 40, the rest 159, with a
 * loop over the words of a block; 32 bytes of stack more.
 * Constant time: branches depend on the number of blocks and the alignment, addresses on the
 * arguments; ADD, EOR, LDR, STR take the same time for all values.
 * Secrets in the frame are cleared before return.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_CHACHA20_ASM && (WYRM_ARCH_ARMV7M || WYRM_ARCH_ARMV7EM)

#if WYRM_SMALL
#define ROUNDS_PER_LOOP 2
#else
#define ROUNDS_PER_LOOP 4
#endif

/* The frame. The first 14 words are the start values of the registers. */
#define START     0
#define START_C   32
#define START_D   40
#if WYRM_SMALL
#define ROWS_A_B  56 /* x0-x7 at the end of a block */
#define ROW_C     88
#else
#define ROW_C     56
#endif
/* ROW_C: x8-x11 at rest. */
#define ROW_C_END (ROW_C + 8)  /* x10, x11 */
#define ROW_D     (ROW_C + 16) /* x12-x15 at the end of a block */
#define LOOPS     (ROW_C + 32)
#define FRAME     (ROW_C + 36) /* bytes below the arguments */
#define STATE     FRAME        /* the arguments, as pushed */
#define OUT_IN    (FRAME + 4)
#define END       (FRAME + 12) /* of in; the number of blocks as pushed */

/* Two quarter rounds side by side, for cores that issue two instructions at once. */
.macro quarters a0, b0, c0, d0, a1, b1, c1, d1
    add     \a0, \a0, \b0, ror #25
    add     \a1, \a1, \b1, ror #25
    eor     \d0, \a0, \d0, ror #24
    eor     \d1, \a1, \d1, ror #24
    add     \c0, \c0, \d0, ror #16
    add     \c1, \c1, \d1, ror #16
    eor     \b0, \c0, \b0, ror #25
    eor     \b1, \c1, \b1, ror #25
    add     \a0, \a0, \b0, ror #20
    add     \a1, \a1, \b1, ror #20
    eor     \d0, \a0, \d0, ror #16
    eor     \d1, \a1, \d1, ror #16
    add     \c0, \c0, \d0, ror #24
    add     \c1, \c1, \d1, ror #24
    eor     \b0, \c0, \b0, ror #20
    eor     \b1, \c1, \b1, ror #20
.endm

/* Columns, then diagonals. Decrements the loop counter where two registers are free. */
.macro double_round count
    quarters r0, r4, r8, r10, r1, r5, r9, r11
    strd    r8, r9, [sp, #ROW_C]
.if \count
    ldr     r8, [sp, #LOOPS]
    subs    r8, r8, #1
    str     r8, [sp, #LOOPS]
.endif
    ldrd    r8, r9, [sp, #ROW_C_END]
    quarters r2, r6, r8, r12, r3, r7, r9, lr
    quarters r0, r5, r8, lr, r1, r6, r9, r10
    strd    r8, r9, [sp, #ROW_C_END]
    ldrd    r8, r9, [sp, #ROW_C]
    quarters r2, r7, r8, r11, r3, r4, r9, r12
.endm

#if !WYRM_SMALL
/* out = in ^ (x + state) for a row; x has a rotation pending and state is in r8-r11. */
.macro xor_row x0, x1, x2, x3, pending, aligned
    add     \x0, r8, \x0, ror #\pending
    add     \x1, r9, \x1, ror #\pending
    add     \x2, r10, \x2, ror #\pending
    add     \x3, r11, \x3, ror #\pending
.if \aligned
    ldm     r12!, {r8-r11}
.else
    ldr     r8, [r12], #4
    ldr     r9, [r12], #4
    ldr     r10, [r12], #4
    ldr     r11, [r12], #4
.endif
    eor     \x0, \x0, r8
    eor     \x1, \x1, r9
    eor     \x2, \x2, r10
    eor     \x3, \x3, r11
.if \aligned
    stm     lr!, {\x0, \x1, \x2, \x3}
.else
    str     \x0, [lr], #4
    str     \x1, [lr], #4
    str     \x2, [lr], #4
    str     \x3, [lr], #4
.endif
.endm

/* A block of output from r0-r7 and the frame, with in = r12 and out = lr; leaves r0 = state and
 * r1 = the next block counter. */
.macro xor_block aligned
    ldr     r8, [sp, #STATE]
    ldm     r8, {r8-r11}
    xor_row r0, r1, r2, r3, 0, \aligned
    ldr     r0, [sp, #STATE]
    ldrd    r8, r9, [r0, #16]
    ldrd    r10, r11, [r0, #24]
    xor_row r4, r5, r6, r7, 25, \aligned
    add     r8, r0, #32
    add     r0, sp, #ROW_C
    ldm     r0, {r0-r7}
    ldm     r8, {r8-r11}
    xor_row r0, r1, r2, r3, 0, \aligned
    ldr     r0, [sp, #STATE]
    ldrd    r8, r9, [r0, #48]
    ldrd    r10, r11, [r0, #56]
    add     r1, r8, #1
    str     r1, [r0, #48]
    xor_row r4, r5, r6, r7, 24, \aligned
.endm
#endif

    func    wyrm_chacha20_blocks, 4
    save    r0, r1, r2, r3, R4_R11, lr
    reserve FRAME

    mov     r12, r0
    ldm     r12!, {r2-r11} /* x0-x9 */
    ror     r6, r6, #7
    ror     r7, r7, #7
    ror     r8, r8, #7
    ror     r9, r9, #7
    stm     sp, {r2-r11}
    ldrd    r3, r4, [r0, #52]
    ldr     r5, [r0, #60]
    ror     r3, r3, #8
    ror     r4, r4, #8
    ror     r5, r5, #8
    strd    r3, r4, [sp, #START_D + 4]
    str     r5, [sp, #START_D + 12]
    ldrd    r2, r3, [sp, #OUT_IN + 4]
    add     r3, r2, r3, lsl #6
    str     r3, [sp, #END]
    ldr     r1, [r0, #48]

.Lblock: /* r0 = state, r1 = the block counter */
    ror     r1, r1, #8
    str     r1, [sp, #START_D]
    ldrd    r1, r2, [r0, #40]
    strd    r1, r2, [sp, #ROW_C_END]
    mov     r1, #20 / ROUNDS_PER_LOOP
    str     r1, [sp, #LOOPS]
    ldm     sp, {r0-r12, lr}
.Lrounds:
    double_round 1
.rept ROUNDS_PER_LOOP / 2 - 1
    double_round 0
.endr
    bne     .Lrounds

#if WYRM_SMALL
    ror     r4, r4, #25
    ror     r5, r5, #25
    ror     r6, r6, #25
    ror     r7, r7, #25
    ror     r10, r10, #24
    ror     r11, r11, #24
    ror     r12, r12, #24
    ror     lr, lr, #24
    strd    r10, r11, [sp, #ROW_D]
    strd    r12, lr, [sp, #ROW_D + 8]
    add     r12, sp, #ROWS_A_B
    stm     r12, {r0-r9}
    ldrd    lr, r1, [sp, #OUT_IN]
    ldr     r0, [sp, #STATE]
    add     r5, r0, #64
.Lword:
    ldr     r2, [r12], #4
    ldr     r3, [r0], #4
    ldr     r4, [r1], #4
    add     r2, r2, r3
    eor     r2, r2, r4
    str     r2, [lr], #4
    cmp     r0, r5
    bne     .Lword
    mov     r12, r1
    ldr     r0, [sp, #STATE]
    ldr     r1, [r0, #48]
    adds    r1, r1, #1
    str     r1, [r0, #48]
#else
    strd    r8, r9, [sp, #ROW_C]
    strd    r10, r11, [sp, #ROW_D]
    strd    r12, lr, [sp, #ROW_D + 8]
    ldrd    lr, r12, [sp, #OUT_IN]
    orr     r8, r12, lr
    lsls    r8, r8, #30
    bne     .Lmisaligned
    xor_block 1
.Lnext:
#endif
    strd    lr, r12, [sp, #OUT_IN]
    ldr     r2, [sp, #END]
    cmp     r12, r2
    bne     .Lblock

    /* Clear key and key stream in the frame. */
    movs    r1, #0
    movs    r2, #0
    movs    r3, #0
    movs    r4, #0
    movs    r5, #0
    movs    r6, #0
    movs    r7, #0
    mov     r8, r1
    mov     r9, r1
    mov     r10, r1
    mov     r11, r1
    mov     r0, sp
    stm     r0!, {r1-r11}
    stm     r0!, {r1-r11}
#if WYRM_SMALL
    stm     r0, {r1-r8}
#endif
    .cfi_remember_state
    release FRAME + 16
    pop     {r4-r11, pc}

#if !WYRM_SMALL
.Lmisaligned:
    .cfi_restore_state
    xor_block 0
    b       .Lnext
#endif
    end_func wyrm_chacha20_blocks
#endif
