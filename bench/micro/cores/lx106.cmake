# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Xtensa LX106, as in an ESP8266: no high word of products, calls without register windows.
set(CORE_FLAGS -mlongcalls -mtext-section-literals --specs=/usr/lib/xtensa-lx106-elf/picolibc.specs)
set(CORE_LINK_FLAGS)
set(CORE_BOARD ${CMAKE_CURRENT_SOURCE_DIR}/boards/sim)
set(CORE_BOARD_SRCS ${CMAKE_CURRENT_SOURCE_DIR}/boards/sim/semihost.c)
set(CORE_EMULATOR qemu-system-xtensa -M sim -cpu lx106 -display none -monitor none -serial none
  -semihosting-config enable=on,target=native -icount shift=7)
