/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_blake2s_compress(struct wyrm_blake2s *state, const uint8_t block[64], uint32_t last);
 *
 * BLAKE2s for Cortex-M3, M4, M7 and M33 (ARMv7-M, ARMv7E-M, ARMv8-M mainline).
 * Portable twin: c/wyrm_blake2s.c.
 *
 * Rotations cost nothing: rows b and d keep rotations by 7 and 8 to the right pending, and the
 * barrel shifter applies them whenever a word is read. The ten rounds are one loop; the order of
 * the message words comes from a table of offsets into the copy of the block at sp. Rows c and d
 * are in registers in pairs.
 *
 *   r0-r3     v0-v3                        r4-r7     v4-v7, pending 7
 *   r8, r9    v8, v9 or v10, v11           r10, r11  two of v12-v15, pending 8
 *   r12       message word                 lr        table
 *
 * Stack: 144 bytes. Clobbers r0-r3, r12, flags. Instructions: 10 rounds of 125 + 3, the rest 81.
 * WYRM_SMALL: see the second form below.
 * Constant time: no branch or address depends on state or message; the table is walked in order.
 * Message and working words in the frame are cleared before return.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_BLAKE2S_ASM && (WYRM_ARCH_ARMV7M || WYRM_ARCH_ARMV7EM)

/* struct wyrm_blake2s */
#define COUNTER 32

.macro add_message a, table
    ldrb    r12, [\table], #1
    ldr     r12, [sp, r12]
    add     \a, \a, r12
.endm

#if !WYRM_SMALL

/* The frame, behind the 16 words of the message. */
#define V8    64
#define V10   72
#define V12   80
#define V13   84
#define V14   88
#define V15   92
#define END   96 /* of the table */
#define STATE 100
#define FRAME 108

/* The function G of RFC 7693 on two columns or diagonals side by side. */
.macro mix a0, b0, c0, d0, a1, b1, c1, d1
    add     \a0, \a0, \b0, ror #7
    add_message \a0, lr
    add     \a1, \a1, \b1, ror #7
    add_message \a1, lr
    eor     \d0, \a0, \d0, ror #8
    eor     \d1, \a1, \d1, ror #8
    add     \c0, \c0, \d0, ror #16
    add     \c1, \c1, \d1, ror #16
    eor     \b0, \c0, \b0, ror #7
    eor     \b1, \c1, \b1, ror #7
    add     \a0, \a0, \b0, ror #12
    add_message \a0, lr
    add     \a1, \a1, \b1, ror #12
    add_message \a1, lr
    eor     \d0, \a0, \d0, ror #16
    eor     \d1, \a1, \d1, ror #16
    add     \c0, \c0, \d0, ror #8
    add     \c1, \c1, \d1, ror #8
    eor     \b0, \c0, \b0, ror #12
    eor     \b1, \c1, \b1, ror #12
.endm

    func    wyrm_blake2s_compress, 4
    save    R4_R11, lr
    reserve FRAME

    /* The message, at any alignment. */
    mov     r12, sp
.rept 2
    ldr     r4, [r1], #4
    ldr     r5, [r1], #4
    ldr     r6, [r1], #4
    ldr     r7, [r1], #4
    ldr     r8, [r1], #4
    ldr     r9, [r1], #4
    ldr     r10, [r1], #4
    ldr     r11, [r1], #4
    stm     r12!, {r4-r11}
.endr

    /* v8-v15 and v0-v7; d is rotated by 24 and b by 25, so that 8 and 7 remain. */
    adr     lr, .Ltable
    ldm     lr!, {r4-r11} /* IV 2, 3, 6, 7, 0, 1, 4, 5 */
    strd    r4, r5, [sp, #V10]
    ldrd    r1, r3, [r0, #COUNTER]
    eor     r10, r10, r1
    eor     r11, r11, r3
    eor     r6, r6, r2
    ror     r10, r10, #24
    ror     r11, r11, #24
    ror     r6, r6, #24
    ror     r7, r7, #24
    strd    r6, r7, [sp, #V14]
    add     r12, lr, #160
    strd    r12, r0, [sp, #END]
    ldm     r0, {r0-r7}
    ror     r4, r4, #25
    ror     r5, r5, #25
    ror     r6, r6, #25
    ror     r7, r7, #25

.Lround:
    mix     r0, r4, r8, r10, r1, r5, r9, r11 /* v12, v13 */
    strd    r8, r9, [sp, #V8]
    ldrd    r8, r9, [sp, #V10]
    strd    r10, r11, [sp, #V12]
    ldrd    r10, r11, [sp, #V14]
    mix     r2, r6, r8, r10, r3, r7, r9, r11 /* v14, v15 */
    str     r10, [sp, #V14]
    ldr     r10, [sp, #V12]
    mix     r0, r5, r8, r11, r1, r6, r9, r10 /* v15, v12 */
    strd    r8, r9, [sp, #V10]
    ldrd    r8, r9, [sp, #V8]
    str     r10, [sp, #V12]
    str     r11, [sp, #V15]
    ldrd    r11, r10, [sp, #V13]
    mix     r2, r7, r8, r11, r3, r4, r9, r10 /* v13, v14 */
    str     r10, [sp, #V14]
    ldr     r10, [sp, #V12]
    ldr     r12, [sp, #END]
    cmp     lr, r12
    bne     .Lround

    /* h ^= v0-v7 ^ v8-v15 */
    eor     r0, r0, r8
    eor     r1, r1, r9
    ldrd    r8, r9, [sp, #V10]
    eor     r2, r2, r8
    eor     r3, r3, r9
    ror     r4, r4, #7
    ror     r5, r5, #7
    ror     r6, r6, #7
    ror     r7, r7, #7
    eor     r4, r4, r10, ror #8
    eor     r5, r5, r11, ror #8
    ldrd    r10, r11, [sp, #V14]
    eor     r6, r6, r10, ror #8
    eor     r7, r7, r11, ror #8
    ldr     r12, [sp, #STATE]
    ldm     r12, {r8-r11}
    eor     r0, r0, r8
    eor     r1, r1, r9
    eor     r2, r2, r10
    eor     r3, r3, r11
    stm     r12!, {r0-r3}
    ldm     r12, {r8-r11}
    eor     r4, r4, r8
    eor     r5, r5, r9
    eor     r6, r6, r10
    eor     r7, r7, r11
    stm     r12, {r4-r7}

    movs    r0, #0
    movs    r1, #0
    movs    r2, #0
    movs    r3, #0
    movs    r4, #0
    movs    r5, #0
    movs    r6, #0
    movs    r7, #0
    mov     r12, sp
    stm     r12!, {r0-r7}
    stm     r12!, {r0-r7}
    stm     r12, {r0-r7}
    release FRAME
    pop     {r4-r11, pc}

#else

/* ---- WYRM_SMALL ------------------------------------------------------------
 *
 * v is in the frame; one function mixes two columns or diagonals, loaded and stored as pairs of
 * words. No rotation is deferred.
 *
 *   r0, r1   two of v0-v3        r4, r5     two of v4-v7      r3    table
 *   r8, r9   two of v8-v11       r10, r11   two of v12-v15    r6    its end      r12   message word
 *
 * Stack: 168 bytes. Instructions: 1,991, 46 % more than above, for 376 bytes less. */

#define V     64 /* behind the message */
#define STATE 128
#define FRAME 132

    local_func mix
    add     r0, r0, r4
    add_message r0, r3
    add     r1, r1, r5
    add_message r1, r3
    eor     r10, r0, r10
    eor     r11, r1, r11
    add     r8, r8, r10, ror #16
    add     r9, r9, r11, ror #16
    eor     r4, r8, r4
    eor     r5, r9, r5
    add     r0, r0, r4, ror #12
    add_message r0, r3
    add     r1, r1, r5, ror #12
    add_message r1, r3
    eor     r10, r0, r10, ror #16
    eor     r11, r1, r11, ror #16
    ror     r10, r10, #8
    ror     r11, r11, #8
    add     r8, r8, r10
    add     r9, r9, r11
    eor     r4, r8, r4, ror #12
    eor     r5, r9, r5, ror #12
    ror     r4, r4, #7
    ror     r5, r5, #7
    bx      lr
    end_func mix

.macro pair operation, x, y, i, j
.if \j == \i + 1
    \operation\()d \x, \y, [sp, #V + 4 * \i]
.else
    \operation \x, [sp, #V + 4 * \i]
    \operation \y, [sp, #V + 4 * \j]
.endif
.endm

.macro pairs operation, a0, a1, b0, b1, c0, c1, d0, d1
    pair    \operation, r0, r1, \a0, \a1
    pair    \operation, r4, r5, \b0, \b1
    pair    \operation, r8, r9, \c0, \c1
    pair    \operation, r10, r11, \d0, \d1
.endm

.macro mix_pairs words:vararg
    pairs   ldr, \words
    bl      mix
    pairs   str, \words
.endm

    func    wyrm_blake2s_compress, 4
    save    R4_R11, lr
    reserve FRAME

    mov     r12, sp
    add     r5, sp, #V
.Lmessage:
    ldr     r4, [r1], #4
    str     r4, [r12], #4
    cmp     r12, r5
    bne     .Lmessage

    adr     r3, .Ltable
    ldm     r3!, {r4-r11} /* IV 2, 3, 6, 7, 0, 1, 4, 5 */
    strd    r4, r5, [sp, #V + 40]
    strd    r8, r9, [sp, #V + 32]
    ldrd    r1, r12, [r0, #COUNTER]
    eor     r10, r10, r1
    eor     r11, r11, r12
    eor     r6, r6, r2
    strd    r10, r11, [sp, #V + 48]
    strd    r6, r7, [sp, #V + 56]
    str     r0, [sp, #STATE]
    ldm     r0, {r4-r11}
    add     r12, sp, #V
    stm     r12, {r4-r11}
    add     r6, r3, #160

.Lround:
    mix_pairs 0, 1, 4, 5, 8, 9, 12, 13
    mix_pairs 2, 3, 6, 7, 10, 11, 14, 15
    mix_pairs 0, 1, 5, 6, 10, 11, 15, 12
    mix_pairs 2, 3, 7, 4, 8, 9, 13, 14
    cmp     r3, r6
    bne     .Lround

    /* h ^= v0-v7 ^ v8-v15 */
    ldr     r0, [sp, #STATE]
    add     r1, sp, #V
    add     r2, r0, #32
.Lresult:
    ldr     r5, [r1, #32]
    ldr     r6, [r1], #4
    ldr     r4, [r0]
    eors    r5, r5, r6
    eors    r4, r4, r5
    str     r4, [r0], #4
    cmp     r0, r2
    bne     .Lresult

    movs    r0, #0
    add     r1, sp, #STATE
    mov     r12, sp
.Lclear:
    str     r0, [r12], #4
    cmp     r12, r1
    bne     .Lclear
    release FRAME
    pop     {r4-r11, pc}

#endif

    /* The offset of the message word of each step, in the order in which mix loads them: the first
     * words of two columns, then their second words. */
.macro offsets s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15
    .byte   4*\s0, 4*\s2, 4*\s1, 4*\s3, 4*\s4, 4*\s6, 4*\s5, 4*\s7
    .byte   4*\s8, 4*\s10, 4*\s9, 4*\s11, 4*\s12, 4*\s14, 4*\s13, 4*\s15
.endm
    .balign 4
.Ltable:
    .word   0x3c6ef372, 0xa54ff53a, 0x1f83d9ab, 0x5be0cd19
    .word   0x6a09e667, 0xbb67ae85, 0x510e527f, 0x9b05688c
    offsets 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    offsets 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3
    offsets 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4
    offsets 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8
    offsets 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13
    offsets 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9
    offsets 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11
    offsets 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10
    offsets 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5
    offsets 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0
    end_func wyrm_blake2s_compress
#endif
