# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Checks that traces cannot make: slow instructions, foreign functions, tables.

Traces see which instructions run, not how long each takes. So the objects that hold secrets are
searched for instructions that take longer for some operands, and for calls of anything that is not
ours or the memory functions of the C library (whose time depends on lengths only). And traces see
the addresses of the secrets tried: so those of the cryptography hold no table that a secret could
pick from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from . import rig
from .rig import CORES, Build

QUICK = [
    *(Build(CORES[core], "gcc", "O2") for core in ("m4", "m3", "rv32imc", "lx106")),
    *(Build(CORES[core], "gcc", "Os") for core in ("m3", "m0")),
    Build(CORES["esp32"], "clang", "O2"),
]
WHOLE = rig.every_build()

_DIVISION = r"[us]div|divu?|remu?|quo[us]|rem[us]"
# 3 to 5 cycles on Cortex-M3, by operand.
_WIDE = r"(?:[us]mull|[us]mlal)"
# An instruction whose condition fails takes one cycle, so one whose condition holds must, too. #
# Loads, stores and branches are visible in the traces.
_SLOW = r"(?:mul|mla|mls|[us]mull|[us]mlal|umaal|smul..|smla..|smmul|smmla)"
_CONDITION = r"(?:eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"

_MEMORY = r"(?:__aeabi_)?mem(?:cpy|set|move|clr)[48]?"
_JUMP_TABLE = r"__gnu_thumb1_case_\w+"  # `switch` on v6-M: a branch, so the traces see it
_CRYPTO_MAY_CALL = re.compile(rf"wyrm_\w+|{_MEMORY}|{_JUMP_TABLE}")
# memcmp orders timestamps and compares public keys, which are not secret.
_CORE_MAY_CALL = re.compile(rf"wyrm_\w+|{_MEMORY}|{_JUMP_TABLE}|memcmp")

# The objects of the core through which keys pass; the others know indices, times and addresses.
_CORE = ("wyrm_noise", "wyrm_jobs", "wyrm_session", "wyrm_cookie")
_EXCEPTIONS = {
    # Reduces the hash of a source address, which is public, to an index in a small table.
    "wyrm_cookie": re.compile(r"udiv|remu|__aeabi_uidivmod|__umodsi3"),
    # Finds the peer with a public id.
    "wyrm_jobs": re.compile(rf"m(?:ul|la){_CONDITION}"),
}


# Leaves are empty on all cores but their own.
_OF_ONE_CORE = re.compile(r"\.S\.o$|(_aarch64|_x86_64|wyrm_rows)\.c\.o$")


def slow_instructions(core: rig.Core, thing: Path) -> Iterator[str]:
    forbidden = [_DIVISION]
    if core.prefix.startswith("arm"):
        forbidden.append(_SLOW + _CONDITION)
    if core.name == "m3":
        forbidden.append(_WIDE)
    pattern = re.compile("|".join(f"(?:{part})" for part in forbidden))
    names = core.instructions(thing)
    assert names or _OF_ONE_CORE.search(thing.name), f"{thing.name} has no code"
    for name in sorted(set(names)):
        if pattern.fullmatch(name.removesuffix(".w").removesuffix(".n")):
            yield f"{thing.name}: {name}"


def foreign_calls(core: rig.Core, thing: Path, allowed: re.Pattern[str]) -> Iterator[str]:
    listing = rig.run(core.tool("nm"), "-u", str(thing)).stdout
    for name in re.findall(r"U (\S+)", listing):
        if not allowed.fullmatch(name):
            yield f"{thing.name}: {name}"


# Constants that are read completely, and tables whose entries are all used, in order.
_TABLES = {"base_point", "constant", "iv", "sigma", "chain", "step"}
_NO_DATA = re.compile(r"\.rodata\.cst\d+|\.eh_frame|\.note\..+|\.ARM\..+|\.xt\..+")


def tables(thing: Path) -> Iterator[str]:
    """All other data in memory, including data without a name."""
    with thing.open("rb") as stream:
        elf = ELFFile(stream)
        named: dict[int, int] = {}
        symbols = elf.get_section_by_name(".symtab")
        assert isinstance(symbols, SymbolTableSection)
        for symbol in symbols.iter_symbols():
            place = symbol["st_shndx"]
            if symbol["st_info"]["type"] == "STT_OBJECT" and isinstance(place, int):
                named[place] = named.get(place, 0) + symbol["st_size"]
                # Compilers add a number to names in functions, or the function's before them.
                name = re.sub(r"[.$]\d+$", "", symbol.name).rsplit(".", 1)[-1]
                if name not in _TABLES:
                    yield f"{thing.name}: {name}"
        alloc, executable = 2, 4
        for number, section in enumerate(elf.iter_sections()):
            in_memory = section["sh_flags"] & (alloc | executable) == alloc
            if not in_memory or _NO_DATA.fullmatch(section.name):
                continue
            if section["sh_size"] > named.get(number, 0):
                yield f"{thing.name}: {section.name}"


def findings(build: Build) -> list[str]:
    core = build.core
    found: list[str] = []
    for thing in build.objects("crypto"):
        found += [*slow_instructions(core, thing), *foreign_calls(core, thing, _CRYPTO_MAY_CALL)]
        found += tables(thing)
    for name in _CORE:
        (thing,) = (thing for thing in build.objects("core") if f"{name}." in thing.name)
        lines = [*slow_instructions(core, thing), *foreign_calls(core, thing, _CORE_MAY_CALL)]
        excused = _EXCEPTIONS.get(name, re.compile("never"))
        found += [line for line in lines if not excused.fullmatch(line.split()[1])]
    return found


@pytest.mark.parametrize("build", QUICK, ids=str)
def test_objects_contain_no_slow_instruction_or_foreign_call(build: Build) -> None:
    assert findings(build) == []


@pytest.mark.all
@pytest.mark.parametrize("build", WHOLE, ids=str)
def test_objects_contain_no_slow_instruction_or_foreign_call_with_any_compiler(
    build: Build,
) -> None:
    assert findings(build) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("m4", {"table", "udiv"}),
        ("m3", {"table", "udiv", "umull"}),
        ("m0", {"table", "__aeabi_uidiv", "__aeabi_lmul"}),
        ("rv32imc", {"table", "divu"}),
        ("lx106", {"table", "__udivsi3", "__muldi3"}),
        ("esp32", {"table", "quou"}),
    ],
)
def test_planted_violations_are_found(name: str, expected: set[str]) -> None:
    build = Build(CORES[name], CORES[name].compilers[0])
    (planted,) = build.objects("planted")
    found = [
        *slow_instructions(build.core, planted),
        *foreign_calls(build.core, planted, _CRYPTO_MAY_CALL),
        *tables(planted),
    ]
    assert {line.split()[1] for line in found} == expected
