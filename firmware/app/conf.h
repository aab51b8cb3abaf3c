/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The tunnel's configuration: an ordinary wg-quick file, pasted into the console and saved in
 * flash together with the device's private key. Only the console's owner may call.
 */
#ifndef CONF_H
#define CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wyrm_text.h"

enum conf_saved {
    CONF_NONE,    /* flash holds no configuration */
    CONF_GOOD,    /* loaded and current */
    CONF_REFUSED, /* corrupt, or not valid for this firmware */
};

/** Loads the saved configuration; prints an error if it is unusable. */
enum conf_saved conf_start(void);

/** The configuration, or NULL when there is none. */
const struct wyrm_conf *conf_current(void);

/** The configuration's private key, else the device's own, else NULL. */
const uint8_t *conf_private_key(void);

/** Makes `key` the device's own; kept in flash by 'conf save'. */
void conf_set_own_key(const uint8_t key[WYRM_KEY_LEN]);

/** The strict policy (tunnel.h); kept in flash by 'conf save', switched off by 'conf clear'. */
bool conf_is_strict(void);
void conf_set_strict(bool on);

/** Forwarding (gateway.h); kept and switched off in the same way. */
bool conf_forwards(void);
void conf_set_forward(bool on);

/** Buffer for text with secrets that is read completely before use; the caller wipes it. */
char *conf_scratch(size_t *size);

#endif
