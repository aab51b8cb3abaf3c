/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Persistent flash on a chip with the common flash interface and Intel's commands. board.h says
 * where and how wide it is (BOARD_CFI_BASE, BOARD_CFI_WORD), how large its sectors are
 * (BOARD_FLASH_SECTOR), and which is the first that is free (BOARD_CFI_FIRST); seven are used.
 */
#ifndef CFI_FLASH_H
#define CFI_FLASH_H

/** Formats a blank chip. Once, in board_init(). */
void flash_start(void);

#endif
