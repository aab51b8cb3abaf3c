# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`./wyrm monitor`: what it makes of a device's snapshots. The device is played."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from rich.console import Console as Screen
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.boards import line
from wyrmlab.boards.console import Console
from wyrmlab.boards.snapshot import parse
from wyrmlab.commands import monitor


def snapshot(second: int, busy_us: int) -> str:
    task = {
        "name": "tcpip",
        "core": 0,
        "state": "blocked",
        "priority": 4,
        "stack_free": 700,
        "stack_size": 2048,
        "run_us": busy_us,
        "boot_percent": 1.5,
        "monitor_percent": 2.5,
    }
    heap = {"name": "lwIP heap", "unit": "bytes", "total": 1000, "free": 900, "least_free": 500}
    said = {"monitor": 1, "board": "m7", "uptime_us": second * 1_000_000, "since_start_us": 0}
    return json.dumps({**said, "tasks": [task], "memory": [heap]}, separators=(",", ":"))


@contextmanager
def played(answers: list[str], heard: list[str]) -> Iterator[Console]:
    """A serial port whose device answers `monitor` with these lines."""
    master, slave = pty.openpty()

    def play() -> None:
        typed = b""
        while True:
            try:
                byte = os.read(master, 1)
            except OSError:
                return
            if byte == b"\x03":
                os.write(master, b"^C\r\nwyrm> ")
            elif byte == b"\r":
                heard.append(typed.decode())
                os.write(master, typed + b"\r\n")
                for answer in answers:
                    os.write(master, answer.encode() + b"\r\n")
                os.write(master, b"wyrm> ")
                typed = b""
            else:
                typed += byte

    thread = threading.Thread(target=play, daemon=True)
    path = Path(os.ttyname(slave))
    with closing(Console(line.opened(path))) as console:
        thread.start()
        yield console
    os.close(slave)
    os.close(master)


def test_snapshots_from_a_serial_port_are_shown_and_recorded() -> None:
    heard: list[str] = []
    shown, record = io.StringIO(), io.StringIO()
    screen = Screen(file=shown, width=140)
    lines = [snapshot(second, second * 250_000) for second in (1, 2, 3)]
    options = monitor.Options("m7", Path("unused"), 115200, 1, 3, None)
    with played(lines, heard) as console:
        monitor.watch(console, options, screen.print, record)
    assert heard == ["monitor 1 3 json"]
    assert record.getvalue().splitlines() == lines
    text = shown.getvalue()
    assert text.count("tcpip") == 3
    assert re.search(r"tcpip +blocked +4 +700/2048 +750000 +1\.5 % +2\.5 % +▂▂", text)
    assert re.search(r"lwIP heap, bytes +1000 +900 +500 +█{10}(?!█)", text)


def test_device_that_refuses_is_quoted() -> None:
    with (
        played(["error: no command 'monitor'"], []) as console,
        pytest.raises(WyrmError, match="refuses to be monitored: no command 'monitor'"),
    ):
        list(monitor.snapshots(console, 1, None))


@pytest.mark.parametrize("text", ["", "{}", '{"monitor":1}', snapshot(1, 2)[:-3], "[1]"])
def test_what_is_no_snapshot_is_an_error_in_a_sentence(text: str) -> None:
    with pytest.raises(WyrmError, match="not a snapshot"):
        parse(text)


def test_small_charts_show_nothing_little_and_all() -> None:
    assert monitor.sparkline([0, 0.1, 50, 100, 140]) == " ▁▄██"


@pytest.mark.parametrize(("every_s", "count"), [(0, None), (4000, None), (1, 0)])
def test_periods_and_counts_that_cannot_be_are_refused(every_s: float, count: int | None) -> None:
    with pytest.raises(UsageError, match="must be"):
        monitor.run(monitor.Options("m7", Path("/nowhere"), 115200, every_s, count, None))
