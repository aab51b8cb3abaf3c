# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# The source lists of the product for make, with the names of wyrm_sources.cmake: include this file,
# compile the lists you need and put $(WYRM_SRC_DIR) on the include path. Needs GNU make.

WYRM_SRC_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

WYRM_CORE_SRCS := $(sort $(wildcard $(WYRM_SRC_DIR)/core/*.c))

# Files for other processors compile to nothing.
wyrm_crypto_common := $(addprefix $(WYRM_SRC_DIR)/crypto/,wyrm_ct.c wyrm_kdf.c wyrm_xaead.c)
wyrm_crypto_files = $(sort $(wildcard $(foreach extension,c S,$(foreach name,$(1),\
  $(WYRM_SRC_DIR)/crypto/*/wyrm_$(name).$(extension)))))
WYRM_CRYPTO_SRCS := $(sort $(filter-out $(wildcard $(WYRM_SRC_DIR)/crypto/external/*),\
  $(wildcard $(WYRM_SRC_DIR)/crypto/*.c) $(call wyrm_crypto_files,*)))

# X25519 and ChaCha20-Poly1305 of another library instead; see docs/porting.md.
WYRM_CRYPTO_LIBSODIUM_SRCS := $(wyrm_crypto_common) $(call wyrm_crypto_files,blake2s*) \
  $(WYRM_SRC_DIR)/crypto/external/wyrm_libsodium.c
WYRM_CRYPTO_MBEDTLS_SRCS := $(wyrm_crypto_common) $(call wyrm_crypto_files,blake2s*) \
  $(WYRM_SRC_DIR)/crypto/external/wyrm_mbedtls.c
WYRM_CRYPTO_PSA_SRCS := $(wyrm_crypto_common) \
  $(call wyrm_crypto_files,blake2s* chacha* poly1305* rows) \
  $(WYRM_SRC_DIR)/crypto/external/wyrm_psa.c

WYRM_TEXT_SRCS := $(WYRM_SRC_DIR)/wyrm_conf.c $(WYRM_SRC_DIR)/wyrm_text.c
WYRM_UAPI_SRCS := $(WYRM_SRC_DIR)/wyrm_uapi.c
WYRM_STORE_SRCS := $(WYRM_SRC_DIR)/wyrm_store.c

WYRM_LWIP_SRCS := $(sort $(wildcard $(WYRM_SRC_DIR)/port/lwip/*.c))
WYRM_TUNNEL_SRCS := $(WYRM_SRC_DIR)/port/tunnel/wyrm_tunnel.c
WYRM_ESP_IDF_SRCS := $(sort $(wildcard $(WYRM_SRC_DIR)/port/esp_idf/*.c))
WYRM_FREERTOS_SRCS := $(sort $(wildcard $(WYRM_SRC_DIR)/port/freertos/*.c))
