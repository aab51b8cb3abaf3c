#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Checks which room may know which: on #include lines, and on the symbols of a built library.

    check_layers.py [--library build/host/libwyrm.a] [--nm nm]

The order is: examples, firmware, daemon, compat -> port -> core -> crypto -> nothing. Rooms to the
left know those to the right, a port only through public headers. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"

# What each room may include; "top" is the sources right in src/, "public" the headers there.
MAY_INCLUDE = {
    "crypto": {"crypto", "public"},
    "core": {"core", "crypto", "public"},
    "top": {"core", "crypto", "public"},
    "public": {"public"},
    "port": {"port", "public"},
    "user": {"user", "public"},
}
# The only public headers crypto may know: its own interface and what carries options and spans.
CRYPTO_MAY_INCLUDE = {"wyrm_crypto.h", "wyrm_config.h", "wyrm_span.h"}
USER_FOLDERS = ("examples", "firmware", "daemon", "compat")
# Each .c file here has its own header, so what a module includes is what it calls.
ACYCLIC_FOLDERS = ("daemon",)
FREESTANDING = {"memcpy", "memmove", "memset", "memcmp"}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def room_of(path: Path) -> str | None:
    """The room a file of ours lives in; None for files of nobody's (tests, third parties)."""
    if path.is_relative_to(SRC):
        parts = path.relative_to(SRC).parts
        if len(parts) == 1:
            return "public" if path.suffix == ".h" else "top"
        return parts[0] if parts[0] in MAY_INCLUDE else None
    if path.relative_to(ROOT).parts[0] in USER_FOLDERS:
        return "user"
    return None


def check_includes(path: Path) -> list[str]:
    room = room_of(path)
    if room is None:
        return []
    problems = []
    shown = path.relative_to(ROOT)
    for bracket, name in _INCLUDE.findall(path.read_text()):
        beside = (path.parent / name).resolve()
        in_src = (SRC / name).resolve()
        if bracket == '"' and beside.is_file():
            target = beside
        elif in_src.is_file():
            target = in_src
        else:
            continue
        other = room_of(target)
        if other is None or (other == "user" and room == "user"):
            continue
        if other not in MAY_INCLUDE[room]:
            problems.append(f"{shown}: {room} may not include {name} ({other})")
        elif room == "crypto" and other == "public" and target.name not in CRYPTO_MAY_INCLUDE:
            problems.append(f"{shown}: crypto may not include {name}")
        elif other not in ("public", "user") and target != beside:
            problems.append(f"{shown}: include {name} relative to this file")
        elif room == "port" and other == "port" and target.parent != path.parent:
            problems.append(f"{shown}: one port may not include another's {name}")
    return problems


def check_cycles(folder: str) -> list[str]:
    """No module of the folder, NAME.c with NAME.h, includes itself through others."""
    includes: dict[str, set[str]] = {}
    for path in sorted((ROOT / folder).glob("*.[ch]")):
        found = _INCLUDE.findall(path.read_text())
        names = {Path(name).stem for bracket, name in found if bracket == '"'}
        includes.setdefault(path.stem, set()).update(names - {path.stem})
    try:
        TopologicalSorter(includes).prepare()
    except CycleError as error:
        return [f"{folder}: modules include one another: {' -> '.join(error.args[1])}"]
    return []


def check_tree() -> list[str]:
    problems = [problem for folder in ACYCLIC_FOLDERS for problem in check_cycles(folder)]
    for top in ("src", *USER_FOLDERS):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".c", ".h", ".S", ".cpp", ".inc"):
                problems += check_includes(path)
    return problems


def symbols(library: Path, nm: str) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Per object of the archive: what it defines for others and what it leaves undefined."""
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
    """Crypto calls crypto, core calls both, and beyond these only what `FREESTANDING` names."""
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
    return problems


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
