/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Deep sleep: the tunnel's sessions are kept in the board's retained RAM, and continue after the
 * reset that ends the sleep. Below tunnel.h, which calls the first three.
 */
#ifndef DEEP_SLEEP_H
#define DEEP_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "wyrm_text.h"

/** Finds out whether a sleep has ended with this boot. Called once, before the tunnel starts. */
void deep_sleep_start(void);

/**
 * Moves the sessions from the retained RAM into the tunnel's device, which has just been started
 * with this configuration. They must have been suspended under the same one. Negative: there are
 * none to resume, and the device is unchanged. The retained RAM is wiped in all cases, so a second
 * call resumes nothing. Core lock held.
 */
wyrm_status deep_sleep_resume(const struct wyrm_conf *conf, const uint8_t *key);

/** How many sleeps in a row ended with the session resumed. */
uint32_t deep_sleep_resumed(void);

/** Says what became of the sessions, if a sleep has ended with this boot, and wipes the retained
 * RAM if no tunnel was started. Console's owner only. */
void deep_sleep_report(void);

#endif
