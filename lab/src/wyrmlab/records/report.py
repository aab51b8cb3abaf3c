# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A record as one self-contained HTML page, and its tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wyrmlab.records import plot, published, samples
from wyrmlab.records.record import Chart, Record, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table as RichTable


# What no run of this lab can show, and why.
UNAVAILABLE = (
    "Wi-Fi and its losses: emulated boards have Ethernet.",
    "An ESP32-S3's own clock, caches and radio: emulated boards count instructions.",
    "Kernel WireGuard, CIFS, NFS clients and netem, where the kernel lacks them.",
    "Energy in joules: nothing here is measured with a meter.",
)


def unavailable() -> list[str]:
    lost = [f"{name}, {one.source}" for name, one in published.items().items() if not one.series]
    pictures = f"Numbers that were published as pictures only: {'; '.join(lost)}."
    return [*UNAVAILABLE, pictures]


def write(record: Record, file: Path) -> Path:
    """Renders the page; needs nothing but the record."""
    charts = [(chart, _svg(chart)) for chart in record.charts]
    file.write_text(_page("report.html.j2", record=record, charts=charts))
    return file


def _page(template: str, **given: object) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("wyrmlab.records"),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**given)


@dataclass(frozen=True)
class _Text:
    title: str
    content: str


@dataclass(frozen=True)
class _Part:
    """A run on a page of several."""

    record: Record
    kind: str
    drawing: str
    charts: list[tuple[str, str]]
    tables: list[Table]
    texts: list[_Text]
    sources: list[published.Item]


def write_all(records: Sequence[tuple[Path, Record]], file: Path) -> Path:
    """One page of several runs, each given with its folder."""
    parts = [_part(*one) for one in records]
    file.write_text(_page("experiments.html.j2", parts=parts, unavailable=unavailable()))
    return file


def _part(folder: Path, record: Record) -> _Part:
    if record.device is None:
        kind = "counted" if record.clock.startswith("no clock") else "on this machine"
    else:
        kind = "emulated" if record.device.emulated else "real"
    texts = [
        _Text(title, (folder / name).read_text(errors="replace"))
        for title, name in record.files.items()
        if name.endswith(".txt") and (folder / name).is_file()
    ]
    return _Part(
        record,
        kind,
        plot.drawing(record.setup) if record.setup else "",
        [*plot.charts(record), *((chart.title, _svg(chart)) for chart in record.charts)],
        [*samples.tables(record), *record.tables],
        texts,
        [item for name in record.published if (item := published.items().get(name))],
    )


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
    with plot.page(chart.title, 3.4) as (axes, out):
        if chart.kind == "bars":
            _draw_bars(axes, chart)
        else:
            _draw_line(axes, chart)
        if len(chart.series) > 1:
            # Above the bars, not over them.
            axes.legend(
                frameon=False,
                ncols=len(chart.series),
                loc="lower left",
                bbox_to_anchor=(0, 1),
                borderaxespad=0,
            )
    return plot.text_of(out)


def _draw_bars(axes: Axes, chart: Chart) -> None:
    width = 0.8 / len(chart.series)
    for number, (name, values) in enumerate(chart.series.items()):
        places = [at + (number - (len(chart.series) - 1) / 2) * width for at in range(len(values))]
        bars = axes.bar(places, values, width * 0.92, label=name, color=plot.COLOURS[number % 6])
        axes.bar_label(bars, fmt="{:.3g}", padding=2)
    axes.set_xticks(range(len(chart.labels)), chart.labels)
    axes.margins(y=0.15)


def _draw_line(axes: Axes, chart: Chart) -> None:
    for number, (name, values) in enumerate(chart.series.items()):
        axes.plot(
            range(1, len(values) + 1), values, "o-", label=name, color=plot.COLOURS[number % 6]
        )
    axes.set_xlabel(chart.labels[0] if chart.labels else "")
    axes.set_ylim(bottom=0)
