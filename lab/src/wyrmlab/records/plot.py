# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Charts of figures as SVG that inherits the page's colours."""

from __future__ import annotations

import contextlib
import html
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wyrmlab.records import published
from wyrmlab.records.record import Record
from wyrmlab.records.samples import Figure, curve, figures, shown, swept
from wyrmlab.records.samples import title as title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours that colour-blind readers can distinguish (Okabe and Ito), on light and dark.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
_MARKS = "sD^vPX"


def charts(record: Record) -> list[tuple[str, str]]:
    """Title and SVG: one for each metric that has several values to compare."""
    every = figures(record)
    made = []
    for metric in dict.fromkeys(figure.metric for figure in every):
        chosen = [figure for figure in every if figure.metric == metric]
        beside = [item for name in record.published if (item := published.items().get(name))]
        beside = [item for item in beside if item.metric == metric and item.series]
        title = title_of(metric, chosen[0].unit)
        if len(chosen) + len(beside) < 2:
            if len(set(chosen[0].values)) > 1:
                made.append((title, _rounds(title, chosen[0])))
            continue
        if swept(chosen):
            made.append((title, _lines(title, record.axis, chosen, beside)))
        else:
            made.append((title, _bars(title, chosen, beside)))
    return made


def drawing(parts: Sequence[str]) -> str:
    """A set-up: machines as boxes, joined by labelled links."""
    box, gap, height = 200, 120, 64
    pieces = []
    for number, text in enumerate(parts):
        left = number // 2 * (box + gap)
        middle = left + box / 2
        if number % 2:
            left += box
            middle = left + gap / 2
            pieces.append(f'<line x1="{left}" y1="44" x2="{left + gap}" y2="44"/>')
        else:
            pieces.append(
                f'<rect x="{left + 1}" y="12" width="{box - 2}" height="{height}" rx="6"/>'
            )
        lines = text.split("|")
        top = 36 if number % 2 else 49 - 9 * (len(lines) - 1)
        for row, words in enumerate(lines):
            place = f'x="{middle}" y="{top + 18 * row}"'
            pieces.append(f'<text {place} text-anchor="middle">{html.escape(words)}</text>')
    width = (len(parts) + 1) // 2 * (box + gap) - gap
    return (
        f'<svg class="setup" viewBox="0 0 {width} 88" role="img" style="max-width: {width}px"'
        ' fill="none" stroke="currentColor" font-size="13">'
        + "".join(pieces).replace("<text ", '<text fill="currentColor" stroke="none" ')
        + "</svg>"
    )


@contextlib.contextmanager
def page(title: str, height: float) -> Iterator[tuple[Axes, io.StringIO]]:
    """Axes to draw on; the SVG is in the buffer when the context ends."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    out = io.StringIO()
    # Keep text as text, and make the output reproducible.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": title, "font.size": 10}):
        figure, axes = plt.subplots(figsize=(7.2, height), layout="constrained")
        axes.spines[["top", "right"]].set_visible(False)
        yield axes, out
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
        plt.close(figure)


def text_of(out: io.StringIO) -> str:
    """Lines and text inherit the page's colour, which may be dark."""
    text = out.getvalue()
    return text[text.index("<svg") :].replace("#000000", "currentColor")


def _bars(title: str, chosen: Sequence[Figure], beside: Sequence[published.Item]) -> str:
    """A bar for the median of each figure, its spread as a line, published values as marks."""
    with page(title, 0.9 + 0.42 * len(chosen)) as (axes, out):
        for place, figure in enumerate(chosen):
            middle = figure.median
            spread = [[middle - figure.least], [figure.most - middle]]
            axes.barh(place, middle, 0.62, color=COLOURS[0])
            if len(figure.values) > 1:
                axes.errorbar(middle, place, xerr=spread, color="#000000", capsize=3)
            # To the right of everything in this row.
            end = max([figure.most, *(value for item in beside for value in _of(item, figure))])
            axes.annotate(
                f" {shown(middle)}",
                (end, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        for number, item in enumerate(beside):
            _mark(axes, chosen, item, number)
        axes.set_yticks(range(len(chosen)), [figure.what for figure in chosen])
        axes.invert_yaxis()
        axes.margins(x=0.15)
        axes.set_xlim(left=0)
        if beside:
            axes.legend(
                frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0
            )
    return text_of(out)


def _rounds(title: str, figure: Figure) -> str:
    """A single figure: its samples in order of measurement, and their median."""
    with page(title, 2.6) as (axes, out):
        axes.plot(range(1, len(figure.values) + 1), figure.values, "o", color=COLOURS[0], ms=4)
        axes.axhline(figure.median, color=COLOURS[0], linewidth=1)
        axes.annotate(f"median {shown(figure.median)}", (1, figure.median), va="bottom")
        axes.set_xlabel("sample")
        axes.locator_params(axis="x", integer=True)
        axes.set_ylim(0, 1.2 * figure.most)
    return text_of(out)


def _of(item: published.Item, figure: Figure) -> list[float]:
    """The published values of an item for a figure."""
    return [
        value
        for series in item.series
        if (series.path, series.direction) == (figure.path, figure.direction)
        for value in series.at(figure.x)
    ]


def _mark(axes: Axes, chosen: Sequence[Figure], item: published.Item, number: int) -> None:
    points = [(value, place) for place, figure in enumerate(chosen) for value in _of(item, figure)]
    if points:
        axes.scatter(
            *zip(*points, strict=True),
            marker=_MARKS[number % len(_MARKS)],
            color=COLOURS[1 + number % 5],
            label=item.source,
            zorder=3,
        )


def _lines(
    title: str, axis: str, chosen: Sequence[Figure], beside: Sequence[published.Item]
) -> str:
    """Medians over x with their spread; published curves dashed, in the colour of ours."""
    groups = dict.fromkeys((figure.path, figure.direction) for figure in chosen)
    with page(title, 3.6) as (axes, out):
        for number, (path, direction) in enumerate(groups):
            colour = COLOURS[number % len(COLOURS)]
            ours = [one for one in chosen if (one.path, one.direction) == (path, direction)]
            ours.sort(key=lambda one: float(one.x or 0))
            at = [float(one.x or 0) for one in ours]
            name = curve(ours[0])
            axes.plot(at, [one.median for one in ours], "o-", color=colour, label=name, ms=4)
            if any(len(one.values) > 1 for one in ours):
                axes.fill_between(
                    at,
                    [one.least for one in ours],
                    [one.most for one in ours],
                    color=colour,
                    alpha=0.2,
                )
            for item in beside:
                for series in item.series:
                    if (series.path, series.direction) == (path, direction) and series.x:
                        where = [float(place) for place in series.x]
                        axes.plot(
                            where,
                            series.values,
                            "--",
                            color=colour,
                            label=f"{name}, {item.source}",
                        )
        axes.set_ylim(bottom=0)
        axes.set_xlabel(axis)
        axes.legend(
            frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0
        )
    return text_of(out)
