# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_LIST_DIR}/../mps2.cmake)
set(BOARD_OPTIONS -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard)
set(BOARD_FREERTOS_INCLUDES GCC/ARM_CM4F)
set(BOARD_FREERTOS_SOURCES GCC/ARM_CM4F/port.c)
