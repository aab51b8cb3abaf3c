# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device emulated by QEMU: its power, its console's port and its flash are one process."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from wyrmlab.base import proc
from wyrmlab.base.errors import MissingError, TimedOutError, UsageError, WyrmError
from wyrmlab.boards import Board
from wyrmlab.boards.chip import Chip
from wyrmlab.boards.device import Device, Link
from wyrmlab.boards.line import Line
from wyrmlab.network.links import Tap
from wyrmlab.network.wiring import Wiring, with_length

# For programs: no cursor movements, and a panic ends the emulator instead of starting over.
SCRIPTED: Mapping[str, str] = {"term": "plain", "panic": "exit"}


class Qemu:
    """An emulator on a TAP. `args` reach the firmware as `name=value` words; without a `chip` flash
    is blank whenever the power comes on."""

    def __init__(
        self,
        board: Board,
        firmware: Path,
        tap: Tap,
        wiring: Wiring,
        log: Path,
        *,
        chip: Chip | None = None,
        icount_shift: int | None = None,
        args: Mapping[str, str] = SCRIPTED,
        options: Sequence[str] = (),
    ) -> None:
        if icount_shift is not None and not 0 <= icount_shift <= 10:
            raise UsageError(
                f"--icount-shift {icount_shift} is out of range:",
                remedy="give 0 to 10 (3 is usual).",
            )
        for key, value in args.items():
            if re.search(r"[\s,\"']", key + value):
                raise UsageError(f"The argument {key}={value} holds a blank, comma or quote.")
        self.args = dict(args)
        self.chip = chip
        self._board = board
        self._firmware = firmware
        self._tap = tap
        self._wiring = wiring
        self._log = log
        self._icount_shift = icount_shift
        self._options = list(options)
        self._process: proc.Service | None = None
        self._ours: socket.socket | None = None

    # --- Flash and power ---

    def program(self, firmware: Path) -> None:
        """What the board boots when it is turned on next."""
        self._firmware = firmware

    def on(self) -> None:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._log.write_bytes(b"")
        if self.chip is not None:
            self.chip.take()
        self._ours, theirs = socket.socketpair()
        with theirs:
            inherited = [theirs.fileno()]
            if self._tap.descriptor is not None:
                inherited.append(self._tap.descriptor)
            command = self.command_line(theirs.fileno())
            self._process = proc.Service("QEMU", command, self._log, pass_fds=inherited)
            self._process.start()

    def off(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None
        if self._ours is not None:
            self._ours.close()
            self._ours = None
        if self.chip is not None:
            self.chip.release()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.running

    @property
    def pid(self) -> int:
        if self._process is None:
            raise WyrmError("The device has not been started.")
        return self._process.pid

    def explain(self, error: WyrmError) -> WyrmError:
        """QEMU's own words, if it has ended."""
        if self._process is None:
            return error
        try:
            self._process.wait(1)  # its console may have closed a moment ago
        except TimedOutError:
            return error
        said = self._process.output().strip()
        if "resource busy" in said:
            return MissingError(
                f"The TAP {self._tap} is in use by another program.",
                remedy="End that program, or give another name to --tap.",
            )
        if "could not configure" in said or "could not open /dev/net/tun" in said:
            return MissingError(
                f"QEMU may not use the TAP {self._tap}.",
                remedy="Run it as root or through sudo, or leave --tap out for a private network.",
                detail=said,
            )
        if said:
            return WyrmError("QEMU ended early.", detail=said)
        return error

    # --- Console ---

    def open(self) -> Line:
        """Once each time the power has come on."""
        if self._ours is None:
            raise WyrmError("The device has not been started.")
        ours, self._ours = self._ours, None
        return Line(ours.detach(), "the emulator")

    # --- The command line ---

    def command_line(self, console_fd: int) -> list[str]:
        given = {**self._addresses(), **self.args}
        command = self._board.emulator.command_line(
            self._firmware,
            tap=self._network(),
            mac=self._wiring.mac,
            arguments=" ".join(f"{key}={value}" for key, value in given.items()),
        )
        command += ["-display", "none", "-monitor", "none"]
        command += ["-chardev", f"socket,id=console,fd={console_fd}", "-serial", "chardev:console"]
        if self._icount_shift is not None:
            command += ["-icount", f"shift={self._icount_shift}"]
        if self.chip is not None:
            command += self.chip.command_line()
        elif (flash := self._board.emulator.flash) is not None:
            command += flash.volatile
        return command + self._options

    def _network(self) -> str:
        if self._tap.descriptor is not None:
            return f"tap,fd={self._tap.descriptor}"
        return f"tap,ifname={self._tap},script=no,downscript=no"

    def _addresses(self) -> dict[str, str]:
        """The firmware has those of device 0 by itself."""
        if self._wiring.number == 0:
            return {}
        address, address6 = with_length(self._wiring.device_outer)
        return {"ip": address, "gw": self._wiring.host_outer[4], "ip6": address6}


class EmulatedDevice(Device):
    """A board booted in QEMU.

        with tap("tap0") as tap, EmulatedDevice(board, firmware, tap=tap, log_dir=folder) as device:
            device.wait_ready()
            print(device.command("version"))

    `flash` is a file that plays the flash chip and is made when absent. `icount_shift` makes every
    instruction take 2^N ns of device time. Console transcript and QEMU's own output are
    `console.log` and `qemu.log` in `log_dir`. `wiring` has the device's addresses and MAC; `tap`
    leads to the host's end of the same. `qemu_options` are added to the emulator's command line.
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
        qemu_options: Sequence[str] = (),
    ) -> None:
        self.qemu = Qemu(
            board,
            firmware,
            tap,
            wiring,
            log_dir / "qemu.log",
            chip=Chip(flash, board.flash) if flash else None,
            icount_shift=icount_shift,
            args=args,
            options=qemu_options,
        )
        link = Link(tap.name, wiring)
        super().__init__(self.qemu, self.qemu, self.qemu, link, log_dir / "console.log")
