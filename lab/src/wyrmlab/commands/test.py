# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`test`: builds what the tests need, runs pytest, counts.

The tests run in three lanes side by side, each a pytest process of its own. Those marked `netns`
get private networks, one for the lane of the device tests and one for the other lane. Where these
cannot be created, one process runs all tests and skips those with the reason.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from wyrmlab import boards
from wyrmlab.base import packages, paths
from wyrmlab.base.errors import FAILED, UsageError, WyrmError
from wyrmlab.experiments import daemons
from wyrmlab.network import namespaces
from wyrmlab.setup import build, host_setup

REPORT = "WYRM_TEST_REPORT"
LANE = "WYRM_TEST_LANE"
HERE, DEVICE, NETWORK, EVERYTHING = "here", "device", "network", "everything"
_WRONG_USAGE, _NOTHING_COLLECTED = 4, 5
_PROGRESS = re.compile(r"\[ *\d+%\]$")
_END_GRACE_S = 20


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
    tested = _boards(chosen)
    for name in tested:
        host_setup.ensure(names=[boards.board(name).emulator.package])
        build.firmware(name)
    if all_of_it:
        build.firmware(variant="small")
    arguments = ["-c", str(paths.TESTS / "pytest.ini"), str(paths.TESTS)]
    arguments += ["--boards", ",".join(tested)]
    arguments += ["-k", chosen] if chosen else []
    arguments += ["--all"] if all_of_it else []
    arguments += ["--soak"] if soak else []

    total = _run_lanes([_Lane(name, arguments) for name in _lanes()])
    if total == Counts():
        raise UsageError(f"No test matches `{chosen}`." if chosen else "There are no tests.")
    for failure in total.failures:
        print(f"failed: {failure}")
    print(total, flush=True)
    return FAILED if total.failed else 0


def _boards(chosen: str | None) -> list[str]:
    """Those that devices are tested on: all, or with -k the default one and those it names."""
    emulated = [name for name, board in boards.known().items() if board.emulation]
    if chosen is None:
        return emulated
    named = set(re.findall(r"\w+", chosen))
    return [name for name in emulated if name == boards.DEFAULT or name in named]


def run_quietly(chosen: str, folder: Path) -> list[Path]:
    """Runs tests without a word about them; returns the JUnit files, in `folder`, that tell."""
    files = []
    lanes = []
    for name in _lanes():
        files.append(folder / f"{name}.xml")
        arguments = ["-c", str(paths.TESTS / "pytest.ini"), str(paths.TESTS), "-k", chosen]
        lanes.append(_Lane(name, [*arguments, "--junitxml", str(files[-1])], quiet=True))
    _run_lanes(lanes)
    return files


def _lanes() -> tuple[str, ...]:
    possible = namespaces.access().way is not namespaces.Way.NONE
    return (HERE, DEVICE, NETWORK) if possible else (EVERYTHING,)


def _run_lanes(lanes: list[_Lane]) -> Counts:
    total = Counts()
    with ExitStack() as stack:
        for lane in lanes:
            stack.enter_context(lane)
        for lane in lanes:
            total.add(lane.wait())
    return total


class _Lane:
    """One pytest process. Its progress is shown at once, everything else when it has ended."""

    _printing = threading.Lock()

    def __init__(self, name: str, arguments: list[str], *, quiet: bool = False) -> None:
        # Consoles, captures and logs of the last run stay there to be looked at.
        pytest = ["pytest", *arguments, "--basetemp", str(paths.BUILD / f"test-{name}")]
        inside = ["wyrmlab.network.inside"] if name in (DEVICE, NETWORK) else []
        self._command = [sys.executable, "-P", "-m", *inside, *pytest]
        self._name = name
        self._quiet = quiet
        self._arguments = arguments
        self._held: list[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="wyrm-test-")
        self._report = Path(self._folder.name) / "report.json"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            cwd=paths.ROOT,
            env={**os.environ, REPORT: str(self._report), LANE: self._name},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._show, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Interrupted, it gets time to remove what it has made."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_END_GRACE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()

    def wait(self) -> Counts:
        code = self._process.wait()
        self._reader.join()
        if not self._quiet and code != _NOTHING_COLLECTED:
            self._print("".join(self._held))
        if code == _WRONG_USAGE and "-k" in self._arguments:
            raise UsageError(
                f"`-k {self._arguments[self._arguments.index('-k') + 1]}` cannot be read:",
                remedy="give part of a name, or parts joined by `and`, `or`, `not`.",
            )
        if code not in (0, 1, _NOTHING_COLLECTED) or not self._report.exists():
            raise WyrmError(f"pytest ended with exit code {code} before its tests were done.")
        return Counts(**json.loads(self._report.read_text()))

    def _show(self) -> None:
        for line in self._process.stdout or ():
            if _PROGRESS.search(line.rstrip()):
                self._print(f"{self._name:8}{line}")
            else:
                self._held.append(line)

    def _print(self, text: str) -> None:
        with self._printing:
            sys.stdout.write(text)
            sys.stdout.flush()
