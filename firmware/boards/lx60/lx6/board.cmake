# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
set(BOARD_TOOLCHAIN xtensa-lx6-elf)
set(lx60 ${CMAKE_CURRENT_LIST_DIR}/..)
set(common ${CMAKE_CURRENT_LIST_DIR}/../../common)
set(BOARD_INCLUDES ${lx60} ${common})
set(BOARD_SOURCES ${lx60}/arithmetic.c ${lx60}/board.c ${lx60}/fault.c
  ${lx60}/host.c ${lx60}/interrupt.c ${lx60}/memory.S ${lx60}/memory.c ${lx60}/open_eth.c ${lx60}/port.c
  ${lx60}/timer.c ${lx60}/uart.c ${lx60}/vectors.S ${common}/arguments.c ${common}/cfi_flash.c
  ${common}/console.c ${common}/ethernet.c ${common}/flash.c ${common}/panic.c
  ${common}/retained.c)
set(BOARD_TESTS ${CMAKE_CURRENT_LIST_DIR}/../../../../tests/c/firmware/lx60/test_board.c
  ${CMAKE_CURRENT_LIST_DIR}/../../../../tests/c/firmware/lx60/instructions.S)
set(BOARD_LINKER_SCRIPT ${lx60}/lx60.ld)
set(BOARD_LINK_OPTIONS -nostartfiles)
set(BOARD_DEFINITIONS LWIP_NO_CTYPE_H=1)
# The cryptography uses the multiplications that an ESP32 has and the emulated core lacks: see
# vectors.S.
set(BOARD_CRYPTO_OPTIONS -Xclang -target-feature -Xclang +mul32high)
