# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_LIST_DIR}/../mps2.cmake)
set(BOARD_OPTIONS -mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard)
set(BOARD_FREERTOS_INCLUDES GCC/ARM_CM7/r0p1)
set(BOARD_FREERTOS_SOURCES GCC/ARM_CM7/r0p1/port.c)
