# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Private namespaces for a whole command: network, mounts and processes.

`enter()` runs the whole command again inside fresh network, mount and process namespaces. The
kernel removes everything created there (interfaces, daemons, mounts) when the command ends for any
reason.
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
    """How this process can create namespaces."""

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
    """Determined by trying to create a TAP in a temporary network namespace."""
    root = os.geteuid() == 0
    if lacking := [name for name in ("unshare", "ip") if not packages.which(name)]:
        return Access(Way.NONE, f"`{lacking[0]}` is missing: run ./wyrm setup.")
    if _trial([] if root else ["--user", "--map-root-user"]):
        return Access(Way.ROOT if root else Way.USER, "")
    if not TUN.exists():
        return Access(Way.NONE, f"{TUN} does not exist: {TUN_REMEDY}.")
    if root:
        return Access(
            Way.NONE,
            "root may not create network namespaces here: give the container --privileged"
            " (or CAP_SYS_ADMIN and CAP_NET_ADMIN) and --device /dev/net/tun.",
        )
    if packages.which("sudo") and (sys.stdin.isatty() or _passwordless_sudo()):
        return Access(Way.SUDO, "")
    return Access(
        Way.NONE,
        "run it as root or install sudo; or allow unprivileged users to: `sysctl -w"
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

    The first one has finished its preparations as the user, with the machine's network.
    """
    return GATE in os.environ or (inside() and os.getpid() == 1)


def outer_pid() -> int:
    """Inside: our process id in the outer namespace."""
    return int(os.environ[_INSIDE])


def has_name() -> bool:
    """Whether `ip netns` lists our network under the requested name."""
    return _NAME in os.environ


def need_admin(tap_name: str) -> None:
    """Ensures that a TAP of this name can be created in this network; may restart as root."""
    if os.geteuid() == 0 or HERE.has_interface(tap_name):
        return
    if packages.which("sudo") and (sys.stdin.isatty() or _passwordless_sudo()):
        _again_through_sudo(f"making the TAP {tap_name} needs root")
    raise MissingError(
        f"Making the TAP {tap_name} needs root.",
        remedy="Run it as root, or use a private network: --netns NAME.",
    )


def enter(name: str | None = None) -> None:
    """Returns inside private namespaces: at once if already there, else in a new process.

    The calling process does not return: it starts the same command inside, forwards signals, waits
    for it and exits with its code. With `name`, and as root, `ip netns` also lists the network as
    NAME; an existing network of that name is used and kept.
    """
    if inside():
        return
    if gate := os.environ.pop(GATE, None):
        _arrive(int(gate))
        return
    given = access()
    if given.way is Way.NONE:
        raise MissingError(
            "Private network namespaces cannot be created here:", remedy=given.remedy
        )
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
    print(f"wyrm: {why}: continuing through sudo.", file=sys.stderr)
    sys.stderr.flush()
    os.execvp("sudo", ["sudo", "env", *_kept_by_sudo(), *_same_command()])


def _kept_by_sudo() -> list[str]:
    """The variables to preserve: sudo drops the environment."""
    # Created now, it and its parents belong to the user.
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
    # The command starts with termination signals blocked, until proc.install_signal_handlers. Only
    # this process also blocks SIGCHLD, to wait for its child.
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
    """The outer process id of the namespaces' init; None if it never started."""
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
        # The terminal has sent Ctrl-C to the process inside as well.
        if received.si_code == _SI_KERNEL:
            continue
        if received.si_signo in _PASSED_ON:
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, received.si_signo)
    code = child.returncode
    return 128 - code if code < 0 else code


def give_back() -> None:
    """Returns ownership of files created under sudo to the user who started us."""
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
    """Prepares the namespaces: reads our outer process id, then mounts /run and sets up
    loopback."""
    with os.fdopen(gate) as pipe:
        number = pipe.readline().strip()
    if not number:
        sys.exit(1)
    os.environ[_INSIDE] = number
    # WireGuard's sockets and `ip netns` names live under /run: keep them separate from the
    # machine's.
    for folder in (Path("/run"), Path("/var/run")):
        if folder.is_dir() and not folder.is_symlink() and folder not in paths.ROOT.parents:
            proc.run("mount", "-t", "tmpfs", "tmpfs", folder)
    Path("/run/wireguard").mkdir(mode=0o755, parents=True, exist_ok=True)
    # /sys shows the network it was mounted in; skip this where a container forbids mounting it.
    proc.run("mount", "-t", "sysfs", "sysfs", "/sys", check=False)
    proc.run("ip", "link", "set", "lo", "up")
