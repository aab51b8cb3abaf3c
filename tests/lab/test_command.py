# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""./wyrm itself: start-up, errors, exit codes, and clean-up after interruptions."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from wyrmlab.base import paths, proc
from wyrmlab.commands import clean as cleaning
from wyrmlab.network import links, namespaces
from wyrmlab.network.host import HERE
from wyrmlab.setup import doctor

WYRM = str(paths.ROOT / "wyrm")


def wyrm(*args: str, timeout_s: float = 600, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [WYRM, *args],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout_s,
        env={**os.environ, **env},
    )


def test_second_start_takes_under_a_second() -> None:
    """Or, on a slow machine, as long as twenty times an interpreter that does nothing."""
    wyrm("--help")

    def quickest(*command: str) -> float:
        times = []
        for _ in range(5):
            started = time.monotonic()
            assert subprocess.run(command, capture_output=True, timeout=600).returncode == 0
            times.append(time.monotonic() - started)
        return min(times)

    assert quickest(WYRM, "--help") < max(1, 20 * quickest(sys.executable, "-I", "-c", "pass"))


def test_help_lists_the_commands_in_groups() -> None:
    text = wyrm("--help", COLUMNS="100").stdout
    for word in ("Set up and build", "Run", "Check", "doctor", "setup", "build", "device", "test"):
        assert word in text


def test_works_from_any_folder_and_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "w"
    link.symlink_to(WYRM)
    done = subprocess.run([link, "--help"], cwd=tmp_path, capture_output=True, timeout=600)
    assert done.returncode == 0


def test_wrong_option_is_a_usage_error() -> None:
    done = wyrm("build", "--bogus")
    assert done.returncode == 2
    assert "No such option" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("build", "--board", "z80"), "There is no board `z80`"),
        (("build", "tests", "--size"), "The tests are many programs"),
        (("build", "lib", "--board", "m7"), "goes with the target `firmware` only"),
        (("device", "--console", "telnet"), "give stdio, pty or socket:PATH"),
        (("device", "--tap", "a", "--netns", "b"), "exclude each other"),
        (("device", "--tap", "far-too-long-a-name"), "cannot name a network interface"),
        (("test", "-k", "no_such_test_at_all"), "No test matches"),
        (("fuzz", "nothing"), "There is no fuzz target `nothing`"),
    ],
)
def test_bad_argument_gets_one_sentence_and_exit_code_2(
    arguments: tuple[str, ...], says: str
) -> None:
    done = wyrm(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_the_size_of_the_daemon_is_listed_by_object() -> None:
    done = wyrm("build", "wyrmd", "--size", COLUMNS="120")
    assert done.returncode == 0, done.stderr
    sums = dict(re.findall(r"^(\S.*?) +(\d+) +\d+ +\d+ *$", done.stdout, re.MULTILINE))
    assert {"core", "crypto", "daemon", "everything"} <= set(sums)
    assert all(int(number) > 10_000 for number in (sums["core"], sums["crypto"], sums["daemon"]))
    for name in ("src/core/wyrm_device.c", "loop.c", "sizeof(struct wyrm_peer)"):
        assert name in done.stdout
    assert done.stdout.splitlines()[-1] == str(paths.BUILD / "host" / "daemon" / "wyrmd")


def test_setup_does_nothing_on_a_machine_that_is_set_up() -> None:
    done = wyrm("setup")
    assert done.returncode == 0
    assert "Debian packages: all installed." in done.stderr
    assert "Third-party source: all present." in done.stderr


def test_clean_removes_only_what_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, project = tmp_path / "cache", tmp_path / "project"
    monkeypatch.setenv("WYRM_CACHE", str(cache))
    monkeypatch.setattr(paths, "ROOT", project)
    monkeypatch.setattr(paths, "BUILD", project / "build")
    monkeypatch.setattr(paths, "RUNS", project / "runs")
    for folder in (cache / "venv", cache / "third_party", project / "build", project / "runs"):
        folder.mkdir(parents=True)
    (cache / "letter.txt").write_text("mine")
    cleaning.clean(all_of_it=False)
    assert sorted(path.name for path in project.iterdir()) == ["runs"]
    cleaning.clean(all_of_it=True)
    assert list(project.iterdir()) == []
    assert [path.name for path in cache.iterdir()] == ["letter.txt"]


def test_clean_and_doctor_name_flash_files_and_keep_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for name in ("ROOT", "BUILD", "RUNS"):
        monkeypatch.setattr(paths, name, tmp_path / "project" / name)
    monkeypatch.setenv("WYRM_CACHE", str(tmp_path / "cache"))
    flash = tmp_path / "wyrmling" / "m7.flash"
    flash.parent.mkdir()
    flash.write_bytes(b"key")
    flash.chmod(0o644)
    for all_of_it in (False, True):
        cleaning.clean(all_of_it=all_of_it)
        assert f"kept: {flash}, a device's flash with its keys" in capsys.readouterr().out
    assert flash.exists()
    finding = next(each for each in doctor.findings() if each.what == "flash files")
    assert not finding.ok
    assert not finding.needed
    assert f"chmod 600 {flash}" in finding.remedy
    flash.chmod(0o600)
    finding = next(each for each in doctor.findings() if each.what == "flash files")
    assert finding.ok
    assert str(flash.parent) in finding.reason


def test_keys_are_those_of_wg() -> None:
    private = wyrm("genkey").stdout
    assert len(private) == 45
    ours = subprocess.run([WYRM, "pubkey"], input=private, capture_output=True, text=True)
    theirs = subprocess.run(["wg", "pubkey"], input=private, capture_output=True, text=True)
    assert ours.stdout == theirs.stdout


def test_first_start_without_a_network_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    offline = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0", "PIP_FIND_LINKS": ""}
    done = wyrm("--help", WYRM_CACHE=str(tmp_path), PIP_NO_INDEX="1", **offline)
    assert done.returncode == 3
    assert "The first start needs a network" in done.stderr
    assert sorted(path.name for path in (tmp_path / "venv").iterdir()) == ["lock", "pip.log"]


def test_concurrent_first_starts_do_not_block_later_ones(
    tmp_path: Path,
) -> None:
    wanted = hashlib.sha256((paths.ROOT / "lab" / "requirements.txt").read_bytes()).hexdigest()[:16]
    python = tmp_path / "venv" / wanted / "bin" / "python"
    python.parent.mkdir(parents=True)
    file = tmp_path / "venv" / "lock"
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen(
            [WYRM, "--help"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "WYRM_CACHE": str(tmp_path)},
        ) as waiting:
            assert waiting.stderr is not None
            assert "waiting for it" in waiting.stderr.readline()
            python.write_text("#!/bin/sh\nls -l /proc/$$/fd\n")  # the other one is ready
            python.chmod(0o755)
            fcntl.flock(lock, fcntl.LOCK_UN)
            open_files, _ = waiting.communicate(timeout=600)
    assert "/dev/" in open_files or "pipe:" in open_files
    assert str(file) not in open_files


# --- Interruptions: nothing of ours may be left, whatever ends us ---


@contextmanager
def device(*args: str) -> Iterator[subprocess.Popen[bytes]]:
    """`./wyrm device` once its console can be reached."""
    running = subprocess.Popen(
        [WYRM, "device", "--console", "pty", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        assert running.stdout is not None
        said = b""
        deadline = time.monotonic() + 600
        while b"console: " not in said:
            assert select.select([running.stdout], [], [], deadline - time.monotonic())[0], said
            # Not readline: what that reads ahead, select does not see.
            data = os.read(running.stdout.fileno(), 4096)
            assert data, said
            said += data
        yield running
    finally:
        running.terminate()
        running.wait(120)


def alive(pids: list[int]) -> list[int]:
    """Those that still run; a zombie waiting for its parent does not."""

    def runs(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    return [pid for pid in pids if runs(pid)]


def gone(pids: list[int], within_s: float = 60) -> bool:
    deadline = time.monotonic() + within_s
    while alive(pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pids)


@contextmanager
def persistent_tap(name: str) -> Iterator[None]:
    """A TAP as a user makes one by hand."""
    proc.run("ip", "tuntap", "add", "dev", name, "mode", "tap")
    try:
        HERE.add_address(name, "10.9.0.1/24")
        proc.run("ip", "link", "set", name, "up")
        yield
    finally:
        proc.run("ip", "link", "delete", name)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_private_device_leaves_nothing(ending: signal.Signals, tmp_path: Path) -> None:
    if namespaces.access().way not in (namespaces.Way.ROOT, namespaces.Way.USER):
        pytest.skip(f"no private network: {namespaces.access().remedy}")
    name = f"wyrm-{os.getpid()}"
    with device("--netns", name, "--flash", str(tmp_path / "flash")) as running:
        pids = proc.descendants(running.pid)
        assert len(pids) >= 3
        running.send_signal(ending)
        assert running.wait(120) == 130
        assert gone(pids)
    assert not (Path("/run/netns") / name).exists()


def test_killing_a_private_device_ends_all_its_processes(tmp_path: Path) -> None:
    if namespaces.access().way not in (namespaces.Way.ROOT, namespaces.Way.USER):
        pytest.skip(f"no private network: {namespaces.access().remedy}")
    name = f"wyrm-{os.getpid()}"
    with device("--netns", name, "--flash", str(tmp_path / "flash")) as running:
        pids = proc.descendants(running.pid)
        running.kill()
        running.wait(120)
        assert gone(pids)
    subprocess.run(["ip", "netns", "delete", name], capture_output=True, timeout=60)


@pytest.mark.netns
def test_ctrl_c_removes_the_tap_it_made_and_its_emulator(tmp_path: Path) -> None:
    with device("--tap", "tapc", "--flash", str(tmp_path / "flash")) as running:
        assert HERE.has_interface("tapc")
        pids = proc.descendants(running.pid)
        os.killpg(running.pid, signal.SIGINT)
        assert running.wait(120) == 130
        assert gone(pids)
    assert not HERE.has_interface("tapc")


@pytest.mark.netns
def test_killing_the_device_command_removes_its_tap(tmp_path: Path) -> None:
    with device("--tap", "tapd", "--flash", str(tmp_path / "flash")) as running:
        pids = proc.descendants(running.pid)
        running.kill()
        running.wait(120)
        assert gone(pids)
    # The kernel removes it a moment after the last descriptor is closed.
    proc.wait_until(lambda: not HERE.has_interface("tapd"), timeout_s=60, what="the TAP's end")


@pytest.mark.netns
def test_an_existing_tap_is_kept(tmp_path: Path) -> None:
    with persistent_tap("tapk"):
        with device("--tap", "tapk", "--flash", str(tmp_path / "flash")) as running:
            assert HERE.ping("10.9.0.2", count=2).received == 2
            running.terminate()
            assert running.wait(120) == 130
        assert HERE.has_interface("tapk")


@pytest.mark.netns
def test_busy_tap_gets_one_sentence(tmp_path: Path) -> None:
    with device("--tap", "tapb", "--flash", str(tmp_path / "flash")):
        done = wyrm("device", "--tap", "tapb", "--flash", str(tmp_path / "other"))
        assert done.returncode == 3
        assert "in use by another program" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.netns
def test_flash_file_in_use_gets_one_sentence(tmp_path: Path) -> None:
    flash = str(tmp_path / "flash")
    with device("--tap", "tapf", "--flash", flash), persistent_tap("tap1"):
        done = wyrm("device", "--tap", "tap1", "--flash", flash)
        assert done.returncode == 3
        assert "in use by another device" in done.stderr


@pytest.mark.netns
def test_addresses_already_taken_get_one_sentence(tmp_path: Path) -> None:
    with links.tap("tapa"):
        done = wyrm("device", "--tap", "tapz", "--flash", str(tmp_path / "flash"))
    assert done.returncode == 3
    assert "are in use: tapa has 10.9.0.1/24" in done.stderr
    assert not HERE.has_interface("tapz")
