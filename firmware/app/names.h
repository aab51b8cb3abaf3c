/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Endpoints given by name. A name is resolved when its peer has no address yet, and again when the
 * peer does not answer, because the address may have changed. The result becomes the peer's
 * endpoint. Core lock held.
 */
#ifndef NAMES_H
#define NAMES_H

#include "wyrm_text.h"

/** Forgets all names. */
void names_forget(void);

/** Sets the endpoint name of the peer with this key; copies both. At most one name per peer. */
void names_keep(const uint8_t pub[WYRM_KEY_LEN], const struct wyrm_host *host);

/** Schedules a lookup of every name that needs one. Cheap if none does. */
void names_look(void);

#endif
