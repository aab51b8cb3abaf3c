/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initial sequence numbers of TCP connections by RFC 6528: a clock of 4 us plus a keyed hash of the
 * connection's addresses and ports. They increase for one connection, so that old segments can be
 * told from new ones, and reveal nothing about those of other connections.
 */
#include "lwip_hooks.h"

#include "wyrm.h"
#include "wyrm_crypto.h"

#include "board_api.h"
#include "net.h"

#define SECRET_LEN 32

/* Without entropy sequence numbers are as guessable as everything else on such a board. */
static const uint8_t *boot_secret(void)
{
    static uint8_t secret[SECRET_LEN];
    static bool drawn;

    if (!drawn && !board_random(secret, sizeof secret))
        for (size_t i = 0; i < sizeof secret; i++)
            secret[i] = (uint8_t)net_random();
    drawn = true;
    return secret;
}

uint32_t net_initial_sequence(const ip_addr_t *local, uint16_t local_port, const ip_addr_t *remote,
                              uint16_t remote_port)
{
    struct wyrm_endpoint ends[2]; /* with zeros after a short address */
    uint32_t offset;

    net_to_endpoint(local, local_port, &ends[0]);
    net_to_endpoint(remote, remote_port, &ends[1]);
    wyrm_blake2s((uint8_t *)&offset, sizeof offset, boot_secret(), SECRET_LEN, ends, sizeof ends);
    return offset + (uint32_t)(board_clock_us() / 4);
}
