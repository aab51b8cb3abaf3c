# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Cortex-M33.
set(CORE_FLAGS -mcpu=cortex-m33 -mthumb -mfloat-abi=soft -DTIMER_BASE=0x50000000 -DTICK_NS=50)
set(CORE_LINK_FLAGS -Wl,--defsym,code_origin=0x10000000,--defsym,data_origin=0x38000000)
set(CORE_BOARD ${CMAKE_CURRENT_SOURCE_DIR}/boards/mps2)
set(CORE_EMULATOR qemu-system-arm -M mps2-an505 -display none -monitor none -serial none
  -icount shift=6,sleep=off -semihosting-config enable=on,target=native)
