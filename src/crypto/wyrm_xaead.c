/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): HChaCha20 derives a separate key for each nonce.
 */
#include "wyrm_ct.h"

#include "../wyrm_crypto.h"

#include <string.h>

struct derived {
    uint8_t key[WYRM_AEAD_KEY_LEN];
    uint8_t nonce[WYRM_AEAD_NONCE_LEN];
};

/* Not inlined: two callers. */
__attribute__((noinline)) static bool derive(struct derived *s,
                                             const uint8_t nonce[WYRM_XAEAD_NONCE_LEN],
                                             const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    memset(s->nonce, 0, 4);
    memcpy(s->nonce + 4, nonce + 16, 8);
    return wyrm_hchacha20(s->key, key, nonce);
}

bool wyrm_xaead_seal(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                     size_t aad_len, const uint8_t nonce[WYRM_XAEAD_NONCE_LEN],
                     const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    struct wyrm_span span = {in, len};
    struct derived s;
    bool ok;

    ok = derive(&s, nonce, key) && wyrm_aead_seal(out, &span, 1, 0, aad, aad_len, s.nonce, s.key);
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
    return ok;
}

bool wyrm_xaead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                     const uint8_t nonce[WYRM_XAEAD_NONCE_LEN],
                     const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    struct derived s;
    bool ok;

    ok = derive(&s, nonce, key) && wyrm_aead_open(buf, len, aad, aad_len, s.nonce, s.key);
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
    return ok;
}
