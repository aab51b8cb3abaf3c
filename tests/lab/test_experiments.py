# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Experiments without a device: parameters, samples, records and reports."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from statistics import mean

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.base.errors import UsageError
from wyrmlab.boards import readings
from wyrmlab.commands import runs
from wyrmlab.experiments import (
    catalog,
    packet_sweep,
    sweeps,
    tunnel_throughput,
    window_sweep,
)
from wyrmlab.records import published, record, report, samples
from wyrmlab.records.record import Record, Run, Sample

# What the first version wrote, cut short.
SCHEMA_1 = {
    "schema_version": 1,
    "name": "demo",
    "started": "2026-11-01T12:00:00Z",
    "outcome": "passed",
    "command": ["./wyrm", "demo"],
    "project": {"version": "0.1.0", "commit": "0" * 40, "modified": False},
    "host": {"system": "d", "kernel": "k", "processor": "p", "processors": 2, "python": "3.11"},
    "results": {"tcp_rx_plain_mbit_s": 204.2, "capture_plaintext_found": False},
    "tables": [{"title": "TCP", "columns": ["a"], "rows": [["1"]]}],
}


@pytest.fixture(autouse=True)
def own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "RUNS", tmp_path / "runs")


def made(name: str, *values: tuple[str, str, float]) -> Run:
    """A run with samples: path, direction, value."""
    keeper = Run(name)
    with keeper:
        for cell in keeper.cells(["all"]):
            for number, (path, direction, value) in enumerate(values):
                keeper.sample(
                    Sample(
                        metric="tcp_mbit_s",
                        unit="Mbit/s",
                        path=path,
                        direction=direction,
                        round=number,
                        value=value,
                        cell=cell,
                    )
                )
    return keeper


# --- Parameters ---


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("one", catalog.EXPERIMENTS.values(), ids=lambda one: one.name)
def test_every_experiment_has_parameters_that_it_takes(one: object, quick: bool) -> None:
    found, _ = catalog.parameters(one.file, quick=quick)  # type: ignore[attr-defined]
    assert found is one


def test_a_copy_of_the_parameters_may_change_some_and_leave_out_others(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('experiment = "demo-cycle"\ncycles = 7\n[quick]\npings = 2\n')
    found = [catalog.parameters(mine, quick=quick)[1].model_dump() for quick in (False, True)]
    assert found == [{"cycles": 7, "pings": 5}, {"cycles": 3, "pings": 2}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('experiment = "demo-cycle"\ncycels = 7\n', "cycels: Extra inputs are not permitted"),
        ('experiment = "demo-cycle"\ncycles = 0\n', "cycles: .*greater than or equal to 1"),
        ('experiment = "nothing"\n', "Unknown experiment `nothing`"),
        ("experiment", r"mine\.toml: "),
    ],
)
def test_parameters_that_mean_nothing_are_refused_by_name(
    tmp_path: Path, text: str, words: str
) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(text)
    with pytest.raises(UsageError, match=words):
        catalog.parameters(mine, quick=False)


def test_items_that_experiments_name_are_published() -> None:
    known = set(published.items())
    named = {item for one in catalog.EXPERIMENTS.values() for item in one.items}
    # Items of the source documents that have no numbers.
    walk = {f"D{number:02}" for number in range(3, 14)}
    assert named - known <= {"A05", "A06", "A07", *walk}


# --- Published figures ---


def test_published_figures_have_the_means_that_their_sources_state() -> None:
    plain, tunnel = published.items()["A19"].series
    assert (round(mean(plain.values), 2), round(mean(tunnel.values), 2)) == (4.88, 2.77)
    tunnel, plain = published.items()["A17"].series
    assert (round(mean(tunnel.values), 2), round(mean(plain.values), 2)) == (235.01, 232.54)
    assert (min(tunnel.values), min(plain.values)) == (219.52, 224.27)


# --- Records ---


def test_a_record_of_the_first_version_still_loads(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_text(json.dumps(SCHEMA_1))
    loaded = record.load(file)
    assert loaded.results["tcp_rx_plain_mbit_s"] == 204.2
    assert loaded.samples == []
    assert "TCP" in report.write(loaded, tmp_path / "report.html").read_text()


def test_a_run_that_breaks_off_keeps_its_samples_and_resumes_after_its_complete_parts() -> None:
    keeper = Run("made-up")
    with pytest.raises(RuntimeError), keeper:
        for cell in keeper.cells(["a", "b", "c"]):
            keeper.sample(Sample(metric="m", unit="u", value=1))
            if cell == "b":
                raise RuntimeError("the plug was pulled")
    left = record.load(keeper.file)
    assert (left.outcome, left.cells, len(left.samples)) == ("failed", ["a"], 2)

    again = Run("made-up", resumed=keeper.folder)
    with again:
        for _ in again.cells(["a", "b", "c"]):
            again.sample(Sample(metric="m", unit="u", value=2))
    whole = record.load(keeper.file)
    assert (whole.outcome, whole.cells) == ("passed", ["a", "b", "c"])
    assert [(sample.cell, sample.value) for sample in whole.samples] == [
        ("a", 1),
        ("b", 2),
        ("c", 2),
    ]


def test_a_full_disk_leaves_the_record_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = Run("made-up")
    with pytest.raises(OSError, match="No space left"), keeper:
        keeper.sample(Sample(metric="m", unit="u", value=1))
        monkeypatch.setattr(Path, "write_text", _full)
        keeper.sample(Sample(metric="m", unit="u", value=2))
    assert [sample.value for sample in record.load(keeper.file).samples] == [1]


def _full(*_: object) -> int:
    raise OSError(28, "No space left on device")


def test_a_run_under_way_is_told_from_one_that_broke_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    keeper = Run("made-up")
    with keeper:
        assert record.under_way(keeper.folder)
        runs.show_all()
    assert not record.under_way(keeper.folder)
    keeper.record.outcome = "running"
    keeper.save()
    runs.show_all()
    said = capsys.readouterr().out
    assert "running" in said
    assert "broken off" in said


# --- What iperf says ---


def test_reports_of_the_hosts_iperf_are_told_from_its_total(tmp_path: Path) -> None:
    rows = [("0.0-3.0", 3_000_000), ("3.0-6.0", 1_500_000), ("6.0-7.2", 9), ("0.0-7.2", 4_500_009)]
    log = tmp_path / "iperf.log"
    log.write_text(
        "".join(f"20261122,10.9.0.1,4,10.9.0.2,5001,3,{at},{size},0\n" for at, size in rows)
    )
    assert tunnel_throughput.host_reports(log, 3) == [(3.0, 8.0), (6.0, 4.0)]


def test_reports_of_a_devices_iperf_are_read_without_its_total() -> None:
    said = """note: -w 9 is more than this board has: it receives 5840 bytes ahead and sends 11680
iperf: rx 0.000-3.000 s: 3000000 bytes, 8.00 Mbit/s, from 10.9.0.1 port 1
iperf: rx 3.000-4.500 s: 750000 bytes, 4.00 Mbit/s, from 10.9.0.1 port 1
iperf: rx 3750000 bytes in 4500.0 ms, 6.66 Mbit/s (device clock), from 10.9.0.1
"""
    found = readings.intervals(said)
    assert [(one.end, one.size, one.mbit_s) for one in found] == [
        (3.0, 3_000_000, 8.0),
        (4.5, 750_000, 4.0),
    ]
    assert readings.buffers(said) == readings.Buffers(receives=5840, sends=11680)


# --- Sweeps ---


def swept_record(*points: tuple[float, float]) -> Record:
    """TCP through the plain path from the device: x and rate."""
    kept = made("x").record
    kept.axis = "packet, B"
    for number, (x, value) in enumerate(points):
        kept.samples.append(
            Sample(
                metric="tcp_mbit_s",
                unit="Mbit/s",
                path="plain",
                direction="tx",
                x=x,
                value=value,
                round=number,
            )
        )
    return kept


@pytest.mark.parametrize(
    ("points", "best"),
    [
        (((200, 5), (600, 9), (1400, 8)), 600),
        (((200, 5), (600, 8), (600, 9), (1400, 9), (1400, 10)), 600),  # they tie: the smaller one
        (((200, 5), (600, 7), (600, 8), (1400, 9), (1400, 10)), 1400),
    ],
)
def test_the_best_of_a_sweep_is_the_smallest_that_ties_with_the_highest_median(
    points: tuple[tuple[float, float], ...], best: float
) -> None:
    kept = swept_record(*points)
    kept.published = ["C16"]
    (row,) = sweeps.optima(kept, "tcp_mbit_s", "packet").rows
    assert row[:2] == ["plain, from the device", f"{best:g}"]
    assert row[-1] == "600 (lab report)"


def test_a_sweeps_table_has_published_places_that_were_not_measured() -> None:
    kept = swept_record((200, 5))
    kept.published = ["C08", "C09"]
    (table,) = samples.tables(kept)
    assert ["1400", "", "26.97"] in table.rows
    assert "an ESP32 as server" in table.note


def test_header_overhead_is_that_of_the_lab_report_and_of_the_messages() -> None:
    kept = made("x").record
    kept.published = ["C14"]
    sizes = [200, 400, 600, 800, 1000, 1200, 1400]
    rows = packet_sweep.overhead(kept, sizes).rows
    assert [row[2] for row in rows] == ["1,000", "520", "360", "280", "200", "200", "160"]
    assert [f"{row[2].replace(',', '')} (lab report)" for row in rows] == [row[-1] for row in rows]
    # 1400 is padded to 1408; a packet as large as the MTU is not padded beyond it.
    assert packet_sweep.on_the_way(1400, 4) == 1408 + 60
    assert packet_sweep.on_the_way(1420, 6) == 1420 + 80
    assert rows[-1][3:5] == [str(160 + 4 * 68), str(160 + 4 * 88)]


def test_a_window_beyond_the_boards_is_not_measured_but_all_that_it_has() -> None:
    assert window_sweep.chosen([4096, 8192, 16384], 5840) == [4096, 5840]
    assert window_sweep.chosen([4096, 8192], 65536) == [4096, 8192]


# --- What is made of samples ---


def test_figures_gather_the_rounds_and_stand_beside_what_is_published() -> None:
    kept = made("x", ("plain", "rx", 10), ("plain", "rx", 30), ("plain", "rx", 14)).record
    kept.published = ["A19", "C03"]
    (figure,) = samples.figures(kept)
    assert (figure.median, figure.mean, figure.least, figure.most) == (14, 18, 10, 30)
    (table,) = samples.tables(kept)
    assert table.rows[0][0] == "plain, towards the device"
    assert table.rows[0][-1] == "3.77 to 5.55 (thesis); 20 (vendor)"


def test_what_is_left_through_the_tunnel_is_computed_beside_what_is_published() -> None:
    kept = made("x", ("plain", "rx", 10), ("plain", "rx", 30), ("tunnel", "rx", 5)).record
    kept.published = ["A19"]
    (table,) = samples.tables(kept)
    last = table.rows[-1]
    assert last[:2] == ["tunnel / plain, towards the device (computed)", "0.25"]
    assert last[-1] == "0.57 (thesis)"


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ((10, 11), (12, 13), "higher"),
        ((10, 11), (8, 9), "lower"),
        ((10, 12), (11, 13), "within the spread"),
        ((10, 10), (10, 10), "equal"),
        ((10,), (20,), "one sample: no spread known"),
    ],
)
def test_noise_is_not_called_a_difference(
    one: tuple[float, ...], other: tuple[float, ...], verdict: str
) -> None:
    records = [made("x", *(("", "", value) for value in values)).record for values in (one, other)]
    (found,) = samples.compare(*records)
    assert found.verdict == verdict


def test_samples_are_exported_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    keeper = made("x", ("plain", "rx", 10.5), ("tunnel", "tx", 3))
    told = {}
    for form in runs.Format:
        runs.export(form, [keeper.folder.name])
        told[form] = capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(told[runs.Format.CSV])))
    assert [(row["path"], row["value"]) for row in rows] == [("plain", "10.5"), ("tunnel", "3.0")]
    assert [row["value"] for row in json.loads(told[runs.Format.JSON])] == [10.5, 3.0]
    assert "| plain, towards the device | 10.50 |" in told[runs.Format.MD]


def test_a_run_is_found_by_folder_by_date_and_by_experiment() -> None:
    first, second = made("x"), made("x")
    assert runs.find(str(first.folder)) == first.folder
    assert runs.find(str(second.file)) == second.folder
    assert runs.find(first.folder.name[:17]) in (first.folder, second.folder)
    assert runs.find("x") == second.folder
    with pytest.raises(UsageError, match="There is no run `y`"):
        runs.find("y")


def test_a_page_of_several_runs_has_every_chart_and_needs_no_network(tmp_path: Path) -> None:
    one = made("first", ("plain", "rx", 10), ("tunnel", "rx", 5))
    one.record.published = ["A19"]
    other = made("second", ("plain", "tx", 7), ("tunnel", "tx", 3))
    told: list[tuple[Path, Record]] = [(run.folder, run.record) for run in (one, other)]
    one.record.setup = ["host|<iperf>", "TAP", "board"]
    page = report.write_all(told, tmp_path / "report.html").read_text()
    assert "&lt;iperf&gt;" in page
    assert page.count('<svg class="setup"') == 1
    page = page.replace('<svg class="setup"', "")
    assert page.count('<figure class="chart">') == page.count("<svg") == 2
    assert "3.77 to 5.55 (thesis)" in page
    for outside in ('src="', "url(h", "@import", "<link", "<script"):
        assert outside not in page


def test_the_page_says_what_cannot_be_had_and_which_published_numbers_are_lost(
    tmp_path: Path,
) -> None:
    one = made("x", ("plain", "rx", 10))
    one.record.published = ["A19", "C05"]
    page = report.write_all([(one.folder, one.record)], tmp_path / "report.html").read_text()
    _, heading, rest = page.partition("<h2>What cannot be had here</h2>")
    assert heading
    for word in ("Wi-Fi", "ESP32-S3", "netem", "joules", "A11, thesis", "C05, lab report"):
        assert word in rest
    (table,) = samples.tables(one.record)
    assert table.note.startswith("Published as a picture, numbers not given: lab report: TCP")


# --- The document ---


def test_the_document_lists_every_experiment_as_the_command_does() -> None:
    text = (paths.ROOT / "docs" / "experiments.md").read_text()
    for one in catalog.EXPERIMENTS.values():
        minutes = f"{one.quick_minutes:g}, {one.minutes:g} min"
        assert f"| `{one.name}` | {one.answers} | {one.clock} | {minutes} |" in text
    assert text.count("\n| `") == len(catalog.EXPERIMENTS)


# --- In a browser ---


def test_the_page_renders_in_a_browser_without_an_error(tmp_path: Path) -> None:
    browser = packages.which("chromium")
    if browser is None:
        pytest.skip("chromium is not installed")
    kept = made("x", ("plain", "rx", 10), ("tunnel", "rx", 5))
    for at in range(3):
        kept.record.samples.append(Sample(metric="free_kb", unit="KB", value=at, x=at * 10))
    page = report.write_all([(kept.folder, kept.record)], tmp_path / "report.html")
    command = [
        browser,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
    ]
    command += [f"--user-data-dir={tmp_path}/profile", "--host-resolver-rules=MAP * ~NOTFOUND"]
    done = subprocess.run(
        [*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('<figure class="chart">') == 2
    assert done.stdout.count("<svg") == 2
    assert "CONSOLE" not in done.stderr
