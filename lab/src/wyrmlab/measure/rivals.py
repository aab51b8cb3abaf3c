# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Other cryptographic libraries, built and counted exactly as ours: `bench crypto --rivals`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from wyrmlab.base.errors import WyrmError
from wyrmlab.measure import images
from wyrmlab.measure.cores import Core
from wyrmlab.measure.figures import Row
from wyrmlab.setup import host_setup

LIBRARIES = {
    "bearssl": "BearSSL",
    "libsodium": "libsodium",
    "mbedtls": "Mbed TLS",
    "monocypher": "Monocypher",
    "wolfssl": "wolfSSL",
}
PRIMITIVES = (
    "x25519",
    "seal_1420",
    "open_1420",
    "seal_64",
    "open_64",
    "handshake_initiator",
    "handshake_responder",
)
# Where the time of the wide multiplication depends on its operands, only these take care.
_NARROW = ("m3", "m0", "lx106")
_CAREFUL = ("bearssl",)


@dataclass
class Measured:
    """What the libraries need on one core. By library, then by primitive."""

    instructions: dict[str, dict[str, int]] = field(default_factory=dict)
    code_bytes: dict[str, dict[str, int]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # names of those that do not build


def fetch() -> None:
    host_setup.ensure("build", "check", "rivals")


def measure(core: Core) -> Measured:
    found = Measured()
    for library, name in LIBRARIES.items():
        try:
            folder = images.make(core, "speed", library)
        except WyrmError:
            found.missing.append(name)
            continue
        sizes = images.code_sizes(folder)
        counts = {one.primitive: one.instructions for one in images.run(core, folder)}
        found.instructions[library] = {name: counts[name] or 0 for name in PRIMITIVES}
        found.code_bytes[library] = {name: sizes[name] for name in PRIMITIVES}
    return found


def constant_time(core: Core, library: str) -> bool:
    return core.name not in _NARROW or library in _CAREFUL


def with_best(core: Core, rows: Sequence[Row], found: Measured) -> list[Row]:
    """The rows with the least count of others in constant time, known before or measured now."""
    fair = [counts for name, counts in found.instructions.items() if constant_time(core, name)]

    def best(row: Row) -> int | None:
        known = [] if row.rival is None else [row.rival]
        measured = [counts[row.primitive] for counts in fair if row.primitive in counts]
        return min(known + measured, default=None)

    return [row.model_copy(update={"rival": best(row)}) for row in rows]


def show(console: Console, core: Core, rows: Sequence[Row], found: Measured) -> None:
    ours = {row.primitive: row for row in rows if row.profile == "speed"}
    libraries = list(found.instructions)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(f"{core.title}: instructions", no_wrap=True)
    table.add_column("Wyrmling", justify="right")
    for library in libraries:
        mark = "" if constant_time(core, library) else " *"
        table.add_column(LIBRARIES[library] + mark, justify="right")
    for primitive in PRIMITIVES:
        mine = ours[primitive].instructions
        theirs = (found.instructions[library][primitive] for library in libraries)
        table.add_row(primitive, f"{mine or 0:,}", *(f"{count:,}" for count in theirs))
    for primitive in ("x25519", "seal_1420"):
        mine = ours[primitive].code_bytes
        theirs = (found.code_bytes[library][primitive] for library in libraries)
        table.add_row(f"{primitive}, bytes of code", f"{mine:,}", *(f"{n:,}" for n in theirs))
    console.print(table)
    if not all(constant_time(core, library) for library in libraries):
        console.print("* not in constant time on this core: its wide multiplication is not.")
    if found.missing:
        console.print(f"Not built for this core: {', '.join(found.missing)}.")
    console.print()
