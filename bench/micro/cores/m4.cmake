# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Cortex-M4.
set(CORE_FLAGS -mcpu=cortex-m4 -mthumb -mfloat-abi=soft)
set(CORE_LINK_FLAGS)
set(CORE_BOARD ${CMAKE_CURRENT_SOURCE_DIR}/boards/mps2)
set(CORE_EMULATOR qemu-system-arm -M mps2-an386 -display none -monitor none -serial none
  -icount shift=6,sleep=off -semihosting-config enable=on,target=native)
