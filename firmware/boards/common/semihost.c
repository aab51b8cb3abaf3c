/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Operations are numbered as in ARM's "Semihosting for AArch32 and AArch64", which RISC-V adopted.
 */
#include "semihost.h"

#include <string.h>

#include "host.h"

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_READ = 0x06,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20,
};

#define OPEN_READ_BINARY 1u
#define EXIT_APPLICATION 0x20026u

static volatile bool absent;

void semihost_refused(void)
{
    absent = true;
}

static int32_t call(uint32_t operation, const void *block)
{
    int32_t result;

    if (absent)
        return -1;
    result = semihost_trap(operation, block);
    return absent ? -1 : result;
}

bool host_arguments(char *out, size_t cap)
{
    struct {
        char *buffer;
        uint32_t size;
    } block = {out, cap};

    out[0] = '\0';
    return call(SYS_GET_CMDLINE, &block) == 0;
}

bool host_read_file(const char *path, void *out, size_t len)
{
    const struct {
        const char *path;
        uint32_t mode, path_len;
    } open = {path, OPEN_READ_BINARY, strlen(path)};
    int32_t handle = call(SYS_OPEN, &open);

    if (handle < 0)
        return false;

    const struct {
        int32_t handle;
        void *buffer;
        uint32_t len;
    } read = {handle, out, len};
    int32_t missing = call(SYS_READ, &read);

    (void)call(SYS_CLOSE, &handle); /* a failure changes nothing */
    return missing == 0;
}

void host_exit(uint32_t code)
{
    const uint32_t block[2] = {EXIT_APPLICATION, code};

    (void)call(SYS_EXIT_EXTENDED, block);
}
