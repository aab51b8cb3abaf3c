# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`runs`, `show`, `compare`, `export` and `report`: what was measured before."""

from __future__ import annotations

import csv
import enum
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console as Terminal
from rich.table import Table

from wyrmlab.base import paths
from wyrmlab.base.errors import UsageError
from wyrmlab.records import record as records
from wyrmlab.records import report, samples
from wyrmlab.records.record import Record


class Format(enum.StrEnum):
    CSV = "csv"
    JSON = "json"
    MD = "md"


def form(text: str) -> Format:
    if text not in tuple(Format):
        raise UsageError(f"`{text}` is no form of export:", remedy="give csv, json or md.")
    return Format(text)


def folders() -> list[Path]:
    """Of all runs, the last one first."""
    found = (file.parent for file in paths.RUNS.glob("*/record.json"))
    return sorted(found, key=lambda folder: folder.name, reverse=True)


def peek(folder: Path) -> Record | None:
    """Its record, if this version can read it."""
    try:
        return records.load(folder / "record.json")
    except UsageError:
        return None


def find(name: str) -> Path:
    """A run by its folder, its record, the beginning of its name, or its experiment: the last."""
    given = Path(name)
    for place in (given, given.parent):
        if (place / "record.json").is_file() and name not in ("", "."):
            return place
    for folder in folders():
        if folder.name.startswith(name):
            return folder
        if name in folder.name and (record := peek(folder)) and record.name == name:
            return folder
    raise UsageError(f"There is no run `{name}`.", remedy="See: ./wyrm runs")


def load(name: str) -> Record:
    return records.load(find(name) / "record.json")


def show_all() -> None:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("run", "outcome", "commit", "figures"):
        table.add_column(heading)
    for folder in folders():
        record = peek(folder)
        if record is None:
            table.add_row(folder.name, "cannot be read", "", "")
            continue
        outcome: str = record.outcome
        if outcome == "running" and not records.under_way(folder):
            outcome = "broken off"
        count = len(record.samples) or len(record.results)
        table.add_row(folder.name, outcome, record.project.commit[:10], str(count))
    Terminal(highlight=False).print(table)


def show(name: str) -> None:
    folder = find(name)
    record = records.load(folder / "record.json")
    terminal = Terminal(highlight=False)
    terminal.print(f"[bold]{record.name}[/], {record.started:%Y-%m-%d %H:%M} UTC, {record.outcome}")
    if record.failure:
        terminal.print(record.failure, soft_wrap=True)
    if record.device is not None:
        kind = "emulated" if record.device.emulated else "real"
        terminal.print(f"{record.device.title}, {kind}", soft_wrap=True)
    if record.clock:
        terminal.print(f"clock: {record.clock}", soft_wrap=True)
    for table in (*samples.tables(record), *record.tables):
        terminal.print(report.terminal_table(table))
    for what, held in record.checks.items():
        terminal.print(f"[green]✓[/] {what}" if held else f"[red]✗ {what}[/]")
    for title, file in record.files.items():
        terminal.print(f"{title}: {paths.shown(folder / file)}", soft_wrap=True)


def compare(one: str, other: str) -> None:
    first, second = load(one), load(other)
    differences = samples.compare(first, second)
    if not differences:
        raise UsageError("The two runs have no figure in common.")
    table = Table(box=box.SIMPLE_HEAD, caption_justify="left")
    table.caption = (
        "Medians, with least and most. A difference is called one where the samples of the two do"
        " not overlap."
    )
    table.add_column("figure")
    for heading in ("A", "B", "change"):
        table.add_column(heading, justify="right")
    table.add_column("B is")
    for found in differences:
        percent = found.percent
        table.add_row(
            f"{found.figure.metric}: {found.figure.what}",
            _with_spread(found.figure),
            _with_spread(found.other),
            "" if percent is None else f"{percent:+.1f} %",
            found.verdict,
        )
    Terminal(highlight=False).print(table)


def _with_spread(figure: samples.Figure) -> str:
    middle = samples.shown(figure.median)
    if len(figure.values) == 1:
        return middle
    return f"{middle} ({samples.shown(figure.least)} to {samples.shown(figure.most)})"


_COLUMNS = ("run", "metric", "path", "direction", "x", "round", "value", "unit")


def export(form: Format, names: Sequence[str]) -> None:
    """To standard output: each sample as csv or json, tables as Markdown."""
    found = [find(name) for name in names] if names else folders()[:1]
    if not found:
        raise UsageError("There are no runs yet.", remedy="See: ./wyrm list")
    if form is Format.MD:
        for folder in found:
            print(_markdown(records.load(folder / "record.json")))
        return
    rows = [
        {"run": folder.name, **sample.model_dump(exclude={"cell"})}
        for folder in found
        for sample in records.load(folder / "record.json").samples
    ]
    if form is Format.JSON:
        print(json.dumps(rows, indent=1))
        return
    writer = csv.DictWriter(sys.stdout, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _markdown(record: Record) -> str:
    parts = [f"## {record.name}, {record.started:%Y-%m-%d}"]
    if record.device is not None:
        kind = "emulated" if record.device.emulated else "real"
        parts.append(f"{record.device.title}, {kind}; {record.clock}.")
    for table in (*samples.tables(record), *record.tables):
        lines = [f"### {table.title}", "", "| " + " | ".join(table.columns) + " |"]
        lines.append("|" + "---|" * len(table.columns))
        lines += [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table.rows
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def write_report(names: Sequence[str]) -> None:
    """Of the runs named, or of the last run of every experiment."""
    chosen = [find(name) for name in names] if names else folders()
    told = [(folder, record) for folder in chosen if (record := peek(folder)) is not None]
    if not names:
        last: dict[str, tuple[Path, Record]] = {}
        for folder, record in told:
            last.setdefault(record.name, (folder, record))
        told = list(last.values())
    if not told:
        raise UsageError("There are no runs yet.", remedy="See: ./wyrm list")
    page = report.write_all(told, paths.RUNS / "report.html")
    print(f"report: {paths.shown(page)}")
