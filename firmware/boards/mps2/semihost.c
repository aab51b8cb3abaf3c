/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Calls are numbered as in ARM's "Semihosting for AArch32 and AArch64".
 */
#include "semihost.h"

#include <string.h>

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_READ = 0x06,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20,
};

#define OPEN_READ_BINARY 1u
#define EXIT_APPLICATION 0x20026u
#define BKPT_SEMIHOSTING 0xbeabu

extern const uint8_t flash_end[];

static volatile bool present = true;

static int32_t call(uint32_t operation, const void *block)
{
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = block;

    if (!present)
        return -1;
    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return (int32_t)r0;
}

/* A semihosting call without a debugger faults at its breakpoint instruction. Checks that the pc is
 * in flash before reading the instruction there. */
bool semihost_was_refused(uint32_t *frame)
{
    uint32_t *pc = &frame[6];

    if (*pc >= (uint32_t)(uintptr_t)flash_end ||
        *(const uint16_t *)(uintptr_t)*pc != BKPT_SEMIHOSTING)
        return false;

    present = false;
    frame[0] = UINT32_MAX;
    *pc += 2;
    return true;
}

void semihost_init(void)
{
    char line[1];

    (void)semihost_command_line(line, sizeof line); /* faults now if there is no host */
}

bool semihost_command_line(char *out, size_t cap)
{
    struct {
        char *buffer;
        uint32_t size;
    } block = {out, cap};

    out[0] = '\0';
    return call(SYS_GET_CMDLINE, &block) == 0;
}

bool semihost_read_file(const char *path, void *out, size_t len)
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

    (void)call(SYS_CLOSE, &handle); /* a failure cannot be handled */
    return missing == 0;
}

void semihost_exit(uint32_t code)
{
    const uint32_t block[2] = {EXIT_APPLICATION, code};

    (void)call(SYS_EXIT_EXTENDED, block);
}
