# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`test`: builds what the tests need, runs pytest, counts.

Tests marked `netns` share a private network, so pytest runs twice: for all others here, then for
those inside namespaces. Where these cannot be made the second lot is skipped, saying why.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from wyrmlab.base import packages, paths
from wyrmlab.base.errors import FAILED, UsageError, WyrmError
from wyrmlab.experiments import daemons
from wyrmlab.network import namespaces
from wyrmlab.setup import build, host_setup

REPORT = "WYRM_TEST_REPORT"
PLACE = "WYRM_TEST_PLACE"
HERE, INSIDE, EVERYTHING = "here", "inside", "everything"
_WRONG_USAGE, _NOTHING_COLLECTED = 4, 5


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def run(*, chosen: str | None, all_of_it: bool, soak: bool) -> int:
    host_setup.ensure(*packages.USUAL, *(["all"] if all_of_it else []))
    if all_of_it:
        daemons.fetch_boringtun()
    build.tests()
    build.firmware()
    arguments = ["-c", str(paths.TESTS / "pytest.ini"), str(paths.TESTS)]
    arguments += ["-k", chosen] if chosen else []
    arguments += ["--all"] if all_of_it else []
    arguments += ["--soak"] if soak else []

    possible = namespaces.access().way is not namespaces.Way.NONE
    total = Counts()
    for place in (HERE, INSIDE) if possible else (EVERYTHING,):
        total.add(_pytest(place, arguments))
    if total == Counts():
        raise UsageError(f"No test matches `{chosen}`." if chosen else "There are no tests.")
    for failure in total.failures:
        print(f"failed: {failure}")
    print(total, flush=True)
    return FAILED if total.failed else 0


def run_quietly(chosen: str, folder: Path) -> list[Path]:
    """Runs tests without a word about them; returns the JUnit files, in `folder`, that tell."""
    possible = namespaces.access().way is not namespaces.Way.NONE
    files = []
    for place in (HERE, INSIDE) if possible else (EVERYTHING,):
        file = folder / f"{place}.xml"
        arguments = ["-c", str(paths.TESTS / "pytest.ini"), str(paths.TESTS), "-k", chosen]
        _pytest(place, [*arguments, "--quiet", "--no-header", "--junitxml", str(file)])
        files.append(file)
    return files


def _pytest(place: str, arguments: list[str]) -> Counts:
    with tempfile.TemporaryDirectory(prefix="wyrm-test-") as folder:
        report = Path(folder) / "report.json"
        os.environ[REPORT] = str(report)
        os.environ[PLACE] = place
        # Consoles, captures and logs of the last run stay there to be looked at.
        arguments = [*arguments, "--basetemp", str(paths.BUILD / f"test-{place}")]
        module = "wyrmlab.network.inside" if place == INSIDE else "pytest"
        command = [sys.executable, "-P", "-m", module]
        command += ["pytest", *arguments] if place == INSIDE else arguments
        code = subprocess.run(command, cwd=paths.ROOT).returncode
        if code == _WRONG_USAGE and "-k" in arguments:
            raise UsageError(
                f"`-k {arguments[arguments.index('-k') + 1]}` cannot be read:",
                remedy="give part of a name, or parts joined by `and`, `or`, `not`.",
            )
        if code not in (0, 1, _NOTHING_COLLECTED) or not report.exists():
            raise WyrmError(f"pytest ended with exit code {code} before its tests were done.")
        return Counts(**json.loads(report.read_text()))
