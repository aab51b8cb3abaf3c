# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Figures in documents are those recorded in bench/results."""

from __future__ import annotations

import json
import re

import pytest
from wyrmlab.base import paths
from wyrmlab.measure import figures, sizes

README = (paths.ROOT / "README.md").read_text()
PERFORMANCE = (paths.ROOT / "docs" / "performance.md").read_text()
DECISION = (paths.ROOT / "docs" / "decisions" / "0006-small-is-two-steps.md").read_text()
COUNTS = {row.key: row for row in figures.load_baseline().rows}


def cells(text: str, first: str) -> list[str]:
    """The cells of the table row that begins with `first`."""
    (line,) = re.findall(rf"^\| {re.escape(first)} \|(.+)\|$", text, re.MULTILINE)
    return [cell.strip() for cell in line.split("|")]


@pytest.mark.parametrize(
    ("title", "cores"),
    [
        ("Cortex-M4, M7, M33", ["m4", "m7", "m33"]),
        ("Cortex-M3", ["m3"]),
        ("Cortex-M0", ["m0"]),
        ("RV32IMC", ["rv32imc"]),
        ("Xtensa LX6 (ESP32)", ["esp32"]),
    ],
)
def test_performance_page_has_the_recorded_counts(title: str, cores: list[str]) -> None:
    for core in cores:
        curve, cipher = (COUNTS[core, "speed", name] for name in ("x25519", "seal_1420"))
        want = [f"{(count or 0) / 1000:,.0f}" for count in (curve.instructions, curve.rival)]
        want += [f"{(count or 0) / 1000:.1f}" for count in (cipher.instructions, cipher.rival)]
        assert cells(PERFORMANCE, title) == want


def test_performance_page_names_the_missed_targets() -> None:
    missed = {key for key, row in COUNTS.items() if row.met is False}
    assert missed == {("lx106", "speed", "seal_1420"), ("lx106", "speed", "open_1420")}
    count = COUNTS["lx106", "speed", "seal_1420"].instructions or 0
    assert f"sealing takes {count / 1000:.1f} there" in PERFORMANCE


@pytest.mark.parametrize(
    ("folder", "core"),
    [
        ("armv6m", "m0"),
        ("armv7em", "m4"),
        ("armv7m", "m3"),
        ("rv32", "rv32imc"),
        ("xtensa", "esp32"),
    ],
)
def test_leaves_state_the_recorded_count_of_x25519(folder: str, core: str) -> None:
    leaf = (paths.ROOT / "src" / "crypto" / folder / f"wyrm_fe_{folder}.S").read_text()
    said = re.search(r"whole of X25519 takes (\d[\d,]*\d)", leaf.replace("\n *", ""))
    assert said
    assert said[1] == f"{COUNTS[core, 'speed', 'x25519'].instructions:,}"


def size(what: str, configuration: str) -> str:
    rows = json.loads(sizes.BASELINE.read_text())["rows"]
    (found,) = (r["sum"] for r in rows if (r["what"], r["configuration"]) == (what, configuration))
    return f"{found:,}"


def test_readme_and_decision_6_have_the_recorded_sizes() -> None:
    columns = ("everything", "client", "client-c", "client-c-m0")
    assert cells(README, "flash") == [size("flash", column) for column in columns]
    with_lto = [size("flash with LTO", column) for column in columns]
    assert cells(README, "with link-time optimisation") == with_lto
    for row in ("router", "everything", "client", "client-c"):
        sums = f"| {size('flash', row)} | {size('flash with LTO', row)} |"
        assert sums in DECISION
    for part in ("RAM of a peer", "RAM of a device with 1 peer, 2 routes"):
        assert size(part, "dual-480") in README
