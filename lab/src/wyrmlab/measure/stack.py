# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Computes the worst-case stack depth below a function of a linked program for Arm.

Both parts come from the ELF file, for C and assembly alike: the call-frame information, which
debuggers use for unwinding, gives the stack in use at every instruction; the disassembly gives the
calls and jumps into other functions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError

_SP = 13
_INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(\S+)(?:\t(.*))?$", re.MULTILINE)
_TARGET = re.compile(r"(?:^|, )([0-9a-f]+) <[^>]+>$")
_VARIANT = re.compile(r"\.(?:isra|part|constprop|cold|lto_priv)\.?.*$")  # as GCC names them

# ---- What only people know of our library ----

# Entry points: lwIP with a packet, lwIP with a timeout, and the worker.
PACKET_PATH = ("wyrm_lwip_receive", "wyrm_lwip_output4", "wyrm_lwip_output6", "on_timer")
WORKER = "wyrm_lwip_work"
# Callbacks of the platform and the application, and function pointers in lwIP's netif.
OUTSIDE: tuple[str, ...] = ()
POINTERS = {
    "draw": OUTSIDE,
    "wyrm_job_run": OUTSIDE,
    "wyrm_cookie_admit": OUTSIDE,
    "wyrm_cookie_reply": OUTSIDE,
    "wyrm_lwip_handle_status": OUTSIDE,
    "output": OUTSIDE,
    "wyrm_lwip_receive": OUTSIDE,
    "wyrm_lwip_service_locked": OUTSIDE,
    # The one function that the worker passes to it.
    "wyrm_lwip_call": ("do_work",),
}
# Assembly of the C library that saves no register; and calls that lead nowhere, into lwIP and
# FreeRTOS, where these are not linked.
BARE = {"memcpy": 0, "strlen": 0, hex(0): 0}


@dataclass(frozen=True)
class Frame:
    """A function of a call chain, and its stack use at the call of the next one."""

    name: str
    bytes: int


@dataclass(frozen=True)
class Depth:
    frames: tuple[Frame, ...]

    @property
    def bytes(self) -> int:
        return sum(frame.bytes for frame in self.frames)

    def __str__(self) -> str:
        return f"{self.bytes} = " + " > ".join(f"{one.name} {one.bytes}" for one in self.frames)


@dataclass(frozen=True)
class _Function:
    name: str
    begin: int
    end: int
    rows: tuple[tuple[int, int | None], ...]  # (from where on, bytes in use; None: not constant)

    def used(self, at: int) -> int:
        place = bisect_right([begin for begin, _ in self.rows], at) - 1
        used = self.rows[place][1]
        if used is None:
            raise WyrmError(f"The frame of {self.name} has no constant size.")
        return used

    def most(self) -> int:
        return max(self.used(begin) for begin, _ in self.rows)


@dataclass(frozen=True)
class _Transfer:
    """A call or jump; `to` is None if its target is in a register."""

    at: int
    to: int | None
    call: bool


class Program:
    """`pointers` names, for each function that calls through a pointer, what that may reach;
    `bare` the bytes of functions without call-frame information, which are not looked into."""

    def __init__(
        self, elf: Path, pointers: Mapping[str, Sequence[str]], bare: Mapping[str, int]
    ) -> None:
        self._pointers, self._bare = pointers, bare
        with elf.open("rb") as stream:
            file = ELFFile(stream)
            self._names = dict(_names(file))
            self._functions = sorted(_functions(file, self._names), key=lambda one: one.begin)
        self._begins = [one.begin for one in self._functions]
        self._leaving: dict[int, list[_Transfer]] = {}
        for one in _transfers(elf):
            source = self._at(one.at)
            if source and (one.call or one.to is None or self._at(one.to) != source):
                self._leaving.setdefault(source.begin, []).append(one)
        self._known: dict[int, Depth] = {}

    def below(self, name: str) -> Depth:
        """The call chain from the entry of a function that needs the most stack."""
        return self._depth(self._address(name), ())

    def _address(self, name: str) -> int:
        for begin, known in self._names.items():
            if known == name:
                return begin
        raise WyrmError(f"There is no function {name}.")

    def _at(self, address: int) -> _Function | None:
        place = bisect_right(self._begins, address) - 1
        if place >= 0 and address < self._functions[place].end:
            return self._functions[place]
        return None

    def _depth(self, address: int, above: tuple[_Function, ...]) -> Depth:
        function = self._at(address)
        if function is None:
            name = self._names.get(address, hex(address))
            if name not in self._bare:
                raise WyrmError(f"There is no call-frame information for {name}.")
            return Depth((Frame(name, self._bare[name]),))
        if function.begin not in self._known:
            if function in above:
                raise WyrmError(f"{' > '.join(one.name for one in above)} calls itself.")
            ways = list(self._ways(function, (*above, function)))
            self._known[function.begin] = max(ways, key=lambda way: way.bytes)
        return self._known[function.begin]

    def _ways(self, function: _Function, above: tuple[_Function, ...]) -> Iterator[Depth]:
        yield Depth((Frame(function.name, function.most()),))
        for one in self._leaving.get(function.begin, []):
            for to in self._targets(function, one):
                entered = self._at(to)
                # A jump into the middle of another function finds its frame there already.
                there = entered.used(to) if entered else 0
                frame = Frame(function.name, function.used(one.at) - there)
                yield Depth((frame, *self._depth(to, above).frames))

    def _targets(self, function: _Function, transfer: _Transfer) -> list[int]:
        if transfer.to is not None:
            return [transfer.to]
        if function.name not in self._pointers:
            raise WyrmError(f"The targets of a pointer call in {function.name} are not listed.")
        return [self._address(name) for name in self._pointers[function.name]]


def _names(file: ELFFile) -> Iterator[tuple[int, str]]:
    table = file.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    for symbol in table.iter_symbols():
        if symbol["st_info"]["type"] == "STT_FUNC":
            yield symbol["st_value"] & ~1, _VARIANT.sub("", symbol.name)


def _functions(file: ELFFile, names: Mapping[int, str]) -> Iterator[_Function]:
    for entry in file.get_dwarf_info().CFI_entries():
        if not isinstance(entry, FDE):
            continue
        begin, size = entry["initial_location"], entry["address_range"]
        within = (names[at] for at in range(begin, begin + size, 2) if at in names)
        rows = tuple(
            (row["pc"], row["cfa"].offset if row["cfa"].reg == _SP else None)
            for row in entry.get_decoded().table
        )
        yield _Function(next(within, hex(begin)), begin, begin + size, rows or ((begin, 0),))


def _transfers(elf: Path) -> Iterator[_Transfer]:
    listing = proc.run("arm-none-eabi-objdump", "-d", "--no-show-raw-insn", elf).stdout
    for found in _INSTRUCTION.finditer(listing):
        at, name, operands = int(found[1], 16), found[2], found[3] or ""
        call = name in ("bl", "blx")
        if target := _TARGET.search(operands):
            yield _Transfer(at, int(target[1], 16), call)
        elif name in ("blx", "bx") and not operands.startswith("lr"):
            yield _Transfer(at, None, call)
