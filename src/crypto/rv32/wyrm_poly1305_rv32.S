/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
 *                           uint32_t top);
 *
 * Poly1305 for RV32IM.
 * Portable twin: c/wyrm_poly1305_32.h.
 *
 * Limbs of 32 bits as in ../c/wyrm_poly1305_32.h, the product column by column. Without a carry
 * flag every addition that carries costs three instructions, so two chains of them are avoided: a
 * column starts from a word of the next message block and from its share of the part above bit 130,
 * which is folded. The top of the product is therefore computed first, from the high words of
 * column 3; only their small carry follows later, and remains in h4. After the last block, a block
 * of zeros is added.
 *
 * Bounds: r[i] < 2^28, s[i] < 5/4 * 2^28. Column 3 is the sum of two words below 2^32, four low
 * words and h4 s3, so at most 6 go from it into h4 <= 3 + 6 + 1 = 10. So h4 s[i] and
 * top <= h4 r0 + 4 (2^28 - 1) stay below 2^32, and a column's high word below 6 * 2^28.
 *
 *   s0-s4   h0-h4, the next block's words already added     a1 message    a2 its end
 *   a4-a7   r[0] to r[3]         t3-t5  s1, s2, s3          a3 the block, in the message or frame
 *   s5-s7   new h0 to h2         s8     new h4              t6 blocks copied through the frame
 *   t0      carry into the next column                      t1, t2 products
 *
 * Stack: 64 bytes. Executed instructions: 134 per block, of which 36 multiply; 52 more if the
 * message is misaligned, as it is then copied through the frame. Each call adds 108.
 *
 * Constant time: branches depend on the number of blocks and the alignment, addresses on the
 * arguments. It needs a multiplier whose time does not depend on its operands. No part of the key
 * is in the frame; the copy of a block there is zero at the end.
 *
 * Alternatives measured: the reduction as a chain of its own after the product, 139 per block; with
 * the message added before the product too, 148. Five limbs of 26 bits: 25 products whose high and
 * low words are added without carries (four instructions each, with a shifted copy of r) and whose
 * overlap gives these later, about 180 with the splitting of the message.
 */
#include "wyrm_asm_rv32.inc"

#if WYRM_POLY1305_ASM && WYRM_ARCH_RV32

/* struct wyrm_poly1305 */
#define H 0
#define R 20
#define S 36

#define STATE a0
#define IN    a1
#define END   a2
#define BLOCK a3
#define THROUGH t6
#define CARRY t0
#define T0    t1
#define T1    t2
#define H0    s0
#define H1    s1
#define H2    s2
#define H3    s3
#define H4    s4
#define NEW0  s5
#define NEW1  s6
#define NEW2  s7
#define NEW4  s8
#define R0    a4
#define R1    a5
#define R2    a6
#define R3    a7
#define S1    t3
#define S2    t4
#define S3    t5

/* The frame. */
#define COPY  0
#define SAVED 16 /* s0-s8 */
#define FRAME 64

/* \sum += T0, a low word, with its carry */
.macro add_low sum
    add     \sum, \sum, T0
    sltu    T0, \sum, T0
    add     CARRY, CARRY, T0
.endm

/* CARRY : \sum += \h * \r */
.macro product sum, h, r
    mul     T0, \h, \r
    mulhu   T1, \h, \r
    add     CARRY, CARRY, T1
    add_low \sum
.endm

/* The same where the product is below 2^32, or its high word has been added already. */
.macro product_low sum, h, r
    mul     T0, \h, \r
    add_low \sum
.endm

/* \sum = a word of the next block + what the column before carries */
.macro begin sum, offset
    lw      \sum, \offset(BLOCK)
    add     \sum, \sum, CARRY
    sltu    CARRY, \sum, CARRY
.endm

.macro add_high h, r
    mulhu   T0, \h, \r
    add     NEW4, NEW4, T0
.endm

/* \h += a word of the first block + T0, and T0 = carry */
.macro add_first h, offset
    lw      T1, \offset(BLOCK)
    add     \h, \h, T0
    sltu    T0, \h, T0
    add     \h, \h, T1
    sltu    T1, \h, T1
    add     T0, T0, T1
.endm

    func    wyrm_poly1305_blocks
    save    FRAME, SAVED, S0_S7, s8
    addi    THROUGH, a2, -1
    slli    END, a2, 4
    add     END, END, IN
    lw      H0, H(STATE)
    lw      H1, H+4(STATE)
    lw      H2, H+8(STATE)
    lw      H3, H+12(STATE)
    lw      H4, H+16(STATE)
    add     H4, H4, a3
    lw      R0, R(STATE)
    lw      R1, R+4(STATE)
    lw      R2, R+8(STATE)
    lw      R3, R+12(STATE)
    lw      S1, S(STATE)
    lw      S2, S+4(STATE)
    lw      S3, S+8(STATE)

    mv      BLOCK, IN
    andi    T0, IN, 3
    bnez    T0, .Lmisaligned
    li      THROUGH, 0
.Lfirst:
    li      T0, 0
    add_first H0, 0
    add_first H1, 4
    add_first H2, 8
    add_first H3, 12
    add     H4, H4, T0
    j       .Lnext

.Lblock:
    /* Without the carry from column 3; 2^130 = 5. */
    mul     NEW4, H4, R0
    add_high H0, R3
    add_high H1, R2
    add_high H2, R1
    add_high H3, R0
    srli    CARRY, NEW4, 2
    slli    T0, CARRY, 2
    andi    NEW4, NEW4, 3
    begin   NEW0, 0
    add_low NEW0
    product NEW0, H0, R0
    product NEW0, H1, S3
    product NEW0, H2, S2
    product NEW0, H3, S1
    begin   NEW1, 4
    product NEW1, H0, R1
    product NEW1, H1, R0
    product NEW1, H2, S3
    product NEW1, H3, S2
    product_low NEW1, H4, S1
    begin   NEW2, 8
    product NEW2, H0, R2
    product NEW2, H1, R1
    product NEW2, H2, R0
    product NEW2, H3, S3
    product_low NEW2, H4, S2
    mul     T0, H3, R0
    begin   H3, 12
    add_low H3
    product_low H3, H0, R3
    product_low H3, H1, R2
    product_low H3, H2, R1
    product_low H3, H4, S3
    mv      H0, NEW0
    mv      H1, NEW1
    mv      H2, NEW2
    add     H4, NEW4, CARRY
    addi    H4, H4, 1 /* bit 128 of the next block */
.Lnext:
    addi    BLOCK, BLOCK, 16
    bne     BLOCK, END, .Lblock

    /* The next block comes from the frame: a copy, then zeros; or these were the next block. */
    addi    END, sp, COPY + 16
    addi    THROUGH, THROUGH, -1
    bltz    THROUGH, .Lend
    jal     t0, .Lcopy
    j       .Lblock
.Lend:
    addi    BLOCK, sp, COPY
    addi    T0, THROUGH, 1
    bnez    T0, .Ldone
.irp word, 0, 4, 8, 12
    sw      zero, COPY+\word(sp)
.endr
    j       .Lblock

.Ldone: /* down to a little over 2^130 */
    addi    H4, H4, -1
    srli    T0, H4, 2
    andi    H4, H4, 3
    slli    T1, T0, 2
    add     T0, T0, T1
.irp h, H0, H1, H2, H3
    add     \h, \h, T0
    sltu    T0, \h, T0
.endr
    add     H4, H4, T0
    sw      H0, H(STATE)
    sw      H1, H+4(STATE)
    sw      H2, H+8(STATE)
    sw      H3, H+12(STATE)
    sw      H4, H+16(STATE)
    restore_and_return FRAME, SAVED, S0_S7, s8

.Lmisaligned:
    .cfi_restore_state
    addi    END, sp, COPY + 16
    lla     t0, .Lfirst
.Lcopy: /* BLOCK = the frame, with 16 bytes from IN; returns to t0 */
    addi    BLOCK, sp, COPY
.Lbytes:
.irp byte, 0, 1, 2, 3
    lbu     T0, \byte(IN)
    sb      T0, \byte(BLOCK)
.endr
    addi    IN, IN, 4
    addi    BLOCK, BLOCK, 4
    bne     BLOCK, END, .Lbytes
    addi    BLOCK, sp, COPY
    jr      t0
    end_func wyrm_poly1305_blocks
#endif
