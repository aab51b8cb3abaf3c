/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initialisation, the device clock, entropy.
 */
#include "board_api.h"

#include <string.h>

#include "cortexm.h"
#include "flash.h"
#include "template.h"

/* Entries of the vector table behind the processor's (cortexm/startup.c): here the chip's interrupt
 * numbers determine the order. */
__attribute__((section(".vectors.irq"), used)) static void (*const interrupts[2])(void) = {
    uart_isr, ethernet_isr};

/* Called once, before the scheduler: clocks and pins, then what the others need. */
void board_init(void)
{
    uart_start();
    flash_start();
}

/* Execute the instruction that sleeps until an interrupt. */
void board_idle(void)
{
    wait_for_interrupt();
}

/* A timer of BOARD_CLOCK_HZ that runs from reset on. Extend a narrow one as boards/mps2/timer.c
 * does: every context switch calls this. */
uint64_t board_clock_ticks(void)
{
    return 0;
}

uint64_t board_clock_us(void)
{
    return board_clock_ticks() / (BOARD_CLOCK_HZ / 1000000u);
}

/* A hardware generator with its self-tests, or nothing: returning false prevents handshakes; weak
 * bytes would make them insecure. */
bool board_random(void *out, size_t len)
{
    memset(out, 0, len);
    return false;
}
