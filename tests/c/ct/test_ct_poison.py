# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""On the host: no branch and no address depends on a secret, as valgrind sees it."""

from __future__ import annotations

import platform
import re
from itertools import product

import pytest

from . import rig
from .rig import HOST, Build, Kind

QUICK = [
    Build(HOST),
    Build(HOST, definitions="-DWYRM_SMALL=1 -DWYRM_ASM=0"),
]
FIELDS = (
    "",
    "-DWYRM_FE_BITS=32 -DWYRM_POLY1305_BITS=32",
    "-DWYRM_FE_BITS=13 -DWYRM_POLY1305_BITS=13 -DWYRM_SMALL=1",
    "-DWYRM_SMALL=1 -DWYRM_ASM=0",
)
WHOLE = [
    Build(HOST, compiler, level, definitions)
    for compiler, level, definitions in product(("gcc", "clang"), ("O0", *rig.LEVELS), FIELDS)
]
if platform.machine() == "x86_64":
    QUICK.append(Build(HOST, level="O3", daemon=True))
    WHOLE.append(Build(HOST, "clang", "O3", daemon=True))

# Branches on values that valgrind cannot know to be public: the line, and why.
PUBLIC = {
    "if (wrong == 0)": "whether a text is a key at all is answered to whoever typed it",
    "if (memcmp(timestamp, job->timestamp, sizeof(job->timestamp)) <= 0)": (
        "the order of authentic timestamps decides whether we answer"
    ),
}
_COMPLAINT = re.compile(r"Conditional jump|Use of uninitialised|depends on uninitialised")
_PLACE = re.compile(r"(?:at|by) 0x[0-9A-F]+: (\S+) \((?:\S*/)?(\w+\.[ch]):(\d+)\)")


def complaints(build: Build, kinds: Kind) -> dict[str, list[str]]:
    """The functions and lines that valgrind reports per subject, except public branches."""
    rig.require("valgrind")
    program = build.program("poison")
    said = rig.run(
        *("valgrind", "--num-callers=8", "--error-limit=no", str(program)),
        stdin=rig.order(kinds, rig.secrets(1)),
        timeout_s=600,
    )
    found: dict[str, list[str]] = {}
    subject = ""
    lines = iter(said.stderr.splitlines())
    for line in lines:
        if started := re.search(r"subject (\w+)", line):
            subject = started[1]
            found[subject] = []
        elif _COMPLAINT.search(line):
            places = [place for _ in range(3) if (place := _PLACE.search(next(lines)))]
            texts = [source_line(place[2], int(place[3])) for place in places]
            if not any(text in PUBLIC for text in texts):
                found[subject].append(" < ".join(f"{p[1]} {p[2]}:{p[3]}" for p in places) or line)
    assert found, said.stderr
    return found


def source_line(name: str, number: int) -> str:
    for folder in (rig.SRC, rig.HERE):
        for path in folder.rglob(name):
            return path.read_text().splitlines()[number - 1].strip()
    return ""


@pytest.mark.parametrize("build", QUICK, ids=str)
def test_no_branch_or_address_depends_on_secrets(build: Build) -> None:
    found = complaints(build, Kind.PRIMITIVE | Kind.HANDSHAKE)
    assert {name: places for name, places in found.items() if places} == {}


@pytest.mark.all
@pytest.mark.timeout(900)
@pytest.mark.parametrize("build", WHOLE, ids=str)
def test_no_branch_or_address_depends_on_secrets_with_any_compiler(build: Build) -> None:
    found = complaints(build, Kind.PRIMITIVE | Kind.HANDSHAKE)
    assert {name: places for name, places in found.items() if places} == {}


def test_planted_leaks_are_found() -> None:
    found = complaints(Build(HOST), Kind.LEAK)
    assert "leak_early_exit" in found["leak_early_exit"][0]
    assert "leak_table" in found["leak_table"][0]
