# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device: something with power, a console, firmware in flash, and a link to this host.

What these four are made of is another's business: `qemu` has an emulator's, and a real board needs
no more than the same protocols. Nothing here knows of emulators or of private networks.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.boards.console import PROMPT, Console
from wyrmlab.boards.line import Line
from wyrmlab.network.wiring import Wiring

DEVICE_ADDRESSES = tuple(Wiring().device_outer.values())


class Power(Protocol):
    """Turns a board on, and off like a pulled plug. Flash keeps its content."""

    @property
    def running(self) -> bool: ...

    def on(self) -> None: ...

    def off(self) -> None: ...

    def explain(self, error: WyrmError) -> WyrmError:
        """A failure of the device, with what is known here of its cause."""
        ...


class Port(Protocol):
    """Where the board's console comes out, once the board is on."""

    def open(self) -> Line: ...


class Flash(Protocol):
    """Puts firmware onto a board that is off."""

    def program(self, firmware: Path) -> None: ...


@dataclass(frozen=True)
class Link:
    """The cable between this host and the device: the interface at this end, and who is who."""

    interface: str
    wiring: Wiring = field(default_factory=Wiring)


class Device:
    """A board that runs our firmware, as a context manager: on inside, off outside.

    with Device(power, port, flash, link, log_dir / "console.log") as device:
        device.wait_ready()
        print(device.command("version"))
    """

    def __init__(
        self, power: Power, port: Port, flash: Flash, link: Link, transcript: Path | None = None
    ) -> None:
        self.power = power
        self.port = port
        self.flash = flash
        self.link = link
        self.boot_s: float | None = None
        self._transcript = transcript
        self._console: Console | None = None
        self._started = 0.0

    # --- life ---

    def start(self) -> None:
        """Returns before the firmware is up (`wait_ready` waits for that)."""
        self._started = time.monotonic()
        self.power.on()
        self._console = Console(self.port.open(), self._transcript)

    def wait_ready(self, timeout_s: float = 90) -> str:
        """Waits for the prompt after a boot; returns what the line `ready: ...` says."""
        try:
            found = self.console.expect(r"^ready: ([^\r\n]*)\r*\n", timeout_s=timeout_s)
        except WyrmError as error:
            raise self.power.explain(error) from error
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
        self.power.off()
        if self._console is not None:
            self._console.close()

    def __enter__(self) -> Self:
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
        return self.power.running

    @property
    def wiring(self) -> Wiring:
        return self.link.wiring

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
