/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the daemon may do once everything is open: CAP_NET_ADMIN (marks, the interface), and what
 * removing its socket at the end needs. As the owner of the socket's folder that is nothing more;
 * else it is CAP_DAC_OVERRIDE. On request it may also bind ports below 1024.
 */
#include "wyrmd.h"

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

static bool folder_is_ours(void)
{
    struct stat folder;

    return stat(UAPI_DIR, &folder) == 0 && folder.st_uid == geteuid() && (folder.st_mode & S_IWUSR);
}

bool wyrmd_drop_privileges(const struct wyrmd *d)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[2] = {0}, want[2] = {0};
    const struct rlimit no_core = {0, 0};

    keep(want, CAP_NET_ADMIN);
    if (!folder_is_ours())
        keep(want, CAP_DAC_OVERRIDE);
    if (d->low_ports)
        keep(want, CAP_NET_BIND_SERVICE);
    if (syscall(SYS_capget, &header, have) < 0)
        return false;
    for (unsigned i = 0; i < 2; i++) { /* nobody can keep what he has not got */
        want[i].permitted &= have[i].permitted;
        want[i].effective = want[i].permitted;
    }

    /* Nothing comes back through a program that we would run, and keys stay out of core files and
     * debuggers. Dropping from the bounding set needs a privilege that we may not have. */
    for (unsigned long i = 0; i <= CAP_LAST_CAP; i++)
        if (!(want[CAP_TO_INDEX(i)].permitted & CAP_TO_MASK(i)))
            (void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
        syscall(SYS_capset, &header, want) < 0) {
        wyrmd_log(d, "could not drop privileges: %s", strerror(errno));
        return false;
    }
    return true;
}
