# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Aggregates a record's samples into figures and tables for display."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from wyrmlab.records import published
from wyrmlab.records.record import Record, Table

DIRECTIONS = {"rx": "towards the device", "tx": "from the device", "": ""}
Key = tuple[str, str, str, float | str | None]


@dataclass(frozen=True)
class Figure:
    """All samples that differ only in their round."""

    metric: str
    unit: str
    path: str
    direction: str
    x: float | str | None
    values: tuple[float, ...]

    @property
    def key(self) -> Key:
        return self.metric, self.path, self.direction, self.x

    @property
    def what(self) -> str:
        parts = [self.path, DIRECTIONS.get(self.direction, self.direction)]
        if self.x is not None:
            parts.append(self.x if isinstance(self.x, str) else f"{self.x:g}")
        return ", ".join(part for part in parts if part) or "all"

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def mean(self) -> float:
        return mean(self.values)

    @property
    def least(self) -> float:
        return min(self.values)

    @property
    def most(self) -> float:
        return max(self.values)


def figures(record: Record) -> list[Figure]:
    """In the order in which they were first measured."""
    grouped: dict[Key, list[float]] = {}
    units: dict[Key, str] = {}
    for sample in record.samples:
        key = (sample.metric, sample.path, sample.direction, sample.x)
        grouped.setdefault(key, []).append(sample.value)
        units[key] = sample.unit
    return [
        Figure(key[0], units[key], key[1], key[2], key[3], tuple(values))
        for key, values in grouped.items()
    ]


def shown(value: float) -> str:
    """Rounds to a useful number of digits."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 6)}f}"


def tables(record: Record) -> list[Table]:
    """One for each metric, with published values."""
    made = []
    every = figures(record)
    for metric in dict.fromkeys(figure.metric for figure in every):
        chosen = [figure for figure in every if figure.metric == metric]
        unit = chosen[0].unit
        if swept(chosen):
            made.append(_sweep(record, metric, chosen))
            continue
        rows = [_row(record, figure) for figure in chosen]
        rows += _ratios(record, chosen)
        columns = ["", "median", "mean", "least", "most", "samples", "published"]
        if not any(row[-1] for row in rows):
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        if all(row[5] in ("1", "") for row in rows):
            columns = ["", "value", *columns[6:]]
            rows = [[*row[:2], *row[6:]] for row in rows]
        note = published.not_given(record.published, metric)
        made.append(Table(title=title(metric, unit), columns=columns, rows=rows, note=note))
    return made


def title(metric: str, unit: str) -> str:
    return f"{metric.removesuffix('_' + _suffix(unit)).replace('_', ' ')}, {unit}"


def swept(chosen: Sequence[Figure]) -> bool:
    """Whether figures of a metric are points of curves."""
    return all(isinstance(figure.x, int | float) for figure in chosen)


def curve(figure: Figure) -> str:
    """The name of the curve a point belongs to."""
    parts = (figure.path, DIRECTIONS.get(figure.direction, figure.direction))
    return ", ".join(part for part in parts if part) or "measured"


def _sweep(record: Record, metric: str, chosen: Sequence[Figure]) -> Table:
    """A row for each x, a column for each curve; then remarks on whole curves, including published
    ones."""
    curves: dict[str, dict[float | str, float]] = {}
    for figure in chosen:
        curves.setdefault(curve(figure), {})[figure.x or 0] = figure.median
    paths = dict.fromkeys((figure.path, figure.direction, curve(figure)) for figure in chosen)
    for path, direction, name in paths:
        for item, series in published.curves(record.published, metric, path, direction):
            points = dict(zip(series.x, series.values, strict=True))
            curves[f"{name} ({item.source})"] = points
    places = sorted({float(x) for points in curves.values() for x in points})
    rows = [
        [f"{x:g}", *(shown(points[x]) if x in points else "" for points in curves.values())]
        for x in places
    ]
    for word, of in (("mean", mean), ("least", min), ("most", max)):
        rows.append([word, *(shown(of(points.values())) for points in curves.values())])
    return Table(
        title=title(metric, chosen[0].unit),
        columns=[record.axis, *curves],
        rows=rows,
        note=published.not_given(record.published, metric),
    )


def _suffix(unit: str) -> str:
    return {"Mbit/s": "mbit_s", "%": "percent", "B": "bytes"}.get(unit, unit.lower())


def _row(record: Record, figure: Figure) -> list[str]:
    beside = published.beside(record.published, *figure.key)
    return [
        figure.what,
        *(shown(value) for value in (figure.median, figure.mean, figure.least, figure.most)),
        str(len(figure.values)),
        "; ".join(map(str, beside)),
    ]


def _ratios(record: Record, chosen: Sequence[Figure]) -> list[list[str]]:
    """Computed, not measured: the tunnel against plain, here and where both are published."""
    plain = {(one.direction, one.x): one for one in chosen if one.path == "plain"}
    rows = []
    for figure in chosen:
        other = plain.get((figure.direction, figure.x))
        if figure.path != "tunnel" or other is None or other.median == 0:
            continue
        theirs = {one.item: one for one in published.beside(record.published, *other.key)}
        told = [
            f"{mean(one.values) / mean(theirs[one.item].values):.2f} ({one.source})"
            for one in published.beside(record.published, *figure.key)
            if one.item in theirs
        ]
        where = DIRECTIONS.get(figure.direction, figure.direction)
        name = ", ".join(part for part in ("tunnel / plain", where) if part)
        ratio = f"{figure.median / other.median:.2f}"
        rows.append([f"{name} (computed)", ratio, "", "", "", "", "; ".join(told)])
    return rows


@dataclass(frozen=True)
class Difference:
    """One figure in two records. `verdict` reports a difference only if all samples of one lie
    beyond all of the other and there are at least two of each."""

    figure: Figure
    other: Figure

    @property
    def percent(self) -> float | None:
        if self.figure.median == 0:
            return None
        return 100 * (self.other.median / self.figure.median - 1)

    @property
    def verdict(self) -> str:
        one, other = self.figure, self.other
        if one.values == other.values:
            return "equal"
        if min(len(one.values), len(other.values)) < 2:
            return "one sample: no spread known"
        if one.most < other.least:
            return "higher"
        if one.least > other.most:
            return "lower"
        return "within the spread"


def compare(one: Record, other: Record) -> list[Difference]:
    """The figures that both records have."""
    others = {figure.key: figure for figure in figures(other)}
    return [
        Difference(figure, others[figure.key]) for figure in figures(one) if figure.key in others
    ]
