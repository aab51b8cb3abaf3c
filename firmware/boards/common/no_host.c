/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Arguments, host.h and semihost.h of a board without a host.
 */
#include "board_api.h"
#include "host.h"
#include "semihost.h"

const char *board_argument(const char *name)
{
    (void)name;
    return NULL;
}

void host_exit(uint32_t code)
{
    (void)code;
}

void semihost_refused(void)
{
}
