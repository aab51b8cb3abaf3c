# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# The library as a component of ESP-IDF, included by the CMakeLists.txt above.
include(${CMAKE_CURRENT_LIST_DIR}/../src/wyrm_sources.cmake)

idf_component_register(
  SRCS ${WYRM_CORE_SRCS} ${WYRM_CRYPTO_SRCS} ${WYRM_TEXT_SRCS} ${WYRM_STORE_SRCS} ${WYRM_LWIP_SRCS}
    ${WYRM_TUNNEL_SRCS} ${WYRM_ESP_IDF_SRCS}
  INCLUDE_DIRS src
  REQUIRES lwip esp_event
  PRIV_REQUIRES console nvs_flash)
set(definitions WYRM_PORT_LWIP=1 "WYRM_USER_CONFIG_FILE=\"wyrm_kconfig.h\"")
target_compile_definitions(${COMPONENT_LIB} PUBLIC ${definitions})

# Routing by allowed prefixes, in front of ESP-IDF's and the application's own hooks. lwIP is compiled
# with our header; it finds the functions when everything is linked.
idf_component_get_property(lwip lwip COMPONENT_LIB)
target_include_directories(${lwip} PRIVATE ${WYRM_SRC_DIR} ${WYRM_SRC_DIR}/port/esp_idf)
target_compile_definitions(${lwip} PRIVATE ${definitions}
  "ESP_IDF_LWIP_HOOK_FILENAME=\"wyrm_esp_hooks.h\"")
if(CONFIG_LWIP_IPV6)
  target_link_options(${COMPONENT_LIB} INTERFACE
    -Wl,--wrap=lwip_hook_ip6_route -Wl,--wrap=lwip_hook_ip6_input
    -Wl,--undefined=wyrm_lwip_from_netif)
endif()
