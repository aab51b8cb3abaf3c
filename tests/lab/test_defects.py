# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`./wyrm defects` reports a defect as absent only if a test ran and passed."""

from __future__ import annotations

from pathlib import Path

from wyrmlab.commands.defects import Defect, load, outcomes_in

CASES = """<testsuites><testsuite>
  <testcase name="known_defect_07_is_noticed[host]"/>
  <testcase name="known_defect_07_is_noticed[host-clang]"><failure/></testcase>
  <testcase name="known_defect_07_other[host]"/>
  <testcase name="known_defect_z2_forged[host]"/>
  <testcase name="known_defect_08_left_out[host]"><skipped/></testcase>
  <testcase name="not_known_defect_9"/>
</testsuite></testsuites>"""


def test_a_test_counts_as_passed_only_if_it_passed_in_every_build(
    tmp_path: Path,
) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(CASES)
    found = outcomes_in(file)
    assert found["7"] == {"is_noticed": False, "other": True}
    assert found["z2"] == {"forged": True}
    assert "8" not in found


def test_a_defect_without_a_test_fails() -> None:
    assert Defect("1", "security", "x", tests={"a": True}).fine
    assert not Defect("1", "security", "x", tests={"a": True, "b": False}).fine
    assert not Defect("1", "security", "x").fine


def test_the_list_is_complete() -> None:
    """All of the first series, and the later ones."""
    known = [defect.id for defect in load()]
    assert len(set(known)) == len(known)
    first = {str(n) for n in range(1, 41)} | {f"z{n}" for n in range(1, 11)}
    assert first <= set(known)
    assert all(int(later) > 50 for later in set(known) - first)
