# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The bridge between wg's socket and a console, with a simulated device."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from wyrmlab.base import paths, proc
from wyrmlab.boards import terminal, uapi
from wyrmlab.commands import bridge

PUB = "b85996fecc9c7f1fc6d2572a76eda11d59bcd20be8e543b15ce4bd85a8e75a33"
SECRET = "a8dac1d8a70a751f0f699fb14ba1cff7b79cf4fbd8f09f44c6e6a90d0369604f"
SET = f"set=1\nprivate_key={SECRET}\n\n".encode()
OK = b"errno=0\n\n"
Answer = Callable[[str], "bytes | None"]


def tunnel_is_fine(_request: str) -> bytes:
    return b"errno=0\r\n\r\n"


class PlayedDevice:
    """A console that knows `uapi`; `answer` gets each request and makes what the device says, or
    None to hang up. `heard` is all that was typed, `shown` all that would have been echoed."""

    def __init__(self, answer: Answer = tunnel_is_fine, *, knows_uapi: bool = True) -> None:
        self.answer, self.knows_uapi = answer, knows_uapi
        self.silent = False
        self.heard = self.shown = b""

    def play(self, read: Callable[[], bytes], write: Callable[[bytes], object]) -> None:
        line, request, hidden = b"", b"", False
        for byte in iter(read, b""):
            self.heard += byte
            if self.silent:
                continue
            if byte == b"\x03":
                line, request, hidden = b"", b"", False
                write(b"^C\r\nwyrm> ")
            elif hidden:
                request += byte
                if request.endswith(b"\n\n"):
                    answer = self.answer(request.decode())
                    if answer is None:
                        return
                    write(answer + b"wyrm> ")
                    request, hidden = b"", False
            elif byte == b"\r":
                hidden = line == b"uapi" and self.knows_uapi
                write(b"\r\n" + self._first_words(line, hidden))
                line = b""
            else:
                self.shown += byte
                line += byte
                write(byte)

    def _first_words(self, line: bytes, hidden: bool) -> bytes:
        if hidden:
            return b"Type a request (it is not shown), then an empty line.\r\n"
        if line == b"wg up 10.77.0.2/24":
            return b"error: the tunnel did not start\r\nwyrm> "
        return b"error: unknown command '" + line + b"'; try 'help'\r\nwyrm> "


@contextlib.contextmanager
def console(device: PlayedDevice, path: Path) -> Iterator[None]:
    """Its console at a unix socket, one client after the other."""
    with terminal.listening(path) as server:
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                with contextlib.suppress(OSError):
                    client, _ = server.accept()
                    with client:
                        device.play(partial(client.recv, 1), client.sendall)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        ended.set()
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(path))


@pytest.fixture
def bridged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[PlayedDevice], Path]]:
    """Serves a device's console and a bridge to it, in this process; the path of wg's socket."""
    monkeypatch.setattr(bridge, "_LOOK_S", 0.05)
    with contextlib.ExitStack() as stack:

        def made(device: PlayedDevice) -> Path:
            stack.enter_context(console(device, tmp_path / "console"))
            path = tmp_path / "wg.sock"
            server = stack.enter_context(terminal.listening(path))
            device_behind = stack.enter_context(
                contextlib.closing(uapi.UapiDevice(tmp_path / "console"))
            )
            serving = bridge.Bridge(device_behind, server)
            thread = threading.Thread(target=serving.serve)
            thread.start()
            stack.callback(thread.join, 20)
            stack.callback(path.unlink)
            return path

        yield made


def talk(path: Path, request: bytes, *, end: bytes = b"\n\n") -> bytes:
    """What comes back, until its end or the end of the connection."""
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(30)
        wire.connect(str(path))
        said = b""
        with contextlib.suppress(ConnectionError):
            wire.sendall(request)
            while not said.endswith(end):
                data = wire.recv(65536)
                if not data:
                    break
                said += data
        return said


# --- What wg gets to hear --------------------------------------------------------------------


def test_the_age_of_a_handshake_becomes_a_stable_time(
    bridged: Callable[[PlayedDevice], Path],
) -> None:
    age = [100]

    def answer(_request: str) -> bytes:
        facts = f"public_key={PUB}\nhandshake_age_sec={age[0]}\nlast_handshake_time_sec=0\n"
        facts += f"last_handshake_time_nsec=0\nrx_bytes=7\npublic_key={SECRET}\n"
        return f"{facts}last_handshake_time_sec=0\nerrno=0\n\n".replace("\n", "\r\n").encode()

    path = bridged(PlayedDevice(answer))
    said = talk(path, b"get=1\n\n").decode()
    found = re.fullmatch(
        rf"public_key={PUB}\nlast_handshake_time_sec=(\d+)\nlast_handshake_time_nsec=0\n"
        rf"rx_bytes=7\npublic_key={SECRET}\nlast_handshake_time_sec=0\nerrno=0\n\n",
        said,
    )
    assert found is not None
    assert abs(time.time() - 100 - int(found[1])) < 3
    age[0] = 99  # the same request: the line was slow
    assert talk(path, b"get=1\n\n").decode() == said
    age[0] = 3
    assert talk(path, b"get=1\n\n").decode() != said


def test_notices_within_an_answer_are_filtered_out(
    bridged: Callable[[PlayedDevice], Path],
) -> None:
    def answer(_request: str) -> bytes:
        return (
            b"\r\x1b[Ktunnel: up, handshake took 1.000 ms\r\nlisten_port=5\r\n"
            b"keylog: KEY = value\r\niperf: serving\r\nerrno=0\r\n\r\n"
        )

    path = bridged(PlayedDevice(answer))
    assert talk(path, b"get=1\n\n") == b"listen_port=5\nerrno=0\n\n"


def test_requests_may_follow_each_other_and_come_in_pieces(
    bridged: Callable[[PlayedDevice], Path],
) -> None:
    path = bridged(PlayedDevice())
    assert talk(path, b"get=1\n\n" + SET, end=OK * 2) == OK * 2
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(30)
        wire.connect(str(path))
        for byte in SET:
            wire.send(bytes([byte]))
        assert wire.recv(100) == OK


@pytest.mark.parametrize(
    "junk",
    [
        b"\n",
        b"get=2\n\n",
        b"GET=1\n\n",
        b"get=1\r\n\r\n",
        b"set\n\n",
        bytes(range(256)),
        b"x" * 200,
    ],
)
def test_invalid_requests_are_not_answered_or_forwarded(
    bridged: Callable[[PlayedDevice], Path], junk: bytes
) -> None:
    device = PlayedDevice()
    path = bridged(device)
    assert talk(path, junk) == b""
    assert device.heard == b""
    assert talk(path, b"get=1\n\n") == OK


@pytest.mark.parametrize(
    "line",
    [b"private_key=" + b"x" * 10_000, b"endpoint=\x03", b"endpoint=\x1b[A", b"fwmark=1\r", b"\xff"],
    ids=["10-kB", "Ctrl-C", "arrow", "CR", "binary"],
)
def test_a_line_that_a_console_would_misread_is_invalid_and_never_typed(
    bridged: Callable[[PlayedDevice], Path], line: bytes
) -> None:
    device = PlayedDevice()
    path = bridged(device)
    assert talk(path, b"set=1\n" + line + b"\n\n") == b"errno=-22\n\n"
    assert talk(path, b"get=1\n" + line + b"\n\n") == b"errno=22\n\n"
    assert device.heard == b""


def test_an_endless_request_is_hung_up_on(bridged: Callable[[PlayedDevice], Path]) -> None:
    device = PlayedDevice()
    path = bridged(device)
    assert talk(path, b"set=1\n" + b"fwmark=0\n" * 100_000) == b""
    assert device.heard == b""


def test_clients_that_disconnect_early_disturb_no_others(
    bridged: Callable[[PlayedDevice], Path],
) -> None:
    device = PlayedDevice()
    path = bridged(device)
    idle = []
    for part in (b"", b"s", b"set=1\nprivate_key=", SET[:-1], SET):
        for keep in (False, True):
            wire = socket.socket(socket.AF_UNIX)
            wire.connect(str(path))
            wire.sendall(part)
            idle.append(wire)
            if not keep:
                wire.close()
    for _ in range(20):
        assert talk(path, b"get=1\n\n") == OK
    for wire in idle:
        wire.close()
    assert talk(path, b"get=1\n\n") == OK


# --- A device with troubles ------------------------------------------------------------------


def test_secrets_are_sent_only_after_echo_is_off(
    bridged: Callable[[PlayedDevice], Path],
) -> None:
    device = PlayedDevice(knows_uapi=False)
    path = bridged(device)
    assert talk(path, SET) == f"errno=-{errno.EOPNOTSUPP}\n\n".encode()
    assert SECRET.encode() not in device.heard
    device.knows_uapi = True
    assert talk(path, SET) == OK
    assert SECRET.encode() in device.heard
    assert SECRET.encode() not in device.shown


NO_KEY = "0" * 64
FILE = f"set=1\nprivate_key={NO_KEY}\nlisten_port=4321\nfwmark=0\n"
FILE_PEER = f"public_key={PUB}\npreshared_key={NO_KEY}\nreplace_allowed_ips=true\n"


@pytest.mark.parametrize("replace", ["", "replace_peers=true\n"])
def test_a_file_without_keys_removes_none_and_the_bridge_warns(
    replace: str,
    bridged: Callable[[PlayedDevice], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    device = PlayedDevice()
    path = bridged(device)
    request = f"{FILE}{replace}{FILE_PEER}\n"
    assert talk(path, request.encode()) == OK
    kept = request.replace(f"private_key={NO_KEY}\n", "").replace(f"preshared_key={NO_KEY}\n", "")
    assert kept.encode() in device.heard
    assert NO_KEY.encode() not in device.heard
    warning = capsys.readouterr().err
    assert "The file has no PrivateKey" in warning
    assert ("preshared keys of its peers are gone" in warning) == bool(replace)


@pytest.mark.parametrize(
    "request_",
    [
        f"set=1\nprivate_key={NO_KEY}\n\n",
        f"set=1\nprivate_key={NO_KEY}\nlisten_port=1\n\n",
        f"set=1\npublic_key={PUB}\npreshared_key={NO_KEY}\n\n",
        FILE.replace(NO_KEY, SECRET) + FILE_PEER + "\n",
    ],
)
def test_a_key_that_is_removed_on_purpose_is_removed(
    request_: str,
    bridged: Callable[[PlayedDevice], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    device = PlayedDevice()
    assert talk(bridged(device), request_.encode()) == OK
    assert request_.encode() in device.heard
    assert "PrivateKey" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [b"\r\nWyrmling 0.1 on m7\r\n", b"ready: 10.9.0.2 in 5 ms\r\n"])
def test_a_restart_during_a_request_is_reported_and_survived(
    bridged: Callable[[PlayedDevice], Path], capsys: pytest.CaptureFixture[str], words: bytes
) -> None:
    device = PlayedDevice(lambda _request: b"listen_port=5\r\n" + words)
    path = bridged(device)
    assert talk(path, b"get=1\n\n") == f"errno={errno.ECONNRESET}\n\n".encode()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "restarted in the middle of a request" in said[0]
    device.answer = tunnel_is_fine
    assert talk(path, b"get=1\n\n") == OK


def test_a_console_that_closes_is_reported_and_reopened(
    bridged: Callable[[PlayedDevice], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    device = PlayedDevice(lambda _request: None)
    path = bridged(device)
    assert talk(path, SET) == f"errno=-{errno.ENODEV}\n\n".encode()
    assert "has gone" in capsys.readouterr().err
    device.answer = tunnel_is_fine
    assert talk(path, SET) == OK


def test_silence_is_a_timeout_and_the_bridge_continues(
    bridged: Callable[[PlayedDevice], Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uapi, "_PROMPT_S", 0.5)
    monkeypatch.setattr(uapi, "_STEP_S", 0.2)
    device = PlayedDevice()
    path = bridged(device)
    device.silent = True
    assert talk(path, b"get=1\n\n") == f"errno={errno.ETIMEDOUT}\n\n".encode()
    assert "did not answer in time" in capsys.readouterr().err
    device.silent = False
    assert talk(path, b"get=1\n\n") == OK


# --- The command -----------------------------------------------------------------------------


def command(*args: str | Path) -> list[str]:
    return [str(paths.ROOT / "wyrm"), "bridge", *(str(arg) for arg in args)]


def refusal(*args: str | Path) -> tuple[int, str]:
    done = subprocess.run(command(*args), capture_output=True, text=True, timeout=60)
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    return done.returncode, done.stderr


def test_mistakes_get_one_sentence(tmp_path: Path) -> None:
    place = ("--socket", tmp_path / "s")
    (tmp_path / "file").touch()
    for args, code, words in (
        (("--console", tmp_path / "none"), 3, "no console at"),
        (("--console", tmp_path / "file"), 2, "no socket and no terminal"),
        (("--console", "/dev/null", "--baud", "12345"), 2, "is no speed"),
        (("--console", "/dev/null", "--interface", "much/too-long-a-name"), 2, "cannot name"),
    ):
        found, said = refusal(*args, *place)
        assert (found, words in said) == (code, True), said
    with console(PlayedDevice(), tmp_path / "c"):
        long = tmp_path / ("x" * 120)
        assert "longer than 107" in refusal("--console", tmp_path / "c", "--socket", long)[1]
        nowhere = tmp_path / "no" / "folder"
        assert "cannot be created" in refusal("--console", tmp_path / "c", "--socket", nowhere)[1]
        (tmp_path / "s").touch()
        code, said = refusal("--console", tmp_path / "c", *place)
        assert (code, "cannot be created" in said) == (2, True)
        assert (tmp_path / "s").is_file()


def test_addresses_are_for_a_tunnel_that_is_down(tmp_path: Path) -> None:
    args = ("--console", tmp_path / "c", "--socket", tmp_path / "s", "--address", "10.77.0.2/24")
    device = PlayedDevice()
    with console(device, tmp_path / "c"):
        code, said = refusal(*args)
        assert (code, "up and has its addresses" in said) == (2, True)
        device.answer = lambda _request: b"errno=100\r\n\r\n"
        code, said = refusal(*args)
        assert (code, "the tunnel did not start" in said) == (1, True)
    assert not (tmp_path / "s").exists()


def test_socket_is_private_and_goes_with_the_bridge(tmp_path: Path) -> None:
    place = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(place))  # left behind
    args = ("--console", f"socket:{tmp_path / 'c'}", "--socket", place)
    with console(PlayedDevice(), tmp_path / "c"):
        with proc.Service("bridge", command(*args), tmp_path / "first") as running:
            running.wait_for("socket: ", timeout_s=60)
            assert place.stat().st_mode & 0o777 == 0o600
            code, said = refusal(*args)
            assert (code, "in use by another program" in said) == (3, True)
            assert talk(place, b"get=1\n\n") == OK
            os.kill(running.pid, signal.SIGINT)
            assert running.wait(20) == 130
        assert not place.exists()

        # It keeps a foreign socket file, and ends because its own is gone.
        with proc.Service("bridge", command(*args), tmp_path / "second") as running:
            running.wait_for("socket: ", timeout_s=60)
            place.unlink()
            place.write_text("another's")
            assert running.wait(20) == 0
        assert place.read_text() == "another's"
        for log in ("first", "second"):
            assert "Traceback" not in (tmp_path / log).read_text()


@pytest.mark.parametrize("replaced", [False, True])
def test_the_bridge_ends_if_its_socket_is_removed_while_it_starts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    replaced: bool,
) -> None:
    monkeypatch.setattr(bridge, "_LOOK_S", 0.05)
    place = tmp_path / "s"

    def answer(request: str) -> bytes:
        place.unlink(missing_ok=True)
        if replaced:
            place.write_text("another's")
        return tunnel_is_fine(request)

    with console(PlayedDevice(answer), tmp_path / "c"):
        options = bridge.Options(str(tmp_path / "c"), "wy0", place, 115200, [])
        running = threading.Thread(target=bridge.run, args=(options,), daemon=True)
        running.start()
        running.join(20)
        assert not running.is_alive()
    assert f"{place} was removed, so the bridge ends." in capsys.readouterr().err
    assert place.exists() == replaced


def test_a_serial_line_serves_as_well_and_one_bridge_only(tmp_path: Path) -> None:
    master, slave = os.openpty()
    device = PlayedDevice()

    def play() -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            device.play(lambda: os.read(master, 1), lambda data: os.write(master, data))

    thread = threading.Thread(target=play)
    thread.start()
    args = ("--console", os.ttyname(slave), "--socket", tmp_path / "s", "--baud", "9600")
    with proc.Service("bridge", command(*args), tmp_path / "log") as running:
        running.wait_for("socket: ", timeout_s=60)
        assert talk(tmp_path / "s", SET) == OK
        code, said = refusal(*args[:2], "--socket", tmp_path / "other")
        assert (code, "in use by another program" in said) == (3, True)
    os.close(slave)
    thread.join(10)
    os.close(master)
    assert SECRET.encode() not in device.shown


def test_longest_line_is_that_of_the_library() -> None:
    header = (paths.ROOT / "src/wyrm_uapi.h").read_text()
    assert f"#define WYRM_UAPI_LINE_MAX {uapi.LINE_MAX}\n" in header
