# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Headers, Kconfig and documentation agree about the options, and each option compiles."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from wyrmlab.base import paths
from wyrmlab.setup import extras, third_party

SRC = paths.ROOT / "src"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, paths.ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


OPTIONS: list[Any] = load("options").load()


def test_every_generated_file_is_what_the_list_of_options_says() -> None:
    command = [sys.executable, str(paths.ROOT / "tools" / "options.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def without_layout(text: str) -> str:
    return re.sub(r"[\s\\]+", " ", text)


@pytest.mark.parametrize(
    "option", [one for one in OPTIONS if one.by_hand], ids=lambda one: one.name
)
def test_a_default_written_by_hand_is_the_listed_one(option: Any) -> None:
    header = (paths.ROOT / option.header).read_text()
    assert f"#ifndef {option.name}\n" in header
    if option.default:
        assert without_layout(f"#define {option.name} {option.default} ") in without_layout(header)


def test_no_option_of_the_headers_is_missing_from_the_list() -> None:
    """Cryptography chooses more by itself: wyrm_crypto_select.h."""
    found = {
        name
        for header in SRC.glob("*.h")
        for name in re.findall(r"^#ifndef (WYRM_\w+)$", header.read_text(), re.MULTILINE)
        if not name.endswith("_H") and not name.startswith("WYRM_PORT_")
    }
    assert found - {one.name for one in OPTIONS} == set()


def compile_with(
    definitions: Iterable[str], *, lwip: bool, include: Path = SRC
) -> subprocess.CompletedProcess[str]:
    """Checks the library, and what is compiled with lwIP only if that is asked for."""
    sources = [*SRC.glob("*.c"), *SRC.glob("core/*.c"), *SRC.glob("crypto/*.c")]
    sources += [*SRC.glob("crypto/c/*.c")]
    flags = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Wundef",
        "-Werror",
        "-fsyntax-only",
        f"-I{SRC}",
        f"-I{include}",
    ]
    if lwip:
        tree = third_party.folder() / "lwip"
        sources = list(SRC.glob("port/lwip/*.c"))
        flags += ["-DWYRM_PORT_LWIP=1", f"-I{paths.TESTS / 'repo' / 'consumer'}"]
        flags += ["-isystem", str(tree / "src/include")]
        flags += ["-isystem", str(tree / "contrib/ports/unix/port/include")]
    flags += [f"-D{one}" for one in definitions]
    command = ["gcc", *flags, *map(str, sources)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def cases(what: str) -> list[Any]:
    return [
        pytest.param(one, value, id=f"{one.name}={value}")
        for one in OPTIONS
        for value in getattr(one, what)
    ]


@pytest.mark.parametrize(("option", "value"), cases("values"))
def test_the_library_compiles_with_every_value(option: Any, value: int) -> None:
    for lwip in (False, third_party.FREERTOS_LWIP.present):
        done = compile_with([f"{option.name}={value}"], lwip=lwip)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("option", "value"), cases("refused"))
def test_a_value_that_cannot_work_is_refused_by_name(option: Any, value: int) -> None:
    done = compile_with([f"{option.name}={value}"], lwip="LWIP" in option.name)
    assert done.returncode != 0
    assert re.search(rf"error: #error .*{option.name}", done.stderr), done.stderr[:500]


def test_choices_of_kconfig_reach_the_library(tmp_path: Path) -> None:
    """As ESP-IDF hands them over: sdkconfig.h names a choice of n by leaving it out."""
    chosen = [f"CONFIG_{one.name}={one.default}" for one in OPTIONS if one.type == "int"]
    chosen = [f"{name.replace('(WYRM_RESPONDER ? ', '').split(' :')[0]}" for name in chosen]
    (tmp_path / "sdkconfig.h").write_text(
        "".join(f"#define {' '.join(one.split('='))}\n" for one in chosen)
        + "#undef CONFIG_WYRM_REPLAY_BITS\n#define CONFIG_WYRM_REPLAY_BITS 96\n"
        "#define CONFIG_WYRM_ASM 1\n"
    )
    (tmp_path / "shows.c").write_text(
        "#include <wyrm_config.h>\n"
        "shows WYRM_REPLAY_BITS WYRM_ASM WYRM_IPV6 WYRM_RESPONDER WYRM_SOURCES\n"
    )
    command = ["gcc", "-E", "-P", f"-I{SRC}", f"-I{tmp_path}", "-DESP_PLATFORM"]
    command += ['-DWYRM_USER_CONFIG_FILE="wyrm_kconfig.h"', str(tmp_path / "shows.c")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["shows", "96", "1", "0", "0", "8"]


def test_esp_idf_reads_kconfig_and_its_choices_compile(tmp_path: Path) -> None:
    """Its own checker of style, and its own generator of sdkconfig.h."""
    python = str(extras.PACKAGING.python)
    copy = tmp_path / "Kconfig"
    copy.write_text((paths.ROOT / "Kconfig").read_text())
    header = tmp_path / "sdkconfig.h"
    root = tmp_path / "Kconfig.root"
    root.write_text(f'config LWIP_IPV6\n    bool "IPv6"\n    default y\nsource "{copy}"\n')
    generate = ["--kconfig", str(root), "--config", str(tmp_path / "sdkconfig")]
    for command in (
        [python, "-m", "kconfcheck", str(copy)],
        [python, "-m", "kconfgen", *generate, "--output", "header", str(header)],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
    done = compile_with(
        ['WYRM_USER_CONFIG_FILE="wyrm_kconfig.h"', "ESP_PLATFORM"],
        lwip=False,
        include=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    wanted = {f"#define CONFIG_{one.name} " for one in OPTIONS if one.prompt}
    assert [line for line in sorted(wanted) if line not in header.read_text()] == []
