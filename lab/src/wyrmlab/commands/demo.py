# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`demo`: runs the story of one device and a peer, prints its outcome, writes record and report."""

from __future__ import annotations

from rich.console import Console as Terminal

from wyrmlab import boards
from wyrmlab.base import paths
from wyrmlab.base.errors import WyrmError
from wyrmlab.experiments.story import Story
from wyrmlab.measure import footprint
from wyrmlab.network import links, namespaces
from wyrmlab.records import report
from wyrmlab.records.record import Record, Run
from wyrmlab.setup import build, host_setup


def run(board_name: str) -> None:
    """Tells the whole story; leaves a record and a report even if it breaks off."""
    board = boards.board(board_name)
    host_setup.ensure("build", "firmware", "net", names=[board.emulator.package])
    release = build.firmware(board.name)
    firmware = build.firmware(board.name, "lab")
    namespaces.enter()

    terminal = Terminal(highlight=False)
    keeper = Run("demo")
    try:
        with keeper, links.tap("tap0") as tap:
            sizes = footprint.measure(release)
            Story(keeper, board, tap, terminal, sizes).tell(firmware)
    finally:
        page = report.write(keeper.record, keeper.folder / "report.html")
        _print_outcome(terminal, keeper.record)
        print(f"report: {paths.shown(page)}")
        print(f"record: {paths.shown(keeper.file)}", flush=True)
    if keeper.record.outcome != "passed":
        failed = [name for name, held in keeper.record.checks.items() if not held]
        raise WyrmError(f"Checks failed: {'; '.join(failed)}.")


def _print_outcome(terminal: Terminal, record: Record) -> None:
    for table in record.tables:
        terminal.print(report.terminal_table(table))
    for name, held in record.checks.items():
        terminal.print(f"[green]✓[/] {name}" if held else f"[red]✗ {name}[/]")
