# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`bench crypto`: every primitive and whole handshakes, counted on every core."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from wyrmlab.base import paths
from wyrmlab.base.errors import FAILED, MissingError, UsageError
from wyrmlab.measure import figures, images, rivals, table
from wyrmlab.measure.cores import CORES, PROFILES, USUAL_PROFILES, Core, core
from wyrmlab.measure.figures import Goals, Row
from wyrmlab.setup import host_setup


def run(
    names: Sequence[str],
    profiles: Sequence[str],
    file: Path | None,
    *,
    accept: bool,
    against: bool = False,
) -> int:
    """Returns the exit code: a rise against the baseline is a failure."""
    figures.check_place(file)
    chosen = tuple(map(core, names)) or CORES
    for profile in profiles:
        if profile not in PROFILES:
            raise UsageError(
                f"There is no profile `{profile}`.", remedy=f"Known are: {', '.join(PROFILES)}."
            )
    if against and profiles and "speed" not in profiles:
        raise UsageError("Others are measured against the profile `speed`.")
    host_setup.ensure("build")
    if against:
        rivals.fetch()
    console = Console(highlight=False, width=max(Console().width, 120))
    goals = figures.load_goals()
    rows: list[Row] = []
    tools: dict[str, str] = {}
    for one in chosen:
        if lacks := one.lacks():
            if names:
                raise MissingError(lacks)
            console.print(f"Left out: {lacks}\n", soft_wrap=True)
            continue
        measured = measure(one, profiles or USUAL_PROFILES, goals)
        table.show(console, one.title, measured, goals)
        if one.note:
            console.print(f"{one.note}\n")
        if one.compiles_only:
            console.print(f"{one.title} was compiled, not run: {one.compiles_only}\n")
        if against and one.emulator and not one.compiles_only:
            others = rivals.measure(one)
            rivals.show(console, one, measured, others)
            measured = rivals.with_best(one, measured, others)
        rows += measured
        tools[one.name] = one.tools()
    if file is not None:
        file.write_text(figures.as_json(rows))
    return _judge(console, tools, rows, accept=accept)


def measure(one: Core, profiles: Sequence[str], goals: Goals) -> list[Row]:
    rows = []
    for profile in profiles:
        folder = images.make(one, profile)
        sizes = images.code_sizes(folder)
        if one.compiles_only:
            counts = [images.Count(primitive, None, None) for primitive in sizes]
        else:
            counts = images.run(one, folder)
        for count in counts:
            goal = goals.of(one.name, profile, count.primitive)
            rows.append(
                Row(
                    core=one.name,
                    profile=profile,
                    primitive=count.primitive,
                    instructions=count.instructions,
                    code_bytes=sizes[count.primitive],
                    stack_bytes=count.stack_bytes,
                    target=goal.target if goal else None,
                    rival=goal.rival if goal else None,
                )
            )
    return rows


def _judge(console: Console, tools: dict[str, str], rows: list[Row], *, accept: bool) -> int:
    baseline = figures.load_baseline()
    if accept:
        figures.save_baseline(figures.merged(baseline, tools, rows))
        console.print(f"The baseline {paths.shown(figures.BASELINE)} holds these figures now.")
        return 0
    comparison = figures.compare(baseline, tools, rows)
    table.show_comparison(console, comparison)
    if comparison.risen:
        return FAILED
    if len(comparison.other_tools) < len(tools):
        console.print("Nothing has grown since the baseline.")
    return 0
