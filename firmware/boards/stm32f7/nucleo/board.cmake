# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
set(family ${CMAKE_CURRENT_LIST_DIR}/..)
set(common ${CMAKE_CURRENT_LIST_DIR}/../../common)
set(cortexm ${CMAKE_CURRENT_LIST_DIR}/../../cortexm)
set(BOARD_TOOLCHAIN arm-none-eabi)
set(BOARD_OPTIONS -mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard)
set(BOARD_INCLUDES ${family} ${common} ${cortexm})
set(BOARD_SOURCES
  ${family}/board.c
  ${family}/eth.c
  ${family}/sector_flash.c
  ${family}/usart.c
  ${cortexm}/fault.c
  ${cortexm}/startup.c
  ${common}/console.c
  ${common}/ethernet.c
  ${common}/flash.c
  ${common}/no_host.c
  ${common}/no_retained.c
  ${common}/panic.c)
set(BOARD_LINKER_SCRIPT ${family}/stm32f767.ld)
set(BOARD_LINK_OPTIONS -nostartfiles --specs=nano.specs)
set(BOARD_FREERTOS_INCLUDES GCC/ARM_CM7/r0p1)
set(BOARD_FREERTOS_SOURCES GCC/ARM_CM7/r0p1/port.c)
