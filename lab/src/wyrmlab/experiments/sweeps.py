# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""What sweeps have in common: the best place on a curve, with a rule for ties."""

from __future__ import annotations

from collections.abc import Sequence

from wyrmlab.records import published, samples
from wyrmlab.records.record import Record, Table
from wyrmlab.records.samples import DIRECTIONS, Figure

TIES = (
    "Computed. The best is the x with the highest median. Each x with a sample that reaches the"
    " least of the best ties with it; of these the smallest is taken, which needs least memory."
)


def optimum(curve: Sequence[Figure]) -> Figure:
    """By the rule that TIES states."""
    best = max(curve, key=lambda figure: figure.median)
    ties = [figure for figure in curve if figure.most >= best.least]
    return min(ties, key=lambda figure: float(figure.x or 0))


def curves(record: Record, metric: str) -> dict[tuple[str, str], list[Figure]]:
    """Of each path and direction, the figures over x."""
    found: dict[tuple[str, str], list[Figure]] = {}
    for figure in samples.figures(record):
        if figure.metric == metric and isinstance(figure.x, float | int):
            found.setdefault((figure.path, figure.direction), []).append(figure)
    return found


def optima(record: Record, metric: str, what: str) -> Table:
    """The best x of each curve, beside published ones, which are items of the metric `best_`..."""
    rows = []
    for (path, direction), curve in curves(record, metric).items():
        best = optimum(curve)
        beside = published.beside(record.published, f"best_{metric}", path, direction, None)
        rate = f"{samples.shown(best.median)} {best.unit}"
        named = f"{path}, {DIRECTIONS[direction]}"
        rows.append([named, f"{best.x:g}", rate, "; ".join(map(str, beside))])
    columns = ["", f"best {what}, B", "median there", "published best"]
    return Table(title=f"Best {what}", columns=columns, rows=rows, note=TIES)
