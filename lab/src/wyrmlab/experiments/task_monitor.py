# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Every task and all memory of a device under load: the thesis' task monitor."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wyrmlab.boards import snapshot
from wyrmlab.experiments import traffic
from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters
from wyrmlab.network.host import HERE
from wyrmlab.peers import iperf
from wyrmlab.records.record import Table


class TaskMonitor(Parameters):
    seconds: int = Field(ge=1, le=600)
    paths: list[Literal["plain", "tunnel"]]


def tell(bench: Bench, parameters: TaskMonitor) -> None:
    for path in bench.cells(parameters.paths):
        with bench.tunnel(path) as ends:
            address, _ = traffic.addresses(ends, path)
            ends.device.command("iperf -s")
            log = bench.run.folder / path / "iperf.log"
            # Longer than it takes on any machine: it ends with the context.
            with iperf.client(HERE, address, log, "-t", "86400"):
                said = ends.device.command(
                    f"monitor {parameters.seconds} 1 json", timeout_s=60 + 20 * parameters.seconds
                )
        (line,) = (line for line in said.splitlines() if line.startswith("{"))
        seen = snapshot.parse(line)
        for task in seen.tasks:
            bench.sample("stack_free_bytes", task.stack_free, "B", path=path, x=task.name)
        for task in seen.tasks:
            bench.sample("load_percent", task.monitor_percent, "%", path=path, x=task.name)
        kept = [table for table in bench.run.record.tables if not table.title.startswith(path)]
        bench.run.record.tables = [*kept, *tables(path, seen)]


def tables(path: str, seen: snapshot.Snapshot) -> list[Table]:
    tasks = [
        [
            task.name,
            str(task.core),
            task.state,
            str(task.priority),
            f"{task.stack_free:,}",
            f"{task.stack_size:,}",
            f"{task.run_us:,}",
            f"{task.boot_percent:.1f}",
            f"{task.monitor_percent:.1f}",
        ]
        for task in seen.tasks
    ]
    memory = [
        [row.name, row.unit, *(f"{number:,}" for number in (row.total, row.free, row.least_free))]
        for row in seen.memory
    ]
    tasks_title = f"{path}: tasks after {seen.uptime_us / 1e6:.1f} s, iperf under way"
    return [
        Table(
            title=tasks_title,
            columns=[
                *("task", "core", "state", "priority", "least free stack, B", "stack, B"),
                *("run time, us", "% since boot", "% under load"),
            ],
            rows=tasks,
        ),
        Table(
            title=f"{path}: memory",
            columns=["what", "unit", "total", "free", "least ever free"],
            rows=memory,
        ),
    ]


EXPERIMENT = Experiment(
    name="task-monitor",
    answers="What do the device's tasks use under load, in time and stack?",
    clock="device",
    quick_minutes=0.3,
    minutes=0.5,
    parameters=TaskMonitor,
    tell=tell,
    setup=DEVICE_AND_HOST,
    items=("A11",),
    variants=("",),
)
