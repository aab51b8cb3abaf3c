/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The iperf command: client and server for iperf 2.
 */
#include <string.h>

#include "lwip/tcpip.h"

#include "commands.h"
#include "console.h"
#include "iperf_tcp.h"
#include "iperf_udp.h"
#include "iperf_wire.h"
#include "net.h"
#include "shell.h"
#include "text.h"

#define SECONDS_MAX 86400u

static void stop(void)
{
    LOCK_TCPIP_CORE();
    iperf_tcp_stop();
    iperf_udp_stop();
    UNLOCK_TCPIP_CORE();
}

static bool serve(const struct iperf_options *options)
{
    stop();
    LOCK_TCPIP_CORE();
    err_t error = options->udp ? ERR_OK : iperf_tcp_serve(options->port);
    if (error == ERR_OK)
        error = iperf_udp_serve(options->port);
    UNLOCK_TCPIP_CORE();

    if (error != ERR_OK) {
        stop();
        return shell_error("iperf cannot serve on port %u: %s", options->port, net_error(error));
    }
    console_printf("iperf: serving %s on port %u\n", options->udp ? "UDP" : "TCP and UDP",
                   options->port);
    return true;
}

/* Reads option argv[i], its value in argv[i + 1]. Returns how many words it took, 0 on error. */
static int parse_option(const char *option, const char *value, struct iperf_options *options)
{
    uint32_t number;

    if (strcmp(option, "-u") == 0) {
        options->udp = true;
        return 1;
    }
    if (strcmp(option, "-p") == 0) {
        if (!text_to_u32(value, 1, 65535, &number))
            return shell_error("-p must be a port from 1 to 65535");
        options->port = (uint16_t)number;
    } else if (strcmp(option, "-t") == 0) {
        if (!text_to_milli(value, SECONDS_MAX * 1000, &options->milliseconds) ||
            options->milliseconds == 0)
            return shell_error("-t must be 0.001 to %u seconds", SECONDS_MAX);
    } else if (strcmp(option, "-n") == 0) {
        if (!text_to_u64(value, UINT64_MAX / 1000, &options->bytes) || options->bytes == 0)
            return shell_error("-n must be a number of bytes");
    } else if (strcmp(option, "-b") == 0) {
        if (!text_to_milli(value, 1000000, &options->rate_kbit) || options->rate_kbit == 0)
            return shell_error("-b must be 0.001 to 1000 Mbit/s");
    } else if (strcmp(option, "-l") == 0) {
        if (!text_to_u32(value, IPERF_DATAGRAM_MIN, IPERF_DATAGRAM_MAX, &options->length))
            return shell_error("-l must be a datagram length from %u to %u bytes",
                               IPERF_DATAGRAM_MIN, IPERF_DATAGRAM_MAX);
    } else {
        return shell_usage();
    }
    return 2;
}

bool command_iperf(int argc, char **argv)
{
    struct iperf_options options = {.port = IPERF_PORT, .milliseconds = 10000, .rate_kbit = 1000};
    const char *host = NULL;
    bool server = false;

    if (argc == 2 && strcmp(argv[1], "stop") == 0) {
        stop();
        console_printf("iperf: stopped\n");
        return true;
    }
    for (int i = 1, taken; i < argc; i += taken) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        taken = 2;
        if (strcmp(argv[i], "-s") == 0) {
            server = true;
            taken = 1;
        } else if (strcmp(argv[i], "-c") == 0 && *value) {
            host = value;
        } else if ((taken = parse_option(argv[i], value, &options)) == 0) {
            return false;
        }
    }
    if (server == (host != NULL))
        return shell_usage();
    if (server)
        return serve(&options);
    if (!net_resolve(host, &options.host))
        return false;
    return options.udp ? iperf_udp_send(&options) : iperf_tcp_send(&options);
}
