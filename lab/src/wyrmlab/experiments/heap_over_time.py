# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Free memory of a device while iperf sends to it, plain and through the tunnel.

Free memory is the rest of FreeRTOS' heap and lwIP's heap plus the free elements of lwIP's pools.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from pydantic import Field

from wyrmlab.base.errors import WyrmError
from wyrmlab.boards import readings
from wyrmlab.boards.device import Device
from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters
from wyrmlab.network.host import HERE
from wyrmlab.peers import iperf

# Pools whose name on the console differs from their symbol.
_SHOWN = {"PBUF": "PBUF_REF/ROM"}


class HeapOverTime(Parameters):
    samples: int = Field(ge=1, le=1000)
    every_s: int = Field(ge=1, le=600)
    paths: list[Literal["plain", "tunnel"]]


def tell(bench: Bench, parameters: HeapOverTime) -> None:
    pools = pool_bytes(bench.firmware())
    for path in bench.cells(parameters.paths):
        with bench.tunnel(path) as ends:
            address = ends.wiring.device_outer[4]
            if path == "tunnel":
                ends.connect()
                address = ends.wiring.device_inner[4]
            ends.device.command("iperf -s")
            log = bench.run.folder / path / "iperf.log"
            # Longer than needed on any machine; it is stopped when the context closes.
            with iperf.client(HERE, address, log, "-t", "86400"):
                for number in range(1, parameters.samples + 1):
                    load = ends.device.command(
                        f"load {parameters.every_s}", timeout_s=60 + 20 * parameters.every_s
                    )
                    at = number * parameters.every_s
                    free = free_bytes(ends.device, pools) / 1024
                    bench.sample("free_kb", free, "KB", path=path, x=at)
                    bench.sample(
                        "cpu_load_percent", readings.load_percent(load), "%", path=path, x=at
                    )


def free_bytes(device: Device, pools: dict[str, int]) -> int:
    free = 0
    for memory in readings.memory(device.command("heap")):
        left = memory.total - memory.used
        heap = memory.name.endswith("heap")
        free += left if heap else left * pools.get(memory.name, 0) // memory.total
    return free


def pool_bytes(firmware: Path) -> dict[str, int]:
    """lwIP's pools by their name on the console."""
    sizes = {}
    with firmware.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            raise WyrmError(f"{firmware.name} has no symbols.")
        for symbol in table.iter_symbols():
            if found := re.fullmatch(r"memp_memory_(\w+)_base", symbol.name):
                sizes[_SHOWN.get(found[1], found[1])] = int(symbol["st_size"])
    return sizes


EXPERIMENT = Experiment(
    name="heap-over-time",
    answers="How much memory is free while traffic flows, and does any leak?",
    clock="device",
    quick_minutes=1.5,
    minutes=10,
    parameters=HeapOverTime,
    tell=tell,
    setup=DEVICE_AND_HOST,
    items=("A17",),
    variants=("",),
    axis="seconds of the device's clock",
)
