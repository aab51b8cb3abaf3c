/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * From reset to main(), and from an interrupt to its handler.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "lx60_private.h"

extern uint32_t lx60_bss_start[], lx60_bss_end[];

int main(void);
_Noreturn void lx60_start(void);
uint32_t lx60_interrupt(void);

/* Called on reset: the emulator has loaded code and data. */
_Noreturn void lx60_start(void)
{
    for (uint32_t *at = lx60_bss_start; at < lx60_bss_end; at++)
        *at = 0;
    timer_start();
    (void)main();
    for (;;)
        __asm volatile("waiti 0");
}

/* Called on an interrupt, with the others masked: whether to switch tasks. */
uint32_t lx60_interrupt(void)
{
    uint32_t pending, enabled;

    port_switch_wanted = 0;
    __asm volatile("rsr %0, interrupt" : "=r"(pending));
    __asm volatile("rsr %0, intenable" : "=r"(enabled));
    pending &= enabled;
    if (pending & 1u << LX60_IRQ_ETHERNET)
        ethernet_isr();
    if (pending & 1u << LX60_IRQ_UART)
        uart_isr();
    if (pending & 1u << LX60_IRQ_TIMER)
        port_tick();
    return port_switch_wanted;
}
