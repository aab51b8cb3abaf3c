/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_chacha20_blocks(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t blocks);
 *
 * ChaCha20 for Cortex-M0, M0+, M1 and M23 (ARMv6-M, ARMv8-M baseline).
 * Portable twin: c/wyrm_chacha.c.
 *
 * The working words are in memory twice, by columns and by diagonals, the four words of each in
 * sequence. A quarter round loads its four words from one arrangement and stores them to the other,
 * for the next round. RORS takes its amount from a register: three of the four amounts have one,
 * and a rotation by 16 is REV16 and REV.
 *
 *   r0-r3  a, b, c, d          r4-r6  25, 20, 24        r7  pointer to the words
 *   r8     rounds left         r9 state, r10 out, r11 in, r12 end of in
 *
 * Stack: 164 bytes. Clobbers r0-r3, r12, flags. Per block: 1,499 for the rounds, 114 for the rest,
 * or 544 if a buffer is misaligned.
 * Constant time: branches depend on the number of blocks and the alignment, addresses on the
 * arguments; all data instructions take the same time for all values.
 * The working words in the frame are cleared before return.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_CHACHA20_ASM && WYRM_ARCH_ARMV6M

/* The frame. */
#define COLUMNS   0
#define DIAGONALS 64
#define FRAME     128

/* A quarter round on the next four words at r7, which go to these places. */
.macro quarter to_a, to_b, to_c, to_d
    ldm     r7!, {r0-r3}
    adds    r0, r0, r1
    eors    r3, r3, r0
    rev16   r3, r3
    rev     r3, r3
    adds    r2, r2, r3
    eors    r1, r1, r2
    rors    r1, r1, r5
    adds    r0, r0, r1
    eors    r3, r3, r0
    rors    r3, r3, r6
    adds    r2, r2, r3
    eors    r1, r1, r2
    rors    r1, r1, r4
    str     r0, [sp, #\to_a]
    str     r1, [sp, #\to_b]
    str     r2, [sp, #\to_c]
    str     r3, [sp, #\to_d]
.endm

/* r0, r1 = two words of key stream; \word is the number of the first. */
.macro key_stream word
    ldr     r0, [sp, #COLUMNS + 16 * (\word % 4) + 4 * (\word / 4)]
    ldr     r1, [sp, #COLUMNS + 16 * ((\word + 1) % 4) + 4 * ((\word + 1) / 4)]
    ldm     r4!, {r2, r3}
    adds    r0, r0, r2
    adds    r1, r1, r3
.endm

    func    wyrm_chacha20_blocks, 4
    save    R4_R7, lr
    save_high
    reserve FRAME

    mov     r9, r0
    mov     r10, r1
    mov     r11, r2
    lsls    r3, r3, #6
    adds    r3, r3, r2
    mov     r12, r3

.Lblock:
    mov     r7, r9
.irp row, 0, 4, 8, 12
    ldm     r7!, {r0-r3}
    str     r0, [sp, #COLUMNS + \row]
    str     r1, [sp, #COLUMNS + \row + 16]
    str     r2, [sp, #COLUMNS + \row + 32]
    str     r3, [sp, #COLUMNS + \row + 48]
.endr
    movs    r4, #25
    movs    r5, #20
    movs    r6, #24
    movs    r0, #10
    mov     r8, r0
.Lround:
    mov     r7, sp
    quarter DIAGONALS + 0, DIAGONALS + 52, DIAGONALS + 40, DIAGONALS + 28
    quarter DIAGONALS + 16, DIAGONALS + 4, DIAGONALS + 56, DIAGONALS + 44
    quarter DIAGONALS + 32, DIAGONALS + 20, DIAGONALS + 8, DIAGONALS + 60
    quarter DIAGONALS + 48, DIAGONALS + 36, DIAGONALS + 24, DIAGONALS + 12
    quarter COLUMNS + 0, COLUMNS + 20, COLUMNS + 40, COLUMNS + 60
    quarter COLUMNS + 16, COLUMNS + 36, COLUMNS + 56, COLUMNS + 12
    quarter COLUMNS + 32, COLUMNS + 52, COLUMNS + 8, COLUMNS + 28
    quarter COLUMNS + 48, COLUMNS + 4, COLUMNS + 24, COLUMNS + 44
    mov     r0, r8
    subs    r0, r0, #1
    mov     r8, r0
    beq     .Lxor
    b       .Lround

.Lxor:
    mov     r4, r9
    mov     r5, r11
    mov     r6, r10
    mov     r0, r5
    orrs    r0, r0, r6
    lsls    r0, r0, #30
    bne     .Lmisaligned
.irp word, 0, 2, 4, 6, 8, 10, 12, 14
    key_stream \word
    ldm     r5!, {r2, r3}
    eors    r0, r0, r2
    eors    r1, r1, r3
    stm     r6!, {r0, r1}
.endr
.Lnext:
    mov     r11, r5
    mov     r10, r6
    mov     r4, r9
    ldr     r0, [r4, #48]
    adds    r0, r0, #1
    str     r0, [r4, #48]
    cmp     r5, r12
    beq     .Ldone
    b       .Lblock

.Lmisaligned: /* key stream to the other arrangement, then byte by byte */
    add     r7, sp, #DIAGONALS
.irp word, 0, 2, 4, 6, 8, 10, 12, 14
    key_stream \word
    stm     r7!, {r0, r1}
.endr
    add     r4, sp, #DIAGONALS
    movs    r3, #0
.Lbyte:
    ldrb    r0, [r4, r3]
    ldrb    r1, [r5, r3]
    eors    r0, r0, r1
    strb    r0, [r6, r3]
    adds    r3, r3, #1
    cmp     r3, #64
    bne     .Lbyte
    adds    r5, r5, #64
    adds    r6, r6, #64
    b       .Lnext

.Ldone:
    movs    r0, #0
    movs    r1, #0
    movs    r2, #0
    movs    r3, #0
    mov     r4, sp
.rept FRAME / 16
    stm     r4!, {r0-r3}
.endr
    release FRAME
    restore_high
    pop     {r4-r7, pc}
    end_func wyrm_chacha20_blocks
#endif
