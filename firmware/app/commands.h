/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * All commands, and the table of them for the shell. A command receives its words (argv[0] is its
 * name), prints its result and returns true, or prints one error through shell.h and returns false.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "shell.h"

extern const struct command commands[];
extern const size_t commands_count;

bool command_conf(int argc, char **argv);
bool command_demo(int argc, char **argv);
bool command_genkey(int argc, char **argv);
bool command_genpsk(int argc, char **argv);
bool command_heap(int argc, char **argv);
bool command_ip(int argc, char **argv);
bool command_iperf(int argc, char **argv);
bool command_load(int argc, char **argv);
bool command_monitor(int argc, char **argv);
bool command_ping(int argc, char **argv);
bool command_pubkey(int argc, char **argv);
bool command_reboot(int argc, char **argv);
bool command_sleep(int argc, char **argv);
bool command_stats(int argc, char **argv);
bool command_tasks(int argc, char **argv);
bool command_uapi(int argc, char **argv);
bool command_version(int argc, char **argv);
bool command_wg(int argc, char **argv);

/* Parts of `ip` that need the tunnel (gateway.c). */
bool command_ip_forward(const char *word);
void show_ip_forward(void);

#endif
