/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The saved context of a task, as offsets from its stack pointer. A task that yielded has a pc of 0
 * and saves ps, depth and a0; an interrupted one saves everything.
 */
#ifndef FRAME_H
#define FRAME_H

#define FRAME_PC     0
#define FRAME_PS     4
#define FRAME_DEPTH  8 /* of critical sections */
#define FRAME_SAR    12
#define FRAME_LBEG   16
#define FRAME_LEND   20
#define FRAME_LCOUNT 24
#define FRAME_A(n)   (32 + 4 * (n))
#define FRAME_SIZE   96

/* Below every stack pointer are 16 bytes for the registers a0 to a3 of the caller. */
#define BASE_AREA 16

#define PS_INTLEVEL_1 0x1
#define PS_EXCM       0x10
#define PS_UM         0x20
#define PS_CALLINC_1  0x10000
#define PS_WOE        0x40000

#endif
