# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Toolchain file: code as an ESP32 (Xtensa LX6) runs it, by Clang 22, which has no linker for Xtensa;
# that of the LX106 knows the same file format.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR xtensa)
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_ASM_COMPILER clang-22)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# The options of that processor as the compiler knows them, but for hardware loops. Assembly takes
# the same ones, called differently. A file that includes this one may name more in XTENSA_OPTIONS,
# and in XTENSA_ASSEMBLER_OPTIONS those for assembly only.
set(common "-DWYRM_XTENSA_WINDOWED=1 -DWYRM_XTENSA_MULUH=1")
set(assemble "--target=xtensa-unknown-elf")
set(CMAKE_C_FLAGS_INIT
  "--target=xtensa-unknown-elf ${common} -fomit-frame-pointer -isystem /usr/lib/xtensa-lx106-elf/include")
foreach(option
    density div32 exception mac16 minmax mul16 mul32 mul32high nsa sext timers3 windowed
    ${XTENSA_OPTIONS})
  string(APPEND CMAKE_C_FLAGS_INIT " -Xclang -target-feature -Xclang +${option}")
  string(APPEND assemble " -Xclangas -target-feature -Xclangas +${option}")
endforeach()
foreach(option ${XTENSA_ASSEMBLER_OPTIONS})
  string(APPEND assemble " -Xclangas -target-feature -Xclangas +${option}")
endforeach()
set(CMAKE_ASM_FLAGS_INIT "${common} ${assemble}")

set(CMAKE_C_COMPILE_OBJECT
  "<CMAKE_C_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -S <SOURCE> -o <OBJECT>.s"
  "sed -E -i -f ${CMAKE_CURRENT_LIST_DIR}/xtensa-literals.sed <OBJECT>.s"
  "<CMAKE_C_COMPILER> ${assemble} -c <OBJECT>.s -o <OBJECT>")
set(CMAKE_C_LINK_EXECUTABLE
  "xtensa-lx106-elf-gcc -nostdlib -Wl,--no-relax,-z,noexecstack,--no-warn-rwx-segments <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
