# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# What all boards of the family share.
set(BOARD_TOOLCHAIN arm-none-eabi)
set(BOARD_INCLUDES ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/../cortexm
  ${CMAKE_CURRENT_LIST_DIR}/../common)
set(BOARD_SOURCES board.c psram_flash.c lan9118.c protect.c sleep.c startup.c timer.c uart.c
  ../cortexm/fault.c
  ../common/arguments.c ../common/console.c ../common/ethernet.c ../common/flash.c ../common/panic.c
  ../common/retained.c ../common/semihost.c)
list(TRANSFORM BOARD_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
set(BOARD_LINKER_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/mps2.ld)
set(BOARD_LINK_OPTIONS -nostartfiles --specs=nano.specs)
