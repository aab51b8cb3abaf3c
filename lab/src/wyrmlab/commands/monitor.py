# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`monitor`: a device's tasks and memory, live, through its console."""

from __future__ import annotations

import contextlib
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from rich.box import SIMPLE
from rich.console import Console as Screen
from rich.console import Group
from rich.live import Live
from rich.table import Table

from wyrmlab import boards
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.boards import line
from wyrmlab.boards.console import Console
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.boards.snapshot import Snapshot, parse
from wyrmlab.network import links, namespaces
from wyrmlab.setup import build, host_setup

_BARS = " ▁▂▃▄▅▆▇█"
_KEPT = 16  # periods in a chart
_PATIENCE_S = 30.0  # beyond a period
_TAP = "wyrm0"


@dataclass(frozen=True)
class Options:
    board: str
    console: Path | None  # None: boots a board
    baud: int
    every_s: float
    count: int | None  # None: until Ctrl-C
    record: Path | None


def sparkline(percents: list[float]) -> str:
    """A character for each, from 0 to 100 %; what is more than nothing is seen."""
    top = len(_BARS) - 1
    return "".join(
        _BARS[min(top, max(int(percent > 0.05), round(percent / 100 * top)))]
        for percent in percents
    )


@dataclass
class History:
    """Shares of each period, task by task, from the run times of consecutive snapshots."""

    last: Snapshot | None = None
    shares: dict[str, deque[float]] = field(default_factory=dict)

    def add(self, snapshot: Snapshot) -> None:
        before = {task.name: task.run_us for task in self.last.tasks} if self.last else {}
        passed = snapshot.uptime_us - self.last.uptime_us if self.last else 0
        for task in snapshot.tasks:
            if task.name in before and passed > 0:
                shares = self.shares.setdefault(task.name, deque(maxlen=_KEPT))
                shares.append((task.run_us - before[task.name]) * 100 / passed)
        self.last = snapshot

    def chart(self, task: str) -> str:
        return sparkline(list(self.shares.get(task, [])))


def picture(snapshot: Snapshot, history: History) -> Group:
    uptime = f"{snapshot.board}, up for {snapshot.uptime_us / 1e6:.1f} s"
    tasks = Table(title=uptime, title_justify="left", box=SIMPLE)
    for name in ("task", "state"):
        tasks.add_column(name)
    for name in ("prio", "stack free", "run us", "boot", "monitor"):
        tasks.add_column(name, justify="right")
    tasks.add_column("each period", no_wrap=True)
    for task in snapshot.tasks:
        tasks.add_row(
            *(task.name, task.state, str(task.priority)),
            f"{task.stack_free}/{task.stack_size}",
            *(str(task.run_us), f"{task.boot_percent:.1f} %", f"{task.monitor_percent:.1f} %"),
            history.chart(task.name),
        )
    memory = Table(box=SIMPLE)
    memory.add_column("memory")
    for name in ("total", "free", "least free"):
        memory.add_column(name, justify="right")
    memory.add_column("in use, at most", min_width=20)
    for row in snapshot.memory:
        used = (row.total - row.least_free) / row.total if row.total else 0
        memory.add_row(
            f"{row.name}, bytes" if row.unit == "bytes" else row.name,
            *(str(row.total), str(row.free), str(row.least_free)),
            "█" * round(used * 20),
        )
    return Group(tasks, memory)


def snapshots(
    console: Console, every_s: float, count: int | None, record: IO[str] | None = None
) -> Iterator[Snapshot]:
    """As the device prints them; its command is ended however this ends."""
    console.interrupt()
    console.skip()
    console.send_line(f"monitor {every_s:g}{'' if count is None else f' {count}'} json")
    try:
        number = 0
        while count is None or number < count:
            found = console.expect(
                r"^(?P<line>\{\"monitor\":1,[^\n]*\})\r*\n|^error: (?P<error>[^\r\n]*)",
                timeout_s=every_s + _PATIENCE_S,
            )
            if found["error"]:
                raise WyrmError(f"The device refuses to be monitored: {found['error']}")
            text = found["line"].rstrip("\r")
            if record is not None:
                record.write(text + "\n")
                record.flush()
            yield parse(text)
            number += 1
    finally:
        with contextlib.suppress(WyrmError):
            console.interrupt()


def watch(
    console: Console,
    options: Options,
    show: Callable[[Group], None],
    record: IO[str] | None = None,
) -> None:
    history = History()
    for snapshot in snapshots(console, options.every_s, options.count, record):
        history.add(snapshot)
        show(picture(snapshot, history))


def run(options: Options) -> None:
    if not 0.1 <= options.every_s <= 3600:
        raise UsageError("--every must be 0.1 to 3600 seconds:", remedy="2 is usual.")
    if options.count is not None and options.count < 1:
        raise UsageError("--count must be at least 1:", remedy="leave it out to go on for ever.")
    with contextlib.ExitStack() as stack:
        record = stack.enter_context(_opened(options.record)) if options.record else None
        console = stack.enter_context(_console(options))
        screen = Screen()
        if screen.is_terminal:
            live = stack.enter_context(Live(console=screen, auto_refresh=False))
            watch(console, options, lambda view: live.update(view, refresh=True), record)
        else:
            watch(console, options, screen.print, record)


def _opened(path: Path) -> IO[str]:
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error


@contextlib.contextmanager
def _console(options: Options) -> Iterator[Console]:
    if options.console is not None:
        console = Console(line.opened(options.console, options.baud), remember=1 << 16)
        with contextlib.closing(console):
            yield console
        return
    board = boards.board(options.board)
    host_setup.ensure("build", "firmware", "net", names=[board.emulator.package])
    firmware = build.firmware(board.name)
    namespaces.need_admin(_TAP)
    with (
        tempfile.TemporaryDirectory(prefix="wyrm-monitor-") as folder,
        links.tap(_TAP) as tap,
        EmulatedDevice(
            board, firmware, tap=tap, log_dir=Path(folder), args={"term": "plain"}
        ) as device,
    ):
        device.wait_ready()
        yield device.console
