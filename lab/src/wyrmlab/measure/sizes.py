# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`footprint`: flash, RAM and stack that the library needs on a small device, beside targets."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter
from rich.console import Console
from rich.table import Table

from wyrmlab.base import paths
from wyrmlab.base.errors import FAILED, WyrmError
from wyrmlab.measure import figures, footprint, stack, table
from wyrmlab.measure.cores import version
from wyrmlab.measure.figures import Comparison
from wyrmlab.setup import build, host_setup, third_party

SOURCE = paths.ROOT / "bench" / "footprint"
BASELINE = paths.ROOT / "bench" / "results" / "footprint.json"
COMPILER = "arm-none-eabi-gcc"

FLASH, FLASH_LTO = "flash", "flash with LTO"
GLUE, EXTRAS, SLEEP = "FreeRTOS glue", "store and text", "deep sleep"
PEER, DEVICE, JOB = "RAM of a peer", "RAM of a device with 1 peer, 2 routes", "RAM of a job"
STACK_PACKET, STACK_WORKER = "stack of a packet", "stack of the worker"
DOOR = "flash of a door"
COUNTED = ("core", "crypto", "lwIP port")


@dataclass(frozen=True)
class Configuration:
    """A program of bench/footprint/CMakeLists.txt."""

    name: str
    title: str
    core: str = "m4"
    lto: bool = True
    stack: bool = False


PROGRAMS = (
    Configuration("everything", "everything", stack=True),
    Configuration("fast", "everything, -O2", stack=True),
    Configuration("router", "everything, forwarding"),
    Configuration("whole", "everything, even if not called", lto=False),
    Configuration("client", "client"),
    Configuration("client-c", "client in C"),
    Configuration("client-c-m0", "client in C, Cortex-M0", "m0"),
)
DOORS = (
    Configuration("esp-idf", "ESP-IDF: IPv6, -Og"),
    Configuration("esphome", "ESPHome: IPv4, -Os"),
    Configuration("arduino-esp32", "Arduino, ESP32: IPv6, -Os"),
    Configuration("arduino-esp8266", "Arduino, ESP8266: IPv4, -Os"),
    Configuration("plain-lwip", "lwIP without an OS: IPv6, -Os"),
)
DOOR_PARTS = (*COUNTED, GLUE, "what the door adds", EXTRAS)
VARIABLES = (
    Configuration("dual-480", "IPv4 and IPv6, 480 packets"),
    Configuration("dual-32", "IPv4 and IPv6, 32 packets"),
    Configuration("ipv4-480", "IPv4, 480 packets"),
    Configuration("ipv4-32", "IPv4, 32 packets"),
    Configuration("client", "client: IPv4, 32 packets"),
)
LEGEND = (
    "Counted are the bytes of code and constants that bench/footprint/start.c, which starts a"
    " tunnel and does nothing else, links of core, crypto and lwIP port; glue, store, text and deep"
    " sleep come on top."
    " Everything: IPv4 and IPv6, both roles, cookies, assembly. Client: WYRM_RESPONDER=0,"
    " WYRM_IPV6=0, WYRM_REPLAY_BITS=64, lwIP without IPv6; in C: with WYRM_ASM=0 besides. Even if"
    " not called: without --gc-sections."
)


class Row(BaseModel):
    """Bytes of one thing in one configuration; `sum` adds up `parts` and is what is compared."""

    model_config = ConfigDict(extra="forbid")

    what: str
    configuration: str
    core: str
    parts: dict[str, int]
    sum: int
    target: int | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.what, self.configuration, self.core

    @property
    def over(self) -> int | None:
        """Bytes above the target; 0 or less if it is met."""
        return None if self.target is None else self.sum - self.target


class Goal(BaseModel):
    """A target in bytes."""

    model_config = ConfigDict(extra="forbid")

    what: list[str]
    configurations: list[str]
    target: int


class Baseline(BaseModel):
    """Sizes hold for the compiler they were made with."""

    model_config = ConfigDict(extra="forbid")

    tools: str = ""
    rows: list[Row] = []


def run(file: Path | None, *, accept: bool) -> int:
    """Returns the exit code: a rise against the baseline is a failure."""
    figures.check_place(file)
    host_setup.ensure("build", "firmware")
    rows = measure(make())
    console = Console(highlight=False, width=max(Console().width, 120))
    show(console, rows)
    if file is not None:
        file.write_text(as_json(rows))
    if accept:
        save_baseline(Baseline(tools=tools(), rows=rows))
        console.print(f"The baseline {paths.shown(BASELINE)} holds these sizes now.")
        return 0
    comparison = compare(load_baseline(), tools(), rows)
    table.show_comparison(console, comparison)
    if comparison.risen:
        return FAILED
    console.print("Nothing has grown since the baseline.")
    return 0


def tools() -> str:
    return f"{COMPILER} {version(COMPILER)}"


# ---- Measuring ----


def make() -> Path:
    """Builds bench/footprint and returns its folder."""
    folder = paths.BUILD / "footprint"
    sources = {"WYRM_THIRD_PARTY": str(third_party.FREERTOS_LWIP.target)}
    with third_party.locked(folder):
        if not build.configured(folder, sources, home=SOURCE):
            toolchain = paths.ROOT / "cmake" / "arm-none-eabi.cmake"
            options = [f"-D{name}={path}" for name, path in sources.items()]
            options.append(f"-DCMAKE_TOOLCHAIN_FILE={toolchain}")
            command = ["cmake", "-S", str(SOURCE), "-B", str(folder), "-G", "Ninja", *options]
            build.follow(command, "configuring the footprint")
        build.follow(["cmake", "--build", str(folder)], "building the footprint")
    return folder


def measure(folder: Path) -> list[Row]:
    rows = []
    for one in PROGRAMS:
        rows += _program(one, folder)
    for one in DOORS:
        parts = _flash(footprint.measure(folder / f"{one.name}.elf"), DOOR_PARTS)
        rows.append(_row(DOOR, one, {part: size for part, size in parts.items() if size}))
    for one in VARIABLES:
        rows += _variables(one, folder / f"ram-{one.name}.elf")
    goals = load_goals()
    return [row.model_copy(update={"target": goals.get(row.key[:2])}) for row in rows]


def _program(one: Configuration, folder: Path) -> list[Row]:
    found = footprint.measure(folder / f"{one.name}.elf")
    rows = [_row(FLASH, one, _flash(found, COUNTED))]
    if one.lto:
        optimised = footprint.measure(folder / f"{one.name}-lto.elf")
        parts = _flash(optimised, (*COUNTED, footprint.LTO))
        rows.append(_row(FLASH_LTO, one, {part: size for part, size in parts.items() if size}))
    rows += [_row(what, one, _flash(found, [what])) for what in (GLUE, EXTRAS, SLEEP)]
    return rows + _stack(one, folder / f"{one.name}.elf") if one.stack else rows


def _stack(one: Configuration, program: Path) -> list[Row]:
    """The call chain with the worst stack, function by function."""
    known = stack.Program(program, stack.POINTERS, stack.BARE)
    rows = []
    for what, entries in ((STACK_PACKET, stack.PACKET_PATH), (STACK_WORKER, (stack.WORKER,))):
        depth = max(map(known.below, entries), key=lambda way: way.bytes)
        frames: Counter[str] = Counter()  # functions of different files may share a name
        for frame in depth.frames:
            frames[frame.name] += frame.bytes
        rows.append(_row(what, one, dict(frames)))
    return rows


def _flash(found: footprint.Footprint, groups: Sequence[str]) -> dict[str, int]:
    return {group: found.total([group]).flash for group in groups}


def _variables(one: Configuration, program: Path) -> list[Row]:
    found = footprint.measure(program)
    size = found.structures
    try:
        device, peer, job = (size[f"wyrm_{name}"] for name in ("device", "peer", "job"))
    except KeyError as missing:
        raise WyrmError(f"{program.name} says nothing of the size of {missing}.") from missing
    pools = found.total().ram - device - peer
    return [
        _row(PEER, one, {"peer": peer}),
        _row(DEVICE, one, {"device": device, "peer": peer, "routes and other pools": pools}),
        _row(JOB, one, {"job": job}),
    ]


def _row(what: str, one: Configuration, parts: dict[str, int]) -> Row:
    total = sum(parts.values())
    return Row(what=what, configuration=one.name, core=one.core, parts=parts, sum=total)


# ---- Targets and baseline ----


def load_goals(file: Path = figures.TARGETS) -> dict[tuple[str, str], int]:
    """By what is measured and configuration."""
    goals = [Goal(**entry) for entry in tomllib.loads(file.read_text())["size"]]
    return {
        (what, configuration): goal.target
        for goal in goals
        for what in goal.what
        for configuration in goal.configurations
    }


def load_baseline(file: Path = BASELINE) -> Baseline:
    return figures.load(Baseline, file)


def as_json(rows: Sequence[Row]) -> str:
    """A list of objects, one to a line: differences between versions can be read."""
    lines = ",\n".join(json.dumps(row.model_dump()) for row in rows)
    return f"[\n{lines}\n]\n"


def rows_from_json(text: str) -> list[Row]:
    return TypeAdapter(list[Row]).validate_json(text)


def save_baseline(baseline: Baseline, file: Path = BASELINE) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = as_json(baseline.rows).rstrip()
    file.write_text(f'{{"tools": {json.dumps(baseline.tools)},\n"rows": {rows}}}\n')


def compare(baseline: Baseline, with_what: str, rows: Sequence[Row]) -> Comparison:
    """Every byte of growth counts; builds of other compilers are not compared."""
    found = Comparison()
    same = with_what == baseline.tools
    if baseline.tools and not same:
        found.other_tools.append(
            f"the baseline was made with {baseline.tools}; this is {with_what}"
        )
    before = {row.key: row.sum for row in baseline.rows}
    for row in rows:
        name = f"{row.what}, {row.configuration}"
        was = before.get(row.key)
        if was is None:
            found.new.append(name)
        elif same and row.sum != was:
            where = found.risen if row.sum > was else found.fallen
            where.append(f"{name}: {was:,} -> {row.sum:,} B")
    return found


# ---- Tables ----


def show(console: Console, rows: Sequence[Row]) -> None:
    by_key = {(row.what, row.configuration): row for row in rows}
    _show_flash(console, by_key)
    _show_doors(console, by_key)
    _show_ram(console, by_key)
    _show_stack(console, by_key)


def _show_flash(console: Console, rows: dict[tuple[str, str], Row]) -> None:
    shown = _table(
        "flash, -Os, Cortex-M4",
        *("core", "crypto", "lwIP\nport", "bytes", "target", "", "with\nLTO", ""),
        *("FreeRTOS\nglue", "store,\ntext", "deep\nsleep"),
    )
    for one in PROGRAMS:
        row, optimised = rows[FLASH, one.name], rows.get((FLASH_LTO, one.name))
        shown.add_row(
            one.title,
            *(_bytes(row.parts[part]) for part in COUNTED),
            _bytes(row.sum),
            _bytes(row.target),
            verdict(row),
            _bytes(optimised.sum if optimised else None),
            verdict(optimised) if optimised else "",
            _bytes(rows[GLUE, one.name].sum),
            _bytes(rows[EXTRAS, one.name].sum),
            _bytes(rows[SLEEP, one.name].sum),
        )
    console.print(shown)
    console.print(f"{LEGEND}\n")


def _show_doors(console: Console, rows: dict[tuple[str, str], Row]) -> None:
    headings = (
        "core",
        "crypto",
        "lwIP\nport",
        "FreeRTOS\nglue",
        "class or\ncompat",
        "store,\ntext",
    )
    shown = _table("flash by front door, Cortex-M4", *headings, "bytes")
    for one in DOORS:
        row = rows[DOOR, one.name]
        shown.add_row(
            one.title, *(_bytes(row.parts.get(part)) for part in DOOR_PARTS), _bytes(row.sum)
        )
    console.print(shown)
    console.print(
        "With the options, the optimisation and the kind of lwIP that users get there by default;"
        " not compiled for the chips of these systems.\n"
    )


def _show_ram(console: Console, rows: dict[tuple[str, str], Row]) -> None:
    shown = _table(
        "RAM, by replay window",
        *("peer", "target", "", "device, 1 peer,\n2 routes", "target", "", "job"),
    )
    for one in VARIABLES:
        peer, device = rows[PEER, one.name], rows[DEVICE, one.name]
        shown.add_row(
            one.title,
            *(_bytes(peer.sum), _bytes(peer.target), verdict(peer)),
            *(_bytes(device.sum), _bytes(device.target), verdict(device)),
            _bytes(rows[JOB, one.name].sum),
        )
    console.print(shown)
    console.print("One job serves all peers; the worker holds it.\n")


def _show_stack(console: Console, rows: dict[tuple[str, str], Row]) -> None:
    shown = _table(
        "worst stack, from the call graph", *("packet", "target", "", "worker", "target", "")
    )
    for one in filter(lambda one: one.stack, PROGRAMS):
        packet, worker = rows[STACK_PACKET, one.name], rows[STACK_WORKER, one.name]
        shown.add_row(
            one.title,
            *(_bytes(packet.sum), _bytes(packet.target), verdict(packet)),
            *(_bytes(worker.sum), _bytes(worker.target), verdict(worker)),
        )
    console.print(shown)
    console.print("What lwIP takes below a call of ours comes on top.\n")


def _table(title: str, *headings: str) -> Table:
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    shown.add_column(title, no_wrap=True)
    for heading in headings:
        shown.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    return shown


def verdict(row: Row) -> str:
    if row.over is None:
        return ""
    return f"[red]{row.over:,} over[/red]" if row.over > 0 else "[green]met[/green]"


def _bytes(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
