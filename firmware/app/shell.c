/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "shell.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "board_api.h"
#include "commands.h"
#include "console.h"
#include "text.h"

#define WORDS_MAX 16

struct command {
    const char *name;
    const char *arguments;
    const char *summary;
    const char *detail; /* further lines of `help NAME`, or NULL */
    bool (*run)(int argc, char **argv);
};

static bool command_help(int argc, char **argv);

static const struct command commands[] = {
    {"heap", "", "memory use of FreeRTOS and lwIP: total, used, peak, failed", NULL, command_heap},
    {"help", "[COMMAND]", "list the commands, or describe one", NULL, command_help},
    {"ip", "[ADDRESS/BITS [gw ADDRESS] | dhcp | dns ADDRESS | autoconf on|off]",
     "show or set the addresses",
     "  ip                            show\n"
     "  ip 10.9.0.2/24 gw 10.9.0.1    set the IPv4 address and gateway\n"
     "  ip fd09::2/64                 set the IPv6 address\n"
     "  ip dhcp                       get an IPv4 address by DHCP\n"
     "  ip dns 10.9.0.1               set the name server\n",
     command_ip},
    {"iperf", "-s | -c HOST | stop  [-u] [-p PORT] [-t SECONDS | -n BYTES] [-b MBIT] [-l BYTES]",
     "measure throughput with iperf 2",
     "  iperf -s             serve TCP and UDP in the background (with -u: UDP only)\n"
     "  iperf -c HOST        send for 10 s, or as -t or -n say; Ctrl-C stops\n"
     "  iperf -c HOST -u     send UDP at -b Mbit/s (1), -l bytes each (1470, IPv6 1450)\n"
     "  iperf stop           stop serving\n",
     command_iperf},
    {"load", "[SECONDS]", "CPU load", NULL, command_load},
    {"ping", "HOST [-c COUNT] [-s BYTES] [-i SECONDS] [-q]", "send echo requests, IPv4 or IPv6",
     "  Default: 4 requests of 56 bytes, one per second; -q prints only the summary\n",
     command_ping},
    {"reboot", "", "reset the board", NULL, command_reboot},
    {"stats", "", "packets sent, received and dropped, by driver and protocol", NULL,
     command_stats},
    {"tasks", "", "state, stack and run time of every task", NULL, command_tasks},
    {"version", "", "version, board, compiler and libraries", NULL, command_version},
#if WYRM_FIRMWARE_TUNNEL
    {"conf", "[show | paste | save | clear]", "the tunnel's configuration, a wg-quick file",
     "  conf          show it with secrets hidden\n"
     "  conf paste    read a new one without echo, up to a line with a single dot or Ctrl-D\n"
     "  conf save     save it and the device's private key in flash, for use at every boot\n"
     "  conf clear    erase configuration and private key, also from flash\n",
     command_conf},
    {"genkey", "", "generate a private key that never leaves the device", NULL, command_genkey},
    {"genpsk", "", "generate a preshared key", NULL, command_genpsk},
    {"pubkey", "", "the public key of the private key in use", NULL, command_pubkey},
    {"uapi", "", "one request of wg(8)'s protocol, for programs ('./wyrm bridge')",
     "  Reads a `get=1` or `set=1` request without echo, up to an empty line. Answers as "
     "described\n"
     "  at wireguard.com/xplatform, but never reveals private or preshared keys.\n",
     command_uapi},
    {"wg", "[show | up [ADDRESS/BITS...] | down | off | strict on|off]", "the tunnel",
     "  wg         show it, as wg(8) does\n"
     "  wg up      start it with the current configuration ('conf')\n"
     "  wg up 10.77.0.2/24    start it with these addresses only; configure peers with 'uapi'\n"
     "  wg down    stop it and drop its traffic; nothing is sent in the clear\n"
     "  wg off     stop it and route its traffic as usual\n"
     "  wg strict on    AllowedIPs win over every attached network, whatever DHCP says\n"
     "  wg strict off   the longer prefix wins\n",
     command_wg},
#endif
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const struct command *running;

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

bool shell_error(const char *format, ...)
{
    char text[CONSOLE_LINE_MAX - 16];
    va_list args;

    va_start(args, format);
    (void)text_vformat(text, sizeof text, format, args);
    va_end(args);
    console_printf("error: %s\n", text);
    return false;
}

/* Between the name of a command and its arguments, if it has any. */
static const char *gap(const struct command *command)
{
    return command->arguments[0] ? " " : "";
}

bool shell_usage(void)
{
    return shell_error("usage: %s%s%s", running->name, gap(running), running->arguments);
}

static bool unknown(const char *name)
{
    return shell_error("there is no command '%s'; try 'help'", name);
}

static bool command_help(int argc, char **argv)
{
    if (argc > 2)
        return shell_usage();
    if (argc == 2) {
        const struct command *command = find(argv[1]);

        if (!command)
            return unknown(argv[1]);
        console_printf("%s%s%s\n", command->name, gap(command), command->arguments);
        console_printf("  %s\n", command->summary);
        if (command->detail)
            console_print(command->detail);
        return true;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        console_printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
    return true;
}

/* Returns the number of words; stores at most WORDS_MAX of them. */
static int split(char *line, char **words)
{
    int count = 0;

    for (char *p = line;; count++) {
        while (*p == ' ')
            *p++ = '\0';
        if (*p == '\0')
            return count;
        if (count < WORDS_MAX)
            words[count] = p;
        while (*p && *p != ' ')
            p++;
    }
}

static void run_line(char *line)
{
    char *words[WORDS_MAX];
    int count = split(line, words);

    if (count == 0)
        return;
    if (count > WORDS_MAX) {
        (void)shell_error("the line has more than %d words and was not executed", WORDS_MAX);
        return;
    }
    running = find(words[0]);
    if (!running) {
        (void)unknown(words[0]);
        return;
    }
    (void)running->run(count, words);
    console_flush();
}

/* Part of a command may be a different command, and do harm. */
static void refuse_line(enum console_line why)
{
    switch (why) {
    case CONSOLE_TOO_LONG:
        (void)shell_error("the line is longer than %d characters and was not executed",
                          CONSOLE_LINE_MAX - 1);
        break;
    case CONSOLE_NOT_TEXT:
        (void)shell_error("the line has a tab or another character that is not printable ASCII, "
                          "and was not executed");
        break;
    case CONSOLE_HEADLESS:
        (void)shell_error("the beginning of this line was dropped, so it was not executed");
        break;
    default:
        break; /* cancelled by the user */
    }
}

void shell_run(void)
{
    static char line[CONSOLE_LINE_MAX];

    for (;;) {
        enum console_line got = console_read_line("wyrm> ", line);

        board_console_clear_interrupt();
        if (got != CONSOLE_WHOLE) {
            refuse_line(got);
            continue;
        }
        if (line[0])
            console_remember(line);
        run_line(line);
    }
}
