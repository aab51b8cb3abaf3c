/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Merges consecutive decrypted packets of a TCP or UDP flow into one segment before they are
 * written to the TUN interface (receive offload).
 */
#ifndef WYRMD_MERGE_H
#define WYRMD_MERGE_H

#include "tun.h"

struct wyrmd_merge;

/* NULL if there is not enough memory. */
struct wyrmd_merge *wyrmd_merge_new(const struct wyrmd_tun *tun);
/* Adds a packet, which must stay unchanged until wyrmd_merge_flush. */
void wyrmd_merge_push(struct wyrmd_merge *merge, uint8_t *ip, size_t len);
void wyrmd_merge_flush(struct wyrmd_merge *merge);

#endif /* WYRMD_MERGE_H */
