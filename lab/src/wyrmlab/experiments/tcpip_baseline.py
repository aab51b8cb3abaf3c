# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""TCP throughput to and from a device, plain and through the tunnel, as measured in the lab
report."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wyrmlab.experiments import traffic
from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters


class TcpipBaseline(Parameters):
    rounds: int = Field(ge=1, le=100)
    plain_mib: int = Field(ge=1, le=1024)
    tunnel_mib: int = Field(ge=1, le=1024)
    paths: list[Literal["plain", "tunnel"]]


def tell(bench: Bench, parameters: TcpipBaseline) -> None:
    rounds = range(1, parameters.rounds + 1)
    for cell in bench.cells(f"{path}, round {n}" for n in rounds for path in parameters.paths):
        path, _, number = cell.replace(",", "").split()
        with bench.tunnel(cell.replace(",", "")) as ends:
            device = ends.device
            address, host = traffic.addresses(ends, path)
            size = (parameters.tunnel_mib if path == "tunnel" else parameters.plain_mib) << 20
            folder = bench.run.folder / cell.replace(",", "").replace(" ", "-")
            warm_up = min(size, 1 << 20)
            traffic.send(device, host, warm_up, folder / "iperf-warm-up.log")
            towards = traffic.receive(device, address, size, folder / "iperf-rx.log")
            back = traffic.send(device, host, size, folder / "iperf-tx.log")
            for direction, figures in (("rx", towards), ("tx", back)):
                bench.sample(
                    *("tcp_mbit_s", figures.mbit_s, "Mbit/s"),
                    path=path,
                    direction=direction,
                    round_=int(number),
                )


EXPERIMENT = Experiment(
    name="tcpip-baseline",
    answers="How fast is TCP on the device, with and without the tunnel?",
    clock="device",
    quick_minutes=0.6,
    minutes=2,
    parameters=TcpipBaseline,
    tell=tell,
    setup=DEVICE_AND_HOST,
    items=("A19", "C03", "C05", "C17"),
    variants=("",),
)
