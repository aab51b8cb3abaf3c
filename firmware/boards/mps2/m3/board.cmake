# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_LIST_DIR}/../mps2.cmake)
set(BOARD_OPTIONS -mcpu=cortex-m3 -mthumb)
set(BOARD_FREERTOS_INCLUDES GCC/ARM_CM3)
set(BOARD_FREERTOS_SOURCES GCC/ARM_CM3/port.c)
