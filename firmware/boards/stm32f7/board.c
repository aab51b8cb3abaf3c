/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Clocks, pins, the device clock (TIM2) and the random number generator.
 */
#include "board_api.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "flash.h"
#include "stm32f7.h"

#define FLASH_ACR          FLASH(0x00)
#define PWR_CR1            REG32(0x40007000u)
#define PWR_CSR1           REG32(0x40007004u)
#define TIM2(offset)       REG32(0x40000000u + (offset))
#define TIM2_CR1           TIM2(0x00)
#define TIM2_EGR           TIM2(0x14)
#define TIM2_CNT           TIM2(0x24)
#define TIM2_PSC           TIM2(0x28)
#define RNG_CR             REG32(0x50060800u)
#define RNG_SR             REG32(0x50060804u)
#define RNG_DR             REG32(0x50060808u)
#define GPIO(port, offset) REG32(0x40020000u + 0x400u * (port) + (offset))
#define GPIO_MODE          0x00u
#define GPIO_SPEED         0x08u
#define GPIO_AF            0x20u

#define HSE_BYPASS_ON (1u << 18 | 1u << 16)
#define HSE_READY     (1u << 17)
#define PLL_ON        (1u << 24)
#define PLL_READY     (1u << 25)
#define PWR_SCALE_1   (3u << 14)
#define OVERDRIVE     (1u << 16)
#define OVERDRIVE_USE (1u << 17)
/* 8 MHz from the debugger: / 4 * 216 / 2 = 216 MHz; / 9 = 48 MHz for the random number generator */
#define PLL_CONFIG   (9u << 24 | 1u << 22 | 0u << 16 | 216u << 6 | 4u)
#define BUS_DIVIDERS (4u << 13 | 5u << 10) /* APB2 / 2, APB1 / 4 */
#define USE_PLL      2u
#define WAIT_STATES  7u
#define ART_PREFETCH (1u << 9 | 1u << 8)

#define ENABLE_PWR    (1u << 28)
#define ENABLE_TIM2   (1u << 0)
#define ENABLE_USART3 (1u << 18)
#define ENABLE_RNG    (1u << 6)
#define ENABLE_SYSCFG (1u << 14)
#define ENABLE_PORTS  (1u << PORT_A | 1u << PORT_B | 1u << PORT_C | 1u << PORT_D | 1u << PORT_G)

#define RNG_ON    (1u << 2)
#define RNG_READY 1u
#define RNG_FAULTS                                                                                 \
    (1u << 6 | 1u << 5 | 1u << 2 | 1u << 1) /* seed and clock errors, current or                   \
latched */
#define RNG_TRIES 1000u

/* Entries of the vector table behind the processor's (cortexm/startup.c) */
__attribute__((section(".vectors.irq"), used)) static void (*const interrupts[IRQ_COUNT])(void) = {
    [IRQ_USART3] = usart3_isr, [IRQ_ETHERNET] = ethernet_isr};

static void wait_for(volatile uint32_t *reg, uint32_t bits)
{
    while ((*reg & bits) != bits)
        continue;
}

static void start_clocks(void)
{
    RCC_APB1ENR |= ENABLE_PWR | ENABLE_TIM2 | ENABLE_USART3;
    RCC_CR |= HSE_BYPASS_ON;
    wait_for(&RCC_CR, HSE_READY);
    PWR_CR1 |= PWR_SCALE_1;
    RCC_PLLCFGR = PLL_CONFIG;
    RCC_CR |= PLL_ON;
    wait_for(&RCC_CR, PLL_READY);
    PWR_CR1 |= OVERDRIVE;
    wait_for(&PWR_CSR1, OVERDRIVE);
    PWR_CR1 |= OVERDRIVE_USE;
    wait_for(&PWR_CSR1, OVERDRIVE_USE);
    FLASH_ACR = ART_PREFETCH | WAIT_STATES;
    RCC_CFGR = BUS_DIVIDERS;
    RCC_CFGR |= USE_PLL;
    wait_for(&RCC_CFGR, USE_PLL << 2);

    RCC_AHB1ENR |= ENABLE_PORTS;
    RCC_AHB2ENR |= ENABLE_RNG;
    RCC_APB2ENR |= ENABLE_SYSCFG;
}

void pin_use(enum port port, unsigned pin, uint32_t function)
{
    volatile uint32_t *const alternate = &GPIO(port, GPIO_AF + pin / 8 * 4);

    *alternate = (*alternate & ~(15u << pin % 8 * 4)) | function << pin % 8 * 4;
    GPIO(port, GPIO_SPEED) |= 3u << 2 * pin;
    GPIO(port, GPIO_MODE) = (GPIO(port, GPIO_MODE) & ~(3u << 2 * pin)) | 2u << 2 * pin;
}

void board_init(void)
{
    start_clocks();
    TIM2_PSC = 2u * BOARD_APB1_HZ / BOARD_CLOCK_HZ - 1;
    TIM2_EGR = 1; /* applies the prescaler */
    TIM2_CR1 = 1;
    RNG_CR = RNG_ON;
    uart_start();
    flash_start();
}

void board_idle(void)
{
    wait_for_interrupt();
}

/* Wraps after 71 minutes; every context switch reads it, so that no wrap is missed. */
uint64_t board_clock_ticks(void)
{
    static uint32_t high, last;
    uint32_t state = irq_save(), low = TIM2_CNT;
    uint64_t ticks;

    if (low < last)
        high++;
    last = low;
    ticks = (uint64_t)high << 32 | low;
    irq_restore(state);
    return ticks;
}

uint64_t board_clock_us(void)
{
    return board_clock_ticks();
}

/* The hardware never repeats a value and stops on a bad seed. */
static bool next_random(uint32_t *out)
{
    for (unsigned tries = 0; tries < RNG_TRIES; tries++) {
        uint32_t status = RNG_SR;

        if (status & RNG_FAULTS)
            break;
        if (status & RNG_READY) {
            *out = RNG_DR;
            return *out != 0;
        }
    }
    RNG_SR = 0; /* and restart for the next call */
    RNG_CR = 0;
    RNG_CR = RNG_ON;
    return false;
}

bool board_random(void *out, size_t len)
{
    uint8_t *to = out;
    bool good = true;

    for (size_t done = 0; done < len && good;) {
        uint32_t value = 0;
        size_t part = len - done < sizeof value ? len - done : sizeof value;

        taskENTER_CRITICAL();
        good = next_random(&value);
        taskEXIT_CRITICAL();
        memcpy(to + done, &value, part);
        done += part;
    }
    if (!good)
        memset(out, 0, len);
    return good;
}
