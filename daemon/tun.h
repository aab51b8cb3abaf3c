/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The TUN interface. Every packet to and from it has a header of <linux/virtio_net.h> in front.
 */
#ifndef WYRMD_TUN_H
#define WYRMD_TUN_H

#include <linux/virtio_net.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { PACKET_MAX = 65535 }; /* the longest IP packet */

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 /* Linux 6.2 */
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

struct wyrmd_tun {
    char name[IFNAMSIZ]; /* as it was when created */
    int fd;
    int control;      /* a socket for interface requests, owned by the caller */
    bool udp_offload; /* the system accepts several UDP packets as one */
};

/* Creates the interface; false after logging why. */
bool wyrmd_tun_open(struct wyrmd_tun *tun, const char *name, int control);
void wyrmd_tun_close(struct wyrmd_tun *tun);
/* Reads the state of the interface; false if it is not visible from this network namespace. */
bool wyrmd_tun_state(const struct wyrmd_tun *tun, bool *up, uint16_t *mtu);
/* Passes one packet to the system. */
void wyrmd_tun_write(const struct wyrmd_tun *tun, uint8_t *ip, size_t len);
/* The same for a packet in parts, the first of which is the virtio_net header. */
void wyrmd_tun_writev(const struct wyrmd_tun *tun, const struct iovec *parts, int n);

#endif /* WYRMD_TUN_H */
