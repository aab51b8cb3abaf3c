# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""TCP with windows of several sizes, the board as server and as client, as the lab report measured
it. A window that the board does not have is not measured but said."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wyrmlab.experiments import sweeps, traffic
from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters
from wyrmlab.records.record import Table

_METRIC = "window_tcp_mbit_s"


class WindowSweep(Parameters):
    rounds: int = Field(ge=1, le=100)
    windows: list[int] = Field(min_length=1)
    plain_kib: int = Field(ge=1, le=1 << 20)
    tunnel_kib: int = Field(ge=1, le=1 << 20)
    paths: list[Literal["plain", "tunnel"]]


def tell(bench: Bench, parameters: WindowSweep) -> None:
    rounds = range(1, parameters.rounds + 1)
    lacking = [table for table in bench.run.record.tables if table.title == _LACKING]
    for cell in bench.cells(f"{path}, round {n}" for n in rounds for path in parameters.paths):
        path, _, number = cell.replace(",", "").split()
        with bench.tunnel(cell.replace(",", "")) as ends:
            address, host = traffic.addresses(ends, path)
            has = traffic.buffers(ends.device)
            lacking = [_lacking(parameters.windows, has.receives, has.sends)]
            bench.run.record.tables = lacking
            total = (parameters.tunnel_kib if path == "tunnel" else parameters.plain_kib) << 10
            folder = bench.run.folder / cell.replace(",", "").replace(" ", "-")
            for direction, limit in (("rx", has.receives), ("tx", has.sends)):
                for window in chosen(parameters.windows, limit):
                    log = folder / f"iperf-{window}-{direction}.log"
                    options = ("-w", str(window))
                    if direction == "rx":
                        rate = traffic.receive(ends.device, address, total, log, options=options)
                    else:
                        rate = traffic.send(ends.device, host, total, log, options=options)
                    bench.sample(
                        *(_METRIC, rate.mbit_s, "Mbit/s"),
                        path=path,
                        direction=direction,
                        x=window,
                        round_=int(number),
                    )
    bench.run.record.tables = [sweeps.optima(bench.run.record, _METRIC, "window"), *lacking]


def chosen(windows: list[int], limit: int) -> list[int]:
    """Those that the board has, and if more are asked for, all that it has."""
    return sorted({min(window, limit) for window in windows})


_LACKING = "Windows that this board does not have"


def _lacking(windows: list[int], receives: int, sends: int) -> Table:
    rows = []
    for direction, limit in (("towards the device", receives), ("from the device", sends)):
        beyond = ", ".join(f"{window:,}" for window in windows if window > limit)
        rows.append([direction, f"{limit:,}", beyond or "none"])
    columns = ["", "the board's largest, B", "asked for beyond it, B"]
    return Table(title=_LACKING, columns=columns, rows=rows)


EXPERIMENT = Experiment(
    name="window-sweep",
    answers="How large a window does TCP on the device need?",
    clock="device",
    quick_minutes=0.5,
    minutes=4,
    parameters=WindowSweep,
    tell=tell,
    setup=DEVICE_AND_HOST,
    items=("C06", "C07"),
    variants=("",),
    axis="window, B",
)
