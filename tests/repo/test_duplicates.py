# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""No six equal lines in two places, except where duplicates.toml gives the reason."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest
from wyrmlab.base import paths

LINES = 6
CODE = (".c", ".h", ".S", ".py", ".cmake")
ALLOWED = Path(__file__).with_name("duplicates.toml")


@dataclass(frozen=True)
class Line:
    number: int
    text: str


def significant(text: str) -> list[Line]:
    """Lines that count: no comments, includes, imports or lone punctuation; spaces are folded."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n")

    text = re.sub(r"/\*.*?\*/", blank, text, flags=re.DOTALL)
    text = re.sub(r"^(?:from|import) [^(\n]*(?:\([^)]*\))?", blank, text, flags=re.MULTILINE)
    return [
        Line(number, " ".join(line.split()))
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(r"\w", line) and not re.match(r"\s*(?:#|//|\* )", line)
    ]


def duplicates(files: dict[str, list[Line]]) -> Iterator[tuple[str, str, str]]:
    """Pairs of files that share a run of lines, and where."""
    places = defaultdict(list)
    for name, lines in files.items():
        for at in range(len(lines) - LINES + 1):
            places[tuple(line.text for line in lines[at : at + LINES])].append((name, at))
    for found in places.values():
        for (one, i), (other, j) in combinations(found, 2):
            if one != other or abs(i - j) >= LINES:
                where = f"{one}:{files[one][i].number} and {other}:{files[other][j].number}"
                yield one, other, where


def sources() -> dict[str, list[Line]]:
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, timeout=60)
    if listed.returncode != 0:
        pytest.skip("not a git working copy")
    names = [name for name in listed.stdout.split("\0") if name.endswith(CODE)]
    files = [paths.ROOT / name for name in names if "vectors" not in Path(name).name]
    return {
        str(file.relative_to(paths.ROOT)): significant(file.read_text())
        for file in files
        if file.is_file()
    }


def test_equal_lines_are_shared_or_listed_with_a_reason() -> None:
    allowed = {
        frozenset(entry["files"]): entry["reason"]
        for entry in tomllib.loads(ALLOWED.read_text())["duplicate"]
    }
    found = list(duplicates(sources()))
    remedy = "make it one function, or add the pair to tests/repo/duplicates.toml with the reason"
    new = sorted(where for one, other, where in found if frozenset((one, other)) not in allowed)
    assert new == [], remedy
    stale = set(allowed) - {frozenset((one, other)) for one, other, _ in found}
    assert stale == set(), "these pairs are no longer equal: remove them from duplicates.toml"
    assert all(len(reason) > 20 for reason in allowed.values())


def test_six_equal_lines_are_found_whatever_their_indentation_and_comments() -> None:
    body = [f"    call_{n}();" for n in range(LINES)]
    one = significant("\n".join(body))
    other = significant("/* why\n * so */\n" + "\n\n".join(f"\t{line}" for line in body))
    assert [pair[:2] for pair in duplicates({"a.c": one, "b.c": other})] == [("a.c", "b.c")]
    assert list(duplicates({"a.c": one, "b.c": other[1:]})) == []
