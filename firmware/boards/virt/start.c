/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * From reset to main(), and from an interrupt to its handler.
 */
#include <stdint.h>

#include "FreeRTOS.h"

#include "virt.h"

#define PLIC_PRIORITY(irq) REG32(VIRT_PLIC_BASE + 4u * (irq))
#define PLIC_ENABLE(irq)   REG32(VIRT_PLIC_BASE + 0x2000u + (irq) / 32u * 4u)
#define PLIC_THRESHOLD     REG32(VIRT_PLIC_BASE + 0x200000u)
#define PLIC_CLAIM         REG32(VIRT_PLIC_BASE + 0x200004u)

#define MTVEC_VECTORED 1u

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[];

int main(void);
void start(void);
_Noreturn void start_c(void);
void freertos_risc_v_application_interrupt_handler(uint32_t cause);

__attribute__((naked, section(".start"))) void start(void)
{
    __asm volatile(".option push\n"
                   ".option norelax\n"
                   "la gp, __global_pointer$\n"
                   ".option pop\n"
                   "la tp, thread_start\n"
                   "la sp, __freertos_irq_stack_top\n"
                   "j start_c\n");
}

__attribute__((used)) _Noreturn void start_c(void)
{
    const uint32_t *from = data_load;

    CSR_WRITE("mtvec", (uintptr_t)trap_vectors | MTVEC_VECTORED);
    CSR_WRITE("mie", 0);
    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    PLIC_THRESHOLD = 0;
    (void)main();
    for (;;)
        __asm volatile("wfi");
}

void irq_enable(uint32_t irq)
{
    PLIC_PRIORITY(irq) = 1;
    PLIC_ENABLE(irq) |= 1u << irq % 32u;
}

/* FreeRTOS calls this for all interrupts except the tick: external ones. */
void freertos_risc_v_application_interrupt_handler(uint32_t cause)
{
    uint32_t irq;

    (void)cause;
    while ((irq = PLIC_CLAIM) != 0) {
        if (irq == VIRT_IRQ_UART)
            uart_isr();
        else
            ethernet_isr();
        PLIC_CLAIM = irq;
    }
}
