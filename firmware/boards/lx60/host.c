/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Calls to the emulator, numbered as in Tensilica's simulator. Without one, each call fails.
 */
#include "host.h"

#include <string.h>

#include "lx60_private.h"

enum {
    SYS_EXIT = 1,
    SYS_READ = 3,
    SYS_OPEN = 5,
    SYS_CLOSE = 6,
    SYS_ARGC = 1000,
    SYS_ARGV_SIZE = 1001,
    SYS_ARGV = 1002,
};

#define OPEN_READ_ONLY 0

/* The emulator fills in a table of addresses, the last one zero, and the words behind it. The first
 * word is the name of the program. */
bool host_arguments(char *out, size_t cap)
{
    static uint32_t table[128];
    int32_t count = lx60_try_simcall(SYS_ARGC, 0, 0, 0);
    int32_t size = lx60_try_simcall(SYS_ARGV_SIZE, 0, 0, 0);
    size_t used = 0;

    out[0] = '\0';
    if (count <= 1 || size < 0 || (size_t)size > sizeof table)
        return false;
    (void)lx60_try_simcall(SYS_ARGV, (uintptr_t)table, 0, 0);
    for (int32_t i = 1; i < count; i++) {
        const char *word = (const char *)(uintptr_t)table[i];
        size_t len = strlen(word);

        if (len + 2 > cap - used)
            return false;
        memcpy(out + used, word, len);
        used += len;
        out[used++] = ' ';
        out[used] = '\0';
    }
    return true;
}

bool host_read_file(const char *path, void *out, size_t len)
{
    int32_t handle = lx60_try_simcall(SYS_OPEN, (uintptr_t)path, OPEN_READ_ONLY, 0);

    if (handle < 0)
        return false;

    int32_t got = lx60_try_simcall(SYS_READ, (uintptr_t)handle, (uintptr_t)out, len);

    (void)lx60_try_simcall(SYS_CLOSE, (uintptr_t)handle, 0, 0);
    return got >= 0 && (size_t)got == len;
}

void host_exit(uint32_t code)
{
    (void)lx60_try_simcall(SYS_EXIT, code, 0, 0);
}
