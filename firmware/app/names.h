/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Endpoints that are names. A name is asked for when its peer is needed and unknown, and again when
 * the peer does not answer: it may lead elsewhere by now. What is found is put into the tunnel.
 * Core lock held.
 */
#ifndef NAMES_H
#define NAMES_H

#include "wyrm_text.h"

/** Forgets all names. */
void names_forget(void);

/** The peer with this key lives at this name; both are copied. No more names than peers. */
void names_keep(const uint8_t pub[WYRM_KEY_LEN], const struct wyrm_host *host);

/** Has the names asked for that need it, a moment later. Cheap when none does. */
void names_look(void);

#endif
