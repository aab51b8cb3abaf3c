# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The table of one core in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from wyrmlab.measure.figures import Comparison, Goals, Row


def show(console: Console, title: str, rows: Sequence[Row], goals: Goals) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", title_justify="left")
    table.add_column(title, no_wrap=True)
    table.add_column("profile")
    for heading in ("instructions", "target", "code B", "target", "stack B", "rival"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for row in rows:
        goal = goals.of(*row.key)
        code_goal = goal.target_code_bytes if goal else None
        table.add_row(
            row.primitive,
            row.profile,
            _number(row.instructions),
            _number(row.target),
            _number(row.code_bytes),
            _number(code_goal),
            _number(row.stack_bytes),
            _number(row.rival),
            verdict(row, code_goal),
        )
    console.print(table)
    console.print()


def verdict(row: Row, code_goal: int | None) -> str:
    if row.met is None:
        return ""
    missed = [] if row.met else [f"{(row.instructions or 0) - (row.target or 0):,} over"]
    if code_goal is not None and row.code_bytes is not None and row.code_bytes > code_goal:
        missed.append(f"{row.code_bytes - code_goal:,} B over")
    return f"[red]not met: {', '.join(missed)}[/red]" if missed else "[green]met[/green]"


def show_comparison(console: Console, comparison: Comparison) -> None:
    for heading, lines in (
        ("Above the baseline:", comparison.risen),
        ("Below the baseline (record them with --accept):", comparison.fallen),
        ("Not compared, made with other tools than the baseline:", comparison.other_tools),
    ):
        if lines:
            console.print(heading, style="bold")
            for line in lines:
                console.print(f"  {line}")
    if comparison.new:
        some = ", ".join(comparison.new[:3]) + (", ..." if len(comparison.new) > 3 else "")
        number = len(comparison.new)
        console.print(f"Not in the baseline yet (--accept takes them in): {number} rows, {some}")


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
