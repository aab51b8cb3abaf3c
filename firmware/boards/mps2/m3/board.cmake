# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT

set(BOARD_FAMILY mps2)
set(BOARD_CPU_FLAGS -mcpu=cortex-m3 -mthumb)
set(BOARD_FREERTOS_PORT GCC/ARM_CM3)
