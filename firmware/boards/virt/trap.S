/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The trap handler: interrupts and yields go to FreeRTOS, faults with all registers to
 * fault_entry().
 */

    .section .text.trap, "ax", @progbits
    .global trap_vectors
    .option norelax
    .option norvc
    .balign 128
trap_vectors:
    j exception
    j exception
    j exception
    j exception
    j exception
    j exception
    j exception
    j freertos_risc_v_mtimer_interrupt_handler /* 7 */
    j exception
    j exception
    j exception
    j freertos_risc_v_interrupt_handler /* 11: external */
    .option rvc

exception:
    csrw mscratch, t0
    csrr t0, mcause
    addi t0, t0, -11 /* ecall: a task yields */
    bnez t0, fault
    csrr t0, mscratch
    j freertos_risc_v_exception_handler

    /* A fault within a fault handler comes here again; fault_entry() detects it. */
fault:
    la t0, fault_registers
    .irp x, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    sw x\x, 4 * \x(t0)
    .endr
    csrr t1, mscratch
    sw t1, 4 * 5(t0)
    csrr t1, mepc
    sw t1, 0(t0)
    la sp, fault_stack_top
    call fault_entry
    la t0, fault_registers
    lw t1, 0(t0)
    csrw mepc, t1
    .irp x, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    lw x\x, 4 * \x(t0)
    .endr
    lw t0, 4 * 5(t0)
    mret

    /* The words that mark an ebreak as a call to the host, in one page and uncompressed. */
    .global semihost_trap
    .option norvc
    .balign 16
semihost_trap:
    slli x0, x0, 0x1f
    ebreak
    srai x0, x0, 7
    ret

    .section .bss.fault, "aw", @nobits
    .global fault_registers
    .balign 16
fault_registers:
    .skip 4 * 32
    .skip 1024
fault_stack_top:
