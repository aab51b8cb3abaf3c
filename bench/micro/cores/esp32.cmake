# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Xtensa LX6, as in an ESP32: MULUH and MULSH, calls with register windows. No core that stock QEMU
# knows has all; the file of the board says how the code runs all the same. The flags are in the
# toolchain file.
set(CORE_FLAGS)
set(CORE_LINK_FLAGS)
set(CORE_BOARD ${CMAKE_CURRENT_SOURCE_DIR}/boards/sim_windowed)
set(CORE_BOARD_SRCS ${CMAKE_CURRENT_SOURCE_DIR}/boards/sim/semihost.c)
set(CORE_BOARD_FLAGS -fno-builtin) # the board brings the memory functions
set(CORE_EMULATOR qemu-system-xtensa -M sim -cpu de212 -display none -monitor none -serial none
  -semihosting-config enable=on,target=native -icount shift=7)
# A thousand X25519 are 200 million emulated MULSHs. The vectors of X25519 run here, and the host
# runs the tests of this field.
set(CORE_CHECKS_TOO_LONG test_x25519)
