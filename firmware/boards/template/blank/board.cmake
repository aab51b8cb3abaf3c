# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Copy boards/template to boards/FAMILY, and blank/ in it to the name of the board. cmake/board.cmake
# lists all variables. What several families share is in boards/common; a driver that the new board
# shares with another belongs there, too.
set(family ${CMAKE_CURRENT_LIST_DIR}/..)
set(common ${CMAKE_CURRENT_LIST_DIR}/../../common)
set(cortexm ${CMAKE_CURRENT_LIST_DIR}/../../cortexm) # not on other architectures
set(BOARD_TOOLCHAIN arm-none-eabi)
set(BOARD_OPTIONS -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard)
set(BOARD_INCLUDES ${family} ${common} ${cortexm})
set(BOARD_SOURCES
  ${family}/board.c
  ${family}/chip.c
  ${family}/eth.c
  ${family}/uart.c
  ${cortexm}/fault.c
  ${cortexm}/startup.c
  ${common}/console.c
  ${common}/ethernet.c
  ${common}/flash.c
  ${common}/no_host.c # or arguments.c and semihost.c, in an emulator
  ${common}/no_retained.c
  ${common}/panic.c)
set(BOARD_LINKER_SCRIPT ${family}/template.ld)
set(BOARD_LINK_OPTIONS -nostartfiles --specs=nano.specs)
set(BOARD_FREERTOS_INCLUDES GCC/ARM_CM4F)
set(BOARD_FREERTOS_SOURCES GCC/ARM_CM4F/port.c)
