/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_blake2s_compress(struct wyrm_blake2s *state, const uint8_t block[64], uint32_t last);
 *
 * BLAKE2s for RV32I, with the rotation of Zbb where available.
 * Portable twin: c/wyrm_blake2s.c.
 *
 * All sixteen working words stay in registers. The mixing of four columns and that of four
 * diagonals exist once; only the loads of the message are unrolled over the ten rounds, so their
 * order needs no table and no address computation: the first word of each step is added before the
 * call, the second is kept in a register. Words still in the nine message registers are not loaded
 * again: each step has fixed registers for its second words. A search over those registers and over
 * which other words to keep found the rounds below, with 108 loads instead of 160.
 *
 *   t3-t6           v0-v3              s0, s6, a4, a6   v4-v7       a5   temporary
 *   s2-s5           v8-v11             a0, s1, a2, a3   v12-v15     a1   message
 *   t0-t2, a7, s7   second words       s8-s11           first words
 *   ra              return address into the rounds; initially also the address of the constants
 *
 * Stack: 64 bytes. Executed instructions: 1,992, with Zbb 1,352: 20 a step (12), 160 to add message
 * words, 108 to load them, 37 for calls, 87 for the rest. WYRM_SMALL: a call for the last diagonals
 * too, 2 more in 236 bytes less. If the block is misaligned, 201 more and 80 bytes of stack.
 *
 * Constant time: no branch or address depends on state or message, except that the alignment of the
 * block decides whether it is copied. The copy is cleared before return.
 *
 * Alternatives measured: one loop over a table of offsets, 2,340; all words from the registers of a
 * subroutine, 2,048; four message registers, 2,021; eight, and the address of the state in another,
 * 1,993; ten, second words making room for temporaries, 1,993; everything unrolled, with ten words
 * of the message in registers, 1,900 in 5,300 bytes.
 */
#include "wyrm_asm_rv32.inc"

#if WYRM_BLAKE2S_ASM && WYRM_ARCH_RV32

#define T       a5
#define MESSAGE a1

/* struct wyrm_blake2s */
#define COUNTER 32

/* The frame. */
#define STATE 0
#define SAVED 4 /* s0-s11, ra */
#define FRAME 64

/* From .Lvector to where .Lbegin is called: the constants, then 15 instructions. */
#define VECTOR 32
#ifdef __riscv_compressed
#define SAVES 30
#else
#define SAVES 60
#endif

#define NONE 16 /* no word of the message */

/* The frame of a misaligned block: its copy, then ra. */
#define COPIED 64
#define COPY_FRAME 80

.macro rotate_right x, n
#ifdef __riscv_zbb
    rori    \x, \x, \n
#else
    srli    T, \x, \n
    slli    \x, \x, 32 - \n
    or      \x, \x, T
#endif
.endm

/* The function G of RFC 7693; its first message word has been added to a already. */
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

.macro forget r
    .set    .Lin_\r, NONE
.endm

.macro get to, n
.if .Lin_\to != \n
    lw      \to, 4*\n(MESSAGE)
    .set    .Lin_\to, \n
.endif
.endm

/* Adds message word \n to \a if a register holds it, and sets .Lhit_\q. */
.macro add_held q, a, n
    .set    .Lhit_\q, 0
.irp r, t0, t1, t2, a7, s7, s8, s9, s10, s11
.if .Lin_\r == \n && !.Lhit_\q
    add     \a, \a, \r
    .set    .Lhit_\q, 1
.endif
.endr
.endm

/* Otherwise loads it to \to, where it may remain (not in T). */
.macro add_fetched q, a, n, to
.if !.Lhit_\q
    get     \to, \n
    add     \a, \a, \to
.endif
.endm

/* Records which registers hold the words of the first columns, which are loaded elsewhere. */
.macro held_at_first
    .set    .Lin_t0, 1
    .set    .Lin_t1, 3
    .set    .Lin_t2, 5
    .set    .Lin_a7, 7
    .set    .Lin_s7, NONE
    .set    .Lin_s8, 2
    .set    .Lin_s9, 0
    .set    .Lin_s10, NONE
    .set    .Lin_s11, 4
.endm

/* Half a row of the table of RFC 7693, section 2.7, and where to keep the first words. */
.macro words n0, n1, n2, n3, n4, n5, n6, n7, k0, k2, k4, k6
    add_held 0, t3, \n0
    add_held 2, t4, \n2
    add_held 4, t5, \n4
    add_held 6, t6, \n6
    add_fetched 0, t3, \n0, \k0
    add_fetched 2, t4, \n2, \k2
    add_fetched 4, t5, \n4, \k4
    add_fetched 6, t6, \n6, \k6
    forget  T
.endm

.macro words_of_columns n0, n1, n2, n3, n4, n5, n6, n7, k0=T, k2=T, k4=T, k6=T
    words   \n0, \n1, \n2, \n3, \n4, \n5, \n6, \n7, \k0, \k2, \k4, \k6
    get     t0, \n1
    get     t1, \n3
    get     t2, \n5
    get     a7, \n7
.endm

.macro columns n0, n1, n2, n3, n4, n5, n6, n7, k0=T, k2=T, k4=T, k6=T
    words_of_columns \n0, \n1, \n2, \n3, \n4, \n5, \n6, \n7, \k0, \k2, \k4, \k6
    jal     .Lcolumns
.endm

.macro words_of_diagonals n0, n1, n2, n3, n4, n5, n6, n7, k0=T, k2=T, k4=T, k6=T
    words   \n0, \n1, \n2, \n3, \n4, \n5, \n6, \n7, \k0, \k2, \k4, \k6
    get     t2, \n1
    get     t0, \n3
    get     t1, \n5
    get     s7, \n7
.endm

.macro diagonals n0, n1, n2, n3, n4, n5, n6, n7, k0=T, k2=T, k4=T, k6=T
    words_of_diagonals \n0, \n1, \n2, \n3, \n4, \n5, \n6, \n7, \k0, \k2, \k4, \k6
    jal     .Ldiagonals
.endm

.macro mix_diagonals
    mix     t3, s6, s4, a3, t2
    mix     t4, a4, s5, a0, t0
    mix     t5, a6, s2, s1, t1
    mix     t6, s0, s3, a2, s7
.endm

/* h[i] ^= v[i] ^ v[i + 8] */
.macro finish v, v8, offset
    lw      T, \offset(a1)
    xor     \v, \v, \v8
    xor     T, T, \v
    sw      T, \offset(a1)
.endm

    func    wyrm_blake2s_compress, 2
    andi    T, a1, 3
    beqz    T, .Laligned
    /* The same with a copy of the block. */
    save    COPY_FRAME, COPIED, ra
    mv      t0, sp
    addi    t1, sp, COPIED
.Lbytes:
.irp byte, 0, 1, 2, 3
    lbu     T, \byte(a1)
    sb      T, \byte(t0)
.endr
    addi    a1, a1, 4
    addi    t0, t0, 4
    bne     t0, t1, .Lbytes
    mv      a1, sp
    jal     .Laligned
.irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    sw      zero, 4*\word(sp)
.endr
    restore_and_return COPY_FRAME, COPIED, ra

    .balign 4
.Lvector:
    .word   0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a
    .word   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19

.Laligned:
    save    FRAME, SAVED, S0_S11, ra
    sw      a0, STATE(sp)
    .option push
    .option norvc
    jal     .Lbegin /* the return address, from which .Lbegin computes the constants' address */
    .option pop
    held_at_first
    forget  T
    diagonals 8, 9, 10, 11, 12, 13, 14, 15, T, s10, T, a7
    columns   14, 10, 4, 8, 9, 15, 13, 6
    diagonals 1, 12, 0, 2, 11, 7, 5, 3, T, T, s9, s11
    columns   11, 8, 12, 0, 5, 2, 15, 13
    diagonals 10, 14, 3, 6, 7, 1, 9, 4, T, T, s10
    columns   7, 9, 3, 1, 13, 12, 11, 14
    diagonals 2, 6, 5, 10, 4, 0, 15, 8, T, T, T, a7
    columns   9, 0, 5, 7, 2, 4, 10, 15, s11
    diagonals 14, 1, 11, 12, 6, 8, 3, 13, s9, T, s11, a7
    columns   2, 12, 6, 10, 0, 11, 8, 3, T, T, s9
    diagonals 4, 13, 7, 5, 15, 14, 1, 9, a7, T, s8, s10
    columns   12, 5, 1, 15, 14, 13, 4, 10, s10
    diagonals 0, 7, 6, 3, 9, 2, 8, 11, T, T, T, s9
    columns   13, 11, 7, 14, 12, 1, 3, 9, s11
    diagonals 5, 0, 15, 4, 8, 6, 2, 10
    columns   6, 15, 14, 9, 11, 3, 0, 8
    diagonals 12, 2, 13, 7, 1, 4, 10, 5, T, T, s10
    columns   10, 2, 8, 4, 7, 6, 1, 5
#if WYRM_SMALL
    diagonals 15, 11, 9, 14, 3, 12, 13, 0
#else
    words_of_diagonals 15, 11, 9, 14, 3, 12, 13, 0
    mix_diagonals
#endif

    lw      a1, STATE(sp)
    finish  t3, s2, 0
    finish  t4, s3, 4
    finish  t5, s4, 8
    finish  t6, s5, 12
    finish  s0, a0, 16
    finish  s6, s1, 20
    finish  a4, a2, 24
    finish  a6, a3, 28
    restore_and_return FRAME, SAVED, S0_S11, ra

.Lbegin:
    .cfi_restore_state
    lw      t3, 0(a0)
    lw      t4, 4(a0)
    lw      t5, 8(a0)
    lw      t6, 12(a0)
    lw      s0, 16(a0)
    lw      s6, 20(a0)
    lw      a4, 24(a0)
    lw      a6, 28(a0)
    lw      s1, COUNTER+4(a0)
    lw      a0, COUNTER(a0)
    .set    .Lconstants, -(VECTOR + SAVES + 4) /* from ra */
    lw      s2, .Lconstants(ra)
    lw      s3, .Lconstants+4(ra)
    lw      s4, .Lconstants+8(ra)
    lw      s5, .Lconstants+12(ra)
    lw      t0, .Lconstants+16(ra)
    lw      t1, .Lconstants+20(ra)
    lw      t2, .Lconstants+24(ra)
    lw      a3, .Lconstants+28(ra)
    xor     a0, a0, t0
    xor     s1, s1, t1
    xor     a2, a2, t2
.irp r, t0, t1, t2, a7, s7, s8, s9, s10, s11, T
    forget  \r
.endr
    words_of_columns 0, 1, 2, 3, 4, 5, 6, 7, s9, s8, s11
.Lcolumns: /* entered by falling through the first time */
    mix     t3, s0, s2, a0, t0
    mix     t4, s6, s3, s1, t1
    mix     t5, a4, s4, a2, t2
    mix     t6, a6, s5, a3, a7
    ret
.Ldiagonals:
    mix_diagonals
    ret
    end_func wyrm_blake2s_compress
#endif
