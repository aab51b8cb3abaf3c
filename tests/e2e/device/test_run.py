# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`./wyrm run`: an experiment from its file to its record, and one that is killed and resumed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from wyrmlab.base import paths, proc
from wyrmlab.network import namespaces
from wyrmlab.records import record

pytestmark = pytest.mark.skipif(
    namespaces.access().way not in (namespaces.Way.ROOT, namespaces.Way.USER),
    reason=f"no private network: {namespaces.access().remedy}",
)


@pytest.fixture(autouse=True)
def tidy() -> Iterator[None]:
    before = set(paths.RUNS.glob("*"))
    yield
    for folder in set(paths.RUNS.glob("*")) - before:
        shutil.rmtree(folder, ignore_errors=True)


def wyrm(*args: str | Path) -> list[str]:
    return [str(paths.ROOT / "wyrm"), *(str(arg) for arg in args)]


def finished(said: str) -> tuple[Path, record.Record]:
    """Of a run that is over: `report:` and `record:` are its last two lines."""
    lines = said.splitlines()[-2:]
    assert [line.partition(": ")[0] for line in lines] == ["report", "record"], said
    page, file = (paths.ROOT / line.partition(": ")[2] for line in lines)
    assert "<svg" in page.read_text()
    return file.parent, record.load(file)


def test_an_experiment_runs_from_a_file_and_its_samples_are_those_of_its_parameters(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('experiment = "handshake-latency"\nrounds = 3\n')
    done = subprocess.run(wyrm("run", mine), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    _, kept = finished(done.stdout)
    assert kept.outcome == "passed"
    assert kept.parameters["rounds"] == 3
    assert kept.device is not None
    assert kept.device.emulated
    assert [sample.metric for sample in kept.samples] == ["handshake_ms"] * 6
    # On the device's clock the work is some 14 ms; a repeated message would be 5 s.
    assert all(1 < sample.value < 1000 for sample in kept.samples)


def test_whole_experiments_hold_at_their_smallest(tmp_path: Path) -> None:
    files = {
        "capture-proof": "pings = 2",
        "heap-over-time": "samples = 2\nevery_s = 1",
        "tcpip-baseline": 'rounds = 1\nplain_mib = 2\ntunnel_mib = 1\npaths = ["tunnel"]',
        "packet-sweep": "rounds = 1\npackets = [600, 1400]\nplain_kib = 256\ntunnel_kib = 64",
        "window-sweep": "rounds = 1\nwindows = [4096, 8192]\nplain_kib = 256\ntunnel_kib = 64",
        "task-monitor": 'seconds = 1\npaths = ["tunnel"]',
        "tunnel-throughput": 'tests = 1\nseconds = 2\nevery_s = 1\npaths = ["plain"]',
    }
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(f'experiment = "{name}"\n{text}\n')
    chosen = [tmp_path / f"{name}.toml" for name in files]
    done = subprocess.run(
        wyrm("run", *chosen, "object-sizes"), capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    folder, sizes = finished(done.stdout)
    values = {(sample.metric, sample.path, sample.x): sample.value for sample in sizes.samples}
    plain, tunnel = (values["image_flash_kb", path, None] for path in ("plain", "tunnel"))
    assert 50 < plain < tunnel < 200
    assert values["flash_bytes", "tunnel", "x25519"] > 100
    # Of each the last, which is this one's.
    told = (record.load(file) for file in sorted(folder.parent.glob("*/record.json")))
    kept = {one.name: one for one in told}
    proof = kept["capture-proof"]
    assert all(proof.checks.values())
    columns = [row[1:] for row in proof.tables[0].rows]
    assert any(outside.startswith("initiation, 148 B") for outside, _ in columns)
    assert ["", "echo request 1"] in columns
    free = [one.value for one in kept["heap-over-time"].samples if one.metric == "free_kb"]
    assert len(free) == 4
    assert all(50 < value < 1000 for value in free)
    agreed = [one for one in kept["packet-sweep"].samples if one.metric == "agreed_mss_bytes"]
    assert len(agreed) == 2 * 2 * 2
    assert all(one.value == one.x - 40 for one in agreed if isinstance(one.x, float))
    windows = {(one.direction, one.x) for one in kept["window-sweep"].samples}
    assert windows == {("rx", 4096), ("rx", 5840), ("tx", 4096), ("tx", 8192)}
    monitored = kept["task-monitor"]
    busy = {one.x: one.value for one in monitored.samples if one.metric == "load_percent"}
    assert busy["tcpip"] > busy["shell"]
    assert 98 <= sum(busy.values()) <= 101
    assert [table.title.split(":")[0] for table in monitored.tables] == ["tunnel", "tunnel"]
    series = kept["tunnel-throughput"]
    assert series.checks == {"the device's reports add up to its total": True}
    rates = {(one.metric, one.x): one.value for one in series.samples if one.path == "plain"}
    parts = [rates["interval_mbit_s", x] for x in (1, 2)]
    assert sum(parts) / 2 == pytest.approx(rates["tcp_mbit_s", None], rel=0.01)
    assert {one.direction for one in kept["tcpip-baseline"].samples} == {"rx", "tx"}


def test_the_walk_through_wg_holds_at_every_step_and_tells_no_private_key() -> None:
    done = subprocess.run(wyrm("run", "wg-tools"), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    folder = paths.ROOT / lines[-1].partition(": ")[2]
    kept = record.load(folder)
    assert len(kept.checks) == 20
    assert all(kept.checks.values())
    transcript = (folder.parent / "transcript.txt").read_text()
    assert len(re.findall(r"^# .*: yes$", transcript, re.MULTILINE)) == 20
    told = re.findall(r"^(?:PrivateKey =|\s*private key:) (.*)$", transcript, re.MULTILINE)
    assert set(told) == {"(hidden)", "(not shown)"}
    assert not list(folder.parent.glob("*.conf"))
    assert not (folder.parent / "key").exists()


def test_a_killed_run_loses_nothing_measured_and_resume_finishes_it(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('experiment = "demo-cycle"\ncycles = 4\npings = 2\n')
    with (tmp_path / "log").open("wb") as log:
        running = subprocess.Popen(
            wyrm("run", mine), stdout=log, stderr=log, start_new_session=True
        )
    said = tmp_path / "log"
    proc.wait_until(lambda: "cycle 2:" in said.read_text(), timeout_s=300, what="the second cycle")
    os.killpg(running.pid, signal.SIGKILL)
    running.wait(60)
    again = subprocess.run(
        wyrm("run", "--resume", mine), capture_output=True, text=True, timeout=600
    )
    assert again.returncode == 0, again.stdout + again.stderr
    folder, kept = finished(again.stdout)
    assert (kept.outcome, kept.cells) == ("passed", [f"cycle {n}" for n in range(1, 5)])
    assert "cycle 1:" not in again.stdout
    rounds = [sample.round for sample in kept.samples if sample.metric == "handshake_ms"]
    assert rounds == [1, 2, 3, 4]
    pings = [sample.value for sample in kept.samples if sample.metric == "ping_ms"]
    assert len(pings) == 4 * 2
    assert all(0 < time_ms < 1000 for time_ms in pings)
    assert re.search(r"^interface: wg", (folder / "wg-show.txt").read_text(), re.MULTILINE)
    told = json.loads((folder / "record.json").read_text())
    assert told["schema_version"] == 2
