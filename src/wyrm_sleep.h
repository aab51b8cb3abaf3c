/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Deep sleep without a new handshake: a device moves into an image in retained RAM and, after the
 * reset that ends the sleep, back into a device. Its sessions continue for as long as they live, so
 * a sensor can wake, send one packet and sleep again. Not linked unless called.
 *
 *     static uint8_t image[WYRM_IMAGE_SIZE(1, 2)] RETAINED;
 *
 *     wyrm_suspend(&device, now, image, sizeof image);   and power down; at the next boot:
 *
 *     wyrm_init(&device, &device_pools, &platform);
 *     if (wyrm_resume(&device, now, slept_ms, image, sizeof image) < 0)
 *         configure(&device);   the private key, peers and routes, as at the first boot
 *
 * Suspending and resuming move the state: it is either in the device or in the image, never in
 * both. Therefore no counter is used twice, whenever the power fails. This requires that the image
 * is in RAM. A copy of it that can be restored, as from flash, would break the encryption. If a
 * data cache is written back later, flush it after both calls.
 *
 * The image contains the private key and all session keys for as long as the device sleeps. Its
 * digest detects corruption. It does not protect against an attacker who can write that memory.
 */
#ifndef WYRM_SLEEP_H
#define WYRM_SLEEP_H

#include "wyrm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WYRM_IMAGE_HEADER_LEN 48
/* Bytes of an image of a device with these pools. */
#define WYRM_IMAGE_SIZE(peer_count, route_count)                                                   \
    (WYRM_IMAGE_HEADER_LEN + sizeof(struct wyrm_device) +                                          \
     (peer_count) * sizeof(struct wyrm_peer) + (route_count) * sizeof(struct wyrm_route) +         \
     WYRM_INDEX_HEADS(peer_count) * sizeof(uint16_t))

/* Moves the device into the image and leaves the device empty, as after wyrm_init: to continue
 * without a sleep, resume it. Handshakes in flight and their jobs are dropped. The port frees its
 * held packets. WYRM_E_SPACE, with nothing changed: `cap` is too small. */
wyrm_status wyrm_suspend(struct wyrm_device *dev, wyrm_ms now, void *image, size_t cap);

/* Moves the state from the image into the device, which wyrm_init has prepared with pools of the
 * same sizes; its own content is lost. `now` is the clock of this boot, of any origin. `slept` is
 * the time since wyrm_suspend, rounded up; WYRM_NEVER if it is unknown. Pools, platform and MTU
 * remain those of this boot; local paths are forgotten. Poll afterwards.
 *
 * WYRM_READY: a session can carry data. WYRM_OK: all sessions have expired; as always, traffic
 * starts a handshake. WYRM_E_IMAGE: there is no image, it was resumed before, or it is corrupted.
 * WYRM_E_ABI: a program with other options or pools made it. After an error the device is
 * unchanged. The image is wiped in all cases. */
wyrm_status wyrm_resume(struct wyrm_device *dev, wyrm_ms now, wyrm_ms slept, void *image,
                        size_t cap);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_SLEEP_H */
