/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The interface between the portable application in app/ and the board code in boards/FAMILY: these
 * functions, and the numbers in the board's board.h. Functions may be called from any task, but not
 * from interrupts, unless stated otherwise.
 */
#ifndef BOARD_API_H
#define BOARD_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lwip/err.h"

#include "board.h"

struct netif;

/* ---- start ---- */

/** Brings up clock, console and flash. Called once, before the scheduler starts. */
void board_init(void);

/**
 * Looks up `name` in the start-up arguments, which are words "name=value" or "name". Returns the
 * value, a string that stays valid ("" for a word without value), or NULL.
 */
const char *board_argument(const char *name);

/* ---- time ---- */

/** Device clock since reset in ticks of BOARD_CLOCK_HZ; never steps back, never wraps. */
uint64_t board_clock_ticks(void);

/** The device clock in microseconds. */
uint64_t board_clock_us(void);

/** Sleeps until an interrupt. The idle task calls this in a loop. */
void board_idle(void);

/* ---- entropy ---- */

/**
 * Fills out[0..len) with cryptographic random bytes. False if the board has no entropy; the buffer
 * is then zeroed and must not be used. May block for the duration of a host call.
 */
bool board_random(void *out, size_t len);

/* ---- console ---- */

/** Writes raw bytes; blocks while the transmitter is full. */
void board_console_write(const char *text, size_t len);

/** Takes the next received byte, or returns -1 when there is none. */
int board_console_read(void);

/**
 * Decides what happens when the receive buffer is full. True, while a task is reading: hold the
 * sender back if the hardware can, and lose nothing. False, while none is: drop and count all
 * buffered and further bytes, but still detect Ctrl-C.
 */
void board_console_hold_sender(bool hold);

/**
 * Returns the number of bytes dropped since the last call. *headless is set if the last of them did
 * not end a line: the next line read then lacks its beginning.
 */
uint32_t board_console_dropped(bool *headless);

/** True from a received Ctrl-C until board_console_clear_interrupt(). */
bool board_console_interrupted(void);
void board_console_clear_interrupt(void);

/** The task to notify (index 0) whenever a byte arrives. */
void board_console_set_listener(void *task_handle);

/* ---- persistent flash ---- */

enum board_flash_part {
    BOARD_FLASH_STORE, /* timestamp mark of the tunnel */
    BOARD_FLASH_CONF,  /* configuration text */
};

/** True if the flash was blank at this boot and has been formatted. */
bool board_flash_was_blank(void);

/**
 * The rules of NOR flash: erasing sets whole sectors of BOARD_FLASH_SECTOR bytes to 0xff,
 * programming only clears bits. Offsets and lengths are in bytes within the partition. Returns
 * false, and changes nothing, if they leave the partition, if erase is not given whole sectors, or
 * if program would have to set a bit.
 */
bool board_flash_read(enum board_flash_part part, size_t offset, void *out, size_t len);
bool board_flash_erase(enum board_flash_part part, size_t offset, size_t len);
bool board_flash_program(enum board_flash_part part, size_t offset, const void *data, size_t len);

/* ---- deep sleep ---- */

/**
 * RAM that nothing else uses and that keeps its content from board_deep_sleep() until after the
 * reset that ends the sleep; *size in bytes, aligned for any type. NULL: the board has none. It
 * must be real RAM, never a copy in flash. After power-on its content is arbitrary.
 */
void *board_retained(size_t *size);

/**
 * How long the sleep lasted that has ended with this boot, in ms, rounded up by the error of the
 * clock that measured it, too. UINT32_MAX: no sleep has, or it is unknown how long it was. Called
 * once in a boot; after a reset of any other cause the answer is UINT32_MAX.
 */
uint32_t board_slept_ms(void);

/** Writes back data caches over the retained RAM, turns off everything else and resets the board
 * after `ms`. Called with the network down. */
_Noreturn void board_deep_sleep(uint32_t ms);

/* ---- network ---- */

/** netif_add() initialiser of the board's Ethernet. */
err_t board_netif_init(struct netif *netif);

/** Counters of the Ethernet driver since boot. */
struct board_eth_stats {
    uint32_t rx_frames;
    uint32_t rx_errors;    /* marked bad by the controller */
    uint32_t rx_no_buffer; /* waits for a free pbuf */
    uint32_t rx_refused;   /* the stack's mailbox was full */
    uint32_t rx_overflow;  /* counted by the controller, where it can */
    uint32_t rx_interrupts;
    uint32_t tx_frames;
    uint32_t tx_errors; /* reported by the controller */
    uint32_t tx_busy;   /* no room in the controller's FIFO */
};
void board_eth_stats(struct board_eth_stats *out);

/* ---- end ---- */

/** Resets the board. */
_Noreturn void board_reboot(void);

/**
 * Prints the reason, the current task and the processor's state by polling, then resets the board,
 * or halts it or ends the emulator (start-up arguments panic=halt, panic=exit). May be called from
 * anywhere, including interrupts.
 */
_Noreturn void board_panic(const char *reason, const char *detail, uint32_t value);

#endif
