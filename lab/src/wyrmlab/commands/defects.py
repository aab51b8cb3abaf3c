# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`defects`: known defects of other implementations, and the tests that show them absent."""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from wyrmlab.base import packages, paths
from wyrmlab.base.errors import FAILED
from wyrmlab.commands import test as testing
from wyrmlab.setup import build, host_setup

LIST = paths.TESTS / "defects.toml"
_NAME = re.compile(r"known_defect_(z?)0*(\d+)_(\w+)")


@dataclass
class Defect:
    id: str
    kind: str
    what: str
    see: str = ""
    tests: dict[str, bool] = field(default_factory=dict)  # name: it passed, in every build

    @property
    def verdict(self) -> str:
        if not self.tests:
            return "not tested"
        return "no" if all(self.tests.values()) else "YES"

    @property
    def fine(self) -> bool:
        return self.verdict == "no"


def load(file: Path = LIST) -> list[Defect]:
    return [Defect(**entry) for entry in tomllib.loads(file.read_text())["defect"]]


def outcomes_in(*junit: Path) -> dict[str, dict[str, bool]]:
    """For each defect the tests named after it, and whether each passed wherever it ran."""
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for case in (case for file in junit for case in ElementTree.parse(file).iter("testcase")):
        name = _NAME.search(case.get("name", ""))
        if name is None or case.find("skipped") is not None:
            continue
        passed = case.find("failure") is None and case.find("error") is None
        tests = found[name[1] + name[2]]
        tests[name[3]] = tests.get(name[3], True) and passed
    return found


def run() -> int:
    """Runs the tests named known_defect_... and prints what they say of each defect."""
    host_setup.ensure(*packages.USUAL)
    build.tests()
    build.firmware()
    defects = load()
    with tempfile.TemporaryDirectory(prefix="wyrm-defects-") as folder:
        found = outcomes_in(*testing.run_quietly("known_defect", Path(folder)))
    for defect in defects:
        defect.tests = found.get(defect.see or defect.id, {})
    show(defects)
    return 0 if all(defect.fine for defect in defects) else FAILED


def show(defects: list[Defect]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    title = "Known defects of other implementations"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("defect", ratio=1)
    table.add_column("here?", no_wrap=True)
    table.add_column("shown by", ratio=1)
    for defect in defects:
        style = "" if defect.fine else "bold red"
        shown = "\n".join(name.replace("_", " ") for name in defect.tests)
        table.add_row(defect.id, defect.kind, defect.what, defect.verdict, shown, style=style)
    Console(highlight=False).print(table)
    fine = sum(defect.fine for defect in defects)
    print(
        f"{fine} of {len(defects)} are shown absent here."
        " To run the tests of one: ./wyrm test -k known_defect_07"
    )
