/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * wyrmd: the WireGuard protocol for Linux in user space. Opens everything, lets its parent go once
 * wg(8) can talk to it, drops what privileges it no longer needs, and runs the loop.
 */
#include "wyrmd.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define RTMGRP_IPV6_RULE (1u << (RTNLGRP_IPV6_RULE - 1)) /* forgotten in the system's header */

enum {
    DEFAULT_PEERS = 1024,
    DEFAULT_ROUTES = 262144, /* room that is not used costs no memory */
    SLOTS = 64,
    SOURCES = 1024,
    INDEX_HEADS = 4096
};

static const char usage[] =
    "usage: wyrmd [options] INTERFACE\n"
    "\n"
    "A WireGuard interface in user space, configured with wg(8) and wg-quick(8):\n"
    "    WG_QUICK_USERSPACE_IMPLEMENTATION=wyrmd wg-quick up wg0\n"
    "\n"
    "  -f, --foreground  stay in the foreground\n"
    "  -l, --low-ports   keep the right to listen on ports below 1024\n"
    "  -p, --peers N     room for N peers (1024)\n"
    "  -r, --routes N    room for N allowed addresses (262144)\n"
    "  -v, --verbose     say what is dropped and why\n"
    "  -h, --help        this text\n"
    "  -V, --version     the version\n"
    "\n"
    "It ends when the interface is deleted, when its socket under " UAPI_DIR " is removed, or\n"
    "on SIGTERM, SIGINT and SIGHUP. Exit codes: 0 ended as asked, 1 failed, 2 wrong usage.\n";

/* ---- Platform ----------------------------------------------------------- */

static bool platform_random(void *ctx, void *out, size_t len)
{
    (void)ctx;
    return getrandom(out, len, 0) == (ssize_t)len;
}

/* The wall clock, its lowest 24 bits of nanoseconds put to another use so that it tells little
 * about the machine's load: they count the labels of the same moment, so that none comes twice. */
static bool platform_tai64n(void *ctx, uint8_t out[12])
{
    static uint64_t last;
    struct timespec t;
    uint64_t label;

    (void)ctx;
    if (clock_gettime(CLOCK_REALTIME, &t) != 0 || t.tv_sec < 0)
        return false;
    label = (uint64_t)t.tv_sec << 30 | ((uint64_t)t.tv_nsec & ~UINT64_C(0xffffff));
    if (label <= last)
        label = last + 1;
    last = label;
    for (unsigned i = 0; i < 8; i++)
        out[i] = (uint8_t)(((label >> 30) + 0x400000000000000au) >> (56 - 8 * i));
    for (unsigned i = 0; i < 4; i++)
        out[8 + i] = (uint8_t)((label & 0x3fffffff) >> (24 - 8 * i));
    return true;
}

static const struct wyrm_platform platform = {
    .random = platform_random,
    .tai64n = platform_tai64n,
};

/* ---- Start -------------------------------------------------------------- */

static void *room(size_t n, size_t size)
{
    void *memory = calloc(n, size);

    if (memory == NULL) {
        fprintf(stderr, "wyrmd: not enough memory\n");
        exit(1);
    }
    return memory;
}

static void make_room(struct wyrmd *d, uint16_t peers, uint32_t routes)
{
    d->pools = (struct wyrm_pools){
        .peers = room(peers, sizeof(struct wyrm_peer)),
        .routes = room(routes, sizeof(struct wyrm_route)),
        .slots = room(SLOTS, sizeof(struct wyrm_slot)),
        .sources = room(SOURCES, sizeof(struct wyrm_source)),
        .index = room(INDEX_HEADS, sizeof(uint16_t)),
        .n_peers = peers,
        .n_routes = routes,
        .n_slots = SLOTS,
        .n_sources = SOURCES,
        .n_index = INDEX_HEADS,
    };
    d->inbox = room(INBOX, SEALED_MAX);
    d->outbox.bytes = room(1, OUTBOX_BYTES);
    d->suspects = room(peers, 1);
    d->no_runs = room(peers, sizeof(*d->no_runs));
    if (!wyrmd_hold_init(d)) {
        fprintf(stderr, "wyrmd: not enough memory\n");
        exit(1);
    }
    d->handshakes = room(peers, sizeof(*d->handshakes));
    d->first_route = room(peers, sizeof(*d->first_route));
    d->next_route = room(routes, sizeof(*d->next_route));
    for (unsigned i = 0; i < UAPI_CLIENTS; i++)
        d->clients[i].fd = -1;
}

static int open_signals(void)
{
    sigset_t set;

    /* A shell starts what goes to its background with SIGINT ignored. Linux keeps a signal that is
     * blocked for us even so; POSIX leaves that open. */
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Hears of changes of interfaces, addresses and routes. */
static int open_routes(void)
{
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV4_RULE |
                     RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE | RTMGRP_IPV6_RULE};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool open_everything(struct wyrmd *d)
{
    int error;

    d->epoll = epoll_create1(EPOLL_CLOEXEC);
    d->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    d->signals = open_signals();
    d->routes = open_routes();
    if (d->epoll < 0 || d->timer < 0 || d->signals < 0 || d->routes < 0) {
        wyrmd_log(d, "%s", strerror(errno));
        return false;
    }
    if (wyrm_init(&d->dev, &d->pools, &platform) != WYRM_IDLE) {
        wyrmd_log(d, "the library was built with other options");
        return false;
    }
    d->uapi_scratch = room(1, wyrm_uapi_scratch_size(&d->dev));
    if (!wyrmd_initiations_init(d)) {
        wyrmd_log(d, "%s", strerror(errno));
        return false;
    }
    error = wyrmd_udp_bind(d, 0);
    if (error != 0) {
        wyrmd_log(d, "UDP socket: %s", strerror(error));
        return false;
    }
    if (!wyrmd_tun_open(d) || !wyrmd_uapi_open(d) || !wyrmd_drop_privileges(d))
        return false;
    return wyrmd_watch(d, d->tun) && wyrmd_watch(d, d->timer) && wyrmd_watch(d, d->signals) &&
           wyrmd_watch(d, d->routes) && wyrmd_watch(d, d->listener) && wyrmd_watch(d, d->watch);
}

/* Leaves the terminal behind. The parent goes only when the child says that it is ready. */
static void go_to_background(const struct wyrmd *d, int ready)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setsid();
    if (chdir("/") < 0)
        wyrmd_log(d, "/: %s", strerror(errno));
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        (void)dup2(null, fd);
    if (null >= 0)
        close(null);
    (void)!write(ready, "", 1);
    close(ready);
}

static int start_and_run(struct wyrmd *d, int ready)
{
    int code = 1;

    d->udp4 = d->udp6 = d->tun = d->listener = d->watch = -1;
    for (unsigned i = 0; i < INITIATION_SOCKETS; i++)
        d->initiations4[i] = d->initiations6[i] = -1;
    if (open_everything(d)) {
        if (ready >= 0)
            go_to_background(d, ready);
        wyrmd_sandbox(d);
        code = wyrmd_run(d);
    }
    /* The control socket goes last: once it is gone, port and name are free for another daemon. */
    wyrmd_udp_close(d);
    if (d->tun >= 0)
        close(d->tun);
    wyrmd_uapi_close(d);
    if (d->dev.pools != NULL)
        wyrm_close(&d->dev);
    explicit_bzero(&d->job, sizeof(d->job));
    wyrmd_drop_all_held(d);
    return code;
}

static int start_in_background(struct wyrmd *d)
{
    int ends[2];
    char ready;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) < 0 || (child = fork()) < 0) {
        wyrmd_log(d, "%s", strerror(errno));
        return 1;
    }
    if (child == 0) {
        close(ends[0]);
        return start_and_run(d, ends[1]);
    }
    close(ends[1]);
    return read(ends[0], &ready, 1) == 1 ? 0 : 1; /* the child has said why not */
}

/* What others forgot to close: their files would stay open as long as we run. */
static void close_inherited(void)
{
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
        return;
    for (int fd = (int)sysconf(_SC_OPEN_MAX); --fd >= 3;)
        close(fd);
}

/* Files opened later must not take the places of standard input, output and error. */
static bool have_standard_files(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool parse_count(const char *text, unsigned long max, unsigned long *out)
{
    char *end;

    errno = 0;
    *out = strtoul(text, &end, 10);
    return errno == 0 && *end == '\0' && end != text && *out >= 1 && *out <= max;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"foreground", no_argument, NULL, 'f'},  {"low-ports", no_argument, NULL, 'l'},
        {"peers", required_argument, NULL, 'p'}, {"routes", required_argument, NULL, 'r'},
        {"verbose", no_argument, NULL, 'v'},     {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},     {NULL, 0, NULL, 0},
    };
    static struct wyrmd daemon_state;
    struct wyrmd *d = &daemon_state;
    unsigned long peers = DEFAULT_PEERS, routes = DEFAULT_ROUTES;
    bool foreground = false;
    int option;

    while ((option = getopt_long(argc, argv, "flp:r:vhV", options, NULL)) != -1) {
        switch (option) {
        case 'f':
            foreground = true;
            break;
        case 'l':
            d->low_ports = true;
            break;
        case 'p':
            if (!parse_count(optarg, 16000, &peers)) {
                fprintf(stderr, "wyrmd: --peers wants a number from 1 to 16000\n");
                return 2;
            }
            break;
        case 'r':
            if (!parse_count(optarg, 1000000, &routes)) {
                fprintf(stderr, "wyrmd: --routes wants a number from 1 to 1000000\n");
                return 2;
            }
            break;
        case 'v':
            d->verbose = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'V':
            printf("wyrmd %u.%u.%u\n", WYRM_VERSION >> 16, WYRM_VERSION >> 8 & 0xff,
                   WYRM_VERSION & 0xff);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (argc - optind != 1 || strlen(argv[optind]) >= sizeof(d->name) ||
        strchr(argv[optind], '/') != NULL || argv[optind][0] == '\0') {
        fprintf(stderr, "wyrmd: give one interface name of 1 to 15 characters, such as wg0\n");
        return 2;
    }
    close_inherited();
    if (!have_standard_files()) {
        fprintf(stderr, "wyrmd: /dev/null: %s\n", strerror(errno));
        return 1;
    }
    strcpy(d->name, argv[optind]);
    make_room(d, (uint16_t)peers, (uint32_t)routes);
    return foreground ? start_and_run(d, -1) : start_in_background(d);
}
