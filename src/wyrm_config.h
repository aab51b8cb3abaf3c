/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Compile-time options. Set them in a header named by WYRM_USER_CONFIG_FILE or on the command line;
 * library and application must agree (wyrm_init refuses otherwise with WYRM_E_ABI).
 */
#ifndef WYRM_CONFIG_H
#define WYRM_CONFIG_H

#ifdef WYRM_USER_CONFIG_FILE
#include WYRM_USER_CONFIG_FILE
#endif

#ifdef ARDUINO
#include "wyrm_arduino.h"
#endif

/* options.toml: begin */
/* Bits of the replay ring of each keypair, a multiple of 32, at least 64; the window is 32 less
 * (RFC 6479). Costs 3/8 byte of RAM per bit and peer. */
#ifndef WYRM_REPLAY_BITS
#define WYRM_REPLAY_BITS 512
#endif

/* 0: the device only initiates; initiations of others are dropped and the code that answers them,
 * cookies included, is left out. See docs/decisions/0005-client-profile.md. */
#ifndef WYRM_RESPONDER
#define WYRM_RESPONDER 1
#endif

/* Handshake messages that may wait for the worker. With two or more, one is kept for responses to
 * our own initiations, so that a flood of initiations cannot stop us from connecting. 172 bytes
 * each with IPv6; 96 of a client without, which uses one. */
#ifndef WYRM_HANDSHAKE_SLOTS
#define WYRM_HANDSHAKE_SLOTS (WYRM_RESPONDER ? 2 : 1)
#endif

/* Source addresses whose handshakes are rate limited under load (8 bytes each). There are a quarter
 * as many cookie replies per millisecond at the most. */
#ifndef WYRM_SOURCES
#define WYRM_SOURCES (WYRM_RESPONDER ? 8 : 1)
#endif

/* 0: IPv4 only, inside and outside; saves 12 bytes per address. */
#ifndef WYRM_IPV6
#define WYRM_IPV6 1
#endif

/* 1: keep the static-static Diffie-Hellman result of each peer (32 bytes, as secret as the private
 * key); 0: one more X25519 per handshake. */
#ifndef WYRM_CACHE_STATIC_DH
#define WYRM_CACHE_STATIC_DH 1
#endif

/* Opaque bytes of the port in struct wyrm_path: room for a local address and an interface number.
 */
#ifndef WYRM_PATH_LEN
#define WYRM_PATH_LEN 20
#endif

/* 1: use the assembly of this architecture; 0: portable C everywhere, which is the least code with
 * WYRM_SMALL, and several times slower. */
#ifndef WYRM_ASM
#define WYRM_ASM 1
#endif
/* options.toml: end */

#if WYRM_REPLAY_BITS < 64 || WYRM_REPLAY_BITS % 32 != 0
#error "WYRM_REPLAY_BITS must be a multiple of 32 and at least 64"
#endif
#if WYRM_HANDSHAKE_SLOTS < 1 || WYRM_SOURCES < 1 || WYRM_PATH_LEN < 1
#error "WYRM_HANDSHAKE_SLOTS, WYRM_SOURCES and WYRM_PATH_LEN must be at least 1"
#endif

#define WYRM_ADDR_LEN (WYRM_IPV6 ? 16 : 4)

/* For a function that compilers would copy to its few callers, or whose large locals must be off
 * the stack when its caller goes deeper. */
#if defined(__GNUC__)
#define WYRM_NOINLINE __attribute__((noinline))
#else
#define WYRM_NOINLINE
#endif

#endif /* WYRM_CONFIG_H */
