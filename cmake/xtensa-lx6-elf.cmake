# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Toolchain file: as xtensa-esp32-elf, with what an operating system needs, for an emulated LX6 that
# lacks MULUH and MULSH. The compiler may not use them: it would divide by constants with them, and
# an exception has to emulate each. The board gives them back to the cryptography.
set(XTENSA_OPTIONS interrupt rvector)
set(XTENSA_ASSEMBLER_OPTIONS loop)
include(${CMAKE_CURRENT_LIST_DIR}/xtensa-esp32-elf.cmake)
string(APPEND CMAKE_C_FLAGS_INIT " -Xclang -target-feature -Xclang -mul32high")
