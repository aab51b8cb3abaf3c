/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * From reset to main(), and the vector table.
 */
#include <stdint.h>

#include "board.h"
#include "cortexm.h"
#include "mps2_private.h"

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[];
extern uint32_t main_stack_top[];

int main(void);
void svc_handler(void);
void pendsv_handler(void);
void systick_handler(void);
_Noreturn void reset_handler(void);

typedef void (*vector)(void);

struct vector_table {
    uint32_t *stack;
    vector core[15];
    vector irq[MPS2_IRQ_COUNT];
};

__attribute__((section(".vectors"), used)) static const struct vector_table vectors = {
    .stack = main_stack_top,
    .core =
        {
            [0] = reset_handler,
            [1] = fault_handler, /* NMI */
            [2] = fault_handler, /* HardFault */
            [3] = fault_handler, /* MemManage */
            [4] = fault_handler, /* BusFault */
            [5] = fault_handler, /* UsageFault */
            [6] = fault_handler, /* SecureFault */
            [10] = svc_handler,
            [11] = fault_handler, /* DebugMonitor */
            [13] = pendsv_handler,
            [14] = systick_handler,
        },
    .irq =
        {
            [MPS2_IRQ_UART0_RX] = uart_rx_isr,
#ifdef MPS2_TIMER1_BASE
            [MPS2_IRQ_TIMER1] = timer1_isr,
#endif
            [MPS2_IRQ_ETHERNET] = ethernet_isr,
        },
};

_Noreturn void reset_handler(void)
{
    const uint32_t *from = data_load;

    timer_start();
    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;

    SCB_CCR |= SCB_CCR_DIV_0_TRP;
    SCB_SHCSR |= SCB_SHCSR_FAULTS_ENABLE;
    (void)main();
    for (;;)
        wait_for_interrupt();
}
