# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""One emulated device: QEMU, its console, its flash file, its TAP."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from wyrmlab.base import paths, proc
from wyrmlab.base.errors import MissingError, UsageError, WyrmError
from wyrmlab.boards import Board, Flash
from wyrmlab.boards.console import PROMPT, Console
from wyrmlab.network.links import Tap
from wyrmlab.network.wiring import Wiring, with_length

DEVICE_ADDRESSES = tuple(Wiring().device_outer.values())

# For programs: no cursor movements, and a panic ends the emulator instead of starting over.
SCRIPTED: Mapping[str, str] = {"term": "plain", "panic": "exit"}


def default_flash(board: Board) -> Path:
    return paths.state() / f"{board.name}.flash"


def check_flash_folder(flash: Path) -> None:
    """Makes the folder of default flash files; another one must be there."""
    if flash.parent == paths.state():
        flash.parent.mkdir(parents=True, exist_ok=True)
    elif not flash.parent.is_dir():
        raise UsageError(
            f"The flash file {flash} cannot be written: there is no folder {flash.parent}.",
            remedy="Make it, or give another file with --flash.",
        )


class Device:
    """A board booted in QEMU, as a context manager.

        with tap("tap0") as tap, Device(board, firmware, tap=tap, log_dir=run_dir) as device:
            device.wait_ready()
            print(device.command("version"))

    `flash` is a file that plays the flash chip and is made when absent, for its owner alone, as it
    holds keys; without it the chip is blank at every start.
    `icount_shift` makes every instruction take 2^N ns of device time.
    `args` reach the firmware as `name=value` words. Console transcript and QEMU's own output are
    `console.log` and `qemu.log` in `log_dir`, their names begin with `name` if given.
    `wiring` has its addresses and its MAC; `tap` leads to the host's end of the same.
    `qemu_options` are added to the emulator's command line.
    """

    def __init__(
        self,
        board: Board,
        firmware: Path,
        *,
        tap: Tap,
        log_dir: Path,
        flash: Path | None = None,
        icount_shift: int | None = None,
        args: Mapping[str, str] = SCRIPTED,
        wiring: Wiring = Wiring(),
        name: str = "",
        qemu_options: Sequence[str] = (),
    ) -> None:
        if icount_shift is not None and not 0 <= icount_shift <= 10:
            raise UsageError(
                f"--icount-shift {icount_shift} is out of range:",
                remedy="give 0 to 10 (3 is usual).",
            )
        for key, value in args.items():
            if re.search(r"[\s,\"']", key + value):
                raise UsageError(f"The argument {key}={value} holds a blank, comma or quote.")
        prefix = f"{name}-" if name else ""
        self.board = board
        self.firmware = firmware
        self.tap = tap
        self.flash = flash
        self.icount_shift = icount_shift
        self.args = dict(args)
        self.wiring = wiring
        self.qemu_options = list(qemu_options)
        self.boot_s: float | None = None
        self._console_log = log_dir / f"{prefix}console.log"
        self._qemu_log = log_dir / f"{prefix}qemu.log"
        self._qemu: proc.Service | None = None
        self._console: Console | None = None
        self._flash_lock: IO[bytes] | None = None
        self._started = 0.0

    # --- life ---

    def start(self) -> None:
        """Starts QEMU; returns before the firmware is up (`wait_ready` waits for that)."""
        self._qemu_log.parent.mkdir(parents=True, exist_ok=True)
        self._qemu_log.write_bytes(b"")
        self._open_flash()
        ours, theirs = socket.socketpair()
        with theirs:
            inherited = [theirs.fileno()]
            if self.tap.descriptor is not None:
                inherited.append(self.tap.descriptor)
            command = self._command_line(theirs.fileno())
            self._qemu = proc.Service("QEMU", command, self._qemu_log, pass_fds=inherited)
            self._started = time.monotonic()
            self._qemu.start()
        self._console = Console(ours, self._console_log)

    def wait_ready(self, timeout_s: float = 90) -> str:
        """Waits for the prompt after a boot; returns what the line `ready: ...` says."""
        try:
            found = self.console.expect(r"^ready: ([^\r\n]*)\r*\n", timeout_s=timeout_s)
        except WyrmError as error:
            raise self._explained(error) from error
        self.boot_s = time.monotonic() - self._started
        self.console.expect("^" + re.escape(PROMPT), timeout_s=timeout_s)
        return found[1]

    def reboot(self, timeout_s: float = 90) -> str:
        """Resets the board from its own console; flash keeps its content. Returns as wait_ready."""
        self.console.skip()
        self._started = time.monotonic()
        self.console.send_line("reboot")
        return self.wait_ready(timeout_s)

    def stop(self) -> None:
        """Ends it like a pulled plug; the flash file keeps what was written."""
        if self._qemu is not None:
            self._qemu.stop()
            self._qemu = None
        if self._console is not None:
            self._console.close()
        if self._flash_lock is not None:
            self._flash_lock.close()
            self._flash_lock = None

    def __enter__(self) -> Device:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # --- use ---

    @property
    def console(self) -> Console:
        if self._console is None:
            raise WyrmError("The device has not been started.")
        return self._console

    @property
    def running(self) -> bool:
        return self._qemu is not None and self._qemu.running

    @property
    def pid(self) -> int:
        if self._qemu is None:
            raise WyrmError("The device has not been started.")
        return self._qemu.pid

    def command(self, line: str, *, timeout_s: float = 60) -> str:
        """Runs a console command and returns its output; one that says `error:` raises."""
        said = self.console.command(line, timeout_s=timeout_s)
        if found := re.search(r"^error: (.*)$", said, re.MULTILINE):
            raise WyrmError(f"The device refuses `{line}`: {found[1]}")
        return said

    def configure(self, text: str) -> str:
        """Hands over a wg-quick file as a person would paste it, and has it kept in flash.

        Returns the device's notes on it. `wg up`, or the next boot, puts it to use.
        """
        self.console.skip()
        self.console.send_line("conf paste")
        self.console.expect(r"^Paste the file[^\r\n]*\r*\n")
        self.console.send(text.encode().replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n.\n")
        said = self.console.expect("(.*?)^" + re.escape(PROMPT))[1].replace("\r", "")
        if found := re.search(r"^error: (.*)$", said, re.MULTILINE):
            raise UsageError(f"The device refuses the configuration: {found[1]}")
        self.command("conf save")
        return said

    # --- parts ---

    def _command_line(self, console_fd: int) -> list[str]:
        emulator = self.board.emulator
        given = {**self._addresses(), **self.args}
        command = emulator.command_line(
            self.firmware,
            tap=self._network(),
            mac=self.wiring.mac,
            arguments=" ".join(f"{key}={value}" for key, value in given.items()),
        )
        command += ["-display", "none", "-monitor", "none"]
        command += ["-chardev", f"socket,id=console,fd={console_fd}", "-serial", "chardev:console"]
        if self.icount_shift is not None:
            command += ["-icount", f"shift={self.icount_shift}"]
        if self.flash is not None:
            command += self._chip.command_line(self.flash)
        return command + self.qemu_options

    @property
    def _chip(self) -> Flash:
        chip = self.board.emulator.flash
        if chip is None:
            raise UsageError(f"The board {self.board.name} has no flash:", remedy="leave it out.")
        return chip

    def _network(self) -> str:
        if self.tap.descriptor is not None:
            return f"tap,fd={self.tap.descriptor}"
        return f"tap,ifname={self.tap},script=no,downscript=no"

    def _addresses(self) -> dict[str, str]:
        """The firmware has those of device 0 by itself."""
        if self.wiring.number == 0:
            return {}
        address, address6 = with_length(self.wiring.device_outer)
        return {"ip": address, "gw": self.wiring.host_outer[4], "ip6": address6}

    def _open_flash(self) -> None:
        """Makes the file at its full size (sparse), takes it from the eyes of others, and keeps two
        devices from sharing it."""
        if self.flash is None:
            return
        check_flash_folder(self.flash)
        try:
            private = os.open(self.flash, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            self._flash_lock = os.fdopen(private, "a+b")
            fcntl.flock(self._flash_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise MissingError(
                f"The flash file {self.flash} is in use by another device.",
                remedy="End that device, or give this one another file with --flash.",
            ) from error
        except OSError as error:
            raise UsageError(
                f"The flash file {self.flash} cannot be written: {error.strerror}.",
                remedy="Give another one with --flash.",
            ) from error
        size = os.fstat(self._flash_lock.fileno()).st_size
        chip = self._chip
        if size not in (0, chip.size):
            raise UsageError(
                f"{self.flash} has {size} bytes, a flash file of this board {chip.size}.",
                remedy="Give another one with --flash; nothing was changed.",
            )
        if size == 0:
            chip.make(self._flash_lock.fileno())
        with contextlib.suppress(PermissionError):  # it is somebody else's, who lets us write
            os.fchmod(self._flash_lock.fileno(), 0o600)

    def _explained(self, error: WyrmError) -> WyrmError:
        if self._qemu is None or not self.console.closed:
            return error
        said = self._qemu.output().strip()
        if "resource busy" in said:
            return MissingError(
                f"The TAP {self.tap} is in use by another program.",
                remedy="End that program, or give another name to --tap.",
            )
        if "could not configure" in said or "could not open /dev/net/tun" in said:
            return MissingError(
                f"QEMU may not use the TAP {self.tap}.",
                remedy="Run it as root or through sudo, or leave --tap out for a private network.",
                detail=said,
            )
        if said:
            return WyrmError("QEMU ended early.", detail=said)
        return error
