# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The worst stack on a Cortex-M4, from the call graph: what the library and its ports take below
the functions that lwIP and FreeRTOS call. What lwIP itself takes below a call of ours, and what an
application hangs into the tunnel, comes on top."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from wyrmlab import packages, paths, proc, third_party
from wyrmlab.bench import images
from wyrmlab.bench.cores import core
from wyrmlab.errors import WyrmError
from wyrmlab.stack import Program

LEVELS = ("O2", "Os")
CPU = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
PACKET_PATH = (
    "wyrm_lwip_receive",
    "wyrm_lwip_output4",
    "wyrm_lwip_output6",
    "on_timer",
)
PACKET_PATH_MAX = 900
WORKER_MAX = 1200

# Callbacks of the platform and the application, and what lwIP put into an interface.
OUTSIDE: tuple[str, ...] = ()
POINTERS = {
    "draw": OUTSIDE,
    "wyrm_job_run": OUTSIDE,
    "wyrm_cookie_admit": OUTSIDE,
    "cookie_reply": OUTSIDE,
    "unseal": OUTSIDE,
    "output": OUTSIDE,
    "wyrm_lwip_receive": OUTSIDE,
    "wyrm_lwip_service_locked": OUTSIDE,
    # Of all that runs under lwIP's lock, this is what the worker asks for.
    "enter": ("do_work",),
    "wyrm_lwip_call": ("do_work",),
}
# Assembly of the C library that saves no register.
BARE = {"memcpy": 0, "strlen": 0}


@dataclass(frozen=True)
class Library:
    elf: Path
    bare: dict[str, int]


@pytest.fixture(scope="module", params=LEVELS)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """With its ports, linked with empty functions in place of lwIP and FreeRTOS."""
    for needed in ("arm-none-eabi-gcc", "arm-none-eabi-objdump"):
        if not packages.which(needed):
            pytest.skip(f"{needed} is missing: ./wyrm setup")
    folder = tmp_path_factory.mktemp(request.param)
    compile_library(folder, request.param)
    missing = sorted(set(re.findall(r"undefined reference to `(\w+)'", link(folder, check=False))))
    (folder / "outside.s").write_text("".join(f"{empty_function(name)}\n" for name in missing))
    link(folder, "outside.s")
    return Library(folder / "library.elf", {**BARE, **dict.fromkeys(missing, 0)})


@pytest.fixture(scope="module")
def program(library: Library) -> Program:
    return Program(library.elf, POINTERS, library.bare)


def compile_library(folder: Path, level: str) -> None:
    text = (paths.ROOT / "src" / "wyrm_sources.cmake").read_text()
    names = re.findall(r"\${WYRM_SRC_DIR}/((?:core|crypto|port)/[^\s$]+\.[cS])\b", text)
    theirs = third_party.FREERTOS_LWIP.target
    kernel = theirs / "FreeRTOS-Kernel"
    boards = paths.ROOT / "firmware" / "boards"
    looked_at = [
        *(paths.ROOT / "src", paths.ROOT / "firmware/app", paths.ROOT / "firmware/config"),
        *(boards, boards / "mps2", boards / "mps2/m4", theirs / "lwip/src/include"),
        *(theirs / "lwip/contrib/ports/freertos/include", kernel / "include"),
        kernel / "portable/GCC/ARM_CM4F",
    ]
    proc.run(
        *("arm-none-eabi-gcc", *CPU, f"-{level}", "-g", "-std=c11", "-c", "-ffunction-sections"),
        *("-DWYRM_PORT_LWIP=1", "-DWYRM_PORT_FREERTOS=1", *(f"-I{one}" for one in looked_at)),
        *(paths.ROOT / "src" / name for name in names),
        cwd=folder,
        timeout_s=120,
    )


def link(folder: Path, *more: str, check: bool = True) -> str:
    objects = sorted(path.name for path in folder.glob("*.o"))
    layout = (
        "-nostartfiles",
        "--specs=nano.specs",
        "-Wl,-e,0,-Ttext=0x8000,-z,noexecstack",
    )
    command = ("arm-none-eabi-gcc", *CPU, *layout, "-o", "library.elf")
    return proc.run(*command, *objects, *more, cwd=folder, check=check).stderr


def empty_function(name: str) -> str:
    return f".global {name}\n.thumb_func\n.type {name}, %function\n{name}: bx lr"


@pytest.mark.parametrize("entry", PACKET_PATH)
def test_a_packet_takes_no_more_stack_than_promised(program: Program, entry: str) -> None:
    depth = program.below(entry)
    assert depth.bytes <= PACKET_PATH_MAX, str(depth)


def test_the_handshake_worker_takes_no_more_stack_than_promised(
    program: Program,
) -> None:
    depth = program.below("wyrm_lwip_work")
    assert depth.bytes <= WORKER_MAX, str(depth)


def test_painting_finds_what_the_call_graph_says() -> None:
    """Primitives and handshakes on an emulated Cortex-M4: nothing is written below what the call
    graph gives, and most go all the way down."""
    one = core("m4")
    if not all(packages.which(name) for name in one.programs):
        pytest.skip(one.lacks())
    folder = images.make(one, "speed")
    program = Program(folder / "bench.elf", POINTERS, BARE)
    painted = {count.primitive: count.stack_bytes or 0 for count in images.run(one, folder)}
    computed = {name: program.below(f"bench_{name}").bytes for name in painted}
    assert {name: painted[name] for name in painted if painted[name] > computed[name]} == {}
    assert sum(painted[name] == computed[name] for name in painted) > len(painted) / 2


def test_a_pointer_that_nothing_is_known_of_is_told(library: Library) -> None:
    with pytest.raises(WyrmError, match="cookie_reply calls through a pointer"):
        Program(library.elf, {}, library.bare).below("cookie_reply")


def test_a_function_that_calls_itself_is_told(library: Library) -> None:
    again = {**POINTERS, "cookie_reply": ("wyrm_input",)}
    with pytest.raises(WyrmError, match="cookie_reply calls itself"):
        Program(library.elf, again, library.bare).below("wyrm_input")
