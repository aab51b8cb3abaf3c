/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Instructions that the compiler does not use for this board: MULUH and MULSH, and a loop without
 * branches. The product is the first to touch its register, which an older window may own.
 */
    .text

    .macro product name, instruction, to
    .align  4
    .global \name
    .type   \name, @function
\name:
    entry   a1, 32
    \instruction \to, a2, a3
    mov     a2, \to
    retw
    .endm

    product muluh_a4, muluh, a4
    product muluh_a8, muluh, a8
    product muluh_a15, muluh, a15
    product mulsh_a2, mulsh, a2
    product mulsh_a12, mulsh, a12

    .align  4
    .global count_in_loop
    .type   count_in_loop, @function
count_in_loop:
    entry   a1, 32
    movi    a3, 0
    loop    a2, 1f
    addi    a3, a3, 1
    addi    a3, a3, 2
1:  mov     a2, a3
    retw
