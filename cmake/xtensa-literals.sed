# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Clang 22 puts the literals of a function behind the one before it, at whatever address that ends.
# This gives them a section of their own, aligned, which the linker puts before the code.
/^\t\.literal_position/ {
    N
    s/^.*\n\t\.literal \.LCPI([0-9]+)_/\t.section .literal.LCPI\1,"ax",@progbits\n\t.p2align 2\n\t.literal .LCPI\1_/
}
s/\t\.literal (\S+), (.*)$/\1:\n\t.long \2/
