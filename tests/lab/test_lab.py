# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Parts of the lab without a device: console, packages, set-up, arguments."""

from __future__ import annotations

import base64
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths, proc
from wyrmlab.base.errors import MissingError, TimedOutError, UsageError, WyrmError
from wyrmlab.boards import board, terminal
from wyrmlab.boards.chip import Chip
from wyrmlab.boards.console import Console
from wyrmlab.boards.line import Line
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.network import links
from wyrmlab.peers.flood import Flood
from wyrmlab.records import report
from wyrmlab.records.record import Chart, Run, Step
from wyrmlab.setup import doctor, third_party

# --- Console ---


@pytest.fixture
def line(tmp_path: Path) -> Iterator[tuple[Console, socket.socket]]:
    """A console and the device's end of it."""
    ours, theirs = socket.socketpair()
    console = Console(Line(ours.detach(), "QEMU"), tmp_path / "console.log")
    yield console, theirs
    theirs.close()
    console.close()


def test_expect_finds_what_arrives_in_pieces(line: tuple[Console, socket.socket]) -> None:
    console, device = line
    for piece in (b"rea", b"dy: 10.9", b".0.2\r\n"):
        threading.Timer(0.05, device.sendall, [piece]).start()
        time.sleep(0.07)
    assert console.expect(r"^ready: ([^\r\n]*)\r*\n", timeout_s=60)[1] == "10.9.0.2"


def test_expect_does_not_find_the_same_text_twice(line: tuple[Console, socket.socket]) -> None:
    console, device = line
    device.sendall(b"once\r\n")
    console.expect("once", timeout_s=60)
    with pytest.raises(TimedOutError):
        console.expect("once", timeout_s=0.1)


def test_a_command_returns_the_text_between_echo_and_prompt(
    line: tuple[Console, socket.socket],
) -> None:
    console, device = line

    def answer() -> None:
        assert device.recv(100) == b"version\r"
        device.sendall(b"version\r\nwyrmling 1\r\nboard m7\r\nwyrm> ")

    threading.Thread(target=answer).start()
    assert console.command("version", timeout_s=60) == "wyrmling 1\nboard m7"


def test_waiting_ends_when_the_device_panics(line: tuple[Console, socket.socket]) -> None:
    console, device = line
    device.sendall(b"\r\npanic: stack overflow\r\npanic: task shell\r\n")
    started = time.monotonic()
    with pytest.raises(WyrmError, match="panicked") as caught:
        console.expect("never", timeout_s=30)
    assert "stack overflow" in caught.value.detail
    assert time.monotonic() - started < 20


def test_waiting_ends_when_the_device_exits(line: tuple[Console, socket.socket]) -> None:
    console, device = line
    device.shutdown(socket.SHUT_RDWR)
    with pytest.raises(WyrmError, match="The device at QEMU has gone"):
        console.expect("never", timeout_s=30)


def test_transcript_holds_every_byte(line: tuple[Console, socket.socket], tmp_path: Path) -> None:
    console, device = line
    device.sendall(b"a\r\n\xffb\r\n")
    console.expect("b", timeout_s=60)
    assert (tmp_path / "console.log").read_bytes() == b"a\r\n\xffb\r\n"


# --- Arguments ---


@pytest.mark.parametrize("name", ["", "a/b", "0123456789abcdef", "a b", "..", "ä"])
def test_names_that_cannot_be_interfaces_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        links.check_name(name)


@pytest.mark.parametrize("text", ["", "tty", "socket", "socket:", "stdio:x"])
def test_unknown_console_places_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        terminal.parse_place(text)


def test_socket_path_too_long_for_a_socket_is_refused() -> None:
    with pytest.raises(UsageError, match="longer than 107"):
        terminal.parse_place("socket:/" + "x" * 110)


def test_flash_file_of_another_size_is_refused_and_kept(tmp_path: Path) -> None:
    flash = tmp_path / "flash"
    flash.write_bytes(b"precious")
    device = EmulatedDevice(
        board("m7"), Path("none.elf"), tap=links.Tap("none"), log_dir=tmp_path, flash=flash
    )
    with pytest.raises(UsageError, match="nothing was changed"), device:
        pass
    assert flash.read_bytes() == b"precious"


def test_a_flash_file_is_private_to_its_owner(tmp_path: Path) -> None:
    flash = tmp_path / "flash"
    for existing in (False, True):
        if existing:
            flash.chmod(0o644)
        chip = Chip(flash, board("m7").flash)
        chip.take()
        assert flash.stat().st_mode & 0o777 == 0o600
        chip.release()


def test_flash_file_in_a_missing_folder_is_refused_and_nothing_made(tmp_path: Path) -> None:
    flash = tmp_path / "typo" / "flash"
    device = EmulatedDevice(
        board("m7"), Path("none.elf"), tap=links.Tap("none"), log_dir=tmp_path, flash=flash
    )
    with pytest.raises(UsageError, match=f"there is no folder {flash.parent}"), device:
        pass
    assert not flash.parent.exists()


def test_firmware_arguments_with_blanks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        EmulatedDevice(
            board("m7"),
            Path("none.elf"),
            tap=links.Tap("none"),
            log_dir=tmp_path,
            args={"ip": "10.0.0.1 x=y"},
        )


# --- Set-up ---


def test_every_package_has_a_group_a_probe_and_a_reason() -> None:
    for package in packages.table():
        assert package.group in packages.GROUPS, package
        assert re.fullmatch(r"(cmd|file|arm|py|clang) \S+", package.probe), package
        assert package.reason, package
    names = [package.name for package in packages.table()]
    assert len(names) == len(set(names))


def test_program_that_is_missing_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proc.shutil, "which", lambda *_, **__: None)
    with pytest.raises(MissingError, match=r"`wg` is missing.*wireguard-tools"):
        proc.find("wg")


def test_doctor_misses_nothing_that_setup_does_not_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    """After `./wyrm setup`; libraries to compare with are fetched by who compares."""
    fetched = property(lambda group: group.needed_for in packages.USUAL)
    monkeypatch.setattr(third_party.Group, "present", fetched)
    monkeypatch.setattr(third_party, "usable_cargo", lambda: None)
    lacking = [finding for finding in doctor.sources() if not finding.ok]
    assert lacking
    assert not any(finding.needed for finding in lacking)


def test_lock_file_names_only_the_two_crates_of_the_registry() -> None:
    for group in third_party.GROUPS:
        lock = group.manifest.with_name("Cargo.lock").read_text()
        fetched = re.findall(r'name = "([^"]+)"\nversion = "[^"]+"\nsource = "registry', lock)
        assert sorted(fetched) == sorted(tree.crate for tree in group.trees)
        assert lock.count("checksum = ") == len(fetched)


def test_third_party_trees_keep_their_licences_and_drop_rust() -> None:
    folder = third_party.folder()
    assert (folder / "FreeRTOS-Kernel/LICENSE.md").exists()
    assert (folder / "lwip/COPYING").exists()
    assert not (folder / "lwip/old-src").exists()
    assert not list(folder.rglob("*.rs"))


def test_every_python_package_is_locked_by_hash() -> None:
    lock = (paths.LAB / "requirements.txt").read_text()
    blocks = re.split(r"\n(?=\S+==)", lock)[1:]
    assert blocks
    assert all("--hash=sha256:" in block for block in blocks)
    for name in re.findall(r"^(\S+==\S+)", (paths.LAB / "requirements.in").read_text(), re.M):
        assert f"\n{name} " in lock


# --- Signals ---


def test_an_interruption_swallowed_by_a_finalizer_is_repeated() -> None:
    program = """
import signal, time
from wyrmlab.base.proc import install_signal_handlers

class Swallows:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

install_signal_handlers()
try:
    Swallows()
    time.sleep(20)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_a_child_bound_to_our_life_keeps_its_process_id_and_ends_with_us() -> None:
    program = """
import os, subprocess, sys
from wyrmlab.base.proc import dying_with_us

child = subprocess.Popen(dying_with_us(["sh", "-c", "echo $$; exec sleep 60"]))
print(child.pid, flush=True)
os.waitid(os.P_ALL, 0, os.WEXITED)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as we:
        assert we.stdout is not None
        told, seen = we.stdout.readline(), we.stdout.readline()
        we.kill()
    assert told == seen
    proc.wait_until(
        lambda: not Path(f"/proc/{told.strip()}").exists(), timeout_s=60, what="its end"
    )


# --- Records ---


def test_a_step_interrupted_before_its_first_line_does_not_stay_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    run = Run("test")
    with pytest.raises(KeyboardInterrupt), run:
        run.record.steps.append(Step(name="boots", outcome="running", seconds=0.0))
        raise KeyboardInterrupt
    assert [step.outcome for step in run.record.steps] == ["interrupted"]
    assert '"outcome": "running"' not in run.file.read_text()


# --- Floods ---


def test_a_flood_keeps_to_its_rate_and_counts_what_comes_back(tmp_path: Path) -> None:
    """The sender does not catch up on batches it could not send in time."""
    key = base64.b64encode(bytes(32)).decode()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(60)
        begun = time.monotonic()
        port = receiver.getsockname()[1]
        with Flood(key, "127.0.0.1", tmp_path / "flood", port=port, rate=500) as flood:
            message, sender = receiver.recvfrom(2048)
            for answer in (bytes([3]) + bytes(63), bytes([2]) + bytes(91), bytes([3])):
                receiver.sendto(answer, sender)
            flood.wait_for_cookie()
            os.kill(flood.pid, signal.SIGSTOP)
            stopped = time.monotonic()
            time.sleep(0.5)
            stopped = time.monotonic() - stopped
            os.kill(flood.pid, signal.SIGCONT)
            count = flood.end()
        elapsed = time.monotonic() - begun - stopped
    assert (len(message), message[:4]) == (148, b"\1\0\0\0")
    assert 1 <= count.sent <= 500 * elapsed + 10
    assert (count.cookies, count.responses, count.other) == (1, 1, 1)


# --- The report page ---


def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    with Run("test") as run:
        run.record.checks["a check whose name is longer than a telephone is wide"] = True
        bars = {"a": [1.0, 2.0], "b": [2.0, 1.0]}
        chart = Chart(title="Speed", kind="bars", unit="Mbit/s", labels=["to", "from"], series=bars)
        run.record.charts.append(chart)
        run.record.files["A log"] = "log.txt"
    return report.write(run.record, tmp_path / "report.html").read_text()


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_report_can_be_read_in_light_and_in_dark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each colour of text against each ground, in both schemes; links and charts have no other."""
    text = page(tmp_path, monkeypatch)
    schemes = [
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", found))
        for found in re.findall(r":root \{(.*?)\}", text, re.DOTALL)
    ]
    assert len(schemes) == 2
    assert "color-scheme: light dark" in text
    assert "a { color: var(--link); }" in text
    for scheme in schemes:
        for name in ("ink", "soft", "good", "bad", "link"):
            for ground in ("ground", "card"):
                pair = sorted((luminance(scheme[name]), luminance(scheme[ground])))
                assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (name, ground, scheme)
    chart = text[text.index("<svg") : text.index("</svg>")]
    assert "#000000" not in chart
    assert "currentColor" in chart


def test_the_report_fits_a_narrow_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that may not be broken are short (a verdict) or for wide screens; tables of many
    columns scroll by themselves."""
    text = page(tmp_path, monkeypatch)
    unbroken = [line.strip() for line in text.splitlines() if "nowrap" in line]
    assert unbroken == [
        "table.facts td.verdict { white-space: nowrap; }",
        "@media (min-width: 40rem) { table.facts td:first-child { white-space: nowrap; } }",
    ]
    assert '<td class="verdict good">yes</td>' in text
    for table in re.finditer(r"<table[^>]*>", text):
        assert table[0] == '<table class="facts">' or text[: table.start()].endswith(
            '<div class="wide">'
        )
