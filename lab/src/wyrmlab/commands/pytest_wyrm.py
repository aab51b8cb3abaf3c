# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""pytest plugin: selects the tests of each run, and counts for the last line of `./wyrm test`."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

from wyrmlab import boards
from wyrmlab.commands.test import DEVICE, EVERYTHING, HERE, LANE, NETWORK, REPORT, Counts
from wyrmlab.network import namespaces

_MARKS = {
    "netns": "needs a private network namespace; may make any interface in it",
    "all": "long, or needs a network: only with --all",
    "soak": "very long: only with --soak",
    "every_board": "runs on every board also without --all",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also the long tests")
    parser.addoption("--boards", default=boards.DEFAULT, help="boards of the tests of a device")
    parser.addoption("--soak", action="store_true", help="also the very long tests")


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in _MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    config.stash[_COUNTS] = Counts()
    config.pluginmanager.register(_Counter(config.stash[_COUNTS]))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    lane = os.environ.get(LANE, EVERYTHING)
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        wrong_lane = lane not in (EVERYTHING, _lane(item, marks))
        too_long = any(
            mark in marks and not config.getoption(f"--{mark}") for mark in ("all", "soak")
        )
        (left_out if wrong_lane or too_long else kept).append(item)
        if "netns" in marks and not namespaces.inside():
            reason = namespaces.access().remedy or "run it with ./wyrm test"
            item.add_marker(pytest.mark.skip(reason=f"no private network: {reason}"))
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _lane(item: pytest.Item, marks: set[str]) -> str:
    if "netns" not in marks:
        return HERE
    return DEVICE if "device" in item.path.parts else NETWORK


def pytest_sessionfinish(session: pytest.Session) -> None:
    if report := os.environ.get(REPORT):
        counts = session.config.stash[_COUNTS]
        Path(report).write_text(json.dumps(dataclasses.asdict(counts)))


class _Counter:
    """Counts each test once; a failing set-up or clean-up is a failure."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.nodeid not in self._failed:
            self._failed.add(report.nodeid)
            self._counts.failed += 1
            self._counts.failures.append(report.nodeid)
            # Passed, then failed while cleaning up: it counts as the latter.
            self._counts.passed -= report.when == "teardown"
        elif report.skipped:
            self._counts.skipped += 1
        elif report.passed and report.when == "call":
            self._counts.passed += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._counts.failed += 1
            self._counts.failures.append(report.nodeid)


_COUNTS = pytest.StashKey[Counts]()
