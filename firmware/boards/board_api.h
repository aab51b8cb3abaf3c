/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What a board family gives the application. Everything above this line is portable; everything
 * below it lives in boards/FAMILY. Callable from any task unless said otherwise, from no
 * interrupt.
 */
#ifndef BOARD_API_H
#define BOARD_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lwip/err.h"

struct netif;

/* ---- start ---- */

/** Brings up clock, console and flash. Called once, before the scheduler starts. */
void board_init(void);

const char *board_name(void);
const char *board_description(void);

/**
 * Looks up `name` among the words of the start-up arguments ("name=value" or "name" alone).
 * Returns the value (terminated, "" for a word alone, valid for ever) or NULL.
 */
const char *board_argument(const char *name);

/* ---- time ---- */

/** Device clock since reset in ticks of BOARD_CLOCK_HZ; never steps back, never wraps. */
uint64_t board_clock_ticks(void);

/** The same in microseconds. */
uint64_t board_clock_us(void);

#define BOARD_CLOCK_HZ 25000000u

/* ---- entropy ---- */

/**
 * Fills out[0..len) with cryptographic random bytes. False if the board has no entropy; the buffer
 * is then zeroed and must not be used. May block for the duration of a host call.
 */
bool board_random(void *out, size_t len);

/* ---- console ---- */

/** Writes bytes as they are; blocks while the transmitter is full. */
void board_console_write(const char *text, size_t len);

/** Takes the next received byte, or returns -1 when there is none. */
int board_console_read(void);

/**
 * What to do when bytes arrive faster than they are read. True, while a task reads: make the sender
 * wait, as far as the hardware can, and lose nothing. False, while nobody reads: drop and count
 * everything typed ahead, but still notice Ctrl-C.
 */
void board_console_hold_sender(bool hold);

/**
 * How many bytes were dropped since the last call; *headless says that the last of them did not end
 * a line, so that the beginning of the line to be read next is missing.
 */
uint32_t board_console_dropped(bool *headless);

/** True from a received Ctrl-C until board_console_clear_interrupt(). */
bool board_console_interrupted(void);
void board_console_clear_interrupt(void);

/** The task to notify (index 0) whenever a byte arrives. */
void board_console_set_listener(void *task_handle);

/* ---- persistent flash ---- */

#define BOARD_FLASH_SECTOR 4096u

enum board_flash_part {
    BOARD_FLASH_STORE, /* timestamp mark of the tunnel */
    BOARD_FLASH_CONF,  /* configuration text */
};

/** True when nothing was stored before this boot: the flash came up blank and was formatted. */
bool board_flash_was_blank(void);

/**
 * Flash rules: erase works on whole sectors and leaves 0xff, program only clears bits. Offsets
 * and lengths are bytes within the partition; false (and nothing done) when they leave it or, for
 * erase, are not whole sectors. program is false too when a bit would have to go from 0 to 1.
 */
bool board_flash_read(enum board_flash_part part, size_t offset, void *out, size_t len);
bool board_flash_erase(enum board_flash_part part, size_t offset, size_t len);
bool board_flash_program(enum board_flash_part part, size_t offset, const void *data, size_t len);

/* ---- network ---- */

/** netif_add() initialiser of the board's Ethernet. */
err_t board_netif_init(struct netif *netif);

/** Counters of the Ethernet driver since boot. */
struct board_eth_stats {
    uint32_t rx_frames;
    uint32_t rx_errors;    /* marked bad by the controller */
    uint32_t rx_no_buffer; /* times it waited for a pbuf */
    uint32_t rx_refused;   /* the stack's mailbox was full */
    uint32_t rx_overflow;  /* counted by the controller; the emulated one always says 0 */
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
 * Prints why, the current task and the processor's state by polling, then resets, or does what
 * the start-up argument panic=halt or panic=exit says. Callable from anywhere, interrupts too.
 */
_Noreturn void board_panic(const char *reason, const char *detail, uint32_t value);

#endif
