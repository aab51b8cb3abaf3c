# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""docs/scenarios.md promises tests by their names."""

from __future__ import annotations

import re

import pytest
from wyrmlab.base import paths

PAGE = paths.ROOT / "docs" / "scenarios.md"


def promised() -> list[str]:
    words = re.findall(r"`([^`\n]+)`", PAGE.read_text())
    return [word for word in words if "_" in word or word.startswith("tests/")]


@pytest.fixture(scope="module")
def tests_there_are() -> set[str]:
    names: set[str] = set()
    for path in paths.TESTS.rglob("*.py"):
        names |= set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    for path in paths.TESTS.rglob("*.c"):
        names |= set(re.findall(r"^(?:STALE_)?TEST\((\w+)", path.read_text(), re.M))
    return names


def test_every_scenario_names_tests_that_exist(tests_there_are: set[str]) -> None:
    names = promised()
    assert len(names) > 100
    files = {name for name in names if "/" in name}
    assert not [name for name in files if not (paths.ROOT / name).exists()]
    assert not [name for name in names if name not in files | tests_there_are]
