/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * wyrmd: the WireGuard protocol for Linux in user space. Opens everything, drops privileges, lets
 * the parent process exit once wg(8) can connect, enters the sandbox and runs the loop.
 */
#include "privileges.h"
#include "sandbox.h"
#include "system.h"
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
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define RTMGRP_IPV6_RULE (1u << (RTNLGRP_IPV6_RULE - 1)) /* missing from the system's header */

enum {
    DEFAULT_PEERS = 1024,
    DEFAULT_ROUTES = 262144, /* unused entries take no memory */
    PEERS_MAX = 16000,
    ROUTES_MAX = 1000000
};

struct settings {
    const char *interface;
    uint16_t peers;
    uint32_t routes;
    bool low_ports, verbose;
};

static const char usage[] =
    "usage: wyrmd [options] INTERFACE\n"
    "\n"
    "A WireGuard interface in user space, configured with wg(8) and wg-quick(8):\n"
    "    WG_QUICK_USERSPACE_IMPLEMENTATION=wyrmd wg-quick up wg0\n"
    "\n"
    "  -f, --foreground  stay in the foreground\n"
    "  -l, --low-ports   allow listening on ports below 1024\n"
    "  -p, --peers N     maximum number of peers (default 1024)\n"
    "  -r, --routes N    maximum number of allowed IPs (default 262144)\n"
    "  -v, --verbose     log dropped packets and the reason\n"
    "  -h, --help        show this help and exit\n"
    "  -V, --version     show the version and exit\n"
    "\n"
    "wyrmd exits when the interface is deleted, when its socket in " UAPI_DIR " is removed, or\n"
    "on SIGTERM, SIGINT or SIGHUP. Exit status: 0 stopped on request, 1 failure, 2 usage error.\n";

/* ---- Opening ------------------------------------------------------------ */

static int open_signals(void)
{
    sigset_t set;

    /* A shell starts background jobs with SIGINT ignored. Linux queues a blocked signal even then;
     * POSIX does not require this. */
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

/* Subscribes to changes of interfaces, addresses, routes and rules. */
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

static bool open_events(struct wyrmd *d)
{
    d->epoll = epoll_create1(EPOLL_CLOEXEC);
    d->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    d->signals = open_signals();
    d->routes = open_routes();
    if (d->epoll >= 0 && d->timer >= 0 && d->signals >= 0 && d->routes >= 0)
        return true;
    wyrmd_log("%s", strerror(errno));
    return false;
}

/* Connects the modules. Each knows only those it uses. */
static bool compose(struct wyrmd *d)
{
    d->tunnel = (struct wyrmd_tunnel){.core = &d->core,
                                      .tun = &d->tun,
                                      .merge = wyrmd_merge_new(&d->tun),
                                      .outbox = &d->outbox,
                                      .hold = &d->hold,
                                      .handshakes = &d->handshakes};
    d->transmitter = (struct wyrmd_transmitter){
        .core = &d->core, .tun = &d->tun, .udp = &d->udp, .tunnel = &d->tunnel};
    d->initiations = (struct wyrmd_initiations){
        .core = &d->core, .udp = &d->udp, .receiver = &d->receiver, .fd = -1};
    d->sockets = (struct wyrmd_sockets){
        .epoll = d->epoll, .udp = &d->udp, .outbox = &d->outbox, .initiations = &d->initiations};
    d->uapi.context = (struct wyrmd_uapi_context){
        .core = &d->core, .sockets = &d->sockets, .paths = &d->paths, .handshakes = &d->handshakes};
    if (d->tunnel.merge != NULL && wyrmd_outbox_init(&d->outbox, &d->core, &d->udp) &&
        wyrmd_hold_init(&d->hold, d->core.pools.n_peers) &&
        wyrmd_handshakes_init(&d->handshakes, &d->core) &&
        wyrmd_receiver_init(&d->receiver, &d->tunnel) &&
        wyrmd_paths_init(&d->paths, &d->core, &d->udp))
        return true;
    wyrmd_log("not enough memory");
    return false;
}

static bool open_sockets(struct wyrmd *d)
{
    int error;

    if (!wyrmd_initiations_init(&d->initiations, d->epoll)) {
        wyrmd_log("epoll: %s", strerror(errno));
        return false;
    }
    error = wyrmd_sockets_bind(&d->sockets, 0);
    if (error != 0)
        wyrmd_log("UDP socket: %s", strerror(error));
    return error == 0;
}

static bool watch_all(const struct wyrmd *d)
{
    const int fds[] = {d->tun.fd, d->timer, d->signals, d->routes, d->uapi.listener, d->uapi.watch};

    for (unsigned i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (!wyrmd_watch(d->epoll, fds[i])) {
            wyrmd_log("epoll: %s", strerror(errno));
            return false;
        }
    }
    return true;
}

static bool open_tun(struct wyrmd *d, const struct settings *settings)
{
    if (!wyrmd_tun_open(&d->tun, settings->interface, d->routes))
        return false;
    wyrmd_log_open(d->tun.name, settings->verbose);
    return true;
}

static bool open_all(struct wyrmd *d, const struct settings *settings)
{
    return open_events(d) && wyrmd_core_init(&d->core, settings->peers, settings->routes) &&
           compose(d) && open_sockets(d) && open_tun(d, settings) &&
           wyrmd_uapi_open(&d->uapi, d->epoll, d->tun.name) &&
           wyrmd_drop_privileges(UAPI_DIR, settings->low_ports) && watch_all(d);
}

/* The control socket is removed last: after that, another daemon can use its port and name. */
static void close_all(struct wyrmd *d)
{
    wyrmd_sockets_close(&d->sockets);
    wyrmd_tun_close(&d->tun);
    wyrmd_uapi_close(&d->uapi);
    wyrmd_core_close(&d->core);
    wyrmd_tunnel_close(&d->tunnel);
}

/* ---- Process ------------------------------------------------------------ */

/* Detaches from the terminal, then tells the parent process that the daemon is ready. */
static void go_to_background(int ready)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setsid();
    if (chdir("/") < 0)
        wyrmd_log("/: %s", strerror(errno));
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        (void)dup2(null, fd);
    if (null >= 0)
        close(null);
    (void)!write(ready, "", 1);
    close(ready);
}

/* `ready` is a pipe to the waiting parent, -1: stay in the foreground. */
static int start_and_run(const struct settings *settings, int ready)
{
    static struct wyrmd d;
    int code = 1;

    d.tun.fd = d.udp.fd4 = d.udp.fd6 = d.initiations.fd = d.uapi.listener = -1; /* not open */
    if (open_all(&d, settings)) {
        if (ready >= 0)
            go_to_background(ready);
        wyrmd_sandbox(UAPI_DIR);
        code = wyrmd_run(&d);
    }
    close_all(&d);
    return code;
}

static int start_in_background(const struct settings *settings)
{
    int ends[2];
    char ready;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) < 0 || (child = fork()) < 0) {
        wyrmd_log("%s", strerror(errno));
        return 1;
    }
    if (child == 0) {
        close(ends[0]);
        return start_and_run(settings, ends[1]);
    }
    close(ends[1]);
    return read(ends[0], &ready, 1) == 1 ? 0 : 1; /* the child has logged why not */
}

/* Files that the parent process left open would stay open as long as the daemon runs. */
static void close_inherited(void)
{
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
        return;
    for (int fd = (int)sysconf(_SC_OPEN_MAX); --fd >= 3;)
        close(fd);
}

/* Makes sure that no file opened later becomes standard input, output or error. */
static bool open_standard_files(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool parse_count(const char *option, const char *text, unsigned long max, unsigned long *out)
{
    char *end;

    errno = 0;
    *out = strtoul(text, &end, 10);
    if (errno == 0 && *end == '\0' && end != text && *out >= 1 && *out <= max)
        return true;
    fprintf(stderr, "wyrmd: --%s takes a number from 1 to %lu\n", option, max);
    return false;
}

static bool is_interface_name(const char *name)
{
    return name[0] != '\0' && strlen(name) < IFNAMSIZ && strchr(name, '/') == NULL;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"foreground", no_argument, NULL, 'f'},  {"low-ports", no_argument, NULL, 'l'},
        {"peers", required_argument, NULL, 'p'}, {"routes", required_argument, NULL, 'r'},
        {"verbose", no_argument, NULL, 'v'},     {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},     {NULL, 0, NULL, 0},
    };
    struct settings settings = {0};
    unsigned long peers = DEFAULT_PEERS, routes = DEFAULT_ROUTES;
    bool foreground = false;
    int option;

    while ((option = getopt_long(argc, argv, "flp:r:vhV", options, NULL)) != -1) {
        switch (option) {
        case 'f':
            foreground = true;
            break;
        case 'l':
            settings.low_ports = true;
            break;
        case 'p':
            if (!parse_count("peers", optarg, PEERS_MAX, &peers))
                return 2;
            break;
        case 'r':
            if (!parse_count("routes", optarg, ROUTES_MAX, &routes))
                return 2;
            break;
        case 'v':
            settings.verbose = true;
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
    if (argc - optind != 1 || !is_interface_name(argv[optind])) {
        fprintf(stderr, "wyrmd: give one interface name of 1 to 15 characters, such as wg0\n");
        return 2;
    }
    settings.interface = argv[optind];
    settings.peers = (uint16_t)peers;
    settings.routes = (uint32_t)routes;
    close_inherited();
    if (!open_standard_files()) {
        fprintf(stderr, "wyrmd: /dev/null: %s\n", strerror(errno));
        return 1;
    }
    wyrmd_log_open(settings.interface, settings.verbose);
    return foreground ? start_and_run(&settings, -1) : start_in_background(&settings);
}
