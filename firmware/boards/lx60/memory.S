/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * void *memcpy(void *to, const void *from, size_t len); void *memset(void *to, int byte, size_t len);
 *
 * The core cannot load a word from any address, but SRC takes 32 bits out of two registers at any
 * byte (SSA8L sets which). Where the addresses differ in their alignment, words are read aligned
 * and shifted together: packets are copied from after a 14-byte Ethernet header to word boundaries,
 * and back.
 */
    .text

/* a2: to, a3: from, a4: length; a5: where to write */
    .align  4
    .global memcpy
    .type   memcpy, @function
memcpy:
    entry   a1, 32
    mov     a5, a2
    bltui   a4, 8, bytes
    bbci    a5, 0, 1f /* up to a word boundary of the target */
    l8ui    a6, a3, 0
    addi    a3, a3, 1
    s8i     a6, a5, 0
    addi    a5, a5, 1
    addi    a4, a4, -1
1:  bbci    a5, 1, 2f
    l8ui    a6, a3, 0
    l8ui    a7, a3, 1
    addi    a3, a3, 2
    s8i     a6, a5, 0
    s8i     a7, a5, 1
    addi    a5, a5, 2
    addi    a4, a4, -2
2:  extui   a6, a3, 0, 2
    srli    a7, a4, 4 /* 16 bytes a round */
    bnez    a6, shifted

    loopgtz a7, 3f
    l32i    a8, a3, 0
    l32i    a9, a3, 4
    l32i    a10, a3, 8
    l32i    a11, a3, 12
    s32i    a8, a5, 0
    s32i    a9, a5, 4
    s32i    a10, a5, 8
    s32i    a11, a5, 12
    addi    a3, a3, 16
    addi    a5, a5, 16
3:  bbci    a4, 3, 4f
    l32i    a8, a3, 0
    l32i    a9, a3, 4
    addi    a3, a3, 8
    s32i    a8, a5, 0
    s32i    a9, a5, 4
    addi    a5, a5, 8
4:  bbci    a4, 2, 5f
    l32i    a8, a3, 0
    addi    a3, a3, 4
    s32i    a8, a5, 0
    addi    a5, a5, 4
5:  extui   a4, a4, 0, 2
bytes:
    loopgtz a4, 6f
    l8ui    a8, a3, 0
    addi    a3, a3, 1
    s8i     a8, a5, 0
    addi    a5, a5, 1
6:  retw

shifted:
    ssa8l   a3
    sub     a3, a3, a6 /* whole words; the first byte wanted is byte a6 of the first */
    l32i    a8, a3, 0
    loopgtz a7, 7f
    l32i    a9, a3, 4
    l32i    a10, a3, 8
    l32i    a11, a3, 12
    src     a8, a9, a8
    s32i    a8, a5, 0
    l32i    a8, a3, 16
    src     a9, a10, a9
    s32i    a9, a5, 4
    src     a10, a11, a10
    s32i    a10, a5, 8
    src     a11, a8, a11
    s32i    a11, a5, 12
    addi    a3, a3, 16
    addi    a5, a5, 16
7:  extui   a7, a4, 2, 2
    loopgtz a7, 8f
    l32i    a9, a3, 4
    addi    a3, a3, 4
    src     a8, a9, a8
    s32i    a8, a5, 0
    mov     a8, a9
    addi    a5, a5, 4
8:  add     a3, a3, a6
    j       5b
    .size   memcpy, . - memcpy

    .align  4
    .global memset
    .type   memset, @function
memset:
    entry   a1, 32
    mov     a5, a2
    extui   a3, a3, 0, 8
    bltui   a4, 8, 3f
    slli    a6, a3, 8
    or      a3, a3, a6
    slli    a6, a3, 16
    or      a3, a3, a6
    bbci    a5, 0, 1f
    s8i     a3, a5, 0
    addi    a5, a5, 1
    addi    a4, a4, -1
1:  bbci    a5, 1, 2f
    s16i    a3, a5, 0
    addi    a5, a5, 2
    addi    a4, a4, -2
2:  srli    a6, a4, 2
    extui   a4, a4, 0, 2
    loopgtz a6, 3f
    s32i    a3, a5, 0
    addi    a5, a5, 4
3:  loopgtz a4, 4f
    s8i     a3, a5, 0
    addi    a5, a5, 1
4:  retw
    .size   memset, . - memset
