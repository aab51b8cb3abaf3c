/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The iperf command: compatible with iperf 2, as a client and a server.
 */
#include <string.h>

#include "lwip/opt.h"
#include "lwip/tcp.h"
#include "lwip/tcpip.h"
#include "lwip/timeouts.h"

#include "commands.h"
#include "console.h"
#include "iperf_tcp.h"
#include "iperf_udp.h"
#include "iperf_wire.h"
#include "net.h"
#include "shell.h"
#include "text.h"

#define SECONDS_MAX   86400u
#define MSS_MIN       64u
#define TCP_WRITE_MAX (1024u * 1024)

/* ---- server ---- */

static void stop_locked(void)
{
    iperf_tcp_stop();
    iperf_udp_stop();
}

static void on_end(void *unused)
{
    (void)unused;
    stop_locked();
    console_notice("iperf: serving time is over");
}

static void stop(void)
{
    LOCK_TCPIP_CORE();
    sys_untimeout(on_end, NULL);
    stop_locked();
    UNLOCK_TCPIP_CORE();
}

static bool serve(const struct iperf_options *options)
{
    stop();
    LOCK_TCPIP_CORE();
    err_t error = options->udp ? ERR_OK : iperf_tcp_serve(options);
    if (error == ERR_OK)
        error = iperf_udp_serve(options);
    if (error == ERR_OK && options->milliseconds > 0)
        sys_timeout(options->milliseconds, on_end, NULL);
    UNLOCK_TCPIP_CORE();

    if (error != ERR_OK) {
        stop();
        return shell_error("iperf cannot serve on port %u: %s", options->port, net_error(error));
    }
    console_printf("iperf: serving %s on port %u\n", options->udp ? "UDP" : "TCP and UDP",
                   options->port);
    return true;
}

/* ---- options ---- */

static bool read_port(const char *option, const char *value, uint16_t *out)
{
    uint32_t number;

    if (!text_to_u32(value, 1, 65535, &number))
        return shell_error("%s must be a port from 1 to 65535", option);
    *out = (uint16_t)number;
    return true;
}

static bool read_seconds(const char *option, const char *value, uint32_t *out)
{
    return (text_to_milli(value, SECONDS_MAX * 1000, out) && *out > 0) ||
           shell_error("%s must be 0.001 to %u seconds", option, SECONDS_MAX);
}

static bool read_size(const char *option, const char *value, uint32_t least, uint32_t most,
                      uint32_t *out)
{
    uint64_t number;

    if (!text_to_size(value, most, &number) || number < least)
        return shell_error("%s must be %u to %u bytes", option, (unsigned)least, (unsigned)most);
    *out = (uint32_t)number;
    return true;
}

static bool read_value(const char *option, const char *value, struct iperf_options *options)
{
    switch (option[1]) {
    case 'p':
        return read_port(option, value, &options->port);
    case 'L':
        return read_port(option, value, &options->back_port);
    case 't':
        return read_seconds(option, value, &options->milliseconds);
    case 'i':
        return read_seconds(option, value, &options->interval_ms) &&
               (options->interval_ms >= 100 || shell_error("-i must be 0.1 seconds or more"));
    case 'o':
        return read_seconds(option, value, &options->timeout_ms);
    case 'n':
        return (text_to_size(value, UINT64_MAX / 1000, &options->bytes) && options->bytes > 0) ||
               shell_error("-n must be a number of bytes");
    case 'b':
        return text_to_milli(value, 1000000, &options->rate_kbit) ||
               shell_error("-b must be 0.001 to 1000 Mbit/s, or 0 for as fast as possible");
    case 'l':
        return read_size(option, value, 1, TCP_WRITE_MAX, &options->length);
    case 'w':
        return read_size(option, value, 1, UINT32_MAX, &options->window);
    case 'M':
        return read_size(option, value, MSS_MIN, TCP_MSS, &options->mss);
    case 'P':
        return text_to_u32(value, 1, IPERF_STREAMS, &options->streams) ||
               shell_error("-P must be 1 to %u streams", IPERF_STREAMS);
    default:
        return shell_usage();
    }
}

/* Reads option argv[i], its value in argv[i + 1]. Returns how many words it took, 0 on error. */
static int read_option(const char *option, const char *value, struct iperf_options *options)
{
    if (option[0] != '-' || option[1] == '\0' || option[2] != '\0')
        return shell_usage();
    switch (option[1]) {
    case 'u':
        options->udp = true;
        return 1;
    case 'd':
        options->mode = IPERF_SEND_NOW;
        return 1;
    case 'r':
        options->mode = IPERF_SEND_AFTERWARDS;
        return 1;
    default:
        return read_value(option, value, options) ? 2 : 0;
    }
}

static bool is_consistent(struct iperf_options *options, bool server)
{
    if (server && options->mode != IPERF_RECEIVE)
        return shell_error("-d and -r are for 'iperf -c HOST'");
    if (options->mode != IPERF_RECEIVE && options->streams > 1)
        return shell_error("-P cannot be combined with -d or -r");
    if (options->udp && options->length != 0 &&
        (options->length < IPERF_DATAGRAM_MIN || options->length > IPERF_DATAGRAM_MAX))
        return shell_error("-l must be a datagram length from %u to %u bytes", IPERF_DATAGRAM_MIN,
                           IPERF_DATAGRAM_MAX);
    if (!options->udp && options->window > TCP_WND && options->window > TCP_SND_BUF)
        console_printf("note: -w %u is more than this board has: it receives %u bytes ahead and "
                       "sends %u\n",
                       (unsigned)options->window, (unsigned)TCP_WND, (unsigned)TCP_SND_BUF);
    if (!server && options->milliseconds == 0)
        options->milliseconds = 10000;
    if (options->back_port == 0)
        options->back_port = options->port;
    return true;
}

bool command_iperf(int argc, char **argv)
{
    struct iperf_options options = {
        .port = IPERF_PORT, .rate_kbit = 1000, .streams = 1, .timeout_ms = 30000};
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
        } else if ((taken = read_option(argv[i], value, &options)) == 0) {
            return false;
        }
    }
    if (server == (host != NULL))
        return shell_usage();
    if (!is_consistent(&options, server))
        return false;
    if (server)
        return serve(&options);
    if (!net_resolve(host, &options.host))
        return false;
    return options.udp ? iperf_udp_send(&options) : iperf_tcp_send(&options);
}
