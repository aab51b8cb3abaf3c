/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "commands.h"

const struct command commands[] = {
    {"heap", "", "memory use of FreeRTOS and lwIP: total, used, peak, failed", NULL, command_heap},
    {"help", "[COMMAND]", "list the commands, or describe one", NULL, shell_help},
    {"ip", "[ADDRESS/BITS [gw ADDRESS] | dhcp | dns ADDRESS | autoconf on|off | forward on|off]",
     "show or set the addresses",
     "  ip                            show\n"
     "  ip 10.9.0.2/24 gw 10.9.0.1    set the IPv4 address and gateway\n"
     "  ip fd09::2/64                 set the IPv6 address\n"
     "  ip dhcp                       get an IPv4 address by DHCP\n"
     "  ip dns 10.9.0.1               set the name server\n"
     "  ip forward on                 forward between this network and the tunnel ('conf save'\n"
     "                                keeps it)\n",
     command_ip},
#if WYRM_FIRMWARE_IPERF
    {"iperf", "-s | -c HOST | stop  [OPTIONS]", "measure throughput with iperf 2",
     "  iperf -s          serve TCP and UDP in the background (with -u: UDP only), for -t seconds\n"
     "  iperf -c HOST     send for 10 s, or as -t or -n say; Ctrl-C stops\n"
     "  iperf stop        stop serving\n"
     "  -u UDP    -p PORT (5001)    -t SECONDS    -n BYTES    -i SECONDS between reports\n"
     "  -d the other side sends at the same time, -r afterwards, to port -L (as -p)\n"
     "  -P STREAMS (1)    -b MBIT of each UDP stream (1; 0: as fast as possible)\n"
     "  -l BYTES of a datagram (1470, IPv6 1450) or of a write\n"
     "  -w BYTES on their way at most    -M BYTES of a segment at most\n"
     "  -o SECONDS without progress after which a transfer is given up (30)\n"
     "  BYTES may end with k, K, m or M\n",
     command_iperf},
#endif
    {"load", "[SECONDS [WINDOWS [up]]]", "CPU load, in consecutive windows",
     "  load 5 3 up    starts the tunnel at the beginning of the first window, as 'wg up' does\n",
     command_load},
    {"monitor", "[SECONDS [COUNT]] [json]", "tasks and memory, once or periodically",
     "  monitor            one snapshot\n"
     "  monitor 2          every 2 s until Ctrl-C; shares of time since boot and since this "
     "command\n"
     "  monitor 2 10 json  ten, one line of JSON each\n",
     command_monitor},
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
    {"demo", "ROUNDS HOST", "tunnel up, ping HOST, tunnel down, ROUNDS times", NULL, command_demo},
    {"genkey", "", "generate a private key that never leaves the device", NULL, command_genkey},
    {"genpsk", "", "generate a preshared key", NULL, command_genpsk},
    {"pubkey", "", "the public key of the private key in use", NULL, command_pubkey},
    {"sleep", "SECONDS", "deep sleep; the tunnel's sessions continue afterwards",
     "  The device sleeps with network and tunnel down, and wakes by a reset. It starts the "
     "tunnel\n"
     "  with the saved configuration ('conf save') and resumes its sessions without a handshake.\n",
     command_sleep},
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

const size_t commands_count = sizeof commands / sizeof commands[0];
