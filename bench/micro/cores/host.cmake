# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# This machine, with its own compiler; without a linker script.
set(CORE_FLAGS -Dmain=bench_main)
set(CORE_BOARD_FLAGS -Umain)
set(CORE_LINK_FLAGS -static)
set(CORE_BOARD ${CMAKE_CURRENT_SOURCE_DIR}/boards/host)
set(CORE_HOSTED ON)
