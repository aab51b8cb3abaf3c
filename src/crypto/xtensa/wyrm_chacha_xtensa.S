/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_chacha20_blocks(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t blocks);
 *
 * ChaCha20 for Xtensa (base instruction set with the density option), either calling convention.
 * Portable twin: c/wyrm_chacha.c.
 *
 * A rotation is one SRC, by the amount that SSAI has set in SAR. So quarter rounds that share a
 * rotation are interleaved: three together, then one, because the state has one word more than
 * there are free registers. That word is x11 at first; it is exchanged with x8 twice in a double
 * round.
 *
 *   a2-a5    x0-x3         a6-a9   x4-x7        a10-a13   x12-x15
 *   a14, a15 x9, x10       a0      x8 or x11, the other in the frame
 *
 * The loop counter has no register either. Between the store of x11 and the load of x8, a0 is free
 * for it; so the loop starts and ends there.
 *
 * Only the first column depends on the block counter: the first round of the other columns is the
 * same for all blocks of a call, and its result is kept in the frame.
 *
 * Stack: 192 bytes with register windows and without. The words of secrets in it are cleared.
 * Instructions per block: 20 rounds of 4 * 12 + 8 + 2 = 1,160, less 40 of the first, the loop 14,
 * the rest 125; with a misaligned buffer 305 more; per call 121 with register windows, 137 without.
 * WYRM_SMALL: loop 44.
 *
 * Alternatives measured: four quarter rounds side by side, with x3 and x11 exchanged at each change
 * of rotation, 12 * 20 instead of 10 * 20 between the operations.
 *
 * Constant time: branches depend on the number of blocks and the alignment, addresses on the
 * arguments; ADD, XOR, SRC, L32I, S32I take the same time for all values.
 */
#include "wyrm_asm_xtensa.inc"

#if WYRM_CHACHA20_ASM && WYRM_ARCH_XTENSA

#if WYRM_SMALL
#define LOOPS 9
#define ROUNDS_PER_LOOP 1
#else
#define LOOPS 3
#define ROUNDS_PER_LOOP 3
#endif

/* The frame */
#define FIRST  0   /* columns 1 to 3 after the first round, by rows */
#define KEY    48  /* key stream for misaligned buffers */
#define X8     112 /* of x8 and x11 the one that is not in a0 */
#define X11    116
#define ROW_D  120 /* x12-x15 at the end of a block */
#define COUNT  136
#define STATE  140 /* the arguments */
#define OUT    144
#define IN     148
#define END    152 /* of in */
#define FRAME  (160 + ABI_FRAME)

#define ROW_C  a0

/* a += b, d = (d ^ a) <<< \n in one quarter round, and in three */
.macro mix n, a, b, d
    add.n   \a, \a, \b
    xor     \d, \d, \a
    ssai    32 - \n
    src     \d, \d, \d
.endm

.macro mix_3 n, a0, b0, d0, a1, b1, d1, a2, b2, d2
    add.n   \a0, \a0, \b0
    add.n   \a1, \a1, \b1
    add.n   \a2, \a2, \b2
    xor     \d0, \d0, \a0
    xor     \d1, \d1, \a1
    xor     \d2, \d2, \a2
    ssai    32 - \n
    src     \d0, \d0, \d0
    src     \d1, \d1, \d1
    src     \d2, \d2, \d2
.endm

.macro quarter a, b, c, d
    mix     16, \a, \b, \d
    mix     12, \c, \d, \b
    mix     8, \a, \b, \d
    mix     7, \c, \d, \b
.endm

.macro quarters a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2
    mix_3   16, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2
    mix_3   12, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2
    mix_3   8, \a0, \b0, \d0, \a1, \b1, \d1, \a2, \b2, \d2
    mix_3   7, \c0, \d0, \b0, \c1, \d1, \b1, \c2, \d2, \b2
.endm

/* A double round without its last quarter, which needs x8, still in the frame. */
.macro most_of_double_round
    quarters a2, a6, ROW_C, a10, a3, a7, a14, a11, a4, a8, a15, a12
    s32i    ROW_C, a1, X8
    l32i    ROW_C, a1, X11
    quarter a5, a9, ROW_C, a13
    most_of_diagonals
.endm

.macro most_of_diagonals
    quarters a2, a7, a15, a13, a3, a8, ROW_C, a10, a5, a6, a14, a12
    s32i    ROW_C, a1, X11
.endm

.macro rest_of_double_round
    l32i    ROW_C, a1, X8
    quarter a4, a9, ROW_C, a11
.endm

/* \x += word of the state at \state; changes \t */
.macro add_state x, n, state, t
    l32i.n  \t, \state, 4 * \n
    add.n   \x, \x, \t
.endm

/* out = in ^ \x, words of in and out at a14, a15 */
.macro put x, n, t
    l32i.n  \t, a14, 4 * \n
    xor     \x, \x, \t
    s32i.n  \x, a15, 4 * \n
.endm

    .text
    func    wyrm_chacha20_blocks
    save FRAME
    s32i    a2, a1, STATE
    s32i    a3, a1, OUT
    s32i    a4, a1, IN
    slli    a5, a5, 6
    add.n   a5, a5, a4
    s32i    a5, a1, END
    l32i.n  a3, a2, 4
    l32i.n  a4, a2, 8
    l32i.n  a5, a2, 12
    l32i.n  a7, a2, 20
    l32i.n  a8, a2, 24
    l32i.n  a9, a2, 28
    l32i.n  a14, a2, 36
    l32i.n  a15, a2, 40
    l32i.n  ROW_C, a2, 44
    l32i.n  a11, a2, 52
    l32i.n  a12, a2, 56
    l32i.n  a13, a2, 60
    quarters a3, a7, a14, a11, a4, a8, a15, a12, a5, a9, ROW_C, a13
    s32i.n  a3, a1, FIRST
    s32i.n  a4, a1, FIRST+4
    s32i.n  a5, a1, FIRST+8
    s32i.n  a7, a1, FIRST+12
    s32i.n  a8, a1, FIRST+16
    s32i.n  a9, a1, FIRST+20
    s32i.n  a14, a1, FIRST+24
    s32i.n  a15, a1, FIRST+28
    s32i.n  ROW_C, a1, FIRST+32
    s32i.n  a11, a1, FIRST+36
    s32i.n  a12, a1, FIRST+40
    s32i.n  a13, a1, FIRST+44
    mov.n   a0, a2

.Lblock:                                    /* a0 = state */
    movi.n  a3, LOOPS
    s32i    a3, a1, COUNT
    l32i.n  a2, a0, 0
    l32i.n  a6, a0, 16
    l32i.n  a10, a0, 48
    l32i.n  ROW_C, a0, 32
    quarter a2, a6, ROW_C, a10
    s32i    ROW_C, a1, X8
    l32i.n  a3, a1, FIRST
    l32i.n  a4, a1, FIRST+4
    l32i.n  a5, a1, FIRST+8
    l32i.n  a7, a1, FIRST+12
    l32i.n  a8, a1, FIRST+16
    l32i.n  a9, a1, FIRST+20
    l32i.n  a14, a1, FIRST+24
    l32i.n  a15, a1, FIRST+28
    l32i.n  ROW_C, a1, FIRST+32
    l32i.n  a11, a1, FIRST+36
    l32i.n  a12, a1, FIRST+40
    l32i.n  a13, a1, FIRST+44
    most_of_diagonals
.Lrounds:
.rept ROUNDS_PER_LOOP
    rest_of_double_round
    most_of_double_round
.endr
    l32i    a0, a1, COUNT
    addi    a0, a0, -1
    s32i    a0, a1, COUNT
    beqz    a0, .Llast
    j       .Lrounds                        /* beyond the range of a branch */
.Llast:
    rest_of_double_round

    s32i    a0, a1, X8
    s32i    a10, a1, ROW_D
    s32i    a11, a1, ROW_D+4
    s32i    a12, a1, ROW_D+8
    s32i    a13, a1, ROW_D+12
    mov.n   a12, a14
    mov.n   a13, a15
    l32i    a0, a1, STATE
    l32i    a14, a1, IN
    l32i    a15, a1, OUT
    add_state a2, 0, a0, a10
    add_state a3, 1, a0, a10
    add_state a4, 2, a0, a10
    add_state a5, 3, a0, a10
    add_state a6, 4, a0, a10
    add_state a7, 5, a0, a10
    add_state a8, 6, a0, a10
    add_state a9, 7, a0, a10
    add_state a12, 9, a0, a10
    add_state a13, 10, a0, a10
    or      a10, a14, a15
    extui   a10, a10, 0, 2
    bnez    a10, .Lbytes
    put     a2, 0, a10
    put     a3, 1, a10
    put     a4, 2, a10
    put     a5, 3, a10
    put     a6, 4, a10
    put     a7, 5, a10
    put     a8, 6, a10
    put     a9, 7, a10
    put     a12, 9, a10
    put     a13, 10, a10
    l32i    a2, a1, X8
    l32i    a3, a1, X11
    l32i    a4, a1, ROW_D
    l32i    a5, a1, ROW_D+4
    l32i    a6, a1, ROW_D+8
    l32i    a7, a1, ROW_D+12
    add_state a2, 8, a0, a10
    add_state a3, 11, a0, a10
    l32i.n  a8, a0, 48                      /* the block counter */
    add_state a5, 13, a0, a10
    add_state a6, 14, a0, a10
    add_state a7, 15, a0, a10
    add.n   a4, a4, a8
    put     a2, 8, a10
    put     a3, 11, a10
    put     a4, 12, a10
    put     a5, 13, a10
    put     a6, 14, a10
    put     a7, 15, a10
    addi    a14, a14, 64
    addi    a15, a15, 64

.Lnext:                                     /* a8 = the counter, a14 = in, a15 = out */
    addi.n  a8, a8, 1
    s32i.n  a8, a0, 48
    s32i    a14, a1, IN
    s32i    a15, a1, OUT
    l32i    a2, a1, END
    beq     a2, a14, .Ldone
    j       .Lblock
.Ldone:
    movi.n  a2, 0
    mov.n   a3, a1
    addi    a4, a1, X8
.Lclear:
    s32i.n  a2, a3, 0
    s32i.n  a2, a3, 4
    s32i.n  a2, a3, 8
    s32i.n  a2, a3, 12
    addi    a3, a3, 16
    bne     a3, a4, .Lclear
    s32i.n  a2, a3, 0                       /* X8, X11 and ROW_D */
    s32i.n  a2, a3, 4
    s32i.n  a2, a3, 8
    s32i.n  a2, a3, 12
    s32i.n  a2, a3, 16
    s32i.n  a2, a3, 20
    restore_and_return FRAME

/* The key stream goes to the frame and from there to the text byte by byte. */
.Lbytes:
    s32i    a2, a1, KEY
    s32i    a3, a1, KEY+4
    s32i    a4, a1, KEY+8
    s32i    a5, a1, KEY+12
    s32i    a6, a1, KEY+16
    s32i    a7, a1, KEY+20
    s32i    a8, a1, KEY+24
    s32i    a9, a1, KEY+28
    s32i    a12, a1, KEY+36
    s32i    a13, a1, KEY+40
    l32i    a2, a1, X8
    l32i    a3, a1, X11
    l32i    a4, a1, ROW_D
    l32i    a5, a1, ROW_D+4
    l32i    a6, a1, ROW_D+8
    l32i    a7, a1, ROW_D+12
    add_state a2, 8, a0, a10
    add_state a3, 11, a0, a10
    l32i.n  a8, a0, 48
    add_state a5, 13, a0, a10
    add_state a6, 14, a0, a10
    add_state a7, 15, a0, a10
    add.n   a4, a4, a8
    s32i    a2, a1, KEY+32
    s32i    a3, a1, KEY+44
    s32i    a4, a1, KEY+48
    s32i    a5, a1, KEY+52
    s32i    a6, a1, KEY+56
    s32i    a7, a1, KEY+60
    addi    a2, a1, KEY
    addi    a3, a1, KEY+64
.Lword:
    l32i.n  a4, a2, 0
    addi.n  a2, a2, 4
.irp n, 0, 1, 2, 3
    l8ui    a5, a14, \n
    extui   a6, a4, 8 * \n, 8
    xor     a5, a5, a6
    s8i     a5, a15, \n
.endr
    addi.n  a14, a14, 4
    addi.n  a15, a15, 4
    bne     a2, a3, .Lword
    j       .Lnext
    end_func wyrm_chacha20_blocks

#endif
