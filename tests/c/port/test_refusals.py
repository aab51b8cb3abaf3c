# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The ports refuse to compile where they would deadlock, and say what to do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from wyrmlab.base import paths
from wyrmlab.setup import third_party

HERE = Path(__file__).parent
SRC = paths.ROOT / "src"


def compile_errors(source: str, *definitions: str) -> str:
    lwip = third_party.folder() / "lwip" / "src" / "include"
    command = ["gcc", "-std=c11", "-fsyntax-only", f"-I{HERE / 'systems'}", f"-I{SRC}", f"-I{lwip}"]
    command += [f"-D{definition}" for definition in ("WYRM_PORT_LWIP=1", *definitions)]
    done = subprocess.run(
        [*command, str(SRC / "port" / source)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode == 0) == ("error:" not in done.stderr)
    return done.stderr


def test_the_lwip_port_refuses_to_compile_if_nobody_knows_who_holds_the_lock() -> None:
    assert "define WYRM_LWIP_LOCK_HELD()" in compile_errors("lwip/wyrm_lwip_api.c")


def test_the_lwip_port_takes_the_applications_answer() -> None:
    assert not compile_errors("lwip/wyrm_lwip_api.c", "WYRM_LWIP_LOCK_HELD()=kernel_core_held()")


def test_the_freertos_port_refuses_to_compile_if_the_holder_of_the_lock_is_unknown() -> None:
    errors = compile_errors("freertos/wyrm_freertos.c", "WYRM_PORT_FREERTOS=1")
    assert "include wyrm_lwip_lock.h in lwipopts.h" in errors


@pytest.mark.parametrize("system", ["RECORDED", "CMSIS1", "CMSIS2", "FREERTOS"])
def test_the_freertos_port_compiles_where_there_is_an_answer(system: str) -> None:
    assert not compile_errors(
        "freertos/wyrm_freertos.c", "WYRM_PORT_FREERTOS=1", f"SYSTEM_{system}"
    )
