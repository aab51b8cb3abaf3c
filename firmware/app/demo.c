/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The demo command: tunnel up, ping, tunnel down, repeatedly.
 */
#include "commands.h"

#include "board_api.h"
#include "console.h"
#include "ping.h"
#include "shell.h"
#include "text.h"
#include "tunnel.h"
#include "wg.h"

#define ROUNDS_MAX 1000u
#define PINGS      "4"

/* The first ping waits for the handshake: the previous session ended with the tunnel. */
static bool round_trip(char *host, struct ping_result *result)
{
    char command[] = "ping", option[] = "-c", count[] = PINGS, every[] = "-i", seconds[] = "0.2";
    char *words[] = {command, host, option, count, every, seconds};
    bool whole;

    if (!wg_up())
        return false;
    whole = ping_run(sizeof words / sizeof words[0], words, result);
    console_printf("demo: disconnecting\n");
    tunnel_down();
    console_printf("demo: disconnected\n");
    return whole;
}

bool command_demo(int argc, char **argv)
{
    uint32_t rounds, done = 0;
    struct ping_result sum = {0};
    bool whole = true;

    if (argc != 3)
        return shell_usage();
    if (!text_to_u32(argv[1], 1, ROUNDS_MAX, &rounds))
        return shell_error("'%s' is not a number of rounds from 1 to %u", argv[1], ROUNDS_MAX);
    while (whole && done < rounds) {
        struct ping_result result = {0};

        console_printf("demo: round %u of %u\n", (unsigned)(done + 1), (unsigned)rounds);
        whole = round_trip(argv[2], &result);
        sum.sent += result.sent;
        sum.received += result.received;
        done += whole;
    }
    console_printf("demo: %u rounds, %u sent, %u received\n", (unsigned)done, (unsigned)sum.sent,
                   (unsigned)sum.received);
    if (!whole)
        return shell_error("the demo ended in round %u of %u", (unsigned)(done + 1),
                           (unsigned)rounds);
    return sum.received > 0 || shell_error("no reply from %s", argv[2]);
}
