# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# With WYRM_BENCH_LIBRARY the same images run on the cryptography of others: `product` gets theirs in
# place of ours (the hash stays), and `library` is the target that holds their own source.
set(WYRM_BENCH_RIVALS "" CACHE PATH "Folder holding bearssl/, libsodium/, monocypher/, wolfssl/")
set(WYRM_MBEDTLS "" CACHE PATH "Folder holding mbedtls/")
set(rivals ${WYRM_BENCH_RIVALS})
set(here ${CMAKE_CURRENT_LIST_DIR})

set(product ${WYRM_CRYPTO_PSA_SRCS})
list(FILTER product EXCLUDE REGEX "/external/")
list(APPEND product ${here}/${WYRM_BENCH_LIBRARY}.c)

if(WYRM_BENCH_LIBRARY STREQUAL "bearssl")
  set(includes ${rivals}/bearssl/inc)
  set(private_includes ${rivals}/bearssl/src)
  file(GLOB sources ${rivals}/bearssl/src/ec/ec_c25519_*.c ${rivals}/bearssl/src/int/i*.c
    ${rivals}/bearssl/src/codec/*.c)
  list(APPEND sources ${rivals}/bearssl/src/symcipher/chacha20_ct.c
    ${rivals}/bearssl/src/symcipher/poly1305_ctmul.c
    ${rivals}/bearssl/src/symcipher/poly1305_ctmul32.c)
elseif(WYRM_BENCH_LIBRARY STREQUAL "monocypher")
  set(includes ${rivals}/monocypher/src)
  set(sources ${rivals}/monocypher/src/monocypher.c)
elseif(WYRM_BENCH_LIBRARY STREQUAL "wolfssl")
  set(includes ${rivals}/wolfssl ${here})
  set(definitions WOLFSSL_USER_SETTINGS)
  foreach(name IN ITEMS chacha chacha20_poly1305 fe_operations poly1305)
    list(APPEND sources ${rivals}/wolfssl/wolfcrypt/src/${name}.c)
  endforeach()
  foreach(name IN ITEMS chacha-asm curve25519 poly1305-asm)
    list(APPEND sources ${rivals}/wolfssl/wolfcrypt/src/port/arm/thumb2-${name}.S)
  endforeach()
elseif(WYRM_BENCH_LIBRARY STREQUAL "libsodium")
  set(product ${WYRM_CRYPTO_LIBSODIUM_SRCS} ${here}/libsodium.c)
  set(sodium ${rivals}/libsodium/src/libsodium)
  set(SODIUM_INCLUDE ${CMAKE_CURRENT_BINARY_DIR}/include)
  # Its configure script would write this one.
  file(CONFIGURE OUTPUT ${SODIUM_INCLUDE}/sodium/version.h CONTENT
    "#define SODIUM_VERSION_STRING \"\"\n#define SODIUM_LIBRARY_MINIMAL 1\n")
  set(includes ${sodium}/include ${sodium}/include/sodium ${SODIUM_INCLUDE})
  set(definitions SODIUM_STATIC CONFIGURED=1)
  foreach(name IN ITEMS
      crypto_aead/chacha20poly1305/aead_chacha20poly1305 crypto_core/ed25519/ref10/ed25519_ref10
      crypto_core/hchacha20/core_hchacha20 crypto_onetimeauth/poly1305/donna/poly1305_donna
      crypto_onetimeauth/poly1305/onetimeauth_poly1305
      crypto_scalarmult/curve25519/ref10/x25519_ref10
      crypto_scalarmult/curve25519/scalarmult_curve25519
      crypto_stream/chacha20/ref/chacha20_ref crypto_stream/chacha20/stream_chacha20
      crypto_verify/verify)
    list(APPEND sources ${sodium}/${name}.c)
  endforeach()
elseif(WYRM_BENCH_LIBRARY STREQUAL "mbedtls")
  set(product ${WYRM_CRYPTO_MBEDTLS_SRCS} ${here}/mbedtls.c)
  set(includes ${WYRM_MBEDTLS}/mbedtls/include)
  set(definitions MBEDTLS_CONFIG_FILE="${here}/mbedtls_config.h")
  foreach(name IN ITEMS bignum bignum_core chacha20 constant_time ecp ecp_curves
      platform_util poly1305)
    list(APPEND sources ${WYRM_MBEDTLS}/mbedtls/library/${name}.c)
  endforeach()
else()
  message(FATAL_ERROR "WYRM_BENCH_LIBRARY is none of bearssl, libsodium, mbedtls, monocypher, wolfssl")
endif()

add_library(rival STATIC ${sources})
target_include_directories(rival SYSTEM PUBLIC ${includes} PRIVATE ${private_includes})
target_compile_definitions(rival PUBLIC ${definitions})
target_compile_options(rival PRIVATE ${options} -w)
set(library rival)
