# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# The source lists of the product, for any CMake project: include() this file, add the variables
# you need to your target and put this folder on its include path.

set(WYRM_SRC_DIR ${CMAKE_CURRENT_LIST_DIR})

set(WYRM_CORE_SRCS
  ${WYRM_SRC_DIR}/core/wyrm_cookie.c
  ${WYRM_SRC_DIR}/core/wyrm_device.c
  ${WYRM_SRC_DIR}/core/wyrm_index.c
  ${WYRM_SRC_DIR}/core/wyrm_inner.c
  ${WYRM_SRC_DIR}/core/wyrm_jobs.c
  ${WYRM_SRC_DIR}/core/wyrm_noise.c
  ${WYRM_SRC_DIR}/core/wyrm_peer.c
  ${WYRM_SRC_DIR}/core/wyrm_routes.c
  ${WYRM_SRC_DIR}/core/wyrm_session.c
  ${WYRM_SRC_DIR}/core/wyrm_sleep.c
  ${WYRM_SRC_DIR}/core/wyrm_status.c
  ${WYRM_SRC_DIR}/core/wyrm_time.c
  ${WYRM_SRC_DIR}/core/wyrm_timers.c
  ${WYRM_SRC_DIR}/core/wyrm_transport.c
  ${WYRM_SRC_DIR}/core/wyrm_util.c)

set(WYRM_CRYPTO_SRCS
  ${WYRM_SRC_DIR}/crypto/wyrm_aead.c
  ${WYRM_SRC_DIR}/crypto/wyrm_ct.c
  ${WYRM_SRC_DIR}/crypto/wyrm_kdf.c
  ${WYRM_SRC_DIR}/crypto/wyrm_xaead.c
  ${WYRM_SRC_DIR}/crypto/aarch64/wyrm_chacha_aarch64.c
  ${WYRM_SRC_DIR}/crypto/armv6m/wyrm_blake2s_armv6m.S
  ${WYRM_SRC_DIR}/crypto/armv6m/wyrm_chacha_armv6m.S
  ${WYRM_SRC_DIR}/crypto/armv6m/wyrm_poly1305_armv6m.S
  ${WYRM_SRC_DIR}/crypto/armv7em/wyrm_poly1305_armv7em.S
  ${WYRM_SRC_DIR}/crypto/armv7m/wyrm_blake2s_armv7m.S
  ${WYRM_SRC_DIR}/crypto/armv7m/wyrm_chacha_armv7m.S
  ${WYRM_SRC_DIR}/crypto/armv7m/wyrm_poly1305_armv7m.S
  ${WYRM_SRC_DIR}/crypto/c/wyrm_blake2s.c
  ${WYRM_SRC_DIR}/crypto/c/wyrm_chacha.c
  ${WYRM_SRC_DIR}/crypto/c/wyrm_poly1305.c
  ${WYRM_SRC_DIR}/crypto/c/wyrm_rows.c
  ${WYRM_SRC_DIR}/crypto/c/wyrm_x25519.c
  ${WYRM_SRC_DIR}/crypto/armv7em/wyrm_fe_armv7em.S
  ${WYRM_SRC_DIR}/crypto/armv6m/wyrm_fe_armv6m.S
  ${WYRM_SRC_DIR}/crypto/armv7m/wyrm_fe_armv7m.S
  ${WYRM_SRC_DIR}/crypto/rv32/wyrm_blake2s_rv32.S
  ${WYRM_SRC_DIR}/crypto/rv32/wyrm_chacha_rv32.S
  ${WYRM_SRC_DIR}/crypto/rv32/wyrm_fe_rv32.S
  ${WYRM_SRC_DIR}/crypto/rv32/wyrm_poly1305_rv32.S
  ${WYRM_SRC_DIR}/crypto/x86_64/wyrm_aead_x86_64.c
  ${WYRM_SRC_DIR}/crypto/xtensa/wyrm_blake2s_xtensa.S
  ${WYRM_SRC_DIR}/crypto/xtensa/wyrm_chacha_xtensa.S
  ${WYRM_SRC_DIR}/crypto/xtensa/wyrm_fe_xtensa.S
  ${WYRM_SRC_DIR}/crypto/xtensa/wyrm_poly1305_13_xtensa.S
  ${WYRM_SRC_DIR}/crypto/xtensa/wyrm_poly1305_xtensa.S)

# X25519 and ChaCha20-Poly1305 can come from another library, which the program then links; take one
# of these lists instead. What such a library has not, stays: BLAKE2s; for PSA, HChaCha20 too.
foreach(library IN ITEMS LIBSODIUM MBEDTLS PSA)
  string(TOLOWER ${library} file)
  set(kept "(ct|kdf|xaead|blake2s[a-z0-9_]*)")
  if(library STREQUAL PSA)
    set(kept "(ct|kdf|xaead|rows|(blake2s|chacha|poly1305)[a-z0-9_]*)")
  endif()
  set(WYRM_CRYPTO_${library}_SRCS ${WYRM_CRYPTO_SRCS})
  list(FILTER WYRM_CRYPTO_${library}_SRCS INCLUDE REGEX "/wyrm_${kept}\\.[cS]$")
  list(APPEND WYRM_CRYPTO_${library}_SRCS ${WYRM_SRC_DIR}/crypto/external/wyrm_${file}.c)
endforeach()

set(WYRM_TEXT_SRCS ${WYRM_SRC_DIR}/wyrm_conf.c ${WYRM_SRC_DIR}/wyrm_text.c)
set(WYRM_UAPI_SRCS ${WYRM_SRC_DIR}/wyrm_uapi.c)
set(WYRM_STORE_SRCS ${WYRM_SRC_DIR}/wyrm_store.c)

set(WYRM_LWIP_SRCS
  ${WYRM_SRC_DIR}/port/lwip/wyrm_lwip.c
  ${WYRM_SRC_DIR}/port/lwip/wyrm_lwip_api.c
  ${WYRM_SRC_DIR}/port/lwip/wyrm_lwip_hold.c
  ${WYRM_SRC_DIR}/port/lwip/wyrm_lwip_inner.c
  ${WYRM_SRC_DIR}/port/lwip/wyrm_lwip_netif.c
  ${WYRM_SRC_DIR}/port/lwip/wyrm_lwip_route.c
  ${WYRM_SRC_DIR}/port/lwip/wyrm_lwip_udp.c)
set(WYRM_TUNNEL_SRCS ${WYRM_SRC_DIR}/port/tunnel/wyrm_tunnel.c)
set(WYRM_ESP_IDF_SRCS
  ${WYRM_SRC_DIR}/port/esp_idf/wyrm_esp.c
  ${WYRM_SRC_DIR}/port/esp_idf/wyrm_esp_hooks.c
  ${WYRM_SRC_DIR}/port/esp_idf/wyrm_esp_platform.c)
set(WYRM_FREERTOS_SRCS ${WYRM_SRC_DIR}/port/freertos/wyrm_freertos.c)
