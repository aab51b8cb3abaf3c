# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# Reads the board.cmake of WYRM_BOARD, before project() looks for a compiler. It sets:
#   BOARD_TOOLCHAIN          a file of this folder, without .cmake; CMAKE_TOOLCHAIN_FILE overrides it
#   BOARD_OPTIONS            options of compiler and linker that choose processor and C library
#   BOARD_SOURCES            sources of the board, with their paths
#   BOARD_INCLUDES           folders of headers besides the board's own
#   BOARD_LINKER_SCRIPT, BOARD_LINK_OPTIONS
#   BOARD_FREERTOS_INCLUDES, BOARD_FREERTOS_SOURCES    the kernel's port, in FreeRTOS-Kernel/portable;
#                            empty if BOARD_INCLUDES and BOARD_SOURCES hold a port of the board's own
#   BOARD_DEFINITIONS        macros for all sources, e.g. WYRM_WORKER_STACK_WORDS=768
#   BOARD_CRYPTO_OPTIONS     options for the library's cryptography only
#   BOARD_TESTS              sources of a program that tests the board's own code on the board
# and has beside it board.h, board_freertos.h and board_lwip.h, here or in BOARD_INCLUDES.
file(GLOB board_file CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/../firmware/boards/*/${WYRM_BOARD}/board.cmake)
list(LENGTH board_file board_count)
if(NOT board_count EQUAL 1)
  message(FATAL_ERROR "There is no board '${WYRM_BOARD}'; see firmware/boards.")
endif()
cmake_path(GET board_file PARENT_PATH BOARD_DIR)
include(${board_file})
foreach(needed IN ITEMS BOARD_TOOLCHAIN BOARD_SOURCES BOARD_LINKER_SCRIPT)
  if(NOT ${needed})
    message(FATAL_ERROR "${board_file} does not set ${needed}.")
  endif()
endforeach()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(NOT CMAKE_TOOLCHAIN_FILE)
  set(CMAKE_TOOLCHAIN_FILE ${CMAKE_CURRENT_LIST_DIR}/${BOARD_TOOLCHAIN}.cmake)
endif()
