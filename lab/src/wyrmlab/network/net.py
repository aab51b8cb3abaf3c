# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Networks for devices: private namespaces, TAPs, wireguard-go, pings and captures.

`enter()` runs the whole command again inside fresh network, mount and process namespaces. All that
happens there (interfaces, daemons, mounts) is the kernel's to remove once the command has ended,
however it ended: nothing of it can be left behind.
"""

from __future__ import annotations

import contextlib
import enum
import fcntl
import ipaddress
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn, Self

from wyrmlab.base import packages, paths, proc
from wyrmlab.base.errors import MissingError, UsageError, WyrmError

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
    if os.geteuid() == 0 or interface_exists(tap_name):
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


# --- Interfaces ----------------------------------------------------------------------------------

HOST_ADDRESSES = ("10.9.0.1/24", "fd09::1/64")


def interface_exists(name: str) -> bool:
    return proc.run("ip", "link", "show", "dev", name, check=False).returncode == 0


def add_address(interface: str, address: str) -> None:
    """Adds an address with prefix length; IPv6 ones are usable at once."""
    # Without this the first second of an IPv6 address goes by in duplicate detection.
    extra = ["nodad"] if ipaddress.ip_interface(address).version == 6 else []
    proc.run("ip", "address", "replace", address, "dev", interface, *extra)


def check_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,15}", name) or name in (".", ".."):
        raise UsageError(
            f"`{name}` cannot name a network interface or namespace:",
            remedy="use 1 to 15 letters, digits, dots, dashes or underscores.",
        )
    return name


def address_conflict(addresses: Sequence[str]) -> str | None:
    """An interface of this network whose addresses overlap with the ones given, or None."""
    wanted = [ipaddress.ip_interface(address).network for address in addresses]
    for link in json.loads(proc.run("ip", "-json", "address", "show").stdout):
        for entry in link.get("addr_info", []):
            text = f"{entry.get('local', '::')}/{entry.get('prefixlen', 128)}"
            network = ipaddress.ip_interface(text).network
            for other in wanted:
                if network.version == other.version and network.overlaps(other):
                    return f"{link['ifname']} has {text}"
    return None


class Tap(str):
    """The name of a TAP, with the descriptor an emulator inherits to use one made by `tap()`."""

    descriptor: int | None

    def __new__(cls, name: str, descriptor: int | None = None) -> Tap:
        made = super().__new__(cls, name)
        made.descriptor = descriptor
        return made

    @property
    def name(self) -> str:
        return str(self)


@contextlib.contextmanager
def tap(name: str, addresses: Sequence[str] = HOST_ADDRESSES) -> Iterator[Tap]:
    """A TAP that is up, with addresses. One that is there is used as it is, and left.

    One made here is not persistent: the kernel removes it when this process and the emulator that
    inherits it have ended, even if they are killed.
    """
    check_name(name)
    if interface_exists(name):
        _check_tap(name)
        yield Tap(name)
        return
    if conflict := address_conflict(addresses):
        raise MissingError(
            f"The addresses {' and '.join(addresses)} are taken here: {conflict}.",
            remedy="Use a private network (--netns NAME), or name a TAP you made yourself.",
        )
    descriptor = _open_tap(name)
    try:
        for address in addresses:
            add_address(name, address)
        proc.run("ip", "link", "set", name, "up")
        yield Tap(name, descriptor)
    finally:
        os.close(descriptor)


# From linux/if_tun.h.
_TUNSETIFF = 0x400454CA
_IFF_TAP, _IFF_NO_PI = 0x0002, 0x1000


def _open_tap(name: str) -> int:
    descriptor = -1
    try:
        descriptor = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        request = struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI)
        fcntl.ioctl(descriptor, _TUNSETIFF, request)
    except OSError as error:
        if descriptor >= 0:
            os.close(descriptor)
        remedy = "Run it as root or through sudo, or use a private network: --netns NAME."
        raise MissingError(
            f"The TAP {name} cannot be made: {error.strerror}.",
            remedy=f"{TUN_REMEDY.capitalize()}." if not TUN.exists() else remedy,
        ) from error
    return descriptor


def _check_tap(name: str) -> None:
    """A TAP carries one device: refuse one that is in use, or is no TAP."""
    shown = proc.run("ip", "-details", "link", "show", "dev", name).stdout
    if "tun type tap" not in shown:
        raise UsageError(f"{name} exists but is no TAP.", remedy="Give another name to --tap.")
    # With a program attached the carrier is up.
    if "LOWER_UP" in shown:
        raise MissingError(
            f"The TAP {name} is in use by another program.",
            remedy="End that program, or give another name to --tap.",
        )


# --- The other end of the tunnel -----------------------------------------------------------------


@dataclass(frozen=True)
class PeerState:
    """One peer's line of `wg show NAME dump`."""

    public_key: str
    endpoint: str
    allowed_ips: tuple[str, ...]
    latest_handshake: int
    rx_bytes: int
    tx_bytes: int


class WireGuard:
    """A daemon on one interface, configured with `wg`, as a context manager.

    `program` is the path or the name of one that takes `-f INTERFACE`.
    """

    def __init__(self, program: Path | str, interface: str, log: Path) -> None:
        self.interface = check_name(interface)
        self.program = Path(program).name
        self._service = proc.Service(
            self.program,
            [str(program), "-f", interface],
            log,
            env={"LOG_LEVEL": "verbose", "WG_PROCESS_FOREGROUND": "1", "WG_SUDO": "true"},
        )

    def start(self) -> None:
        self._service.start()

        def answers() -> bool:
            if not self._service.running:
                detail = self._service.output()[-2000:]
                raise WyrmError(f"{self.program} ended early.", detail=detail)
            socket = Path("/run/wireguard") / f"{self.interface}.sock"
            return socket.exists() and interface_exists(self.interface)

        proc.wait_until(answers, timeout_s=60, what=f"{self.program}'s control socket")

    def configure(self, text: str) -> None:
        """Replaces its configuration by the one given (`wg setconf` syntax)."""
        with tempfile.NamedTemporaryFile("w", prefix="wyrm-", suffix=".conf") as file:
            file.write(text)
            file.flush()
            proc.run("wg", "setconf", self.interface, file.name, timeout_s=60)

    def set(self, *args: str) -> None:
        """`wg set INTERFACE args...`"""
        proc.run("wg", "set", self.interface, *args, timeout_s=60)

    def up(self, addresses: Sequence[str], *, mtu: int = 1420) -> None:
        for address in addresses:
            add_address(self.interface, address)
        proc.run("ip", "link", "set", self.interface, "mtu", str(mtu), "up")

    def route(self, prefix: str) -> None:
        proc.run("ip", "route", "replace", prefix, "dev", self.interface)

    def peers(self) -> list[PeerState]:
        lines = proc.run("wg", "show", self.interface, "dump", timeout_s=60).stdout.splitlines()
        found = []
        for line in lines[1:]:
            key, _, endpoint, allowed, handshake, rx, tx, _ = line.split("\t")
            found.append(
                PeerState(
                    key, endpoint, tuple(allowed.split(",")), int(handshake), int(rx), int(tx)
                )
            )
        return found

    def wait_handshake(self, timeout_s: float = 60) -> None:
        def done() -> bool:
            return any(peer.latest_handshake for peer in self.peers())

        proc.wait_until(done, timeout_s=timeout_s, what="a WireGuard handshake", interval_s=0.05)

    def output(self) -> str:
        """What it has logged so far."""
        return self._service.output()

    def stop(self) -> None:
        self._service.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class WireGuardGo(WireGuard):
    """Debian's wireguard-go."""

    def __init__(self, interface: str, log: Path) -> None:
        super().__init__("wireguard-go", interface, log)


@dataclass(frozen=True)
class KeyPair:
    private: str
    public: str


def make_keys() -> KeyPair:
    private = proc.run("wg", "genkey", timeout_s=60).stdout.strip()
    return KeyPair(private, proc.run("wg", "pubkey", stdin=private + "\n").stdout.strip())


def make_psk() -> str:
    return proc.run("wg", "genpsk", timeout_s=60).stdout.strip()


# --- Traffic -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pings:
    sent: int
    received: int
    rtt_ms: tuple[float, ...]

    @property
    def loss_percent(self) -> float:
        return 100.0 * (self.sent - self.received) / self.sent if self.sent else 100.0


def ping(
    address: str,
    *,
    count: int = 5,
    interval_s: float = 0.2,
    size: int = 56,
    wait_s: float = 8,
    pattern: str = "",
) -> Pings:
    """Pings and reports; no answer is a result, not an error. `pattern`: up to 16 bytes in hex."""
    extra = ["-p", pattern] if pattern else []
    done = proc.run(
        *("ping", "-n", "-c", str(count), "-i", str(interval_s), "-W", str(wait_s)),
        *("-s", str(size), *extra, address),
        timeout_s=count * interval_s + wait_s + 60,
        check=False,
    )
    summary = re.search(r"(\d+) packets transmitted, (\d+) received", done.stdout)
    if summary is None:
        raise WyrmError(f"ping to {address} did not run.", detail=done.stderr or done.stdout)
    times = tuple(float(ms) for ms in re.findall(r"time=([0-9.]+) ms", done.stdout))
    return Pings(int(summary[1]), int(summary[2]), times)


class Capture:
    """Records an interface's packets into a file while the context lasts."""

    def __init__(self, interface: str, file: Path, *, only: str = "") -> None:
        self.file = file
        chosen = ["-f", only] if only else []
        command = ["dumpcap", "-q", "-i", interface, "-w", str(file), *chosen]
        log = file.with_suffix(".log")
        self._service = proc.Service("dumpcap", command, log, stop_signal=signal.SIGINT)

    def __enter__(self) -> Capture:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._service.start()
        self._service.wait_for("File:", timeout_s=60)
        return self

    def __exit__(self, *_: object) -> None:
        # The kernel hands packets over by the block, a quarter of a second late at most; what is on
        # its way still counts.
        time.sleep(0.8)
        self._service.stop()
        if self.file.exists():
            self.file.chmod(0o644)


def tshark(file: Path, *args: str, timeout_s: float = 120) -> str:
    """What tshark prints about a capture file."""
    return proc.run("tshark", "-n", "-r", file, *args, timeout_s=timeout_s).stdout
