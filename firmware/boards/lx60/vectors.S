/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Reset, exception vectors and context switches of an Xtensa core with register windows
 * (Xtensa Instruction Set Architecture reference manual: 4.4 exceptions, 4.7 windows, 8 ABI).
 *
 * Interrupts. The interrupted function keeps its window, but its registers go into a frame on its
 * stack and its stack pointer becomes that of interrupts, so that a call4 from there runs the
 * handler on a stack of its own. Older windows stay in the registers; the handler's calls spill
 * them to their stacks as usual, and returns reload them. There is one pitfall: a0 to a3 of a
 * function are saved below the stack pointer of the function it called. If the caller of the
 * interrupted function is spilled meanwhile, that is below the stack pointer of interrupts;
 * therefore those 16 bytes are copied over before and copied back after.
 *
 * Switches. Before another task's registers are loaded, all windows but the current one are spilled
 * to their task's stack. The next task starts with one window; its returns reload the rest.
 *
 * Multiplications. This core lacks two instructions of an ESP32: MULUH and MULSH. The vector
 * emulates them in a fixed number of instructions and counts them: timer.c deducts that time from
 * the device clock.
 */
#include "frame.h"
#include "lx60.h"

    .section .vectors.text, "ax", @progbits /* within reach of the vectors */
    .align 4

literal_interrupt_stack: .long lx60_interrupt_stack_top - 32 /* minus the base area and a margin */
literal_handler:         .long lx60_interrupt
literal_switch:          .long vTaskSwitchContext
literal_current:         .long pxCurrentTCB
literal_depth:           .long port_critical_depth
literal_products:        .long lx60_products
literal_evicts:          .long lx60_evicts
literal_fault:           .long lx60_fault_found
literal_fault_entry:     .long lx60_fault_entry
literal_fault_stack:     .long lx60_fault_stack_top - 16
literal_guarded:         .long lx60_guarded
literal_guarded_end:     .long lx60_guarded_end
literal_stack:           .long lx60_main_stack_top - 16
literal_start:           .long lx60_start
literal_vectors:         .long lx60_vectors
literal_ps:              .long PS_WOE | PS_UM | PS_INTLEVEL_1
literal_ps_window:       .long PS_WOE | PS_UM

/* ---- reset ---- */

    .align  4
    .global lx60_reset
lx60_reset:
    movi    a0, 0
    wsr     a0, intenable
    wsr     a0, lcount
    wsr     a0, ccount      /* the device clock starts at reset */
    wsr     a0, windowbase
    rsync
    movi    a0, 1
    wsr     a0, windowstart
    l32r    a0, literal_vectors
    wsr     a0, vecbase
    l32r    a1, literal_stack
    l32r    a0, literal_ps
    wsr     a0, ps
    rsync
    movi    a0, 0
    l32r    a4, literal_start
    callx4  a4

/* ---- switches ---- */

/* Spills every window but the current one. Accessing a12 spills the next three. */
    .macro spill_windows
    and     a12, a12, a12
    rotw    3
    and     a12, a12, a12
    rotw    3
#if LX60_REGISTERS == 64
    and     a12, a12, a12
    rotw    3
    and     a12, a12, a12
    rotw    3
    and     a12, a12, a12
    rotw    4
#else
    and     a4, a4, a4
    rotw    2
#endif
    .endm

    .align  4
    .global port_yield
    .type   port_yield, @function
port_yield:
    entry   a1, 48
    rsil    a2, 1
    s32i    a2, a1, FRAME_PS
    movi    a2, 0
    s32i    a2, a1, FRAME_PC
    l32r    a2, literal_depth
    l32i    a2, a2, 0
    s32i    a2, a1, FRAME_DEPTH
    s32i    a0, a1, 12
    mov     a0, a1
    spill_windows

/* a0: the frame of the task that ran. Its window is the only one left. */
switch:
    l32r    a2, literal_current
    l32i    a3, a2, 0
    s32i    a0, a3, 0
    l32r    a1, literal_interrupt_stack
    l32r    a4, literal_switch
    callx4  a4
restore:
    l32r    a2, literal_current
    l32i    a2, a2, 0
    l32i    a0, a2, 0
    l32r    a2, literal_depth
    l32i    a3, a0, FRAME_DEPTH
    s32i    a3, a2, 0
    l32i    a2, a0, FRAME_PC
    bnez    a2, leave

    mov     a1, a0 /* it yielded */
    wsr     a2, lcount
    l32i    a0, a1, 12
    l32i    a2, a1, FRAME_PS
    wsr     a2, ps
    rsync
    retw
    .size   port_yield, . - port_yield

/* a0: the frame of the task to resume. */
leave:
    l32i    a2, a0, FRAME_PS
    wsr     a2, ps /* with EXCM: windows are not checked from here on */
    rsync
    l32i    a2, a0, FRAME_PC
    wsr     a2, epc1
    l32i    a2, a0, FRAME_SAR
    wsr     a2, sar
    l32i    a2, a0, FRAME_LBEG
    wsr     a2, lbeg
    l32i    a2, a0, FRAME_LEND
    wsr     a2, lend
    l32i    a2, a0, FRAME_LCOUNT
    wsr     a2, lcount
    l32i    a1, a0, FRAME_A(1)
    l32i    a2, a0, FRAME_A(2)
    l32i    a3, a0, FRAME_A(3)
    l32i    a4, a0, FRAME_A(4)
    l32i    a5, a0, FRAME_A(5)
    l32i    a6, a0, FRAME_A(6)
    l32i    a7, a0, FRAME_A(7)
    l32i    a8, a0, FRAME_A(8)
    l32i    a9, a0, FRAME_A(9)
    l32i    a10, a0, FRAME_A(10)
    l32i    a11, a0, FRAME_A(11)
    l32i    a12, a0, FRAME_A(12)
    l32i    a13, a0, FRAME_A(13)
    l32i    a14, a0, FRAME_A(14)
    l32i    a15, a0, FRAME_A(15)
    l32i    a0, a0, FRAME_A(0)
    rfe

    .align  4
    .global port_start_first_task
    .type   port_start_first_task, @function
port_start_first_task:
    entry   a1, 32
    rsil    a2, 1
    spill_windows
    j       restore
    .size   port_start_first_task, . - port_start_first_task

/* ---- interrupts ---- */

    .align  4
interrupt:
    addi    a0, a1, -(BASE_AREA + FRAME_SIZE)
    s32i    a1, a0, FRAME_A(1)
    s32i    a2, a0, FRAME_A(2)
    s32i    a3, a0, FRAME_A(3)
    rsr     a2, excsave1
    s32i    a2, a0, FRAME_A(0)
    rsr     a2, epc1
    s32i    a2, a0, FRAME_PC
    rsr     a2, sar
    s32i    a2, a0, FRAME_SAR
    rsr     a2, lbeg
    s32i    a2, a0, FRAME_LBEG
    rsr     a2, lend
    s32i    a2, a0, FRAME_LEND
    rsr     a2, lcount
    s32i    a2, a0, FRAME_LCOUNT
    movi    a2, 0
    s32i    a2, a0, FRAME_DEPTH

    l32r    a1, literal_interrupt_stack
    addi    a1, a1, -BASE_AREA
    l32i    a2, a0, FRAME_SIZE
    s32i    a2, a1, 0
    l32i    a2, a0, FRAME_SIZE + 4
    s32i    a2, a1, 4
    l32i    a2, a0, FRAME_SIZE + 8
    s32i    a2, a1, 8
    l32i    a2, a0, FRAME_SIZE + 12
    s32i    a2, a1, 12
    addi    a1, a1, BASE_AREA

    rsr     a2, ps
    s32i    a2, a0, FRAME_PS
    addi    a2, a2, PS_INTLEVEL_1 - PS_EXCM
    wsr     a2, ps /* window checks are on again: accesses below spill other windows */
    rsync
    s32i    a15, a0, FRAME_A(15)
    s32i    a14, a0, FRAME_A(14)
    s32i    a13, a0, FRAME_A(13)
    s32i    a12, a0, FRAME_A(12)
    s32i    a11, a0, FRAME_A(11)
    s32i    a10, a0, FRAME_A(10)
    s32i    a9, a0, FRAME_A(9)
    s32i    a8, a0, FRAME_A(8)
    s32i    a7, a0, FRAME_A(7)
    s32i    a6, a0, FRAME_A(6)
    s32i    a5, a0, FRAME_A(5)
    s32i    a4, a0, FRAME_A(4)
    movi    a2, 0
    wsr     a2, lcount
    l32r    a4, literal_handler
    callx4  a4 /* the result is in a6 */

    addi    a1, a1, -BASE_AREA
    l32i    a2, a1, 0
    s32i    a2, a0, FRAME_SIZE
    l32i    a2, a1, 4
    s32i    a2, a0, FRAME_SIZE + 4
    l32i    a2, a1, 8
    s32i    a2, a0, FRAME_SIZE + 8
    l32i    a2, a1, 12
    s32i    a2, a0, FRAME_SIZE + 12
    beqz    a6, leave

    l32i    a1, a0, FRAME_A(1)
    spill_windows
    j       switch

/* ---- MULUH and MULSH ---- */

/* MULUH r, s, t is the bytes t0 rs a2, MULSH t0 rs b2. Registers are saved to memory, so that a
 * number can index them. The destination may still belong to an older window, which the instruction
 * itself would spill first. */
not_a_product:
    l32i    a1, a0, 4
    l32i    a2, a0, 8
    l32i    a3, a0, 12
    l32i    a4, a0, 16
    l32i    a5, a0, 20
    l32i    a6, a0, 24
    l32i    a7, a0, 28
    l32i    a9, a0, 36
    j       fault

    .align  4
    .global lx60_illegal
lx60_illegal:
    l32r    a0, literal_products
    s32i    a1, a0, 4
    s32i    a2, a0, 8
    s32i    a3, a0, 12
    s32i    a4, a0, 16
    s32i    a5, a0, 20
    s32i    a6, a0, 24
    s32i    a7, a0, 28
    s32i    a8, a0, 32
    s32i    a9, a0, 36
    s32i    a10, a0, 40
    s32i    a11, a0, 44
    s32i    a12, a0, 48
    s32i    a13, a0, 52
    s32i    a14, a0, 56
    s32i    a15, a0, 60
    rsr     a1, excsave1
    s32i    a1, a0, 0
    rsr     a2, epc1
    l8ui    a3, a2, 0
    l8ui    a4, a2, 1
    l8ui    a5, a2, 2
    extui   a9, a5, 4, 1 /* signed */
    slli    a6, a9, 4
    sub     a5, a5, a6
    neg     a9, a9
    movi    a6, 0xa2
    bne     a5, a6, not_a_product
    extui   a5, a3, 0, 4
    bnez    a5, not_a_product

    srli    a10, a4, 4 /* r */
    rsr     a11, sar
    rsr     a5, windowbase
    rsr     a6, windowstart
    ssr     a5
#if LX60_REGISTERS == 64
    slli    a7, a6, 16
#else
    slli    a7, a6, 8
#endif
    or      a6, a6, a7
    srl     a6, a6
    wsr     a11, sar
    srli    a5, a10, 2
    l32r    a7, literal_evicts
    add     a7, a7, a5
    l8ui    a7, a7, 0
    and     a6, a6, a7
    bnez    a6, push_out

    srli    a3, a3, 4
    addx4   a3, a3, a0
    l32i    a3, a3, 0
    extui   a5, a4, 0, 4
    addx4   a5, a5, a0
    l32i    a5, a5, 0
    srai    a6, a3, 31
    and     a6, a6, a5
    srai    a7, a5, 31
    and     a7, a7, a3
    add     a6, a6, a7
    and     a9, a9, a6 /* too much, by then */
    addx4   a4, a10, a0
    extui   a6, a3, 0, 16
    extui   a3, a3, 16, 16
    extui   a7, a5, 0, 16
    extui   a5, a5, 16, 16
    mull    a8, a6, a7
    extui   a8, a8, 16, 16
    mull    a7, a3, a7
    add     a7, a7, a8
    mull    a6, a6, a5
    extui   a8, a7, 0, 16
    add     a6, a6, a8
    mull    a3, a3, a5
    extui   a7, a7, 16, 16
    add     a3, a3, a7
    extui   a6, a6, 16, 16
    add     a3, a3, a6
    sub     a3, a3, a9
    s32i    a3, a4, 0
    addi    a2, a2, 3
    wsr     a2, epc1
    l32i    a2, a0, 64
    addi    a2, a2, 1
    s32i    a2, a0, 64
    l32i    a1, a0, 4
    l32i    a2, a0, 8
    l32i    a3, a0, 12
    l32i    a4, a0, 16
    l32i    a5, a0, 20
    l32i    a6, a0, 24
    l32i    a7, a0, 28
    l32i    a8, a0, 32
    l32i    a9, a0, 36
    l32i    a10, a0, 40
    l32i    a11, a0, 44
    l32i    a12, a0, 48
    l32i    a13, a0, 52
    l32i    a14, a0, 56
    l32i    a15, a0, 60
    l32i    a0, a0, 0
    rfe

/* Spills the older windows, then executes the instruction again. Interrupts are masked. */
push_out:
    s32i    a2, a0, 68
    rsr     a2, ps
    s32i    a2, a0, 72
    l32i    a1, a0, 4
    l32i    a2, a0, 8
    l32i    a3, a0, 12
    l32i    a4, a0, 16
    l32i    a5, a0, 20
    l32i    a6, a0, 24
    l32i    a7, a0, 28
    l32i    a8, a0, 32
    l32i    a9, a0, 36
    l32i    a10, a0, 40
    l32i    a11, a0, 44
    rsil    a0, 1
    rsr     a0, ps
    addi    a0, a0, -PS_EXCM
    wsr     a0, ps
    rsync
    and     a12, a12, a12
    rsr     a0, ps
    addi    a0, a0, PS_EXCM
    wsr     a0, ps
    rsync
    l32r    a0, literal_products
    l32i    a2, a0, 68
    wsr     a2, epc1
    l32i    a2, a0, 72
    wsr     a2, ps
    rsync
    l32i    a2, a0, 8
    rsr     a0, excsave1
    rfe

/* ---- faults ---- */

other_cause:
    addi    a0, a0, -4
    beqz    a0, interrupt_far
fault:
    l32r    a0, literal_fault
    s32i    a2, a0, 8
    s32i    a3, a0, 12
    rsr     a2, epc1
    l32r    a3, literal_guarded
    bltu    a2, a3, 1f
    l32r    a3, literal_guarded_end
    bgeu    a2, a3, 1f
    wsr     a3, epc1 /* an intentional attempt */
    l32i    a3, a0, 12
    l32i    a2, a0, 8
    rsr     a0, excsave1
    rfe

1:  s32i    a1, a0, 4
    s32i    a4, a0, 16
    s32i    a5, a0, 20
    s32i    a6, a0, 24
    s32i    a7, a0, 28
    s32i    a8, a0, 32
    s32i    a9, a0, 36
    s32i    a10, a0, 40
    s32i    a11, a0, 44
    s32i    a12, a0, 48
    s32i    a13, a0, 52
    s32i    a14, a0, 56
    s32i    a15, a0, 60
    rsr     a2, excsave1
    s32i    a2, a0, 0
    rsr     a2, epc1
    s32i    a2, a0, 64
    rsr     a2, ps
    s32i    a2, a0, 68
    rsr     a2, exccause
    s32i    a2, a0, 72
    rsr     a2, excvaddr
    s32i    a2, a0, 76
    movi    a2, 0
    s32i    a2, a0, 80
fault_report:
    movi    a2, 0 /* discard the windows */
    wsr     a2, windowbase
    rsync
    movi    a2, 1
    wsr     a2, windowstart
    l32r    a1, literal_fault_stack
    l32r    a2, literal_ps
    wsr     a2, ps
    rsync
    movi    a0, 0
    l32r    a6, literal_fault
    l32r    a4, literal_fault_entry
    callx4  a4

interrupt_far:
    j       interrupt

double:
    l32r    a0, literal_fault
    s32i    a1, a0, 4
    s32i    a2, a0, 8
    s32i    a3, a0, 12
    rsr     a2, depc
    s32i    a2, a0, 64
    rsr     a2, ps
    s32i    a2, a0, 68
    rsr     a2, exccause
    s32i    a2, a0, 72
    rsr     a2, excvaddr
    s32i    a2, a0, 76
    movi    a2, 1
    s32i    a2, a0, 80
    j       fault_report

/* int32_t lx60_try_simcall(operation, b, c, d) */
    .align  4
    .global lx60_try_simcall
    .type   lx60_try_simcall, @function
lx60_try_simcall:
    entry   a1, 32
lx60_guarded:
    .byte   0x00, 0x51, 0x00 /* simcall */
    retw
lx60_guarded_end:
    movi    a2, -1 /* refused */
    retw

    .section .rodata, "a", @progbits
lx60_evicts:
    .byte   0x0, 0x2, 0x6, 0xe /* windows above the current one that a register 0.., 4.. reaches */

/* a0 to a15, how many products, two words of push_out */
    .section .bss, "aw", @nobits
    .align 4
    .global lx60_products
lx60_products:
    .space  76
lx60_fault_found: /* struct lx60_fault */
    .space  84

/* ---- vectors ---- */

/* As the manual gives them: each spills or reloads the registers of a call by 4, 8 or 12. */
    .section .vectors, "ax", @progbits
    .global lx60_vectors
lx60_vectors:
    s32e    a0, a5, -16
    s32e    a1, a5, -12
    s32e    a2, a5, -8
    s32e    a3, a5, -4
    rfwo
    .org    0x40
    l32e    a0, a5, -16
    l32e    a1, a5, -12
    l32e    a2, a5, -8
    l32e    a3, a5, -4
    rfwu
    .org    0x80
    s32e    a0, a9, -16
    l32e    a0, a1, -12
    s32e    a1, a9, -12
    s32e    a2, a9, -8
    s32e    a3, a9, -4
    s32e    a4, a0, -32
    s32e    a5, a0, -28
    s32e    a6, a0, -24
    s32e    a7, a0, -20
    rfwo
    .org    0xc0
    l32e    a0, a9, -16
    l32e    a1, a9, -12
    l32e    a2, a9, -8
    l32e    a7, a1, -12
    l32e    a3, a9, -4
    l32e    a4, a7, -32
    l32e    a5, a7, -28
    l32e    a6, a7, -24
    l32e    a7, a7, -20
    rfwu
    .org    0x100
    s32e    a0, a13, -16
    l32e    a0, a1, -12
    s32e    a1, a13, -12
    s32e    a2, a13, -8
    s32e    a3, a13, -4
    s32e    a4, a0, -48
    s32e    a5, a0, -44
    s32e    a6, a0, -40
    s32e    a7, a0, -36
    s32e    a8, a0, -32
    s32e    a9, a0, -28
    s32e    a10, a0, -24
    s32e    a11, a0, -20
    rfwo
    .org    0x140
    l32e    a0, a13, -16
    l32e    a1, a13, -12
    l32e    a2, a13, -8
    l32e    a11, a1, -12
    l32e    a3, a13, -4
    l32e    a4, a11, -48
    l32e    a5, a11, -44
    l32e    a6, a11, -40
    l32e    a7, a11, -36
    l32e    a8, a11, -32
    l32e    a9, a11, -28
    l32e    a10, a11, -24
    l32e    a11, a11, -20
    rfwu
    .org    0x300 /* exceptions of the kernel, then of the user */
    wsr     a0, excsave1
    rsr     a0, exccause
    bnez    a0, 1f
    j       lx60_illegal
1:  j       other_cause
    .org    0x340
    wsr     a0, excsave1
    rsr     a0, exccause
    bnez    a0, 1f
    j       lx60_illegal
1:  j       other_cause
    .org    0x3c0
    wsr     a0, excsave1
    j       double
