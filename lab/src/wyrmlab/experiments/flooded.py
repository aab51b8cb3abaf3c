# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Measures a daemon during a flood of initiations: a stream's goodput and a new peer's handshake.

Four machines: `west` sends a TCP stream through a tunnel to `east`, `honest` has a key that east
knows but no session yet, and `foe` knows east's public key. The cost of the flood itself (creating
the datagrams, delivering them to a socket that nobody reads) is measured first, with the same flood
to another port of east: goodput is compared with the goodput then.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base import proc
from wyrmlab.base.errors import TimedOutError, WyrmError
from wyrmlab.network.host import Host, namespace
from wyrmlab.network.links import cable
from wyrmlab.peers import iperf
from wyrmlab.peers.pair import Pair, pair
from wyrmlab.peers.wireguard import WireGuard
from wyrmlab.setup import build

RATES = (50_000, 400_000)
PATIENCE_S = 16  # three attempts: at once, after 5 s, after 10 s, each delayed by up to 1/3 s
ROUNDS, STREAM_S = 4, 2
SINK = 51999
_FOE, _TARGET = "10.79.0.1", "10.79.0.2"
_HONEST, _HONEST_INNER = "10.80.0.1", "10.88.0.3"
_SINK_PROGRAM = (
    "import socket, time\n"
    "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    "s.setsockopt(socket.IPPROTO_UDP, 104, 1)\n"  # UDP_GRO, as daemons have it
    f"s.bind(('', {SINK})); print('ready', flush=True); time.sleep(600)\n"
)


@dataclass
class Flooded:
    """`session_s` is None if there was no session within PATIENCE_S."""

    rate: int  # target
    sent_per_s: float  # achieved while the stream ran
    reference_mbit_s: float  # of the stream, during the same flood to another port
    goodput_mbit_s: float
    session_s: float | None

    @property
    def share(self) -> float:
        return self.goodput_mbit_s / self.reference_mbit_s if self.reference_mbit_s else 0


def measure(program: Path, folder: Path, seconds: int = STREAM_S) -> list[Flooded]:
    with _world(program, folder) as (both, foe):
        return [_measure(both, foe, program, folder, rate, seconds) for rate in RATES]


@contextmanager
def _world(program: Path, folder: Path) -> Iterator[tuple[Pair, Host]]:
    with pair(folder, program, program) as both, namespace("foe") as foe:
        east = both.east.host
        cable(foe, east, ("foe0", "foe1"), ((f"{_FOE}/24",), (f"{_TARGET}/24",)))
        sink = east.service("sink", "python3", "-c", _SINK_PROGRAM, log=folder / "sink")
        with sink:
            sink.wait_for("ready", timeout_s=10)
            if both.west.host.pings(both.EAST, count=3) == 0:
                raise WyrmError("no packet passes")
            yield both, foe


def _measure(
    both: Pair, foe: Host, program: Path, folder: Path, rate: int, seconds: int
) -> Flooded:
    goodput = reference = 0.0
    sent = 0
    for turn in range(ROUNDS):  # alternate, because other load disturbs both
        reference += _stream(both, foe, folder, rate, seconds, SINK, turn)[0] / ROUNDS
        measured, count = _stream(both, foe, folder, rate, seconds, 51820, turn)
        goodput += measured / ROUNDS
        sent += count
    with (
        _honest_peer(both, program, folder, rate) as honest,
        _endless_stream(both, folder, rate),
        _flood(both, foe, rate, PATIENCE_S + 8, 51820, folder / f"long-{rate}") as sender,
    ):
        time.sleep(0.5)  # until the daemon is under load
        session_s = _time_to_session(honest, both)
        if not sender.running:
            raise WyrmError("the flood ended early", detail=sender.output())
    return Flooded(rate, sent / seconds / ROUNDS, reference, goodput, session_s)


def _flood(both: Pair, foe: Host, rate: int, seconds: int, port: int, log: Path) -> proc.Service:
    key = both.east.keys.public
    program = build.flood()
    return foe.service("flood", program, key, _TARGET, str(port), str(rate), str(seconds), log=log)


def _stream(
    both: Pair, foe: Host, folder: Path, rate: int, seconds: int, port: int, turn: int
) -> tuple[float, int]:
    """Goodput of a stream during a flood to this port, and how many initiations were sent."""
    name = f"{rate}-{port}-{turn}"
    with _flood(both, foe, rate, seconds, port, folder / f"flood-{name}") as sender:
        try:
            received = iperf.transfer(
                *(both.east.host, both.west.host, both.EAST, folder / f"stream-{name}"),
                *("-t", str(seconds)),
                port=5200 + port % 100 + 2 * turn + rate // 1000,
                timeout_s=seconds + 8,
            )
        except WyrmError:
            received = 0  # not even the end of the stream arrived
        sender.wait(seconds + 10)
        sent = int(sender.output().split()[-3])
    return received * 8 / 1e6 / seconds, sent


@contextmanager
def _endless_stream(both: Pair, folder: Path, rate: int) -> Iterator[None]:
    port = 5100 + rate // 1000
    east, west = both.east.host, both.west.host
    with (
        iperf.server(east, folder / f"server-{rate}", port=port) as server,
        iperf.client(
            *(west, both.EAST, folder / f"client-{rate}"),
            *("-t", str(PATIENCE_S + 60)),
            port=port,
        ),
    ):
        with suppress(TimedOutError):  # the daemon may still be recovering from the last flood
            server.wait_for("connected", timeout_s=10)
        yield


@contextmanager
def _honest_peer(both: Pair, program: Path, folder: Path, rate: int) -> Iterator[WireGuard]:
    east = both.east.host
    with (
        namespace("honest") as place,
        WireGuard(place, "wgn", program, folder / f"honest-{rate}.log") as honest,
    ):
        cable(place, east, ("honest0", "honest1"), ((f"{_HONEST}/24",), ("10.80.0.2/24",)))
        honest.set_key(honest.keys)
        both.east.set(f"peer {honest.keys.public} allowed-ips {_HONEST_INNER}/32")
        honest.up(f"{_HONEST_INNER}/24")
        yield honest
        both.east.set(f"peer {honest.keys.public} remove")


def _time_to_session(honest: WireGuard, both: Pair) -> float | None:
    key = both.east.keys.public
    begun = time.monotonic()
    honest.set(
        f"peer {key} allowed-ips {both.EAST}/32 endpoint 10.80.0.2:51820 persistent-keepalive 25"
    )
    while time.monotonic() < begun + PATIENCE_S:
        if honest.handshake(key) > 0:
            return time.monotonic() - begun
        time.sleep(0.05)
    return None
