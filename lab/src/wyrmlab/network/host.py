# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A host: this machine, or a network namespace acting as another one.

Namespaces are for use inside private ones (`namespaces.enter()`): the kernel removes
everything when these end.
All hosts share one /run, so interfaces of daemons need different names, and `wg` works from
anywhere.
"""

from __future__ import annotations

import contextlib
import ipaddress
import math
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError


@dataclass(frozen=True)
class Pings:
    sent: int
    received: int
    rtt_ms: tuple[float, ...]

    @property
    def loss_percent(self) -> float:
        return 100.0 * (self.sent - self.received) / self.sent if self.sent else 100.0


@dataclass(frozen=True)
class Host:
    """Runs programs in a network namespace; empty `namespace`: in the current one."""

    namespace: str = ""

    # --- Programs ----------------------------------------------------------------------------

    def command(self, *args: proc.Arg) -> list[proc.Arg]:
        """The command line that runs a program here."""
        if not self.namespace:
            return list(args)
        program = str(args[0])
        found = program if "/" in program else proc.find(program)
        return ["nsenter", f"--net=/run/netns/{self.namespace}", str(found), *args[1:]]

    def run(
        self, *args: proc.Arg, check: bool = True, timeout_s: float = 60, stdin: str | None = None
    ) -> str:
        done = proc.run(*self.command(*args), check=check, timeout_s=timeout_s, stdin=stdin)
        return done.stdout

    def service(
        self,
        name: str,
        *args: proc.Arg,
        log: Path,
        stop_signal: signal.Signals = signal.SIGTERM,
        env: dict[str, str] | None = None,
    ) -> proc.Service:
        return proc.Service(name, self.command(*args), log, stop_signal=stop_signal, env=env)

    # --- The network -------------------------------------------------------------------------

    def ip(self, text: str, *, check: bool = True) -> str:
        return self.run("ip", *text.split(), check=check)

    def nft(self, text: str) -> str:
        """Rules without sets: nft requires each brace of a block on a separate line."""
        lines = text.replace("{", "{\n").replace("}", "\n}\n")
        return self.run("nft", "-f", "-", stdin=lines)

    def sysctl(self, key: str, value: object) -> None:
        self.run("sh", "-c", f"echo {value} > /proc/sys/{key.replace('.', '/')}")

    def has_interface(self, name: str) -> bool:
        done = proc.run(*self.command("ip", "link", "show", "dev", name), check=False)
        return done.returncode == 0

    def add_address(self, interface: str, address: str) -> None:
        """Adds an address with prefix length; IPv6 ones are usable at once."""
        # Without this, duplicate detection delays an IPv6 address by a second.
        extra = " nodad" if ipaddress.ip_interface(address).version == 6 else ""
        self.ip(f"address replace {address} dev {interface}{extra}")

    def wait_for_port(self, port: int, *, udp: bool = False, timeout_s: float = 60) -> None:
        """Waits until a program listens on the port."""

        def listening() -> bool:
            return f":{port} " in self.run("ss", "-Hlnu" if udp else "-Hlnt")

        proc.wait_until(listening, timeout_s=timeout_s, what=f"a server on port {port}")

    # --- Pings -------------------------------------------------------------------------------

    def ping(
        self,
        address: str,
        *options: str,
        count: int = 5,
        interval_s: float = 0.2,
        size: int = 56,
        wait_s: float = 8,
        pattern: str = "",
    ) -> Pings:
        """Pings; no reply is a result, not an error. `pattern`: up to 16 bytes in hex.

        Each ping may take `wait_s`: 8 s allow for one lost handshake message, retransmitted after 5
        s. Several pings need a deadline: without one `ping` stops two round trips after the last
        request, even if replies are pending. Until the deadline it sends more pings, which are not
        counted.
        """
        extra = ["-p", pattern] if pattern else []
        deadline_s = math.ceil(count * interval_s + wait_s)
        patience = ["-W", str(wait_s)] if count == 1 else ["-w", str(deadline_s)]
        done = proc.run(
            *self.command("ping", "-n", "-c", str(count), "-i", str(interval_s)),
            *(*patience, "-s", str(size), *extra, *options, address),
            timeout_s=deadline_s + 60,
            check=False,
        )
        summary = re.search(r"(\d+) packets transmitted", done.stdout)
        if summary is None:
            raise WyrmError(f"ping to {address} did not run.", detail=done.stderr or done.stdout)
        answers = re.findall(r"icmp_seq=(\d+) .*time=([0-9.]+) ms", done.stdout)
        times = {int(number): float(ms) for number, ms in answers if int(number) <= count}
        return Pings(min(int(summary[1]), count), len(times), tuple(times.values()))

    def pings(
        self,
        address: str,
        *options: str,
        count: int = 1,
        wait_s: float = 8,
        interval_s: float = 0.05,
    ) -> int:
        """How many of `count` pings came back; none without a route to the address."""
        with contextlib.suppress(WyrmError):
            done = self.ping(address, *options, count=count, wait_s=wait_s, interval_s=interval_s)
            return done.received
        return 0


HERE = Host()


@contextlib.contextmanager
def namespace(name: str) -> Iterator[Host]:
    """A host in a separate network namespace that only has a loopback interface."""
    HERE.ip(f"netns add {name}")
    made = Host(name)
    try:
        made.ip("link set lo up")
        # Addresses are usable at once, and hosts send nothing unsolicited.
        made.sysctl("net.ipv6.conf.default.accept_dad", 0)
        yield made
    finally:
        HERE.ip(f"netns delete {name}", check=False)
