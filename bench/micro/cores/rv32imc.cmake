# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# RV32IMC; the compiler is riscv64-unknown-elf-gcc with picolibc.
set(CORE_FLAGS -march=rv32imc -mabi=ilp32 -misa-spec=2.2 --specs=picolibc.specs)
set(CORE_LINK_FLAGS)
set(CORE_BOARD ${CMAKE_CURRENT_SOURCE_DIR}/boards/virt)
set(CORE_EMULATOR qemu-system-riscv32 -M virt -bios none -display none -monitor none -serial stdio
  -icount shift=0)
