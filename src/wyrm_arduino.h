/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Options on Arduino, where every file of src/ is compiled and a library cannot pass definitions:
 * they follow from the core. Included by wyrm_config.h.
 */
#ifndef WYRM_ARDUINO_H
#define WYRM_ARDUINO_H

#if defined(ARDUINO_ARCH_ESP32)
#define WYRM_ARDUINO_LWIP       1
#define WYRM_ARDUINO_FREERTOS   1
#define WYRM_ARDUINO_HAS_RANDOM 1
#define WYRM_ARDUINO_FEW_TIMERS 0
#elif defined(ARDUINO_ARCH_ESP8266)
#define WYRM_ARDUINO_LWIP       1
#define WYRM_ARDUINO_FREERTOS   0
#define WYRM_ARDUINO_HAS_RANDOM 1
#define WYRM_ARDUINO_FEW_TIMERS 0
#ifndef WYRM_IPV6
#define WYRM_IPV6 0 /* as in the core's usual build of lwIP */
#endif
#elif defined(ARDUINO_ARCH_RP2040)
#define WYRM_ARDUINO_LWIP         1
#define WYRM_ARDUINO_FREERTOS     0
#define WYRM_ARDUINO_HAS_RANDOM   0
#define WYRM_ARDUINO_FEW_TIMERS   1 /* an empty pool of timers stops that core's lwIP */
/* lwIP runs in an interrupt there, which its lock keeps out. The lock is recursive. */
#define WYRM_LWIP_LOCK_HELD()     false
#define WYRM_LWIP_LOCK_NO_SYS()   wyrm_arduino_lock()
#define WYRM_LWIP_UNLOCK_NO_SYS() wyrm_arduino_unlock()
#ifndef __ASSEMBLER__
#ifdef __cplusplus
extern "C" {
#endif
void wyrm_arduino_lock(void);
void wyrm_arduino_unlock(void);
#ifdef __cplusplus
}
#endif
#endif
#else
#define WYRM_ARDUINO_LWIP       0
#define WYRM_ARDUINO_FREERTOS   0
#define WYRM_ARDUINO_HAS_RANDOM 0
#define WYRM_ARDUINO_FEW_TIMERS 0
#endif

#ifndef WYRM_PORT_LWIP
#define WYRM_PORT_LWIP WYRM_ARDUINO_LWIP
#endif
#ifndef WYRM_PORT_FREERTOS
#define WYRM_PORT_FREERTOS WYRM_ARDUINO_FREERTOS
#endif

/* options.toml: begin */
/* Peers of each object of the class WireGuard; with IPv4 and the default window 832 bytes each. */
#ifndef WYRM_ARDUINO_PEERS
#define WYRM_ARDUINO_PEERS 1
#endif

/* Allowed prefixes of all peers of an object together. */
#ifndef WYRM_ARDUINO_ROUTES
#define WYRM_ARDUINO_ROUTES 8
#endif

/* Packets that wait for handshakes of an object. */
#ifndef WYRM_ARDUINO_HELD
#define WYRM_ARDUINO_HELD 4
#endif

/* Longest host name of an endpoint. */
#ifndef WYRM_ARDUINO_NAME_MAX
#define WYRM_ARDUINO_NAME_MAX 63
#endif
/* options.toml: end */

#endif /* WYRM_ARDUINO_H */
