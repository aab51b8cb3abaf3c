#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Checks the dependencies between layers: #include lines, symbols of a library, imports of the lab.

    check_layers.py [--library build/host/libwyrm.a] [--nm nm]

The order is: examples, firmware, daemon, compat -> port -> core -> crypto -> nothing. Rooms to the
left know those to the right, a port only through public headers. No two sources include each
other's headers, directly or through others. Inside core, CORE_LEVELS gives the order of includes
and calls; inside the lab, LAB_ROOMS that of imports. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"

# The layers that each may include; "top" are the sources directly in src/, "public" its headers.
MAY_INCLUDE = {
    "crypto": {"crypto", "public"},
    "core": {"core", "crypto", "public"},
    "top": {"core", "crypto", "public"},
    "public": {"public"},
    "port": {"port", "public"},
    "user": {"user", "public"},
}
# The only public headers that crypto may include: its own interface, options and spans.
CRYPTO_MAY_INCLUDE = {"wyrm_crypto.h", "wyrm_config.h", "wyrm_span.h"}
USER_FOLDERS = ("examples", "firmware", "daemon", "compat")
# The files of core from top to bottom. Each may include and call those of lower levels.
CORE_LEVELS = (
    ("sleep",),
    ("device", "transport"),
    ("jobs",),
    ("peer",),
    ("timers",),
    ("session", "noise"),
    ("cookie", "index", "inner", "routes"),
    ("time", "status"),
    ("util",),
    ("replay", "wire"),
)
# The lab's rooms from top to bottom: each may import those below it.
LAB = ROOT / "lab/src/wyrmlab"
LAB_ROOMS = (
    *("__main__", "commands", "experiments", "vectors", "measure", "setup"),
    *("records", "peers", "boards", "network", "base"),
)
FREESTANDING = {"memcpy", "memmove", "memset", "memcmp"}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def room_of(path: Path) -> str | None:
    """The layer of a file; None for tests and third-party files."""
    if path.is_relative_to(SRC):
        parts = path.relative_to(SRC).parts
        if len(parts) == 1:
            return "public" if path.suffix == ".h" else "top"
        return parts[0] if parts[0] in MAY_INCLUDE else None
    if path.relative_to(ROOT).parts[0] in USER_FOLDERS:
        return "user"
    return None


def includes(path: Path) -> Iterator[tuple[str, Path, bool]]:
    """Our files that a file includes: the name, the file, and whether it is in the same folder."""
    for bracket, name in _INCLUDE.findall(path.read_text()):
        beside = (path.parent / name).resolve()
        in_src = (SRC / name).resolve()
        if bracket == '"' and beside.is_file():
            yield name, beside, True
        elif in_src.is_file():
            yield name, in_src, in_src == beside


def core_level(stem: str) -> int:
    """The level of wyrm_NAME, counted from the top; -1 for a file without one."""
    name = stem.removeprefix("wyrm_")
    return next((level for level, names in enumerate(CORE_LEVELS) if name in names), -1)


def is_below(stem: str, other: str) -> bool:
    return stem == other or core_level(stem) < core_level(other)


def check_core_levels() -> list[str]:
    return [
        f"src/core/{path.name} is missing in CORE_LEVELS"
        for path in sorted((SRC / "core").glob("*.[ch]"))
        if core_level(path.stem) < 0
    ]


def check_includes(path: Path) -> list[str]:
    room = room_of(path)
    if room is None:
        return []
    problems = []
    shown = path.relative_to(ROOT)
    for name, target, beside in includes(path):
        other = room_of(target)
        if other is None or (other == "user" and room == "user"):
            continue
        if room == other == "core" and not is_below(path.stem, target.stem):
            problems.append(f"{shown}: {name} is not below it in CORE_LEVELS")
        if other not in MAY_INCLUDE[room]:
            problems.append(f"{shown}: {room} may not include {name} ({other})")
        elif room == "crypto" and other == "public" and target.name not in CRYPTO_MAY_INCLUDE:
            problems.append(f"{shown}: crypto may not include {name}")
        elif other not in ("public", "user") and not beside:
            problems.append(f"{shown}: include {name} relative to this file")
        elif room == "port" and other == "port" and target.parent != path.parent:
            problems.append(f"{shown}: one port may not include another's {name}")
    return problems


def sources() -> list[Path]:
    return [
        path
        for top in ("src", *USER_FOLDERS)
        for path in sorted((ROOT / top).rglob("*"))
        if path.suffix in (".c", ".h", ".S", ".cpp", ".inc")
    ]


def cycles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Cycles: groups of nodes that can reach one another (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    found: list[set[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        path.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
            if other in path:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == number[node]:
            group = set(path[path.index(node) :])
            del path[path.index(node) :]
            if len(group) > 1:
                found.append(group)

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def check_include_cycles() -> list[str]:
    """Counts a source and its header as one."""
    graph: dict[str, set[str]] = {}
    for path in sources():
        unit = path.relative_to(ROOT).with_suffix("").as_posix()
        others = (
            target.relative_to(ROOT).with_suffix("").as_posix() for _, target, _ in includes(path)
        )
        graph.setdefault(unit, set()).update(other for other in others if other != unit)
    return [f"include cycle: {', '.join(sorted(group))}" for group in cycles(graph)]


def lab_imports() -> dict[str, set[str]]:
    """The lab modules that each module of the lab imports, anywhere in the file."""
    modules = {}
    for path in LAB.rglob("*.py"):
        parts = path.relative_to(LAB).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        graph[module] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            package, _, rest = node.module.partition(".")
            if package != LAB.name:
                continue
            for alias in node.names:
                inner = f"{rest}.{alias.name}".lstrip(".")
                graph[module].add(inner if inner in modules else rest)
        graph[module] -= {module, ""}
    return graph


def check_lab() -> list[str]:
    graph = lab_imports()
    problems = [f"import cycle: {', '.join(sorted(group))}" for group in cycles(graph)]
    for module, others in sorted(graph.items()):
        room = module.partition(".")[0]
        if room and room not in LAB_ROOMS:
            problems.append(f"lab: {room} is not among the rooms")
            continue
        for other in sorted(others):
            below = other.partition(".")[0]
            if below in LAB_ROOMS and LAB_ROOMS.index(below) < LAB_ROOMS.index(room):
                problems.append(f"lab: {module} may not import {other}, which is above it")
    return problems


def check_tree() -> list[str]:
    problems = [problem for path in sources() for problem in check_includes(path)]
    return problems + check_core_levels() + check_include_cycles() + check_lab()


def symbols(library: Path, nm: str) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The defined and the undefined global symbols of each object in the archive."""
    listing = subprocess.run(
        [nm, "-A", "-P", str(library)], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    defined: dict[str, set[str]] = {}
    undefined: dict[str, set[str]] = {}
    for line in listing.splitlines():
        place, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        member = place[place.index("[") + 1 : place.index("]")]
        table = undefined if kind in "Uw" else defined
        table.setdefault(member, set()).add(name)
    return defined, undefined


def check_symbols(library: Path, nm: str) -> list[str]:
    """Crypto calls crypto, core calls both; otherwise only the functions in `FREESTANDING`."""
    defined, undefined = symbols(library, nm)

    def members(room: str) -> set[str]:
        stems = {path.name for path in (SRC / room).rglob("*") if path.suffix in (".c", ".S")}
        return {name for name in defined.keys() | undefined.keys() if Path(name).stem in stems}

    problems = []
    offered: set[str] = set(FREESTANDING)
    for room in ("crypto", "core"):
        inside = members(room)
        if not inside:
            problems.append(f"{library.name} holds no object of src/{room}")
        for member in inside:
            offered |= defined.get(member, set())
        for member in sorted(inside):
            for name in sorted(undefined.get(member, set()) - offered):
                problems.append(f"{room}: {member} needs {name}")
    return problems + check_core_calls(defined, undefined)


def check_core_calls(
    defined: Mapping[str, set[str]], undefined: Mapping[str, set[str]]
) -> list[str]:
    """Objects of core call only those of lower levels."""
    files = {path.stem for path in (SRC / "core").glob("*.c")}
    members = [name for name in sorted(defined) if name.split(".")[0] in files]
    return [
        f"core: {caller} may not call {name} of {callee}"
        for caller in members
        for callee in members
        if not is_below(caller.split(".")[0], callee.split(".")[0])
        for name in sorted(undefined.get(caller, set()) & defined[callee])
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the dependency directions between rooms.")
    parser.add_argument("--library", type=Path, help="a built libwyrm.a without sanitizers")
    parser.add_argument("--nm", default="nm", help="the nm for the library's architecture")
    options = parser.parse_args()
    problems = check_tree()
    if options.library:
        problems += check_symbols(options.library, options.nm)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
