# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""TCP with packets of several sizes, the board as server and as client, as the lab report measured
it; the size agreed on is read from the wire."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from wyrmlab.experiments import sweeps, traffic
from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters
from wyrmlab.network import capture, packets
from wyrmlab.peers.device_tunnel import DeviceTunnel
from wyrmlab.records import published
from wyrmlab.records.record import Record, Table

HEADERS = 40  # of IPv4 and TCP
PAYLOAD = 5000  # bytes that the lab report reckons with
_METRIC = "tcp_mbit_s"
# Around an inner packet: type, counter and tag, UDP, and IPv4 or IPv6.
_AROUND = {4: 32 + 8 + 20, 6: 32 + 8 + 40}
_BLOCK = 16


class PacketSweep(Parameters):
    rounds: int = Field(ge=1, le=100)
    packets: list[int] = Field(min_length=1)
    plain_kib: int = Field(ge=1, le=1 << 20)
    tunnel_kib: int = Field(ge=1, le=1 << 20)
    paths: list[Literal["plain", "tunnel"]]


def tell(bench: Bench, parameters: PacketSweep) -> None:
    rounds = range(1, parameters.rounds + 1)
    for cell in bench.cells(f"{path}, round {n}" for n in rounds for path in parameters.paths):
        path, _, number = cell.replace(",", "").split()
        with bench.tunnel(cell.replace(",", "")) as ends:
            address, host = traffic.addresses(ends, path)
            kib = parameters.tunnel_kib if path == "tunnel" else parameters.plain_kib
            folder = bench.run.folder / cell.replace(",", "").replace(" ", "-")
            for size in parameters.packets:
                _tell_size(bench, ends, path, (address, host), size, kib << 10, int(number), folder)
    record = bench.run.record
    record.tables = [sweeps.optima(record, _METRIC, "packet"), overhead(record, parameters.packets)]
    record.tables.append(conclusions(record))


def _tell_size(
    bench: Bench,
    ends: DeviceTunnel,
    path: str,
    addresses: tuple[str, str],
    size: int,
    total: int,
    number: int,
    folder: Path,
) -> None:
    address, host = addresses
    mss = str(size - HEADERS)
    interface = ends.peer.interface if path == "tunnel" else ends.device.link.interface
    for direction in ("rx", "tx"):
        file = folder / f"{size}-{direction}.pcapng"
        log = folder / f"iperf-{size}-{direction}.log"
        with capture.Capture(interface, file, only="tcp[tcpflags] & tcp-syn != 0"):
            if direction == "rx":
                rate = traffic.receive(ends.device, address, total, log, options=("-M", mss))
            else:
                rate = traffic.send(ends.device, host, total, log, options=("-M", mss))
        agreed = packets.agreed_mss(file)
        for metric, value, unit in (
            (_METRIC, rate.mbit_s, "Mbit/s"),
            ("agreed_mss_bytes", agreed, "B"),
        ):
            bench.sample(metric, value, unit, path=path, direction=direction, x=size, round_=number)


def on_the_way(size: int, outer: Literal[4, 6], mtu: int = 1420) -> int:
    """Bytes of the outer packet that carries an inner one; padding does not exceed the MTU."""
    padded = max(size, min(mtu, -(-size // _BLOCK) * _BLOCK))
    return padded + _AROUND[outer]


def overhead(record: Record, sizes: list[int]) -> Table:
    """What 5,000 B cost in headers, by the lab report's rule: 5,000 / size packets, rounded up."""
    rows = []
    for size in sizes:
        number = -(-PAYLOAD // size)
        plain = number * HEADERS
        through = [plain + number * (on_the_way(size, outer) - size) for outer in (4, 6)]
        beside = published.beside(record.published, "overhead_bytes", "plain", "", size)
        told = [f"{one:,}" for one in (size, number, plain, *through)]
        rows.append([*told, "; ".join(map(str, beside))])
    columns = ["packet, B", "packets", "plain", "tunnel over IPv4", "tunnel over IPv6", "published"]
    note = "Computed: 40 B of IPv4 and TCP for each packet; in the tunnel also its own and padding."
    return Table(title=f"Headers for {PAYLOAD:,} B, in B", columns=columns, rows=rows, note=note)


def conclusions(record: Record) -> Table:
    """The lab report's conclusions as statements on what was measured here."""
    found = sweeps.curves(record, _METRIC)
    rows = []
    for path in dict.fromkeys(path for path, _ in found):
        towards, back = found.get((path, "rx"), []), found.get((path, "tx"), [])
        if not towards or not back:
            continue
        sent = {figure.x: figure.median for figure in back}
        least, most = (end(float(one.x or 0) for one in towards) for end in (min, max))
        statements = {
            "the board sends faster than it receives, whatever the size": all(
                sent[one.x] > one.median for one in towards
            ),
            "receiving wants the largest packets": sweeps.optimum(towards).x == most,
            "sending wants packets of less than the largest size": least
            <= float(sweeps.optimum(back).x or 0)
            < most,
        }
        for what, holds in statements.items():
            rows.append([what, path, "holds here" if holds else "does not hold here"])
    return Table(title="The lab report's conclusions", columns=["", "path", ""], rows=rows)


EXPERIMENT = Experiment(
    name="packet-sweep",
    answers="Which packet size suits TCP on the device best?",
    clock="device",
    quick_minutes=1.5,
    minutes=8,
    parameters=PacketSweep,
    tell=tell,
    setup=DEVICE_AND_HOST,
    items=("C08", "C09", "C14", "C16"),
    variants=("",),
    axis="packet, B",
)
