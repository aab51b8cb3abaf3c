# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`bench crypto`: parsing, comparison, and no growth on a fast core."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from wyrmlab.base import packages
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.measure import cores, crypto, figures, images, rivals, table
from wyrmlab.measure.cores import CORES, PROFILES, core
from wyrmlab.measure.figures import Baseline, Goal, Goals, Row

KEYS = {
    *("core", "profile", "primitive"),
    *("instructions", "code_bytes", "stack_bytes", "target", "rival"),
}


def row(instructions: int | None, *, core: str = "m4", profile: str = "speed") -> Row:
    return Row(
        core=core,
        profile=profile,
        primitive="x25519",
        instructions=instructions,
        code_bytes=2000,
        stack_bytes=500,
        target=330_000,
    )


# --- Reading ---


def test_image_output_is_read_line_by_line() -> None:
    assert images.parse("seal_64 2508 464\nx25519 310198 520\n") == [
        images.Count("seal_64", 2508, 464),
        images.Count("x25519", 310198, 520),
    ]


@pytest.mark.parametrize("text", ["", "fault\n", "seal_64 2508\n", "seal_64 2508 464\nfault\n"])
def test_unexpected_image_output_is_a_failure(text: str) -> None:
    with pytest.raises(WyrmError):
        images.parse(text)


CALLGRIND = """fn=count
10 5
cfn=bench_x25519
calls=1 100
11 1000
fn=measure
cfn=bench_x25519
calls=1 100
20 1000
cfn=board_known_loop
calls=1 40
21 2000001
"""


def test_valgrind_counts_include_called_functions() -> None:
    counted = images.inclusive(CALLGRIND)
    assert counted == {"bench_x25519": 1000, "board_known_loop": 2000001}
    images.check_known_loop(counted)


def test_a_wrong_count_of_the_known_loop_is_a_failure() -> None:
    with pytest.raises(WyrmError, match="in a loop of"):
        images.check_known_loop({"board_known_loop": 2_000_100})


# --- Targets and baseline ---


def test_json_output_has_exactly_the_documented_keys() -> None:
    text = figures.as_json([row(310_198), row(None)])
    assert all(set(one) == KEYS for one in json.loads(text))
    assert figures.rows_from_json(text) == [row(310_198), row(None)]


def test_targets_name_known_cores_and_hold_for_the_speed_profile() -> None:
    goals = figures.load_goals()
    known = {one.name for one in CORES}
    assert {place[0] for place in goals.places()} <= known
    goal = goals.of("m4", "speed", "x25519")
    assert goal is not None and goal.target == 330_000
    assert goals.of("m4", "small", "x25519") is None


def test_a_target_is_met_when_equal_and_unknown_without_a_count() -> None:
    assert row(330_000).met is True
    assert row(330_001).met is False
    assert row(None).met is None
    assert "1 over" in table.verdict(row(330_001), None)
    assert "met" in table.verdict(row(330_000), 2000)
    assert "8 B over" in table.verdict(row(330_000), 1992)


def test_the_smallest_rise_fails_and_a_fall_is_reported() -> None:
    tools = {"m4": "gcc 12.2"}
    baseline = Baseline(tools=tools, rows=[row(100)])
    assert figures.compare(baseline, tools, [row(102)]).risen == [
        "m4 speed x25519: instructions 100 -> 102"
    ]
    fallen = figures.compare(baseline, tools, [row(98)])
    assert not fallen.risen and len(fallen.fallen) == 1
    more_code = row(100).model_copy(update={"code_bytes": 2004})
    assert len(figures.compare(baseline, tools, [more_code]).risen) == 1


def test_a_difference_of_one_instruction_is_tolerated() -> None:
    tools = {"m4": "gcc 12.2"}
    found = figures.compare(Baseline(tools=tools, rows=[row(100)]), tools, [row(101)])
    assert not found.risen and not found.fallen


def test_counts_of_other_tools_are_not_compared() -> None:
    baseline = Baseline(tools={"m4": "gcc 12.2"}, rows=[row(100)])
    found = figures.compare(baseline, {"m4": "gcc 14.2"}, [row(200)])
    assert not found.risen and len(found.other_tools) == 1


def test_two_builds_of_one_compiler_version_are_different_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They generate different code, which is not growth: a note names what was not compared and
    why."""

    def tools_of(build: str, llvm: str) -> dict[str, str]:
        folder = tmp_path / f"{build}-{llvm}"
        folder.mkdir()
        (folder / "clang-22").write_text(
            f"#!/bin/sh\necho 'Debian clang version 22.1.8 ({build})'\n"
        )
        (folder / "ldd").write_text(f"#!/bin/sh\necho '  libLLVM.so => {folder}/llvm (0x1)'\n")
        (folder / "llvm").write_text(llvm)
        for name in ("clang-22", "ldd"):
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        cores.exact_version.cache_clear()
        return {"esp32": cores.exact_version("clang-22")}

    made_with = tools_of("1~deb12u1", "a")
    assert made_with["esp32"].startswith("clang-22 22.1.8 (1~deb12u1 LLVM ")
    file = tmp_path / "crypto.json"
    monkeypatch.setattr(
        figures, "load_baseline", lambda: figures.Baseline.model_validate_json(file.read_text())
    )
    figures.save_baseline(Baseline(tools=made_with, rows=[row(100, core="esp32")]), file)
    for other in (tools_of("1~deb12u2", "a"), tools_of("1~deb12u1", "b")):
        console = Console(width=200)
        code = crypto._judge(console, other, [row(102, core="esp32")], accept=False)
        assert code == 0
        said = capsys.readouterr().out
        assert "Not compared" in said
        assert made_with["esp32"] in said and other["esp32"] in said
        assert "Nothing has grown" not in said
    cores.exact_version.cache_clear()


def test_accepting_one_core_keeps_the_others(tmp_path: Path) -> None:
    old = Baseline(tools={"m4": "a", "m0": "b"}, rows=[row(1), row(2, core="m0")])
    anew = figures.merged(old, {"m4": "c"}, [row(3)])
    assert anew.tools == {"m4": "c", "m0": "b"}
    assert [one.instructions for one in anew.rows] == [2, 3]
    file = tmp_path / "crypto.json"
    figures.save_baseline(anew, file)
    assert figures.load_baseline(file).rows[1] == row(3)


def test_a_damaged_baseline_is_reported_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "crypto.json"
    file.write_text('{"rows": 3}')
    with pytest.raises(UsageError, match="--accept"):
        figures.load_baseline(file)


def test_profile_goals_are_found_by_place() -> None:
    goals = Goals([Goal(cores=["m4"], primitives=["kdf1"], target=5)])
    assert goals.of("m4", "speed", "kdf1") is not None
    assert goals.of("m4", "speed", "kdf2") is None


# --- Other libraries ---


def test_only_libraries_in_constant_time_count_as_rivals() -> None:
    found = rivals.Measured({"bearssl": {"x25519": 400_000}, "wolfssl": {"x25519": 300_000}})
    assert rivals.with_best(core("m3"), [row(1, core="m3")], found)[0].rival == 400_000
    assert rivals.with_best(core("m4"), [row(1)], found)[0].rival == 300_000


def test_a_better_published_figure_is_kept_as_the_rival() -> None:
    known = row(1).model_copy(update={"rival": 250_000})
    found = rivals.Measured({"wolfssl": {"x25519": 300_000}})
    assert rivals.with_best(core("m4"), [known], found)[0].rival == 250_000


@pytest.mark.all
def test_every_library_is_measured_beside_ours() -> None:
    rivals.fetch()
    found = rivals.measure(core("m4"))
    assert not found.missing and set(found.instructions) == set(rivals.LIBRARIES)
    ours = crypto.measure(core("m4"), ["speed"], figures.load_goals())
    for one in ours:
        for counts in found.instructions.values():
            assert one.instructions is not None
            assert one.instructions < counts.get(one.primitive, one.instructions + 1)


# --- Measuring ---


def measured_on(name: str, profile: str) -> None:
    """No count has grown, and no measured row is missing."""
    one = core(name)
    if not all(packages.which(program) for program in one.programs):
        pytest.skip(one.lacks())
    rows = crypto.measure(one, [profile], figures.load_goals())
    baseline = figures.load_baseline()
    kept = {each.key for each in baseline.rows if (each.core, each.profile) == (name, profile)}
    assert {each.key for each in rows} == kept
    found = figures.compare(baseline, {name: one.tools()}, rows)
    if found.other_tools:
        pytest.skip(found.other_tools[0])
    assert not found.risen


def test_no_count_has_risen_on_cortex_m4() -> None:
    measured_on("m4", "speed")


def test_an_image_with_a_wrong_counter_is_an_error() -> None:
    m4 = core("m4")
    folder = images.make(m4, "speed")
    slower = ["shift=5,sleep=off" if word.startswith("shift=") else word for word in m4.emulator]
    with pytest.raises(WyrmError) as failure:
        images.run(replace(m4, emulator=tuple(slower)), folder)
    assert "does not agree with a loop of known length" in failure.value.detail


@pytest.mark.all
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", [one.name for one in CORES])
def test_no_count_has_risen_on_any_core(name: str, profile: str) -> None:
    measured_on(name, profile)
