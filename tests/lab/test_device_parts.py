# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device with other parts than an emulator: a simulated board behind a pseudo-terminal."""

from __future__ import annotations

import os
import threading
import tty
from pathlib import Path

import pytest
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.boards import line
from wyrmlab.boards.device import Device, Link
from wyrmlab.network import namespaces


class PlayedBoard:
    """A board with power, console and flash that supports `version`, `reboot` and `conf`."""

    def __init__(self) -> None:
        self.firmware = Path()
        self.on_since = 0
        self._master, self._slave = -1, -1
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        return self._master >= 0

    def program(self, firmware: Path) -> None:
        self.firmware = firmware

    def on(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self._thread = threading.Thread(target=self._play, args=(self._master,), daemon=True)

    def open(self) -> line.Line:
        opened = line.opened(Path(os.ttyname(self._slave)))
        assert self._thread is not None
        self._thread.start()
        return opened

    def off(self) -> None:
        for descriptor in (self._slave, self._master):
            if descriptor >= 0:
                os.close(descriptor)
        self._master = self._slave = -1

    def explain(self, error: WyrmError) -> WyrmError:
        return WyrmError(f"explained: {error.message}")

    def _play(self, master: int) -> None:
        try:
            self._boot(master)
            typed = b""
            while byte := os.read(master, 1):
                typed += byte
                if typed.endswith((b"\r", b"\n.\n")):
                    self._answer(master, typed)
                    typed = b""
        except OSError:
            pass  # the plug was pulled

    def _boot(self, master: int) -> None:
        os.write(master, b"\x1b[Kready: 192.0.2.7 in 5 ms\r\nwyrm> ")

    def _answer(self, master: int, typed: bytes) -> None:
        command = typed.rstrip(b"\r").decode()
        if typed.endswith(b".\n"):
            refused = b"" if typed.startswith(b"[Interface]") else b"error: line 1\r\n"
            os.write(master, refused + b"wyrm> ")
            return
        os.write(master, command.encode() + b"\r\n")
        if command == "reboot":
            self._boot(master)
        elif command == "conf paste":
            os.write(master, b"Paste the file, then a dot.\r\n")
        else:
            words = {"version": f"runs {self.firmware}", "conf save": ""}
            said = words.get(command, "error: unknown")
            os.write(master, (said + "\r\nwyrm> ").encode())


@pytest.fixture
def board() -> PlayedBoard:
    return PlayedBoard()


def made_of(board: PlayedBoard, folder: Path) -> Device:
    return Device(board, board, board, Link("eth7"), folder / "console.log")


def test_a_device_needs_no_emulator_and_no_private_network(
    board: PlayedBoard, tmp_path: Path
) -> None:
    assert not namespaces.inside()
    device = made_of(board, tmp_path)
    device.flash.program(Path("app.elf"))
    with device:
        assert device.wait_ready() == "192.0.2.7 in 5 ms"
        assert device.command("version") == "runs app.elf"
        assert device.reboot() == "192.0.2.7 in 5 ms"
        device.configure("[Interface]\n")
        with pytest.raises(UsageError, match="line 1"):
            device.configure("[Peer]\n")
        with pytest.raises(WyrmError, match="refuses `fly`: unknown"):
            device.command("fly")
    assert not device.running
    assert b"ready: " in (tmp_path / "console.log").read_bytes()


def test_a_device_can_be_turned_off_and_on_again(board: PlayedBoard, tmp_path: Path) -> None:
    device = made_of(board, tmp_path)
    for _ in range(2):
        with device:
            device.wait_ready()
        device.stop()  # once more does nothing


def test_whoever_has_the_power_explains_a_failed_boot(
    board: PlayedBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "_boot", lambda _master: None)
    with (
        made_of(board, tmp_path) as device,
        pytest.raises(WyrmError, match=r"explained: The device did not say"),
    ):
        device.wait_ready(timeout_s=0.2)


def test_two_devices_work_side_by_side_in_one_session(tmp_path: Path) -> None:
    boards = [PlayedBoard(), PlayedBoard()]
    for number, board in enumerate(boards):
        board.program(Path(f"{number}.elf"))
    one, other = (made_of(board, tmp_path / str(n)) for n, board in enumerate(boards))
    for number in range(2):
        (tmp_path / str(number)).mkdir()
    with one, other:
        one.wait_ready()
        other.wait_ready()
        assert (one.command("version"), other.command("version")) == ("runs 0.elf", "runs 1.elf")
