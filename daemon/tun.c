/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "tun.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TUN_F_USO4 /* Linux 6.2 */
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

static struct ifreq named(const struct wyrmd_tun *tun)
{
    struct ifreq request = {0};

    memcpy(request.ifr_name, tun->name, sizeof(tun->name));
    return request;
}

static void write_sysctl(const char *family, const struct wyrmd_tun *tun, const char *name,
                         const char *value)
{
    char path[96];
    int fd;

    snprintf(path, sizeof(path), "/proc/sys/net/%s/conf/%s/%s", family, tun->name, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return; /* the family is not supported, or /proc is read-only */
    (void)!write(fd, value, strlen(value));
    close(fd);
}

/* As the kernel's WireGuard interfaces: no link-local address and no multicast, so that nothing is
 * sent unasked, and no ICMP redirects. */
static bool configure(struct wyrmd_tun *tun)
{
    struct ifreq request = named(tun);

    request.ifr_mtu = WYRM_DEFAULT_MTU;
    if (ioctl(tun->control, SIOCSIFMTU, &request) < 0) {
        wyrmd_log("setting the MTU: %s", strerror(errno));
        return false;
    }
    request = named(tun);
    if (ioctl(tun->control, SIOCGIFFLAGS, &request) == 0) {
        request.ifr_flags = (short)(request.ifr_flags & ~IFF_MULTICAST);
        (void)ioctl(tun->control, SIOCSIFFLAGS, &request);
    }
    write_sysctl("ipv6", tun, "addr_gen_mode", "1");
    write_sysctl("ipv4", tun, "send_redirects", "0");
    return true;
}

/* A hint that completes the system's error message. */
static const char *obstacle(const struct wyrmd_tun *tun, int error)
{
    if (error == EPERM)
        return "; run as root or with CAP_NET_ADMIN";
    if (error == EBUSY)
        return "; another program uses it";
    if (error == EINVAL)
        return if_nametoindex(tun->name) != 0 ? "; an interface of another kind has this name"
                                              : "; not a valid interface name";
    return "";
}

bool wyrmd_tun_open(struct wyrmd_tun *tun, const char *name, int control)
{
    const unsigned long tcp = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
    struct ifreq request = {0};

    tun->control = control;
    snprintf(tun->name, sizeof(tun->name), "%s", name);
    tun->fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (tun->fd < 0) {
        wyrmd_log("/dev/net/tun: %s; %s", strerror(errno),
                  errno == EACCES || errno == EPERM ? "run as root" : "load the tun module");
        return false;
    }
    request = named(tun);
    request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    if (ioctl(tun->fd, TUNSETIFF, &request) < 0) {
        int error = errno;

        wyrmd_log("creating the interface: %s%s", strerror(error), obstacle(tun, error));
        return false;
    }
    memcpy(tun->name, request.ifr_name, sizeof(tun->name)); /* wg%d has become wg0 */
    tun->udp_offload = ioctl(tun->fd, TUNSETOFFLOAD, tcp | TUN_F_USO4 | TUN_F_USO6) == 0;
    if (!tun->udp_offload)
        (void)ioctl(tun->fd, TUNSETOFFLOAD, tcp); /* if refused, packets come one by one */
    return configure(tun);
}

/* False if the interface is known to have been moved to another network namespace. */
static bool is_here(const struct wyrmd_tun *tun)
{
    int its = ioctl(tun->fd, TUNGETDEVNETNS), ours = ioctl(tun->control, SIOCGSKNS);
    struct stat a, b;
    bool known = its >= 0 && ours >= 0 && fstat(its, &a) == 0 && fstat(ours, &b) == 0;

    if (its >= 0)
        close(its);
    if (ours >= 0)
        close(ours);
    return !known || a.st_ino == b.st_ino;
}

bool wyrmd_tun_state(const struct wyrmd_tun *tun, bool *up, uint16_t *mtu)
{
    struct ifreq flags = {0}, size;

    if (!is_here(tun) || ioctl(tun->fd, TUNGETIFF, &flags) < 0)
        return false;
    size = flags; /* TUNGETIFF filled in the current name */
    if (ioctl(tun->control, SIOCGIFFLAGS, &flags) < 0 || ioctl(tun->control, SIOCGIFMTU, &size) < 0)
        return false;
    *up = (flags.ifr_flags & IFF_UP) != 0;
    *mtu = (uint16_t)(size.ifr_mtu < UINT16_MAX ? size.ifr_mtu : UINT16_MAX);
    return true;
}

void wyrmd_tun_close(struct wyrmd_tun *tun)
{
    if (tun->fd >= 0)
        close(tun->fd);
    tun->fd = -1;
}

void wyrmd_tun_writev(const struct wyrmd_tun *tun, const struct iovec *parts, int n)
{
    /* A full queue, or an interface that is down, drops the packet as any link does. */
    if (writev(tun->fd, parts, n) < 0)
        wyrmd_log_verbose("decrypted packet dropped by the system: %s", strerror(errno));
}

void wyrmd_tun_write(const struct wyrmd_tun *tun, uint8_t *ip, size_t len)
{
    struct virtio_net_hdr header = {0};
    const struct iovec parts[2] = {{&header, sizeof(header)}, {ip, len}};

    wyrmd_tun_writev(tun, parts, 2);
}
