/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Startup: initialises the board, then one task brings up the network and becomes the shell.
 */
#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/tcpip.h"

#include "board_api.h"
#include "build_info.h"
#include "commands.h"
#include "conf.h"
#include "console.h"
#include "deep_sleep.h"
#include "gateway.h"
#include "guard.h"
#include "net.h"
#include "shell.h"
#include "tunnel.h"
#include "wg.h"

#define SHELL_PRIORITY 2
#define SHELL_STACK    (BOARD_SHELL_STACK / sizeof(StackType_t))

int main(void);

static void banner(void)
{
    uint8_t byte;

    console_printf("\nWyrmling " WYRM_BUILD_VERSION " (" WYRM_BUILD_GIT ") on %s\n",
                   BOARD_DESCRIPTION);
    if (board_flash_was_blank())
        console_printf("flash: was blank and has been formatted\n");
    if (!board_random(&byte, 1))
        console_printf("random: the board has no entropy, so the tunnel cannot do handshakes\n");
}

/* Called before the network is up, so that not even the first packet leaks past the tunnel. */
static enum conf_saved load_configuration(void)
{
    enum conf_saved found = conf_start();

    LOCK_TCPIP_CORE();
    guard_install(net_interface());
    gateway_switch(conf_forwards());
    UNLOCK_TCPIP_CORE();
    if (found != CONF_NONE)
        tunnel_await(conf_current(), conf_is_strict());
    return found;
}

static void start_tunnel(enum conf_saved found)
{
    tunnel_init();
    if (found == CONF_GOOD && !wg_up())
        (void)shell_error("traffic for the tunnel is dropped until it is up; 'wg up' tries again, "
                          "'wg off' routes the traffic as usual");
    deep_sleep_report();
    if (found == CONF_REFUSED)
        (void)shell_error("the saved configuration is unusable, so only DHCP, neighbor discovery "
                          "and pings to neighbors are sent; enter a valid one with 'conf paste' "
                          "and 'wg up', or run without a tunnel with 'wg off'");
}

static void shell_task(void *unused)
{
    enum conf_saved found = CONF_NONE;
    char addresses[80];
    const char *terminal = board_argument("term");

    (void)unused;
    console_start(terminal && strcmp(terminal, "plain") == 0);
    banner();
    net_init();
    if (WYRM_FIRMWARE_TUNNEL)
        found = load_configuration();
    net_start();
    net_describe(addresses, sizeof addresses);
    console_printf("ready: %s in %lu ms\n", addresses, (unsigned long)(board_clock_us() / 1000));
    if (WYRM_FIRMWARE_TUNNEL)
        start_tunnel(found);
    shell_run(commands, commands_count);
}

int main(void)
{
    static StaticTask_t task;
    static StackType_t stack[SHELL_STACK];

    board_init();
    (void)xTaskCreateStatic(shell_task, "shell", SHELL_STACK, NULL, SHELL_PRIORITY, stack, &task);
    vTaskStartScheduler();
    return 1; /* not reached: the scheduler only returns if the idle task cannot be created */
}
