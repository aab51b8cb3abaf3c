/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Memory map and interrupts of the machine, and interfaces between the files of this family.
 */
#ifndef VIRT_H
#define VIRT_H

#include <stdbool.h>
#include <stdint.h>

#define REG32(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define VIRT_BOOT_ROM    0x00001000u
#define VIRT_TEST_BASE   0x00100000u
#define VIRT_PLIC_BASE   0x0c000000u
#define VIRT_UART_BASE   0x10000000u
#define VIRT_VIRTIO_BASE 0x10001000u
#define VIRT_VIRTIO_STEP 0x00001000u
#define VIRT_VIRTIO_MAX  8u

#define VIRT_IRQ_VIRTIO 1u /* of the first slot; the others follow */
#define VIRT_IRQ_UART   10u

#define CSR_READ(name)                                                                             \
    __extension__({                                                                                \
        uint32_t value_;                                                                           \
        __asm volatile("csrr %0, " name : "=r"(value_));                                           \
        value_;                                                                                    \
    })
#define CSR_WRITE(name, value) __asm volatile("csrw " name ", %0" : : "r"(value) : "memory")

void protect_memory(void);
void uart_start(void);

/** Routes an interrupt to this core. */
void irq_enable(uint32_t irq);

/* Called with interrupts masked, on the interrupt stack */
void uart_isr(void);
void ethernet_isr(void);

/* trap.S */
void trap_vectors(void);
extern uint32_t fault_registers[32]; /* mepc in place of x0 */

#endif
