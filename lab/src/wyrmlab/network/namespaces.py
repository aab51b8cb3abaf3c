# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Private namespaces for a whole command: network, mounts and processes of its own.

`enter()` runs the whole command again inside fresh network, mount and process namespaces. All that
happens there (interfaces, daemons, mounts) is the kernel's to remove once the command has ended,
however it ended: nothing of it can be left behind.
"""

from __future__ import annotations

import contextlib
import enum
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

from wyrmlab.base import packages, paths, proc
from wyrmlab.base.errors import MissingError
from wyrmlab.network.host import HERE

TUN = Path("/dev/net/tun")
TUN_REMEDY = (
    "load the kernel's module with `modprobe tun`; in a container pass --device /dev/net/tun"
)

_INSIDE = "WYRM_INSIDE"
GATE = "WYRM_GATE"
_NAME = "WYRM_NETNS"
_OWNER = "WYRM_OWNER"
_NAMESPACES = ("--net", "--mount", "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc")


class Way(enum.Enum):
    """How this process can get namespaces of its own."""

    ROOT = "as root"
    USER = "as this user, without privileges"
    SUDO = "through sudo"
    NONE = "not possible"


@dataclass(frozen=True)
class Access:
    way: Way
    remedy: str


def tun_problem() -> str | None:
    """Why /dev/net/tun cannot be opened by this process, or None."""
    try:
        os.close(os.open(TUN, os.O_RDWR))
    except OSError as error:
        return error.strerror or str(error)
    return None


@cache
def access() -> Access:
    """Finds out by trying: a TAP in a throw-away network is the whole requirement."""
    root = os.geteuid() == 0
    if lacking := [name for name in ("unshare", "ip") if not packages.which(name)]:
        return Access(Way.NONE, f"`{lacking[0]}` is missing: run ./wyrm setup.")
    if _trial([] if root else ["--user", "--map-root-user"]):
        return Access(Way.ROOT if root else Way.USER, "")
    if not TUN.exists():
        return Access(Way.NONE, f"{TUN} is not there: {TUN_REMEDY}.")
    if root:
        return Access(
            Way.NONE,
            "root may not make network namespaces here: give the container --privileged"
            " (or CAP_SYS_ADMIN and CAP_NET_ADMIN) and --device /dev/net/tun.",
        )
    if packages.which("sudo") and (sys.stdin.isatty() or _passwordless_sudo()):
        return Access(Way.SUDO, "")
    return Access(
        Way.NONE,
        "run it as root or install sudo; or let users do it: `sysctl -w"
        f" kernel.unprivileged_userns_clone=1` and `chmod 666 {TUN}`, as root.",
    )


def _trial(extra: Sequence[str]) -> bool:
    command = [str(proc.find("unshare")), *extra, *_NAMESPACES]
    command += [str(proc.find("ip")), "tuntap", "add", "trial", "mode", "tap"]
    return _quietly(command)


def _passwordless_sudo() -> bool:
    return _quietly(["sudo", "-n", "true"])


def _quietly(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def inside() -> bool:
    """Whether this process runs in namespaces made by `enter()`."""
    return _INSIDE in os.environ


def restarted() -> bool:
    """Whether this process is the second one of a command that called `enter()`.

    What the first has prepared outside, as the user and with the machine's network, is there.
    """
    return GATE in os.environ or (inside() and os.getpid() == 1)


def outer_pid() -> int:
    """Our process number as the rest of the machine sees it, once inside."""
    return int(os.environ[_INSIDE])


def has_name() -> bool:
    """Whether `ip netns` knows the network we are inside of by the name asked for."""
    return _NAME in os.environ


def need_admin(tap_name: str) -> None:
    """Sees to it that a TAP of this name can be made in this network: may start again as root."""
    if os.geteuid() == 0 or HERE.has_interface(tap_name):
        return
    if packages.which("sudo") and (sys.stdin.isatty() or _passwordless_sudo()):
        _again_through_sudo(f"making the TAP {tap_name} needs root")
    raise MissingError(
        f"Making the TAP {tap_name} needs root.",
        remedy="Run it as root, or use a private network: --netns NAME.",
    )


def enter(name: str | None = None) -> None:
    """Returns inside private namespaces: at once if we are there, else in a new process.

    The process that called does not return from here: it starts the same command inside, passes
    signals on, waits for it and exits with its code. With `name`, and as root, the network is also
    known as NAME to `ip netns`; one that exists under this name already is used and left alone.
    """
    if inside():
        return
    if gate := os.environ.pop(GATE, None):
        _arrive(int(gate))
        return
    given = access()
    if given.way is Way.NONE:
        raise MissingError("Private network namespaces cannot be made here:", remedy=given.remedy)
    if given.way is Way.SUDO:
        _again_through_sudo("private namespaces need root here")
    sys.exit(_supervise(given.way, name))


def run_inside(module: str, *args: str) -> int:
    """Runs `python -m module args...` inside private namespaces; returns its exit code."""
    command = [sys.executable, "-P", "-m", "wyrmlab.network.inside", module, *args]
    way = access().way
    if way is Way.SUDO:
        kept = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("WYRM_")]
        return subprocess.run(["sudo", "env", *kept, *_kept_by_sudo(), *command]).returncode
    return _supervise(way, None, command)


def _again_through_sudo(why: str) -> NoReturn:
    print(f"wyrm: {why}: going on through sudo.", file=sys.stderr)
    sys.stderr.flush()
    os.execvp("sudo", ["sudo", "env", *_kept_by_sudo(), *_same_command()])


def _kept_by_sudo() -> list[str]:
    """sudo drops the environment; this much of it has to survive."""
    # Made now, it belongs to the user, and so do the folders above it.
    paths.state().mkdir(parents=True, exist_ok=True)
    kept = {
        name: os.environ[name]
        for name in ("PATH", "PYTHONPATH", "WYRM_DEBUG", "TERM")
        if name in os.environ
    }
    kept[_OWNER] = f"{os.getuid()}:{os.getgid()}"
    kept["PYTHONDONTWRITEBYTECODE"] = "1"
    kept["WYRM_CACHE"] = str(paths.cache())
    kept["XDG_STATE_HOME"] = str(paths.state().parent)
    return [f"{name}={value}" for name, value in kept.items()]


def _same_command() -> list[str]:
    return [sys.executable, "-P", "-m", "wyrmlab", *sys.argv[1:]]


_PASSED_ON = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_SI_KERNEL = 0x80


def _supervise(way: Way, name: str | None, command: Sequence[str] | None = None) -> int:
    wrapper = [str(proc.find("unshare"))]
    wrapper += ["--user", "--map-root-user"] if way is Way.USER else []
    wrapper += _NAMESPACES
    environment = dict(os.environ)
    existing = name is not None and (Path("/run/netns") / name).exists()
    if existing and way is Way.USER:
        raise MissingError(
            f"Only root may use the network {name}.", remedy="Run it as root or through sudo."
        )
    if existing:
        wrapper.remove("--net")
        wrapper = [str(proc.find("nsenter")), f"--net=/run/netns/{name}", *wrapper]
    made_name = name is not None and not existing and way is Way.ROOT
    if name is not None and way is Way.ROOT:
        environment[_NAME] = name

    read_end, write_end = os.pipe()
    # What ends it waits until it can clean up: until proc.install_signal_handlers. The end of a
    # child is for us alone to wait for.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    child = subprocess.Popen(
        proc.dying_with_us([*wrapper, *(command or _same_command())]),
        env={**environment, GATE: str(read_end)},
        pass_fds=(read_end,),
    )
    watched = _PASSED_ON | {signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    os.close(read_end)
    try:
        first = _first_child(child)
        if first is None:
            return child.wait()
        if made_name and name is not None:
            proc.run("ip", "netns", "attach", name, str(first))
        os.write(write_end, f"{first}\n".encode())
        return _pass_signals_until_exit(child, first, watched)
    finally:
        os.close(write_end)
        if child.poll() is None:
            child.kill()
            child.wait()
        if made_name and name is not None:
            proc.run("ip", "netns", "delete", name, check=False)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _first_child(unshare: subprocess.Popen[bytes]) -> int | None:
    """The namespaces' process 1 as seen from here; None if there never was one."""
    listing = Path(f"/proc/{unshare.pid}/task/{unshare.pid}/children")
    found: list[str] = []

    def forked() -> bool:
        with contextlib.suppress(OSError):
            found[:] = listing.read_text().split()
        return bool(found) or unshare.poll() is not None

    proc.wait_until(forked, timeout_s=20, what="the private namespaces", interval_s=0.005)
    return int(found[0]) if found else None


def _pass_signals_until_exit(
    child: subprocess.Popen[bytes],
    first: int,
    watched: frozenset[signal.Signals],
) -> int:
    while child.poll() is None:
        received = signal.sigwaitinfo(watched)
        # Ctrl-C on the terminal has reached the process inside already.
        if received.si_code == _SI_KERNEL:
            continue
        if received.si_signo in _PASSED_ON:
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, received.si_signo)
    code = child.returncode
    return 128 - code if code < 0 else code


def give_back() -> None:
    """What we made as root on the way through sudo belongs to the user who started us."""
    if _OWNER not in os.environ:
        return
    owner, group = (int(number) for number in os.environ[_OWNER].split(":"))
    for top in (paths.BUILD, paths.RUNS, paths.state(), paths.cache()):
        for folder, names, files in os.walk(top):
            for path in (Path(folder), *(Path(folder) / name for name in (*names, *files))):
                with contextlib.suppress(OSError):
                    if path.lstat().st_uid == 0:
                        os.chown(path, owner, group, follow_symlinks=False)


def _arrive(gate: int) -> None:
    """First steps inside: learn our outer number, then a /run and a loopback of our own."""
    with os.fdopen(gate) as pipe:
        number = pipe.readline().strip()
    if not number:
        sys.exit(1)
    os.environ[_INSIDE] = number
    # WireGuard's sockets and `ip netns` names live under /run: ours must not meet the machine's.
    for folder in (Path("/run"), Path("/var/run")):
        if folder.is_dir() and not folder.is_symlink() and folder not in paths.ROOT.parents:
            proc.run("mount", "-t", "tmpfs", "tmpfs", folder)
    Path("/run/wireguard").mkdir(mode=0o755, parents=True, exist_ok=True)
    # /sys shows the network it was mounted in; where a container forbids a new one, do without.
    proc.run("mount", "-t", "sysfs", "sysfs", "/sys", check=False)
    proc.run("ip", "link", "set", "lo", "up")
