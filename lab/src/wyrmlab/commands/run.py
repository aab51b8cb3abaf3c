# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`list` and `run`: experiments by name or by a TOML file of parameters, one record each."""

from __future__ import annotations

from dataclasses import dataclass

from rich import box
from rich.console import Console as Terminal
from rich.table import Table

from wyrmlab import boards
from wyrmlab.base import paths
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.commands import runs
from wyrmlab.experiments import catalog
from wyrmlab.experiments.bench import CLOCKS, Bench, Experiment, Parameters
from wyrmlab.network import namespaces
from wyrmlab.records import report, samples
from wyrmlab.records.record import Run
from wyrmlab.setup import build, host_setup


@dataclass(frozen=True)
class Options:
    names: list[str]
    board: str
    quick: bool
    resume: bool


def show_list() -> None:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("experiment", "answers", "clock"):
        table.add_column(heading)
    for heading in ("quick", "whole"):
        table.add_column(heading, justify="right")
    for one in catalog.EXPERIMENTS.values():
        table.add_row(
            one.name, one.answers, one.clock, f"{one.quick_minutes:g} min", f"{one.minutes:g} min"
        )
    Terminal(highlight=False).print(table)
    print(f"Parameters: {paths.shown(next(iter(catalog.EXPERIMENTS.values())).file.parent)}")


def run(options: Options) -> None:
    """One after the other; the first failure is reported when all have had their turn."""
    board = boards.board(options.board)
    chosen = catalog.chosen(options.names, quick=options.quick)
    if not chosen:
        raise UsageError("Name an experiment, a file, or `all`.", remedy="See: ./wyrm list")
    _prepare(board, [one for one, _ in chosen])
    namespaces.enter()
    terminal = Terminal(highlight=False)
    done: list[Run] = []
    failures: list[str] = []
    try:
        for one, parameters in chosen:
            keeper = _run_for(one, parameters, board, resume=options.resume)
            done.append(keeper)
            try:
                _tell(keeper, one, parameters, board, terminal)
            except WyrmError as error:
                failures.append(f"{one.name}: {error}")
                terminal.print(f"[red]✗[/] {one.name}: {error}", soft_wrap=True)
            else:
                wrong = [what for what, held in keeper.record.checks.items() if not held]
                failures += [f"{one.name}: this did not hold: {what}" for what in wrong]
    finally:
        if done:
            page = report.write_all(
                [(keeper.folder, keeper.record) for keeper in done],
                done[-1].folder / "report.html",
            )
            print(f"report: {paths.shown(page)}")
            print(f"record: {paths.shown(done[-1].file)}", flush=True)
    if failures:
        raise WyrmError(f"{len(failures)} of what was run failed: {'; '.join(failures)}")


def _prepare(board: boards.Board, chosen: list[Experiment]) -> None:
    """Whatever needs the machine's own network or the user's rights."""
    host_setup.ensure("build", "net")
    variants = dict.fromkeys(variant for one in chosen for variant in one.variants)
    if variants:
        host_setup.ensure("firmware", names=[board.emulator.package])
    for variant in variants:
        build.firmware(board.name, variant)
    if not namespaces.restarted():
        for one in chosen:
            if one.prepare is not None:
                one.prepare()


def _run_for(one: Experiment, parameters: Parameters, board: boards.Board, *, resume: bool) -> Run:
    """A new run, or the last one of the same experiment, board and parameters if it broke off."""
    told = parameters.model_dump(mode="json")
    if one.variants:
        told["board"] = board.name
    if resume:
        for folder in runs.folders():
            record = runs.peek(folder)
            if record and record.name == one.name and record.parameters == told:
                if record.outcome == "passed":
                    break
                return Run(one.name, resumed=folder)
    keeper = Run(one.name)
    keeper.record.parameters = told
    keeper.record.question = one.answers
    keeper.record.axis = one.axis
    keeper.record.setup = list(one.setup)
    keeper.record.clock = CLOCKS[one.clock]
    keeper.record.published = list(one.items)
    return keeper


def _tell(
    keeper: Run,
    one: Experiment,
    parameters: Parameters,
    board: boards.Board,
    terminal: Terminal,
) -> None:
    terminal.print(f"[bold]{one.name}[/]: {one.answers}", soft_wrap=True)
    with keeper:
        one.tell(Bench(keeper, board, terminal), parameters)
    for table in (*samples.tables(keeper.record), *keeper.record.tables):
        terminal.print(report.terminal_table(table))
    for what, held in keeper.record.checks.items():
        terminal.print(f"[green]✓[/] {what}" if held else f"[red]✗ {what}[/]")
