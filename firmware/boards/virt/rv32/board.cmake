# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
set(virt ${CMAKE_CURRENT_LIST_DIR}/..)
set(common ${CMAKE_CURRENT_LIST_DIR}/../../common)
set(BOARD_TOOLCHAIN riscv64-unknown-elf)
# No library is built for rv32imc: that of rv32im serves.
set(BOARD_OPTIONS -march=rv32imc -mabi=ilp32 -misa-spec=2.2 --specs=picolibc.specs)
set(BOARD_INCLUDES ${virt} ${common})
set(BOARD_SOURCES
  ${virt}/board.c
  ${virt}/fault.c
  ${virt}/memory.S
  ${virt}/protect.c
  ${virt}/start.c
  ${virt}/trap.S
  ${virt}/uart.c
  ${virt}/virtio_net.c
  ${common}/arguments.c
  ${common}/cfi_flash.c
  ${common}/console.c
  ${common}/ethernet.c
  ${common}/flash.c
  ${common}/panic.c
  ${common}/retained.c
  ${common}/semihost.c)
set(BOARD_LINKER_SCRIPT ${virt}/virt.ld)
set(BOARD_LINK_OPTIONS -nostartfiles)
set(BOARD_FREERTOS_INCLUDES GCC/RISC-V
  GCC/RISC-V/chip_specific_extensions/RISCV_MTIME_CLINT_no_extensions)
set(BOARD_FREERTOS_SOURCES GCC/RISC-V/port.c GCC/RISC-V/portASM.S)
