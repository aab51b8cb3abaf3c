/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The file that lab/src/wyrmlab/vectors/recording.py wrote, as it is.
 */
    .section .rodata.vectors, "a"
    .global vectors
    .balign 4
vectors:
    .incbin VECTORS_FILE

#if defined(__linux__) || defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
