# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The description of an experiment, and the bench that runs it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from rich.console import Console as Terminal

from wyrmlab import boards
from wyrmlab.boards import readings
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.network import links
from wyrmlab.network.wiring import with_length
from wyrmlab.peers.device_tunnel import DeviceTunnel
from wyrmlab.peers.wireguard import make_psk, wireguard_go
from wyrmlab.records.record import DeviceUnderTest, Run, Sample
from wyrmlab.setup import build

Clock = Literal["device", "host", "none"]
# The usual set-up: a device and the host that emulates it.
DEVICE_AND_HOST = (
    "host|wireguard-go, iperf, ping",
    "Ethernet (TAP)",
    "board|FreeRTOS, lwIP, tunnel",
)
CLOCKS = {
    "device": "the device's own clock",
    "host": "the host's clock; depends on the machine and its load",
    "none": "no clock: counted, not timed",
}


class Parameters(BaseModel):
    """Parameters that a TOML file may set; every experiment defines its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Experiment:
    """`answers` is the question; `quick_minutes` and `minutes` are its duration on two cores;
    `items` are published figures to show beside its own. `variants` are the firmware builds that it
    boots or measures; without any it needs no board. `axis` describes x, `setup` the machines and
    the links between them.
    """

    name: str
    answers: str
    clock: Clock
    quick_minutes: float
    minutes: float
    parameters: type[Parameters]
    tell: Callable[[Bench, Any], None]
    items: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    axis: str = ""
    setup: tuple[str, ...] = ()
    prepare: Callable[[], None] | None = None

    @property
    def file(self) -> Path:
        """The file of its parameters, to copy and change."""
        return Path(__file__).parent / "parameters" / f"{self.name}.toml"


@dataclass
class Bench:
    """An experiment in progress."""

    run: Run
    board: boards.Board
    terminal: Terminal
    _total: int = 0
    _begun: float = field(default_factory=time.monotonic)
    _finished: int = 0

    # --- The parts of a run ---

    def cells(self, names: Iterable[str]) -> Iterator[str]:
        """Yields the parts that are not measured yet, and shows the progress."""
        todo = list(names)
        total = len(todo)
        for number, name in enumerate(todo):
            for one in self.run.cells([name]):
                with self.terminal.status(f"{one} ... {self._left(number, total)}"):
                    yield one
                self._finished += 1
                self._tell_cell(one)

    def pending(self, names: Iterable[str]) -> bool:
        """Whether any of these parts is still to be measured."""
        return any(name not in self.run.record.cells for name in names)

    def _left(self, number: int, total: int) -> str:
        if not self._finished:
            return f"({number + 1} of {total})"
        each = (time.monotonic() - self._begun) / self._finished
        return f"({number + 1} of {total}, {each * (total - number):.0f} s left)"

    def _tell_cell(self, cell: str) -> None:
        told = [
            f"{sample.metric} {sample.value:,.3f} {sample.unit}"
            for sample in self.run.record.samples
            if sample.cell == cell
        ]
        shown = "; ".join(told[:4]) + (f"; {len(told) - 4} more" if len(told) > 4 else "")
        shown = shown or "done"
        self.terminal.print(f"[green]✓[/] {cell}: {shown}", soft_wrap=not self.terminal.is_terminal)

    def sample(
        self,
        metric: str,
        value: float,
        unit: str,
        *,
        path: str = "",
        direction: str = "",
        x: float | str | None = None,
        round_: int = 1,
    ) -> None:
        self.run.sample(
            Sample(
                metric=metric,
                unit=unit,
                value=value,
                path=path,
                direction=direction,
                x=x,
                round=round_,
            )
        )

    def check(self, what: str, held: bool) -> None:
        """Records a check; once failed, it remains failed."""
        checks = self.run.record.checks
        checks[what] = held and checks.get(what, True)
        self.run.save()

    def keep(self, title: str, name: str, text: str) -> None:
        """Writes another file of the run."""
        self.run.keep(title, name).write_text(text)

    # --- What it is measured with ---

    def firmware(self, variant: str = "") -> Path:
        return build.firmware(self.board.name, variant)

    @contextlib.contextmanager
    def tunnel(self, name: str, variant: str = "") -> Iterator[DeviceTunnel]:
        """A new device and a new peer on a separate link, without a tunnel yet; logs go to a folder
        of that name beside the record."""
        folder = self.run.folder / name.replace(" ", "-")
        folder.mkdir(exist_ok=True)
        wiring = links.free_wiring()
        flash = folder / "flash.bin"
        flash.unlink(missing_ok=True)
        try:
            with (
                links.tap(wiring.tap, with_length(wiring.host_outer)) as tap,
                EmulatedDevice(
                    self.board,
                    self.firmware(variant),
                    tap=tap,
                    log_dir=folder,
                    flash=flash,
                    icount_shift=self.board.emulator.icount_shift,
                    wiring=wiring,
                ) as device,
                wireguard_go(wiring.interface, folder / "wireguard-go.log") as peer,
            ):
                device.wait_ready()
                self._introduce(device)
                yield DeviceTunnel(device, peer, psk=make_psk())
        finally:
            flash.unlink(missing_ok=True)  # it contains the run's keys

    def _introduce(self, device: EmulatedDevice) -> None:
        self.run.record.device = DeviceUnderTest(
            board=self.board.name,
            title=self.board.title,
            emulated=True,
            emulator=self.board.emulator.program,
            icount_shift=self.board.emulator.icount_shift,
            firmware=readings.version(device.command("version")),
        )
