/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Accepts any tag and any MAC: wyrm_sim_credulous is the simulator with a core that accepts
 * forgeries, to prove that the simulator detects it.
 */
#include "wyrm_crypto.h"

bool __real_wyrm_ct_equal(const void *a, const void *b, size_t len);
bool __wrap_wyrm_ct_equal(const void *a, const void *b, size_t len);

bool __wrap_wyrm_ct_equal(const void *a, const void *b, size_t len)
{
    return len == WYRM_AEAD_TAG_LEN || __real_wyrm_ct_equal(a, b, len);
}
