# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_LIST_DIR}/../mps2.cmake)
set(BOARD_OPTIONS -mcpu=cortex-m33 -mthumb -mfloat-abi=soft)
list(TRANSFORM BOARD_SOURCES REPLACE "/protect\\.c$" "/m33/protect_v8m.c")
list(APPEND BOARD_LINK_OPTIONS
  -Wl,--defsym=code_origin=0x10000000 -Wl,--defsym=data_origin=0x38000000)
set(BOARD_FREERTOS_INCLUDES GCC/ARM_CM33_NTZ/non_secure)
set(BOARD_FREERTOS_SOURCES GCC/ARM_CM33_NTZ/non_secure/port.c
  GCC/ARM_CM33_NTZ/non_secure/portasm.c)
