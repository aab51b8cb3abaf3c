# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# 64-bit Arm under Linux, in QEMU's user mode: for the checks; nothing counts its instructions.
set(CORE_FLAGS -Dmain=bench_main)
set(CORE_BOARD_FLAGS -Umain)
set(CORE_LINK_FLAGS -static)
set(CORE_BOARD ${CMAKE_CURRENT_SOURCE_DIR}/boards/host)
set(CORE_HOSTED ON)
set(CORE_EMULATOR qemu-aarch64)
