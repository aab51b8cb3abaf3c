# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A record as one self-contained HTML page, and its tables for the terminal."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from wyrmlab.records.record import Chart, Record, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table as RichTable

# Colours that stay apart for colour-blind readers (Okabe and Ito), on both backgrounds.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")


def write(record: Record, file: Path) -> Path:
    """Renders the page; needs nothing but the record."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("wyrmlab.records"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("report.html.j2").render(
        record=record, charts=[(chart, _svg(chart)) for chart in record.charts]
    )
    file.write_text(page)
    return file


def terminal_table(table: Table) -> RichTable:
    """The same table for the terminal; numbers to the right."""
    from rich import box
    from rich.table import Table as RichTable

    shown = RichTable(
        title=table.title, box=box.SIMPLE_HEAD, title_justify="left", caption=table.note
    )
    shown.caption_justify = "left"
    for position, column in enumerate(table.columns):
        shown.add_column(column, justify="left" if position == 0 else "right")
    for row in table.rows:
        shown.add_row(*row)
    return shown


def _svg(chart: Chart) -> str:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    # Text stays text, and equal records give equal files.
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": chart.title, "font.size": 10}
    ):
        figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
        if chart.kind == "bars":
            _draw_bars(axes, chart)
        else:
            _draw_line(axes, chart)
        axes.spines[["top", "right"]].set_visible(False)
        if len(chart.series) > 1:
            # Above the bars, not over them.
            axes.legend(
                frameon=False,
                ncols=len(chart.series),
                loc="lower left",
                bbox_to_anchor=(0, 1),
                borderaxespad=0,
            )
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
        plt.close(figure)
    text = out.getvalue()
    # Lines, like text, in the colour of the page, which may be dark.
    return text[text.index("<svg") :].replace("#000000", "currentColor")


def _draw_bars(axes: Axes, chart: Chart) -> None:
    width = 0.8 / len(chart.series)
    for number, (name, values) in enumerate(chart.series.items()):
        places = [at + (number - (len(chart.series) - 1) / 2) * width for at in range(len(values))]
        bars = axes.bar(places, values, width * 0.92, label=name, color=_COLOURS[number % 6])
        axes.bar_label(bars, fmt="{:.3g}", padding=2)
    axes.set_xticks(range(len(chart.labels)), chart.labels)
    axes.margins(y=0.15)


def _draw_line(axes: Axes, chart: Chart) -> None:
    for number, (name, values) in enumerate(chart.series.items()):
        axes.plot(range(1, len(values) + 1), values, "o-", label=name, color=_COLOURS[number % 6])
    axes.set_xlabel(chart.labels[0] if chart.labels else "")
    axes.set_ylim(bottom=0)
