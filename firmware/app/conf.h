/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The tunnel's configuration: an ordinary wg-quick file, pasted into the console, kept in flash
 * with the device's own private key. Console's owner only.
 */
#ifndef CONF_H
#define CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wyrm_text.h"

enum conf_saved {
    CONF_NONE,    /* flash holds no configuration */
    CONF_GOOD,    /* it is in force now */
    CONF_REFUSED, /* it cannot be used: damaged, or no longer understood */
};

/** Loads what was saved; prints its own error. */
enum conf_saved conf_start(void);

/** The configuration, or NULL when there is none. */
const struct wyrm_conf *conf_current(void);

/** The private key in force: that of the configuration, else the device's own; NULL: none. */
const uint8_t *conf_private_key(void);

/** Makes `key` the device's own; kept in flash by 'conf save'. */
void conf_set_own_key(const uint8_t key[WYRM_KEY_LEN]);

/** The strict policy (tunnel.h); kept in flash by 'conf save', switched off by 'conf clear'. */
bool conf_is_strict(void);
void conf_set_strict(bool on);

/** Room for text with secrets that must be read whole before it is used; wipe it after use. */
char *conf_scratch(size_t *size);

#endif
