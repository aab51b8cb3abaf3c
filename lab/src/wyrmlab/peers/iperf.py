# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""iperf 2: one way to run each side, one parser of what the host's side says.

What a device's iperf says is parsed by `boards.readings`.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.network.host import Host

PORT = 5001
CSV = ("-y", "C")


@contextlib.contextmanager
def server(host: Host, log: Path, *options: str, port: int = PORT) -> Iterator[proc.Service]:
    """A server that listens."""
    command = ("iperf", "-s", "-p", str(port), *options)
    # The first SIGTERM only makes it wait for its streams.
    service = host.service("iperf", *command, log=log, stop_signal=signal.SIGKILL)
    with service:
        host.wait_for_port(port, udp="-u" in options)
        yield service


def client(host: Host, address: str, log: Path, *options: str, port: int = PORT) -> proc.Service:
    """A client beside us, to be used as a context manager."""
    command = ("iperf", "-c", address, "-p", str(port), *options)
    return host.service("iperf", *command, log=log)


def send(host: Host, address: str, *options: str, port: int = PORT, timeout_s: float = 60) -> str:
    """Runs a client to its end; what it says."""
    family = ["-V"] if ":" in address else []
    command = ("iperf", "-c", address, "-p", str(port), *family, *options)
    return host.run(*command, timeout_s=timeout_s)


def transfer(
    receiver: Host,
    sender: Host,
    address: str,
    log: Path,
    *options: str,
    port: int,
    timeout_s: float = 180,
) -> int:
    """Sends from one host to another; how many bytes arrived, as the server counts."""
    family = ["-V"] if ":" in address else []
    kind = ["-u"] if "-u" in options else []
    with server(receiver, log, *CSV, *family, *kind, port=port) as service:
        said = send(sender, address, *CSV, *options, port=port, timeout_s=timeout_s)

        def counted() -> bool:
            return service.output().count("\n") > 0

        proc.wait_until(counted, timeout_s=60, what="iperf's count")
        counts = transfers(said if kind or "-P" in options else service.output())
    if not counts:
        raise WyrmError("iperf gave no result.", detail=said)
    return sum(counts)


def transfers(text: str) -> list[int]:
    """Bytes of each stream in the CSV of either side, without the sum of parallel ones."""
    fields = [line.split(",") for line in text.splitlines() if line.count(",") >= 8]
    return [int(line[7]) for line in fields if line[5] != "-1"]
