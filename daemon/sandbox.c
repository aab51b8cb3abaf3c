/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Landlock: no file can be opened, and none removed but in the directory of the control socket.
 * Seccomp: no system calls but those of the loop; so no program can be run, no memory made
 * executable, no other process affected. If the system lacks either, the daemon runs without it.
 */
#include "sandbox.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/if_tun.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef WYRMD_SANDBOX /* 0: sanitizers open files and need more system calls */
#define WYRMD_SANDBOX 1
#endif

/* ---- Landlock ------------------------------------------------------------ */

/* As in <linux/landlock.h>, which may be older than the running kernel. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

enum {
    LANDLOCK_VERSION = 1, /* a flag: only query the version */
    LANDLOCK_PATH_BENEATH = 1,
    LANDLOCK_REMOVE_FILE = 1 << 5
};

struct landlock_rules {
    uint64_t files, tcp, scopes; /* denied unless a rule allows them */
};

struct landlock_path {
    uint64_t allowed;
    int32_t directory;
} __attribute__((packed));

/* Everything that this version of Landlock can deny; returns the size of its structure. */
static size_t all_rules(struct landlock_rules *rules, long version)
{
    unsigned accesses = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;

    *rules = (struct landlock_rules){.files = (UINT64_C(1) << accesses) - 1};
    if (version < 4)
        return offsetof(struct landlock_rules, tcp);
    rules->tcp = 3; /* bind, connect */
    if (version < 6)
        return offsetof(struct landlock_rules, scopes);
    rules->scopes = 3; /* abstract sockets, signals */
    return sizeof(*rules);
}

static bool enter_landlock(const char *socket_dir)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    struct landlock_path path = {.allowed = LANDLOCK_REMOVE_FILE};
    struct landlock_rules rules;
    size_t size;
    bool entered;
    int set;

    if (version < 1)
        return false;
    size = all_rules(&rules, version);
    set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    path.directory = open(socket_dir, O_PATH | O_CLOEXEC);
    entered = set >= 0 && path.directory >= 0 &&
              syscall(SYS_landlock_add_rule, set, LANDLOCK_PATH_BENEATH, &path, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, set, 0) == 0;
    if (path.directory >= 0)
        close(path.directory);
    if (set >= 0)
        close(set);
    return entered;
}

/* ---- Seccomp ------------------------------------------------------------- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef ARCHITECTURE

#define LOAD(field)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define EQUAL(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), (yes), (no))
#define RETURN(verdict)   BPF_STMT(BPF_RET | BPF_K, (verdict))
#define ALLOWED           RETURN(SECCOMP_RET_ALLOW)
#define REFUSED           RETURN(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW(name)       EQUAL(SYS_##name, 0, 1), ALLOWED

/* Checks only the lower half of arguments: none of these is longer. */
static const struct sock_filter filter[] = {
    LOAD(arch),
    EQUAL(ARCHITECTURE, 1, 0),
    REFUSED,
    LOAD(nr),

    /* Calls per packet first: every comparison takes time. */
    ALLOW(recvmmsg),
    ALLOW(sendmmsg),
    ALLOW(read),
    ALLOW(writev),
    ALLOW(write),
    ALLOW(epoll_pwait),
    ALLOW(timerfd_settime),
    ALLOW(clock_gettime), /* where it is not in the vDSO */
    ALLOW(sendto),
    ALLOW(sendmsg),
    ALLOW(recvfrom),
    ALLOW(recvmsg),
    ALLOW(getrandom),

    ALLOW(accept4),
    ALLOW(bind),
    ALLOW(connect),
    ALLOW(close),
    ALLOW(epoll_create1),
    ALLOW(epoll_ctl),
    ALLOW(fcntl),
    ALLOW(fstat),
    ALLOW(getpid),
    ALLOW(getsockname),
    ALLOW(getsockopt),
    ALLOW(setsockopt),
    ALLOW(newfstatat),
    ALLOW(unlinkat),

    /* The C library: memory, standard error, exit. */
    ALLOW(brk),
    ALLOW(exit),
    ALLOW(exit_group),
    ALLOW(futex),
    ALLOW(gettid),
    ALLOW(madvise),
    ALLOW(mremap),
    ALLOW(munmap),
    ALLOW(ppoll),
    ALLOW(restart_syscall),
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
#ifdef SYS_epoll_wait /* older architectures have both */
    ALLOW(epoll_wait),
    ALLOW(poll),
    ALLOW(stat),
    ALLOW(unlink),
#endif

    /* Sockets of these families. */
    EQUAL(SYS_socket, 0, 7),
    LOAD(args[0]),
    EQUAL(AF_INET, 4, 0),
    EQUAL(AF_INET6, 3, 0),
    EQUAL(AF_NETLINK, 2, 0),
    EQUAL(AF_UNIX, 1, 0),
    REFUSED,
    ALLOWED,

    /* Memory that is not executable. */
    EQUAL(SYS_mmap, 1, 0),
    EQUAL(SYS_mprotect, 0, 4),
    LOAD(args[2]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
    REFUSED,
    ALLOWED,

    /* Requests about network interfaces, 0x89, and two about TUN; not those of terminals. */
    EQUAL(SYS_ioctl, 0, 7),
    LOAD(args[1]),
    EQUAL((uint32_t)TUNGETIFF, 4, 0),
    EQUAL((uint32_t)TUNGETDEVNETNS, 3, 0),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00),
    EQUAL(0x8900, 1, 0),
    REFUSED,
    ALLOWED,

    REFUSED,
};

static bool enter_seccomp(void)
{
    const struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]),
                                       .filter = (struct sock_filter *)(uintptr_t)filter};

    /* Keep speculation, and so the speed of the cipher: no untrusted code runs in this process.
     * Before Linux 5.16 a filter disables it by default; before 4.17 the flag does not exist. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &program) == 0 ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

#else

static bool enter_seccomp(void)
{
    errno = ENOSYS; /* the calls of this architecture are untested */
    return false;
}

#endif

void wyrmd_sandbox(const char *socket_dir)
{
    if (!WYRMD_SANDBOX)
        return;
    if (!enter_landlock(socket_dir))
        wyrmd_log_verbose("running without Landlock: %s", strerror(errno));
    if (!enter_seccomp())
        wyrmd_log_verbose("running without a seccomp filter: %s", strerror(errno));
}
