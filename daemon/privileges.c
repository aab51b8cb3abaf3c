/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What remains is CAP_NET_ADMIN (marks, the interface), and CAP_DAC_OVERRIDE if the daemon could
 * not remove its socket otherwise because it does not own the directory. On request it may also
 * bind ports below 1024.
 */
#include "privileges.h"
#include "system.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void keep(struct __user_cap_data_struct data[2], unsigned capability)
{
    data[CAP_TO_INDEX(capability)].permitted |= CAP_TO_MASK(capability);
    data[CAP_TO_INDEX(capability)].effective |= CAP_TO_MASK(capability);
}

static bool owns(const char *path)
{
    struct stat directory;

    return stat(path, &directory) == 0 && directory.st_uid == geteuid() &&
           (directory.st_mode & S_IWUSR);
}

bool wyrmd_drop_privileges(const char *socket_dir, bool low_ports)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[2] = {0}, want[2] = {0};
    const struct rlimit no_core = {0, 0};

    keep(want, CAP_NET_ADMIN);
    if (!owns(socket_dir))
        keep(want, CAP_DAC_OVERRIDE);
    if (low_ports)
        keep(want, CAP_NET_BIND_SERVICE);
    if (syscall(SYS_capget, &header, have) < 0)
        return false;
    for (unsigned i = 0; i < 2; i++) { /* capset refuses to add any */
        want[i].permitted &= have[i].permitted;
        want[i].effective = want[i].permitted;
    }

    /* No program that might be run regains anything, and keys stay out of core files and debuggers.
     * Dropping from the bounding set needs a capability that may be missing. */
    for (unsigned long i = 0; i <= CAP_LAST_CAP; i++)
        if (!(want[CAP_TO_INDEX(i)].permitted & CAP_TO_MASK(i)))
            (void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
        syscall(SYS_capset, &header, want) < 0) {
        wyrmd_log("could not drop privileges: %s", strerror(errno));
        return false;
    }
    return true;
}
