# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`./wyrm demo`: a complete run, and the state after an interruption."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from wyrmlab.base import paths, proc
from wyrmlab.network import namespaces
from wyrmlab.records import record

WYRM = str(paths.ROOT / "wyrm")

pytestmark = pytest.mark.skipif(
    namespaces.access().way not in (namespaces.Way.ROOT, namespaces.Way.USER),
    reason=f"no private network: {namespaces.access().remedy}",
)


class Story:
    """A running demo; its run folder is inside the test's folder."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "demo.log"
        self.kept = folder / "run"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [WYRM, "demo"],
                cwd=paths.ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def wait_for(self, text: str, timeout_s: float = 900) -> None:
        proc.wait_until(
            lambda: text in self.said or self.process.poll() is not None,
            timeout_s=timeout_s,
            what=f"`{text}` of the demo",
        )
        assert text in self.said, self.said

    def record(self) -> record.Record:
        """Of the run that is over: `report:` and `record:` are its last two lines."""
        last = [line for line in self.said.splitlines() if not line.startswith("wyrm: ")][-2:]
        assert [line.partition(": ")[0] for line in last] == ["report", "record"], self.said
        report, file = (paths.ROOT / line.partition(": ")[2] for line in last)
        assert report.stat().st_size > 1000
        assert report.parent == file.parent
        assert file.parent.parent == paths.RUNS
        return record.load(file)

    def move_away(self) -> None:
        if found := re.search(r"^record: (.*)/record.json$", self.said, re.MULTILINE):
            shutil.move(paths.ROOT / found[1], self.kept)


@contextmanager
def demo(folder: Path) -> Iterator[Story]:
    story = Story(folder)
    try:
        yield story
    finally:
        if story.process.poll() is None:
            story.process.terminate()
            story.process.wait(120)
        story.move_away()


# --- Told to the end -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Story, record.Record]]:
    with demo(tmp_path_factory.mktemp("demo")) as story:
        assert story.process.wait(1000) == 0, story.said
        yield story, story.record()


def test_demo_succeeds_and_everything_it_checks_holds(
    whole: tuple[Story, record.Record],
) -> None:
    _, kept = whole
    assert kept.outcome == "passed"
    assert len(kept.checks) >= 8
    assert all(kept.checks.values()), kept.checks
    assert all(step.outcome == "passed" for step in kept.steps)


def test_record_of_the_demo_has_the_promised_plain_numbers(
    whole: tuple[Story, record.Record],
) -> None:
    results = whole[1].results
    for direction in ("rx", "tx"):
        plain = results[f"tcp_{direction}_plain_mbit_s"]
        through = results[f"tcp_{direction}_tunnel_mbit_s"]
        assert type(plain) is type(through) is float
        assert plain > through > 1
    handshake = results["handshake_ms"]
    assert isinstance(handshake, float)
    assert 0 < handshake < 1000
    assert results["ping_loss_percent"] == 0
    assert results["capture_plaintext_found"] is False
    assert not [name for name, value in results.items() if isinstance(value, str)]


def test_demo_says_what_it_measured_and_leaves_no_secret(
    whole: tuple[Story, record.Record],
) -> None:
    story, kept = whole
    for words in ("through the tunnel", "handshake", "Flash and RAM", "Mbit/s"):
        assert words in story.said
    assert kept.files
    folder = story.kept.parent
    assert not list(folder.rglob("flash.bin"))


# --- Interrupted ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "ending"),
    [
        ("boots", signal.SIGINT),
        ("Ping without the tunnel", signal.SIGTERM),
        ("Exchange keys", signal.SIGINT),
    ],
)
def test_interrupted_demo_keeps_half_a_record_and_leaves_nothing_running(
    tmp_path: Path, moment: str, ending: signal.Signals
) -> None:
    interfaces = proc.run("ip", "-brief", "link", "show").stdout
    with demo(tmp_path) as story:
        story.wait_for(moment)
        time.sleep(0.5)  # into the next step
        pids = proc.descendants(story.process.pid)
        assert len(pids) >= 3
        if ending == signal.SIGINT:
            # As a terminal does it, and impatiently.
            for _ in range(3):
                os.killpg(story.process.pid, ending)
                time.sleep(0.05)
        else:
            story.process.send_signal(ending)
        assert story.process.wait(120) == 130, story.said
        assert "Traceback" not in story.said
        assert "interrupted" in story.said
        kept = story.record()
        assert kept.outcome == "interrupted"
        *before, last = (step.outcome for step in kept.steps)
        assert set(before) <= {"passed"}
        assert last in ("interrupted", "passed")  # passed: it came between two steps
        assert "boot_ms" in kept.results
        proc.wait_until(
            lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids),
            timeout_s=60,
            what="the end of all processes",
        )
    names = {line.split()[0] for line in interfaces.splitlines()}
    now = proc.run("ip", "-brief", "link", "show").stdout.splitlines()
    assert not {name for line in now if (name := line.split()[0]).startswith("tap")} - names


@pytest.mark.parametrize("after_ms", [20, 60, 120, 250, 400, 600, 900])
def test_demo_interrupted_while_it_starts_ends_without_a_traceback(
    tmp_path: Path, after_ms: int
) -> None:
    with demo(tmp_path) as story:
        time.sleep(after_ms / 1000)
        pids = proc.descendants(story.process.pid)
        os.killpg(story.process.pid, signal.SIGINT)
        try:
            code = story.process.wait(10)
        except subprocess.TimeoutExpired:
            # It came before Python could handle it, so send it again.
            os.killpg(story.process.pid, signal.SIGINT)
            code = story.process.wait(120)
        assert code in (130, -signal.SIGINT)
        assert "Traceback" not in story.said
        proc.wait_until(
            lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids),
            timeout_s=60,
            what="the end of all processes",
        )
