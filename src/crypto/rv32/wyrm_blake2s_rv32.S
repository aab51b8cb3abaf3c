/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_blake2s_compress(struct wyrm_blake2s *state, const uint8_t block[64], uint32_t last);
 *
 * BLAKE2s for RV32I, with the rotation of Zbb where there is one.
 *
 * All sixteen working words stay in registers. The mixing of four columns and that of four
 * diagonals exist once; what is unrolled over the ten rounds is the fetching of the message, whose
 * order so costs no table and no addresses: the first word of each step is added before the call,
 * the second waits in a register. What these registers still hold is not fetched again; the
 * diagonals take them in the order that makes most of that.
 *
 *   t3-t6           v0-v3              s0, s6, a4, a6   v4-v7       a5   temporary
 *   s2-s5           v8-v11             a0-a3            v12-v15     s1   message
 *   t0-t2, a7       second words       ra               way back into the rounds
 *
 * Stack: 112 bytes. Executed instructions: 2,021, with Zbb 1,381: 20 a step (12), 303 to add and
 * fetch message words, 40 to call, 78 the rest; 270 more if the block is misaligned.
 *
 * Constant time: no branch or address depends on state or message, except that the alignment of the
 * block decides whether it is copied. The copy is cleared before return.
 *
 * Counted and not taken: one loop over a table of offsets, 2,340; all words from the registers of a
 * subroutine, 2,048; everything unrolled, with ten message words in registers, 1,900 in 5,300 bytes.
 */
#include "../wyrm_crypto_select.h"

#if WYRM_BLAKE2S_ASM && WYRM_ARCH_RV32

#define T       a5
#define MESSAGE s1

/* struct wyrm_blake2s */
#define COUNTER 32

/* The frame. */
#define COPY  0
#define STATE 64
#define SAVED 80 /* s0-s6, ra */
#define FRAME 112

    .text
    .cfi_sections .debug_frame /* for debuggers: costs no flash */

.macro rotate_right x, n
#ifdef __riscv_zbb
    rori    \x, \x, \n
#else
    srli    T, \x, \n
    slli    \x, \x, 32 - \n
    or      \x, \x, T
#endif
.endm

/* The function G of RFC 7693; its first message word is in a already. */
.macro mix a, b, c, d, second
    add     \a, \a, \b
    xor     \d, \d, \a
    rotate_right \d, 16
    add     \c, \c, \d
    xor     \b, \b, \c
    rotate_right \b, 12
    add     \a, \a, \b
    add     \a, \a, \second
    xor     \d, \d, \a
    rotate_right \d, 8
    add     \c, \c, \d
    xor     \b, \b, \c
    rotate_right \b, 7
.endm

/* \a += message word \n, which one of the second words before may have been. */
.macro add_first a, n
.if .Lin_t0 == \n
    add     \a, \a, t0
.elseif .Lin_t1 == \n
    add     \a, \a, t1
.elseif .Lin_t2 == \n
    add     \a, \a, t2
.elseif .Lin_a7 == \n
    add     \a, \a, a7
.else
    lw      T, 4*\n(MESSAGE)
    add     \a, \a, T
.endif
.endm

.macro get_second to, n
.if .Lin_\to != \n
    lw      \to, 4*\n(MESSAGE)
    .set    .Lin_\to, \n
.endif
.endm

/* A row of the table of RFC 7693, section 2.7 */
.macro round n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15
    add_first t3, \n0
    add_first t4, \n2
    add_first t5, \n4
    add_first t6, \n6
    get_second t0, \n1
    get_second t1, \n3
    get_second t2, \n5
    get_second a7, \n7
    jal     .Lcolumns
    add_first t3, \n8
    add_first t4, \n10
    add_first t5, \n12
    add_first t6, \n14
    get_second t2, \n9
    get_second t0, \n11
    get_second t1, \n13
    get_second a7, \n15
    jal     .Ldiagonals
.endm

/* h[i] ^= v[i] ^ v[i + 8] */
.macro finish v, v8, offset
    lw      T, \offset(s1)
    xor     \v, \v, \v8
    xor     T, T, \v
    sw      T, \offset(s1)
.endm

    .global wyrm_blake2s_compress
    .type   wyrm_blake2s_compress, %function
    .balign 4
wyrm_blake2s_compress:
    .cfi_startproc
    addi    sp, sp, -FRAME
    .cfi_def_cfa_offset FRAME
    .set    .Lslot, SAVED
.irp r, s0, s1, s2, s3, s4, s5, s6, ra
    sw      \r, .Lslot(sp)
    .cfi_offset \r, .Lslot - FRAME
    .set    .Lslot, .Lslot + 4
.endr
    sw      a0, STATE(sp)
    mv      MESSAGE, a1
    andi    T, a1, 3
    bnez    T, .Lmisaligned
.Laligned:
    lw      t3, 0(a0)
    lw      t4, 4(a0)
    lw      t5, 8(a0)
    lw      t6, 12(a0)
    lw      s0, 16(a0)
    lw      s6, 20(a0)
    lw      a4, 24(a0)
    lw      a6, 28(a0)
    lw      t0, COUNTER(a0)
    lw      t1, COUNTER+4(a0)
    lla     a5, .Lvector
    lw      s2, 0(a5)
    lw      s3, 4(a5)
    lw      s4, 8(a5)
    lw      s5, 12(a5)
    lw      a0, 16(a5)
    lw      a1, 20(a5)
    lw      a7, 24(a5)
    lw      a3, 28(a5)
    xor     a0, a0, t0
    xor     a1, a1, t1
    xor     a2, a2, a7

    .set    .Lin_t0, 16 /* none yet */
    .set    .Lin_t1, 16
    .set    .Lin_t2, 16
    .set    .Lin_a7, 16
    round   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    round   14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3
    round   11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4
    round   7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8
    round   9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13
    round   2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9
    round   12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11
    round   13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10
    round   6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5
    round   10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0

    beq     MESSAGE, sp, .Lclear
.Lfinish:
    lw      s1, STATE(sp)
    finish  t3, s2, 0
    finish  t4, s3, 4
    finish  t5, s4, 8
    finish  t6, s5, 12
    finish  s0, a0, 16
    finish  s6, a1, 20
    finish  a4, a2, 24
    finish  a6, a3, 28
    .set    .Lslot, SAVED
.irp r, s0, s1, s2, s3, s4, s5, s6, ra
    lw      \r, .Lslot(sp)
    .set    .Lslot, .Lslot + 4
.endr
    addi    sp, sp, FRAME
    .cfi_remember_state
    .cfi_def_cfa_offset 0
    ret

.Lcolumns:
    .cfi_restore_state
    mix     t3, s0, s2, a0, t0
    mix     t4, s6, s3, a1, t1
    mix     t5, a4, s4, a2, t2
    mix     t6, a6, s5, a3, a7
    ret
.Ldiagonals:
    mix     t3, s6, s4, a3, t2
    mix     t4, a4, s5, a0, t0
    mix     t5, a6, s2, a1, t1
    mix     t6, s0, s3, a2, a7
    ret

.Lmisaligned: /* a copy of the message */
    mv      t0, sp
    addi    t1, sp, 64
.Lbytes:
.irp byte, 0, 1, 2, 3
    lbu     T, \byte(MESSAGE)
    sb      T, \byte(t0)
.endr
    addi    MESSAGE, MESSAGE, 4
    addi    t0, t0, 4
    bne     t0, t1, .Lbytes
    mv      MESSAGE, sp
    j       .Laligned

.Lclear:
.irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    sw      zero, COPY+4*\word(sp)
.endr
    j       .Lfinish
    .cfi_endproc

    .balign 4
.Lvector:
    .word   0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a
    .word   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    .size   wyrm_blake2s_compress, . - wyrm_blake2s_compress
#endif

#ifdef __linux__ /* bare-metal linkers take the note amiss */
    .section .note.GNU-stack, "", %progbits
#endif
