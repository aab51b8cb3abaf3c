/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The processor's part of the vector table, and from reset to main(). The linker script places the
 * family's interrupt vectors (section .vectors.irq) after it.
 */
#include "cortexm.h"

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], main_stack_top[];

int main(void);
void svc_handler(void);
void pendsv_handler(void);
void systick_handler(void);
_Noreturn void reset_handler(void);

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*core[15])(void);
} vectors = {
    main_stack_top,
    {[0] = reset_handler,
     [1] = fault_handler,
     [2] = fault_handler,
     [3] = fault_handler,
     [4] = fault_handler,
     [5] = fault_handler,
     [10] = svc_handler,
     [11] = fault_handler,
     [13] = pendsv_handler,
     [14] = systick_handler},
};

_Noreturn void reset_handler(void)
{
    for (uint32_t *from = data_load, *to = data_start; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    SCB_SHCSR |= SCB_SHCSR_FAULTS_ENABLE;
    SCB_CCR |= SCB_CCR_DIV_0_TRP;
    (void)main();
    for (;;)
        wait_for_interrupt();
}
