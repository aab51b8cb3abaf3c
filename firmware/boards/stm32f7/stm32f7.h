/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Registers used by several files of this family (RM0410), and shared declarations.
 */
#ifndef STM32F7_H
#define STM32F7_H

#include <stdint.h>

#include "cortexm.h"

#define RCC(offset) REG32(0x40023800u + (offset))

#define RCC_CR       RCC(0x00)
#define RCC_PLLCFGR  RCC(0x04)
#define RCC_CFGR     RCC(0x08)
#define RCC_AHB1RSTR RCC(0x10)
#define RCC_AHB1ENR  RCC(0x30)
#define RCC_AHB2ENR  RCC(0x34)
#define RCC_APB1ENR  RCC(0x40)
#define RCC_APB2ENR  RCC(0x44)

#define FLASH(offset) REG32(0x40023c00u + (offset))

#define IRQ_USART3   39u
#define IRQ_ETHERNET 61u
#define IRQ_COUNT    110u

enum port { PORT_A, PORT_B, PORT_C, PORT_D, PORT_G = 6 };

/** Assigns a pin to a peripheral, at the highest speed. */
void pin_use(enum port port, unsigned pin, uint32_t function);

void uart_start(void);

/* Interrupt entries of the vector table */
void usart3_isr(void);
void ethernet_isr(void);

#endif
