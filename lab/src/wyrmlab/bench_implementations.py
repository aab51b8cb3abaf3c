# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`bench implementations`: userspace WireGuard daemons for Linux in one table, measured in one run.

Each daemon runs at both ends of a cable between two network namespaces. Throughput says what this
machine does with both ends and the traffic itself on it; CPU seconds per gigabyte are the daemon's
own, and the fairer figure.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from wyrmlab import build, host_setup, net, packages, paths
from wyrmlab.errors import WyrmError
from wyrmlab.tunnels import Pair, Tunnel, cable, machine, pair, transfer

HANDSHAKES = 1000
ENOUGH = 100
IN_FLIGHT = 4
_INSTALL_S = 1800
_PATIENCE = 6  # batches without an answer


@dataclass
class Row:
    """Figures of one implementation; `missing` says why there are none, or not all."""

    implementation: str
    version: str = ""
    tcp_mbit_s: float | None = None
    tcp_cpu_s_per_gb: float | None = None
    udp_mbit_s: float | None = None
    udp_cpu_s_per_gb: float | None = None
    handshakes_per_cpu_s: float | None = None
    resident_mib: float | None = None
    missing: str = ""


@dataclass(frozen=True)
class Rival:
    name: str
    program: Path | None
    version: str = ""
    missing: str = ""


def run(seconds: int, file: Path | None) -> None:
    host_setup.ensure("build", "net", "check")
    if not net.inside() and net.GATE not in os.environ:
        for fetch in (_current_wireguard_go, _boringtun):
            fetch(install=True)  # while there is a network
    net.enter()
    rows = []
    for rival in _rivals():
        host_setup.say(f"{rival.name} ...")
        rows.append(_measure(rival, seconds))
    _show(rows)
    if file is not None:
        file.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


# --- Who takes part --------------------------------------------------------------------------


def _rivals() -> list[Rival]:
    return [
        Rival("wyrmd", build.daemon(), _version(build.daemon(), "--version")),
        _debian_wireguard_go(),
        _current_wireguard_go(install=False),
        _boringtun(install=False),
    ]


def _version(program: Path, option: str) -> str:
    done = subprocess.run([program, option], capture_output=True, text=True, timeout=20)
    words = (done.stdout + done.stderr).split()
    return next((word for word in words if word.lstrip("v")[:1].isdigit()), "")


def _debian_wireguard_go() -> Rival:
    name = "wireguard-go (Debian)"
    found = packages.which("wireguard-go")
    if not found:
        return Rival(name, None, missing="wireguard-go is not installed")
    return Rival(name, Path(found), _version(Path(found), "--version"))


def _current_wireguard_go(*, install: bool) -> Rival:
    name = "wireguard-go (current)"
    folder = paths.cache() / "rivals" / "wireguard-go"
    command = ["go", "install", "golang.zx2c4.com/wireguard@latest"]
    why = _install(folder / "wireguard", command, {"GOBIN": str(folder)}) if install else ""
    return _fetched(name, folder / "wireguard", "go", why)


def _boringtun(*, install: bool) -> Rival:
    folder = paths.cache() / "rivals" / "boringtun"
    program = folder / "bin" / "boringtun-cli"
    command = ["cargo", "install", "boringtun-cli", "--locked", "--root", str(folder)]
    why = _install(program, command, {}) if install else ""
    return _fetched("boringtun-cli", program, "cargo", why)


def _install(program: Path, command: Sequence[str], env: dict[str, str]) -> str:
    """Makes the program with its language's own tool, once; a reason if that is not possible."""
    if program.exists() or not packages.which(command[0]):
        return ""
    host_setup.say(f"Fetching and building {program.name} (once) ...")
    program.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INSTALL_S,
        )
    except subprocess.TimeoutExpired:
        return f"`{command[0]}` took too long"
    return "" if done.returncode == 0 else f"`{' '.join(command[:3])}` failed"


def _fetched(name: str, program: Path, tool: str, why: str) -> Rival:
    if program.exists():
        return Rival(name, program, _version(program, "--version"))
    if not shutil.which(tool):
        why = f"`{tool}` is not installed"
    return Rival(name, None, missing=why or f"could not be fetched with `{tool}`")


# --- Measuring -------------------------------------------------------------------------------


def _measure(rival: Rival, seconds: int) -> Row:
    row = Row(rival.name, rival.version, missing=rival.missing)
    if rival.program is None:
        return row
    with tempfile.TemporaryDirectory(prefix="wyrm-bench-") as folder:
        try:
            with pair(Path(folder), rival.program, rival.program) as both:
                if both.west.machine.pings(both.EAST, count=3) == 0:
                    raise WyrmError("no packet passes")
                _measure_tcp(row, both, Path(folder), seconds)
                _measure_udp(row, both, Path(folder), seconds)
                row.resident_mib = both.west.resident_kib() / 1024
            answered, spent = _measure_handshakes(rival.program, Path(folder))
            row.handshakes_per_cpu_s = answered / spent
            if answered < HANDSHAKES:
                row.missing = f"answered {answered} of {HANDSHAKES} handshakes"
        except WyrmError as error:
            row.missing = str(error)
    return row


class _Cpu:
    """CPU seconds of both daemons since it was made."""

    def __init__(self, both: Pair) -> None:
        self._both = both
        self._before = self._now()

    def _now(self) -> float:
        return self._both.west.cpu_seconds() + self._both.east.cpu_seconds()

    def per_gb(self, received: int) -> float:
        """Of one end, on average."""
        return (self._now() - self._before) / 2 / (received / 1e9)


def _measure_tcp(row: Row, both: Pair, folder: Path, seconds: int) -> None:
    cpu, received = _Cpu(both), 0
    west, east = both.west.machine, both.east.machine
    for port, server, client, address in (
        (5101, east, west, both.EAST),
        (5102, west, east, both.WEST),
    ):
        log = folder / f"tcp{port}"
        received += transfer(server, client, address, log, "-t", str(seconds), port=port)
    row.tcp_mbit_s = received * 8 / 1e6 / (2 * seconds)
    row.tcp_cpu_s_per_gb = cpu.per_gb(received)


def _measure_udp(row: Row, both: Pair, folder: Path, seconds: int) -> None:
    """As many packets of full length as the sender can make; what arrives counts."""
    cpu, log = _Cpu(both), folder / "udp"
    transfer(
        *(both.east.machine, both.west.machine, both.EAST, log),
        *("-u", "-b", "2g", "-l", "1372", "-t", str(seconds)),
        port=5103,
    )
    lines = [line.split(",") for line in log.read_text().splitlines() if line.count(",") >= 8]
    received = int(lines[-1][7]) if lines else 0
    if received:
        row.udp_mbit_s = received * 8 / 1e6 / seconds
        row.udp_cpu_s_per_gb = cpu.per_gb(received)


def _measure_handshakes(program: Path, folder: Path) -> tuple[int, float]:
    """Answers to the initiations of many peers, each calling once, few at a time: no load, so no
    cookies."""
    from wyrmlab.vectors.command import backends
    from wyrmlab.vectors.noise import Handshake, Keys, Protocol
    from wyrmlab.vectors.scene import CONSTRUCTION, IDENTIFIER, mac1

    backend = backends()[0]
    protocol = Protocol.parse(CONSTRUCTION)
    with (
        machine("caller") as caller,
        machine("called") as called,
        Tunnel(called, "wgh", program, folder / "called.log") as tunnel,
    ):
        cable(caller, called, ("vc", "vd"), (("10.78.0.1/24",), ("10.78.0.2/24",)))
        public = _from_base64(tunnel.keys.public)
        privates = [os.urandom(32) for _ in range(HANDSHAKES)]
        lines = "".join(
            f"[Peer]\nPublicKey = {_to_base64(backend.x25519_base(private))}\n"
            for private in privates
        )
        tunnel.with_file(
            "setconf",
            f"[Interface]\nPrivateKey = {tunnel.keys.private}\nListenPort = 51820\n{lines}",
        )
        tunnel.up()
        stamp = (0x400000000000000A + int(time.time())).to_bytes(8, "big") + bytes(4)
        messages = []
        for number, private in enumerate(privates):
            keys = Keys(s=private, e=os.urandom(32), remote_s=public, psks=(bytes(32),))
            side = Handshake(backend, protocol, initiator=True, keys=keys, prologue=IDENTIFIER)
            body = b"\1\0\0\0" + number.to_bytes(4, "little") + side.write(stamp) + bytes(32)
            messages.append(body[:-32] + mac1(backend, body, public) + bytes(16))
        before = tunnel.cpu_seconds()
        answered = _call(caller.name, messages)
        spent = tunnel.cpu_seconds() - before
    if answered < ENOUGH or spent <= 0:
        raise WyrmError(f"only {answered} of {HANDSHAKES} handshakes were answered")
    return answered, spent


def _to_base64(key: bytes) -> str:
    import base64

    return base64.b64encode(key).decode()


def _from_base64(text: str) -> bytes:
    import base64

    return base64.b64decode(text)


def _call(place: str, messages: Sequence[bytes]) -> int:
    """Sends the messages from another namespace; how many responses came. Each has a port of its
    own: boringtun gives what comes from a known port to the peer it knows there."""
    answered = silences = 0
    for first in range(0, len(messages), IN_FLIGHT):
        if silences == _PATIENCE:
            break
        batch = messages[first : first + IN_FLIGHT]
        with ExitStack() as stack:
            wires = [stack.enter_context(_socket_in(place)) for _ in batch]
            for wire, message in zip(wires, batch, strict=True):
                wire.settimeout(0.5)
                wire.sendto(message, ("10.78.0.2", 51820))
            try:
                for wire in wires:
                    answered += len(wire.recv(2048)) == 92
                silences = 0
            except TimeoutError:
                silences += 1
    return answered


def _socket_in(place: str) -> socket.socket:
    """A socket belongs to the namespace it was made in; this thread goes there and comes back."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    clone_newnet = 0x40000000

    def enter(path: str) -> None:
        with Path(path).open() as namespace:
            if libc.setns(namespace.fileno(), clone_newnet) != 0:
                raise WyrmError(f"{path}: {os.strerror(ctypes.get_errno())}")

    with Path("/proc/thread-self/ns/net").open() as home:
        enter(f"/run/netns/{place}")
        try:
            return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        finally:
            libc.setns(home.fileno(), clone_newnet)


# --- The table -------------------------------------------------------------------------------


def _show(rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("implementation")
    table.add_column("version")
    for title in (
        "TCP Mbit/s",
        "TCP CPU s/GB",
        "UDP Mbit/s",
        "UDP CPU s/GB",
        "handshakes/CPU s",
        "RSS MiB",
    ):
        table.add_column(title, justify="right")
    table.add_column("")
    for row in rows:
        table.add_row(
            row.implementation,
            row.version,
            _figure(row.tcp_mbit_s, 0),
            _figure(row.tcp_cpu_s_per_gb, 2),
            _figure(row.udp_mbit_s, 0),
            _figure(row.udp_cpu_s_per_gb, 2),
            _figure(row.handshakes_per_cpu_s, 0),
            _figure(row.resident_mib, 1),
            row.missing,
        )
    console = Console(highlight=False, width=max(Console().width, 140))
    console.print(table)
    console.print(
        "CPU seconds are one daemon's own, user and system, averaged over both ends; "
        "both ends share this machine."
    )


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
