/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The tunnel interface. The system hands over TCP and UDP in pieces of up to 64 KiB, checksums left
 * to us (a header of linux/virtio_net.h stands in front of each packet); here they are cut into
 * packets of the MTU.
 */
#include "wyrmd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TUN_F_USO4 /* Linux 6.2 */
#define TUN_F_USO4                0x20
#define TUN_F_USO6                0x40
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

enum {
    HEADERS_MAX = 4096, /* IPv6 may have long extensions */
    TCP_FIN_PSH = 0x09,
    TCP_CWR = 0x80
};

/* ---- The interface ------------------------------------------------------ */

static struct ifreq named(const struct wyrmd *d)
{
    struct ifreq request = {0};

    memcpy(request.ifr_name, d->name, sizeof(d->name));
    return request;
}

static void write_sysctl(const char *family, const struct wyrmd *d, const char *name,
                         const char *value)
{
    char path[96];
    int fd;

    snprintf(path, sizeof(path), "/proc/sys/net/%s/conf/%s/%s", family, d->name, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return; /* no such family here, or /proc is read-only: a comfort less */
    (void)!write(fd, value, strlen(value));
    close(fd);
}

/* Like the kernel's interface: it does not speak unasked (no link-local address, no multicast), and
 * sends nobody elsewhere. */
static bool settle(struct wyrmd *d)
{
    struct ifreq request = named(d);

    request.ifr_mtu = WYRM_DEFAULT_MTU;
    if (ioctl(d->routes, SIOCSIFMTU, &request) < 0) {
        wyrmd_log(d, "setting the MTU: %s", strerror(errno));
        return false;
    }
    request = named(d);
    if (ioctl(d->routes, SIOCGIFFLAGS, &request) == 0) {
        request.ifr_flags = (short)(request.ifr_flags & ~IFF_MULTICAST);
        (void)ioctl(d->routes, SIOCSIFFLAGS, &request);
    }
    write_sysctl("ipv6", d, "addr_gen_mode", "1");
    write_sysctl("ipv4", d, "send_redirects", "0");
    return true;
}

/* Why there is no interface, besides the system's own word for it. */
static const char *obstacle(const struct wyrmd *d, int error)
{
    if (error == EPERM)
        return "; run as root or with CAP_NET_ADMIN";
    if (error == EBUSY)
        return "; another program has it";
    if (error == EINVAL)
        return if_nametoindex(d->name) != 0 ? "; there is another interface of this name"
                                            : "; no interface can have this name";
    return "";
}

bool wyrmd_tun_open(struct wyrmd *d)
{
    const unsigned long tcp = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
    struct ifreq request = named(d);

    d->tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (d->tun < 0) {
        wyrmd_log(d, "/dev/net/tun: %s; %s", strerror(errno),
                  errno == EACCES || errno == EPERM ? "run as root" : "load the tun module");
        return false;
    }
    request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    if (ioctl(d->tun, TUNSETIFF, &request) < 0) {
        int error = errno;

        wyrmd_log(d, "making the interface: %s%s", strerror(error), obstacle(d, error));
        return false;
    }
    memcpy(d->name, request.ifr_name, sizeof(d->name));
    d->udp_offload = ioctl(d->tun, TUNSETOFFLOAD, tcp | TUN_F_USO4 | TUN_F_USO6) == 0;
    if (!d->udp_offload)
        (void)ioctl(d->tun, TUNSETOFFLOAD, tcp); /* without, packets just come one by one */
    return settle(d);
}

/* False once the interface was moved to another network namespace, as far as one may know. */
static bool is_here(const struct wyrmd *d)
{
    int its = ioctl(d->tun, TUNGETDEVNETNS), ours = ioctl(d->routes, SIOCGSKNS);
    struct stat a, b;
    bool known = its >= 0 && ours >= 0 && fstat(its, &a) == 0 && fstat(ours, &b) == 0;

    if (its >= 0)
        close(its);
    if (ours >= 0)
        close(ours);
    return !known || a.st_ino == b.st_ino;
}

bool wyrmd_tun_state(const struct wyrmd *d, bool *up, uint16_t *mtu)
{
    struct ifreq flags = {0}, size;

    if (!is_here(d) || ioctl(d->tun, TUNGETIFF, &flags) < 0)
        return false;
    size = flags; /* by the name that it has now */
    if (ioctl(d->routes, SIOCGIFFLAGS, &flags) < 0 || ioctl(d->routes, SIOCGIFMTU, &size) < 0)
        return false;
    *up = (flags.ifr_flags & IFF_UP) != 0;
    *mtu = (uint16_t)(size.ifr_mtu < UINT16_MAX ? size.ifr_mtu : UINT16_MAX);
    return true;
}

/* ---- Packets of the system ----------------------------------------------- */

static uint32_t load(const uint8_t *p, unsigned bytes)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | p[i];
    return value;
}

static void store(uint8_t *p, unsigned bytes, uint32_t value)
{
    for (unsigned i = bytes; i-- > 0; value >>= 8)
        p[i] = (uint8_t)value;
}

/* Completes a checksum whose field holds the sum of the pseudo header. */
static void fill_checksum(uint8_t *ip, size_t len, const struct virtio_net_hdr *how)
{
    size_t start = how->csum_start, field = start + how->csum_offset;
    uint16_t sum;

    if (field + sizeof(sum) > len)
        return; /* not a packet at all: the core refuses it */
    sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, ip + start, len - start));
    if (sum == 0)
        sum = UINT16_MAX; /* zero would mean "none" in UDP, and is the same number in TCP */
    memcpy(ip + field, &sum, sizeof(sum));
}

/* Headers of the piece number `i` with `part` bytes of payload, made of the headers of the whole,
 * which has `whole` bytes behind its IP header. The checksum field holds the sum of the pseudo
 * header of these; only its length is ours to change, for IPv6 may hide the true destination.
 */
static void adjust_headers(uint8_t *head, size_t head_len, const struct virtio_net_hdr *how,
                           uint32_t i, const uint8_t *payload, size_t part, size_t whole)
{
    size_t ip_len = how->csum_start, l4_head = head_len - ip_len;
    uint8_t *l4 = head + ip_len;
    uint64_t pseudo;
    uint16_t sum;

    if (head[0] >> 4 == 4) {
        store(head + 2, 2, (uint32_t)(head_len + part));
        store(head + 4, 2, load(head + 4, 2) + i);
        memset(head + 10, 0, 2);
        sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, head, ip_len));
        memcpy(head + 10, &sum, sizeof(sum));
    } else {
        store(head + 4, 2, (uint32_t)(head_len - 40 + part));
    }
    if (how->gso_type == VIRTIO_NET_HDR_GSO_UDP_L4) {
        store(l4 + 4, 2, (uint32_t)(8 + part));
    } else {
        store(l4 + 4, 4, load(l4 + 4, 4) + i * how->gso_size);
        if (l4_head + i * how->gso_size + part < whole)
            l4[13] = (uint8_t)(l4[13] & ~TCP_FIN_PSH);
        if (i > 0)
            l4[13] = (uint8_t)(l4[13] & ~TCP_CWR);
    }
    memcpy(&sum, l4 + how->csum_offset, sizeof(sum));
    pseudo = (uint64_t)sum + (uint16_t)~htons((uint16_t)whole) + htons((uint16_t)(l4_head + part));
    memset(l4 + how->csum_offset, 0, 2);
    sum = (uint16_t)~wyrmd_fold(wyrmd_sum(wyrmd_sum(pseudo, l4, l4_head), payload, part));
    if (sum == 0)
        sum = UINT16_MAX;
    memcpy(l4 + how->csum_offset, &sum, sizeof(sum));
}

/* Cuts one long packet of TCP or UDP into packets of gso_size bytes of payload. */
static void send_in_pieces(struct wyrmd *d, uint8_t *ip, size_t len,
                           const struct virtio_net_hdr *how)
{
    bool udp = how->gso_type == VIRTIO_NET_HDR_GSO_UDP_L4;
    size_t ip_len = how->csum_start, head_len = ip_len + 8, part;
    uint8_t head[HEADERS_MAX];
    uint32_t i = 0;

    if (!udp && ip_len + 20 <= len)
        head_len = ip_len + (size_t)(ip[ip_len + 12] >> 4) * 4;
    if (ip_len < 20 || head_len < ip_len + (udp ? 8 : 20) || head_len > HEADERS_MAX ||
        head_len > len || how->gso_size == 0 || how->csum_offset != (udp ? 6 : 16))
        return; /* no kernel makes such a packet */
    if (wyrmd_udp_loops(d, ip, len))
        return;
    for (size_t at = head_len; at < len; at += part, i++) {
        struct wyrm_span spans[2] = {{head, head_len}, {ip + at, 0}};

        part = len - at < how->gso_size ? len - at : how->gso_size;
        spans[1].len = part;
        memcpy(head, ip, head_len);
        adjust_headers(head, head_len, how, i, ip + at, part, len - ip_len);
        wyrmd_send_inner(d, spans, 2);
    }
}

bool wyrmd_tun_readable(struct wyrmd *d)
{
    static uint8_t packet[sizeof(struct virtio_net_hdr) + PACKET_MAX];
    uint8_t *ip = packet + sizeof(struct virtio_net_hdr);
    struct virtio_net_hdr how;

    for (unsigned i = 0; i < TUN_READS; i++) {
        ssize_t len = read(d->tun, packet, sizeof(packet));

        if (len < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (len < 0 && errno == EINVAL)
            continue; /* lost: a kind of segments that the header has no word for */
        if (len < (ssize_t)sizeof(how))
            return false; /* EBADFD: the interface was deleted */
        len -= (ssize_t)sizeof(how);
        memcpy(&how, packet, sizeof(how));
        how.gso_type = (uint8_t)(how.gso_type & ~VIRTIO_NET_HDR_GSO_ECN);
        if (how.gso_type != VIRTIO_NET_HDR_GSO_NONE) {
            send_in_pieces(d, ip, (size_t)len, &how);
        } else if (!wyrmd_udp_loops(d, ip, (size_t)len)) {
            struct wyrm_span span = {ip, (size_t)len};

            if (how.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
                fill_checksum(ip, (size_t)len, &how);
            wyrmd_send_inner(d, &span, 1);
        }
    }
    return true;
}
