# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Machines on this machine: network namespaces with daemons of WireGuard in them.

To be used inside private namespaces (`net.enter()`): everything goes when these end. All machines
share one /run, so interfaces of daemons need different names, and `wg` works from anywhere.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.network import net

SOCKETS = Path("/run/wireguard")


@dataclass(frozen=True)
class Machine:
    """A network namespace."""

    name: str

    def command(self, *args: proc.Arg) -> list[proc.Arg]:
        program = str(args[0])
        found = program if "/" in program else proc.find(program)
        return ["nsenter", f"--net=/run/netns/{self.name}", str(found), *args[1:]]

    def run(
        self, *args: proc.Arg, check: bool = True, timeout_s: float = 60, stdin: str | None = None
    ) -> str:
        done = proc.run(*self.command(*args), check=check, timeout_s=timeout_s, stdin=stdin)
        return done.stdout

    def ip(self, text: str, *, check: bool = True) -> str:
        return self.run("ip", *text.split(), check=check)

    def nft(self, text: str) -> str:
        """Rules without sets: nft wants each brace of a block on a line of its own."""
        lines = text.replace("{", "{\n").replace("}", "\n}\n")
        return self.run("nft", "-f", "-", stdin=lines)

    def sysctl(self, key: str, value: object) -> None:
        self.run("sh", "-c", f"echo {value} > /proc/sys/{key.replace('.', '/')}")

    def pings(
        self,
        address: str,
        *options: str,
        count: int = 1,
        wait_s: float = 8,
        interval_s: float = 0.05,
    ) -> int:
        """How many of `count` pings came back. They wait for a session as long as it takes to
        repeat a handshake message that was lost, 5 s."""
        said = self.run(
            *("ping", "-n", "-q", "-c", str(count), "-i", str(interval_s), "-W", str(wait_s)),
            *(*options, address),
            check=False,
            timeout_s=count * interval_s + wait_s + 60,
        )
        return int(said.split(" received")[0].split()[-1]) if " received" in said else 0

    def service(self, name: str, *args: proc.Arg, log: Path) -> proc.Service:
        return proc.Service(name, self.command(*args), log)


@contextlib.contextmanager
def machine(name: str) -> Iterator[Machine]:
    proc.run("ip", "netns", "add", name)
    made = Machine(name)
    try:
        made.ip("link set lo up")
        # Addresses are usable at once, and machines say nothing that nobody asked for.
        made.sysctl("net.ipv6.conf.default.accept_dad", 0)
        yield made
    finally:
        proc.run("ip", "netns", "delete", name, check=False)


def cable(
    one: Machine,
    other: Machine,
    names: tuple[str, str],
    addresses: tuple[tuple[str, ...], tuple[str, ...]],
) -> None:
    """A veth pair between two machines, up and with addresses."""
    proc.run(
        *("ip", "link", "add", names[0], "netns", one.name, "type", "veth"),
        *("peer", "name", names[1], "netns", other.name),
    )
    for end, name, given in zip((one, other), names, addresses, strict=True):
        for address in given:
            extra = " nodad" if ":" in address else ""
            end.ip(f"address add {address} dev {name}{extra}")
        end.ip(f"link set {name} up")


class Tunnel:
    """One daemon, one interface. `program` is the path or the name of a daemon with `-f`."""

    def __init__(self, where: Machine, interface: str, program: Path | str, log: Path) -> None:
        self.machine = where
        self.interface = net.check_name(interface)
        self.program = str(program)
        self.keys = net.make_keys()
        self.log = log
        self._service = proc.Service(
            Path(self.program).name,
            where.command(self.program, "-f", interface),
            log,
            env={"WG_PROCESS_FOREGROUND": "1", "WG_SUDO": "true", "LOG_LEVEL": "error"},
        )

    @property
    def pid(self) -> int:
        return self._service.pid

    @property
    def socket(self) -> Path:
        return SOCKETS / f"{self.interface}.sock"

    @property
    def running(self) -> bool:
        return self._service.running

    def start(self) -> None:
        self._service.start()

        def answers() -> bool:
            if not self._service.running:
                raise WyrmError(f"{self.program} ended early.", detail=self._service.output())
            with (
                contextlib.suppress(FileNotFoundError, ConnectionError, TimeoutError),
                socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe,
            ):
                probe.settimeout(30)
                probe.connect(str(self.socket))
                probe.sendall(b"get=1\n\n")  # it listens before it has dropped its privileges
                return probe.recv(1) != b""
            return False

        proc.wait_until(answers, timeout_s=60, what=f"the socket of {self.program}")

    def stop(self) -> None:
        self._service.stop()

    def __enter__(self) -> Tunnel:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # --- Configuration -----------------------------------------------------------------------

    def wg(self, *args: str, stdin: str | None = None, check: bool = True) -> str:
        """`wg ARGS...` on the machine, 60 s at most."""
        return self.machine.run("wg", *args, stdin=stdin, check=check, timeout_s=60)

    def set(self, text: str, stdin: str | None = None) -> None:
        """`wg set INTERFACE TEXT...`"""
        self.wg("set", self.interface, *text.split(), stdin=stdin)

    def set_key(self, keys: net.KeyPair) -> None:
        self.keys = keys
        self.set("private-key /dev/stdin", stdin=keys.private + "\n")

    def with_file(self, verb: str, text: str) -> None:
        with tempfile.NamedTemporaryFile("w", prefix="wyrm-", suffix=".conf") as file:
            file.write(text)
            file.flush()
            self.wg(verb, self.interface, file.name)

    def up(self, *addresses: str, mtu: int = 1420) -> None:
        # A daemon that leaves these on would speak unasked, and no count would be exact.
        name = self.interface
        self.machine.ip(f"link set {name} addrgenmode none multicast off")
        for address in addresses:
            extra = " nodad" if ":" in address else ""
            self.machine.ip(f"address add {address} dev {name}{extra}")
        self.machine.ip(f"link set {name} mtu {mtu} up")

    def settle(self) -> None:
        """Until wyrmd, which does one thing after the other, has handled what the kernel told it
        before: of what is ready at the same time it may answer us first, but not twice."""
        for _ in range(2):
            self.show("endpoints")

    # --- What it says ------------------------------------------------------------------------

    def show(self, what: str) -> dict[str, str]:
        """`wg show INTERFACE WHAT`: a value for each peer's key."""
        lines = self.wg("show", self.interface, what).splitlines()
        return dict(line.split("\t", 1) for line in lines if line)

    def transfer(self, peer: str) -> tuple[int, int]:
        """Bytes received and sent."""
        received, sent = self.show("transfer")[peer].split("\t")
        return int(received), int(sent)

    def handshake(self, peer: str) -> int:
        return int(self.show("latest-handshakes")[peer])

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_kib(self) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise WyrmError(f"{self.program} has ended.")


@dataclass
class Pair:
    """Two machines, a cable, a tunnel between them. West initiates first in most tests."""

    west: Tunnel
    east: Tunnel
    outer: int

    WEST, EAST = "10.88.0.1", "10.88.0.2"
    WEST6, EAST6 = "fd88::1", "fd88::2"
    WEST_OUTER: ClassVar = {4: "10.77.0.1", 6: "fd77::1"}
    EAST_OUTER: ClassVar = {4: "10.77.0.2", 6: "fd77::2"}

    def endpoint(self, side: Tunnel, port: int = 51820) -> str:
        outer = (self.WEST_OUTER if side is self.west else self.EAST_OUTER)[self.outer]
        return f"{outer}:{port}" if self.outer == 4 else f"[{outer}]:{port}"

    def introduce(self, psk: str = "") -> None:
        """Each learns the other's key and addresses; only west knows where the other is."""
        given = {"stdin": psk + "\n"} if psk else {}
        extra = " preshared-key /dev/stdin" if psk else ""
        self.east.set(
            f"peer {self.west.keys.public} allowed-ips {self.WEST}/32,{self.WEST6}/128{extra}",
            **given,
        )
        self.west.set(
            f"peer {self.east.keys.public} allowed-ips {self.EAST}/32,{self.EAST6}/128"
            f" endpoint {self.endpoint(self.east)}{extra}",
            **given,
        )

    def bring_up(self, mtu: int = 1420) -> None:
        self.west.up(f"{self.WEST}/24", f"{self.WEST6}/64", mtu=mtu)
        self.east.up(f"{self.EAST}/24", f"{self.EAST6}/64", mtu=mtu)


@contextlib.contextmanager
def pair(
    folder: Path,
    west: Path | str,
    east: Path | str,
    *,
    outer: int = 4,
    psk: str = "",
    introduced: bool = True,
    mtu: int = 1420,
) -> Iterator[Pair]:
    with machine("west") as west_machine, machine("east") as east_machine:
        cable(
            west_machine,
            east_machine,
            ("va", "vb"),
            (
                (f"{Pair.WEST_OUTER[4]}/24", f"{Pair.WEST_OUTER[6]}/64"),
                (f"{Pair.EAST_OUTER[4]}/24", f"{Pair.EAST_OUTER[6]}/64"),
            ),
        )
        with (
            Tunnel(west_machine, "wga", west, folder / "west.log") as a,
            Tunnel(east_machine, "wgb", east, folder / "east.log") as b,
        ):
            for side in (a, b):
                side.set_key(side.keys)
                side.set("listen-port 51820")
            both = Pair(a, b, outer)
            if introduced:
                both.introduce(psk)
            both.bring_up(mtu)
            yield both


def transfer(
    server: Machine,
    client: Machine,
    address: str,
    log: Path,
    *options: str,
    port: int,
    timeout_s: float = 180,
) -> int:
    """Sends with iperf 2; how many bytes arrived, as the server counts."""
    family = ["-V"] if ":" in address else []
    kind = ["-u"] if "-u" in options else []
    with server.service(
        "iperf", "iperf", "-s", "-p", str(port), "-y", "C", *family, *kind, log=log
    ) as service:
        _wait_listening(server, port, bool(kind))
        said = client.run(
            *("iperf", "-c", address, "-p", str(port), "-y", "C", *family, *options),
            timeout_s=timeout_s,
        )

        def counted() -> bool:
            return service.output().count("\n") > 0

        proc.wait_until(counted, timeout_s=60, what="iperf's count")
        return _last_csv(said if kind or "-P" in options else service.output())


def _last_csv(text: str) -> int:
    lines = [line for line in text.splitlines() if line.count(",") >= 8]
    if not lines:
        raise WyrmError("iperf gave no result.", detail=text)
    fields = [line.split(",") for line in lines]
    return sum(int(line[7]) for line in fields if line[5] != "-1")  # that would be the sum


def _wait_listening(server: Machine, port: int, udp: bool) -> None:
    def listening() -> bool:
        return f":{port} " in server.run("ss", "-Hlnu" if udp else "-Hlnt")

    proc.wait_until(listening, timeout_s=60, what="iperf's server")


def eventually(condition: Callable[[], bool], what: str, timeout_s: float = 60) -> None:
    proc.wait_until(condition, timeout_s=timeout_s, what=what, interval_s=0.05)


def quietly(command: list[str], env: dict[str, str], timeout_s: float = 60) -> str:
    """Runs a program that may leave a daemon behind: no pipe of ours stays open in it."""
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(
            command,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            timeout=timeout_s,
        )
        said.seek(0)
        text = said.read()
    if done.returncode != 0:
        raise WyrmError(f"`{command[0]}` failed with exit code {done.returncode}.", detail=text)
    return text
