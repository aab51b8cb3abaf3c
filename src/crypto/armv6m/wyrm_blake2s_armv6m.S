/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_blake2s_compress(struct wyrm_blake2s *state, const uint8_t block[64], uint32_t last);
 *
 * BLAKE2s for Cortex-M0, M0+, M1 and M23 (ARMv6-M, ARMv8-M baseline).
 * Portable twin: c/wyrm_blake2s.c.
 *
 * As in ChaCha20 for these cores, the working words are in memory twice, by columns and by
 * diagonals, the four words of each in sequence. A step loads its four words from one arrangement
 * and stores them to the other. The ten rounds are one loop; a table gives the offsets of the
 * message words in the copy of the block.
 *
 *   r0-r3  a, b, c, d      r4  message word, amount of a rotation    r5  table
 *   r6     message         r7  pointer to the words                  r12 end of the table, lr state
 *
 * Stack: 212 bytes. Clobbers r0-r3, r12, flags. Instructions: 10 rounds of 221, the rest 100, and
 * 314 more for a misaligned block.
 * Constant time: branches depend on the alignment only, addresses on the arguments and the table,
 * which is walked in order; all data instructions take the same time for all values.
 * The frame, message and working words, is cleared before return.
 */
#include "../wyrm_asm_arm.inc"

#if WYRM_BLAKE2S_ASM && WYRM_ARCH_ARMV6M

/* The frame. */
#define COLUMNS   0
#define DIAGONALS 64
#define MESSAGE   128
#define FRAME     192

.macro add_message i
    ldrb    r4, [r5, #\i]
    ldr     r4, [r6, r4]
    adds    r0, r0, r4
.endm

.macro rotate value, amount
    movs    r4, #\amount
    rors    \value, \value, r4
.endm

/* The function G of RFC 7693 with message words \i and \i + 1 of the round, on the next four words
 * at r7. b, c and d are stored to the column or diagonal that is that many places further, modulo
 * four. */
.macro mix i, to, a, b, c, d
    ldm     r7!, {r0-r3}
    adds    r0, r0, r1
    add_message \i
    eors    r3, r3, r0
    rotate  r3, 16
    adds    r2, r2, r3
    eors    r1, r1, r2
    rotate  r1, 12
    adds    r0, r0, r1
    add_message \i + 1
    eors    r3, r3, r0
    rotate  r3, 8
    adds    r2, r2, r3
    eors    r1, r1, r2
    rotate  r1, 7
    str     r0, [sp, #\to + 16 * \a]
    str     r1, [sp, #\to + 16 * \b + 4]
    str     r2, [sp, #\to + 16 * \c + 8]
    str     r3, [sp, #\to + 16 * \d + 12]
.endm

/* r4-r7 = the \i-th words of the columns */
.macro store_row i
    str     r4, [sp, #COLUMNS + 4 * \i]
    str     r5, [sp, #COLUMNS + 4 * \i + 16]
    str     r6, [sp, #COLUMNS + 4 * \i + 32]
    str     r7, [sp, #COLUMNS + 4 * \i + 48]
.endm

    func    wyrm_blake2s_compress, 4
    save    R4_R7, lr
    reserve FRAME

    mov     lr, r0
    add     r3, sp, #MESSAGE
    lsls    r4, r1, #30
    beq     .Laligned
    movs    r5, #0
.Lbyte:
    ldrb    r4, [r1, r5]
    strb    r4, [r3, r5]
    adds    r5, r5, #1
    cmp     r5, #64
    bne     .Lbyte
    b       .Lcopied
.Laligned:
.rept 4
    ldm     r1!, {r4-r7}
    stm     r3!, {r4-r7}
.endr
.Lcopied:
    ldm     r0!, {r4-r7}
    store_row 0
    ldm     r0!, {r4-r7}
    store_row 1
    ldm     r0!, {r1, r3} /* the counter */
    adr     r0, .Ltable
    ldm     r0!, {r4-r7}
    store_row 2
    ldm     r0!, {r4-r7}
    eors    r4, r4, r1
    eors    r5, r5, r3
    eors    r6, r6, r2
    store_row 3
    mov     r5, r0
    adds    r0, r0, #160
    mov     r12, r0
    add     r6, sp, #MESSAGE

.Lround:
    mov     r7, sp
    mix     0, DIAGONALS, 0, 3, 2, 1
    mix     2, DIAGONALS, 1, 0, 3, 2
    mix     4, DIAGONALS, 2, 1, 0, 3
    mix     6, DIAGONALS, 3, 2, 1, 0
    mix     8, COLUMNS, 0, 1, 2, 3
    mix     10, COLUMNS, 1, 2, 3, 0
    mix     12, COLUMNS, 2, 3, 0, 1
    mix     14, COLUMNS, 3, 0, 1, 2
    adds    r5, r5, #16
    cmp     r5, r12
    beq     .Lrounds_done
    b       .Lround /* beyond the range of a conditional branch */

.Lrounds_done: /* h ^= v0-v7 ^ v8-v15 */
    mov     r0, lr
    mov     r7, sp
.irp i, 0, 4, 8, 12
    ldm     r7!, {r1-r4}
    eors    r1, r1, r3
    eors    r2, r2, r4
    ldr     r3, [r0, #\i]
    ldr     r4, [r0, #16 + \i]
    eors    r1, r1, r3
    eors    r2, r2, r4
    str     r1, [r0, #\i]
    str     r2, [r0, #16 + \i]
.endr
    movs    r1, #0
    movs    r2, #0
    movs    r3, #0
    movs    r4, #0
    mov     r5, sp
.rept FRAME / 16
    stm     r5!, {r1-r4}
.endr
    release FRAME
    pop     {r4-r7, pc}

    /* IV, then the offsets of the message words in the order of the steps. */
.macro offsets words:vararg
.irp word, \words
    .byte   4 * \word
.endr
.endm
    .balign 4
.Ltable:
    .word   0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a
    .word   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
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
