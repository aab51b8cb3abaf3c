/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The tunnel interface: packets of the system, without any header of the TUN driver.
 */
#include "wyrmd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool named(const struct wyrmd *d, struct ifreq *request)
{
    memset(request, 0, sizeof(*request));
    memcpy(request->ifr_name, d->name, strlen(d->name) + 1);
    return true;
}

bool wyrmd_tun_open(struct wyrmd *d)
{
    struct ifreq request;

    d->tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (d->tun < 0) {
        wyrmd_log(d, "/dev/net/tun: %s; load the tun module, or run as root", strerror(errno));
        return false;
    }
    named(d, &request);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (ioctl(d->tun, TUNSETIFF, &request) < 0) {
        wyrmd_log(d, "interface %s: %s; %s", d->name, strerror(errno),
                  errno == EBUSY ? "another program has it" : "run as root or with CAP_NET_ADMIN");
        return false;
    }
    memcpy(d->name, request.ifr_name, sizeof(d->name));

    named(d, &request);
    request.ifr_mtu = WYRM_DEFAULT_MTU;
    if (ioctl(d->udp4, SIOCSIFMTU, &request) < 0) {
        wyrmd_log(d, "interface %s: setting the MTU: %s", d->name, strerror(errno));
        return false;
    }
    return true;
}

uint16_t wyrmd_tun_mtu(const struct wyrmd *d)
{
    struct ifreq request;

    named(d, &request);
    if (ioctl(d->udp4, SIOCGIFMTU, &request) < 0 || request.ifr_mtu > UINT16_MAX)
        return 0;
    return (uint16_t)request.ifr_mtu;
}

bool wyrmd_tun_readable(struct wyrmd *d)
{
    static uint8_t packet[PACKET_MAX];

    for (unsigned i = 0; i < BATCH; i++) {
        ssize_t len = read(d->tun, packet, sizeof(packet));

        if (len > 0)
            wyrmd_send_inner(d, packet, (size_t)len);
        else if (len < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        else
            return false; /* EBADFD: the interface was deleted */
    }
    return true;
}

void wyrmd_tun_write(struct wyrmd *d, const uint8_t *ip, size_t len)
{
    /* A full queue or an interface that is down loses the packet, as any link does. */
    if (write(d->tun, ip, len) < 0 && d->verbose)
        wyrmd_log(d, "write to %s: %s", d->name, strerror(errno));
}
