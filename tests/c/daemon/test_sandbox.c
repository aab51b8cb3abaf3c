/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What a compromised daemon could still do. Each attempt runs in its own process with either
 * Landlock or seccomp, so that neither hides a gap in the other.
 */

#include "test.h"

#include "sandbox.c"

#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char directory[] = "/tmp/wyrm-sandbox-XXXXXX", inside[64], outside[64];

void wyrmd_log_verbose(const char *format, ...)
{
    (void)format;
}

/* ---- The sandbox ----------------------------------------------------------- */

static bool landlock(void)
{
    return enter_landlock(directory);
}

static bool landlock_and_seccomp(void)
{
    return landlock() && enter_seccomp();
}

FIXTURE(set_up)
{
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(inside, sizeof(inside), "%s/wg0.sock", directory);
    snprintf(outside, sizeof(outside), "%s.other", directory);
    return close(creat(inside, 0600)) + close(creat(outside, 0600));
}

FIXTURE(tear_down)
{
    (void)unlink(inside);
    (void)unlink(outside);
    return rmdir(directory);
}

enum { SUCCEEDED, NO_ERRNO = 254, NOT_SUPPORTED = 255 };

/* SUCCEEDED if the attempt succeeded, else its errno. */
static int inside_sandbox(bool (*enter)(void), bool (*attempt)(void))
{
    int status;
    pid_t child;

    if (!WYRMD_SANDBOX)
        skip(); /* sanitizers do not work in the sandbox */
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || !enter())
            _exit(NOT_SUPPORTED);
        errno = NO_ERRNO;
        _exit(attempt() ? SUCCEEDED : errno);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_SUPPORTED)
        skip(); /* not supported by this system */
    return WEXITSTATUS(status);
}

/* ---- Attempts -------------------------------------------------------------- */

static bool read_a_file(void)
{
    return open("/etc/passwd", O_RDONLY) >= 0;
}

static bool read_a_directory(void)
{
    return open("/", O_RDONLY | O_DIRECTORY) >= 0;
}

static bool write_the_socket_file(void)
{
    return open(inside, O_WRONLY) >= 0;
}

static bool create_a_file(void)
{
    char name[80];

    snprintf(name, sizeof(name), "%s/new", directory);
    return open(name, O_WRONLY | O_CREAT, 0600) >= 0;
}

static bool remove_another_file(void)
{
    return unlink(outside) == 0;
}

static bool remove_the_socket(void)
{
    return unlink(inside) == 0;
}

static bool run_a_program(void)
{
    char *const arguments[] = {(char *)(uintptr_t) "true", NULL};

    return execv("/bin/true", arguments) == 0;
}

static bool fork_a_process(void)
{
    return fork() >= 0;
}

static bool signal_the_parent(void)
{
    return kill(getppid(), 0) == 0;
}

static bool trace_the_parent(void)
{
    return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0;
}

static bool open_a_packet_socket(void)
{
    return socket(AF_PACKET, SOCK_RAW, 0) >= 0;
}

static bool map_executable_memory(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED;
}

static bool make_memory_executable(void)
{
    static char page[8192] __attribute__((aligned(4096)));

    return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}

static bool type_on_the_terminal(void)
{
    return ioctl(0, TIOCSTI, "x") == 0;
}

static bool enter_a_namespace(void)
{
    return syscall(SYS_unshare, 0x10000000) == 0; /* of users */
}

/* ---- What the loop needs ---------------------------------------------------- */

static bool open_udp_sockets(void)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    int fds[] = {socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
                 socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), socket(AF_NETLINK, SOCK_RAW, 0)};
    int on = 1;

    return fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0 &&
           setsockopt(fds[1], IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0 &&
           bind(fds[1], (struct sockaddr *)&address, sizeof(address)) == 0 &&
           sendto(fds[0], "", 0, 0, NULL, 0) < 0 && errno == EDESTADDRREQ && close(fds[0]) == 0;
}

static bool query_interfaces(void)
{
    char name[IFNAMSIZ];

    return if_nametoindex("lo") > 0 && if_indextoname(1, name) != NULL;
}

static bool allocate_memory(void)
{
    char *small = malloc(1000), *large = malloc(10000000);
    bool got = small != NULL && large != NULL;

    if (got)
        large[9999999] = small[999] = 1;
    large = got ? realloc(large, 20000000) : NULL;
    free(small);
    free(large);
    return got;
}

static bool print_to_stderr(void)
{
    return fprintf(stderr, "%s", "") == 0 && fflush(stderr) == 0;
}

/* ---- Tests ----------------------------------------------------------------- */

TEST(landlock_denies_access_to_all_files)
{
    bool (*const attempts[])(void) = {read_a_file,           read_a_directory, create_a_file,
                                      write_the_socket_file, run_a_program,    remove_another_file};

    for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
        assert_int_equal(inside_sandbox(landlock, attempts[i]), EACCES);
    assert_int_equal(access(outside, F_OK), 0);
}

TEST(landlock_allows_removing_the_control_socket)
{
    assert_int_equal(inside_sandbox(landlock, remove_the_socket), SUCCEEDED);
    assert_int_equal(close(creat(inside, 0600)), 0);
}

TEST(seccomp_denies_system_calls_that_the_loop_does_not_need)
{
    bool (*const attempts[])(void) = {
        read_a_file,          run_a_program,        fork_a_process,        signal_the_parent,
        trace_the_parent,     open_a_packet_socket, map_executable_memory, make_memory_executable,
        type_on_the_terminal, enter_a_namespace};

    for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
        assert_int_equal(inside_sandbox(enter_seccomp, attempts[i]), EPERM);
}

TEST(the_loop_can_do_its_work_in_the_sandbox)
{
    bool (*const needs[])(void) = {open_udp_sockets, query_interfaces, allocate_memory,
                                   print_to_stderr, remove_the_socket};

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
        assert_int_equal(inside_sandbox(landlock_and_seccomp, needs[i]), SUCCEEDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(landlock_denies_access_to_all_files),
        RUN(landlock_allows_removing_the_control_socket),
        RUN(seccomp_denies_system_calls_that_the_loop_does_not_need),
        RUN(the_loop_can_do_its_work_in_the_sandbox),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
