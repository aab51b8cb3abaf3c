# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# The library as a CMake package. In the tree and after find_package(wyrmling) there are the same
# targets:
#
#   wyrmling::core      static: protocol, cryptography, store, text; needs only mem* functions
#   wyrmling::lwip      sources, compiled with the lwipopts.h of the target that links it
#   wyrmling::tunnel    sources: wyrm_tunnel.h; brings wyrmling::lwip
#   wyrmling::freertos  sources, compiled with its FreeRTOSConfig.h; brings wyrmling::lwip
#
# WYRM_DEFINITIONS sets options of docs/options.md (WYRM_IPV6=0;WYRM_RESPONDER=0); all targets and
# what links them are compiled with them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

option(WYRM_INSTALL "Install the package with this project" ${PROJECT_IS_TOP_LEVEL})
set(WYRM_DEFINITIONS "" CACHE STRING "Options of the library, as NAME=VALUE;NAME=VALUE")

set_target_properties(wyrm PROPERTIES EXPORT_NAME core)
target_compile_definitions(wyrm PUBLIC ${WYRM_DEFINITIONS})
add_library(wyrmling::core ALIAS wyrm)

# The same function makes the targets of the installed package, from the installed sources.
include(${CMAKE_CURRENT_LIST_DIR}/package/wyrmlingPorts.cmake)
wyrmling_add_port(lwip wyrm WYRM_PORT_LWIP ${WYRM_LWIP_SRCS})
wyrmling_add_port(tunnel wyrmling::lwip WYRM_PORT_LWIP ${WYRM_TUNNEL_SRCS})
wyrmling_add_port(freertos wyrmling::lwip WYRM_PORT_FREERTOS ${WYRM_FREERTOS_SRCS})

if(NOT WYRM_INSTALL)
  return()
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/wyrmling)
set(ports ${CMAKE_INSTALL_DATADIR}/wyrmling)
file(GLOB public_headers CONFIGURE_DEPENDS ${WYRM_SRC_DIR}/wyrm*.h)
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wyrmling
  COMPONENT wyrmling)
install(TARGETS wyrm EXPORT wyrmling ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT wyrmling INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wyrmling)
install(EXPORT wyrmling NAMESPACE wyrmling:: FILE wyrmlingTargets.cmake DESTINATION ${package}
  COMPONENT wyrmling)
install(DIRECTORY ${WYRM_SRC_DIR}/port/lwip ${WYRM_SRC_DIR}/port/freertos
  ${WYRM_SRC_DIR}/port/tunnel
  DESTINATION ${ports}/port COMPONENT wyrmling)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/package/wyrmlingConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/wyrmlingConfig.cmake INSTALL_DESTINATION ${package}
  PATH_VARS ports NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the interface. The library is for one machine, so
# CMake's check of the pointer size stays.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/wyrmlingConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wyrmlingConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/wyrmlingConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/package/wyrmlingPorts.cmake
  DESTINATION ${package} COMPONENT wyrmling)

list(TRANSFORM WYRM_DEFINITIONS PREPEND " -D" OUTPUT_VARIABLE pc_definitions)
list(JOIN pc_definitions "" pc_definitions)
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/wyrmling.pc.in
  ${CMAKE_CURRENT_BINARY_DIR}/wyrmling.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wyrmling.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT wyrmling)
