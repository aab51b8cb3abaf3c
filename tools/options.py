#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Writes everything that tools/options.toml says about the compile-time options.

    options.py [--check]

Writes the marked parts of the headers, Kconfig, src/wyrm_kconfig.h and docs/options.md. With
--check it writes nothing, and exits with 1 if a file differs. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "/* options.toml: begin */\n", "/* options.toml: end */\n"
LICENCE = ("SPDX-FileCopyrightText: 2026 The Wyrmling authors", "SPDX-License-Identifier: MIT")
GENERATED = "Generated from tools/options.toml by tools/options.py."
WIDTH = 100


@dataclass(frozen=True)
class Option:
    name: str
    header: str
    type: str
    text: str
    values: list[int]
    default: str = ""
    derived: str = ""
    by_hand: bool = False
    refused: list[int] = field(default_factory=list)
    prompt: str = ""
    range: list[int] = field(default_factory=list)
    kconfig: list[str] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        return " ".join(self.text.split())


def load(file: Path = ROOT / "tools" / "options.toml") -> list[Option]:
    return [Option(**entry) for entry in tomllib.loads(file.read_text())["option"]]


def comment(text: str) -> str:
    """As clang-format breaks it."""
    lines = textwrap.wrap(text, WIDTH - 3, break_on_hyphens=False, break_long_words=False)
    if len(lines[-1]) + 3 + 3 > WIDTH:
        return "/* " + "\n * ".join(lines) + "\n */\n"
    return "/* " + "\n * ".join(lines) + " */\n"


def header_part(options: list[Option]) -> str:
    """Comment and default of each option."""
    return "\n".join(
        f"{comment(one.sentence)}#ifndef {one.name}\n#define {one.name} {one.default}\n#endif\n"
        for one in options
    )


def headers(options: list[Option]) -> dict[Path, str]:
    files = {}
    for name in dict.fromkeys(one.header for one in options if not one.by_hand):
        path = ROOT / name
        text = path.read_text()
        start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        part = header_part([one for one in options if one.header == name and not one.by_hand])
        files[path] = f"{text[:start]}{part}{text[end:]}"
    return files


def kconfig(options: list[Option]) -> str:
    lines = [f"# {line}" for line in (*LICENCE, "", f"{GENERATED} Read by ESP-IDF.")]
    lines = [line.rstrip() for line in lines]
    lines += ["", 'menu "Wyrmling: WireGuard protocol"', ""]
    for one in options:
        if not one.prompt:
            continue
        lines += [f"    config {one.name}", f'        {one.type} "{one.prompt}"']
        if one.range:
            lines.append(f"        range {one.range[0]} {one.range[1]}")
        if not any(line.startswith("default") for line in one.kconfig):
            default = "ny"[int(one.default)] if one.type == "bool" else one.default
            lines.append(f"        default {default}")
        lines += [f"        {line}" for line in one.kconfig]
        lines.append("        help")
        wrapped = textwrap.wrap(one.sentence, 84, break_on_hyphens=False)
        lines += [f"            {line}" for line in wrapped]
        lines.append("")
    return "\n".join([*lines, "endmenu", ""])


def kconfig_header(options: list[Option]) -> str:
    lines = [f" * {line}".rstrip() for line in (*LICENCE, "", GENERATED)]
    lines = [
        "/*",
        *lines,
        " * Hands the choices of Kconfig to the library: a build with Kconfig sets",
    ]
    lines += [' * WYRM_USER_CONFIG_FILE to "wyrm_kconfig.h".', " */"]
    lines += ["#ifndef WYRM_KCONFIG_H", "#define WYRM_KCONFIG_H", ""]
    lines += ["#ifdef ESP_PLATFORM", '#include "sdkconfig.h"', "#endif", ""]
    for one in options:
        if not one.prompt:
            continue
        if one.type == "int":
            lines += [f"#define {one.name} CONFIG_{one.name}", ""]
        else:
            lines += [f"#ifdef CONFIG_{one.name}", f"#define {one.name} 1", "#else"]
            lines += [f"#define {one.name} 0", "#endif", ""]
    return "\n".join([*lines, "#endif /* WYRM_KCONFIG_H */", ""])


def default_in_words(one: Option) -> str:
    if one.derived:
        return one.derived
    chosen = re.fullmatch(r"\((\w+) \? (\d+) : (\d+)\)", one.default)
    if chosen:
        return f"{chosen[2]}; {chosen[3]} with `{chosen[1]}=0`"
    return one.default if one.default.isdigit() else f"`{one.default.removeprefix('(')[:-1]}`"


def page(options: list[Option]) -> str:
    lines = ["<!-- " + "\n     ".join((*LICENCE, GENERATED)) + " -->", "# Options", ""]
    lines += textwrap.wrap(
        "Set options on the compiler's command line (`-DWYRM_IPV6=0`), in a header that"
        " `WYRM_USER_CONFIG_FILE` names, through `WYRM_DEFINITIONS` of the CMake package, or in"
        " ESP-IDF's menuconfig, where they are called `CONFIG_WYRM_...`. Compile the library and"
        " everything that includes its headers with the same options: `wyrm_init` refuses with"
        " `WYRM_E_ABI` if structures differ.",
        WIDTH,
        break_long_words=False,
        break_on_hyphens=False,
    )
    titles = {
        "src/wyrm_config.h": "Protocol and cryptography",
        "src/wyrm_lwip.h": "lwIP port",
        "src/wyrm_tunnel.h": "Complete tunnel",
        "src/wyrm_freertos.h": "FreeRTOS port",
        "src/wyrm_store.h": "Timestamps in flash",
        "src/wyrm_arduino.h": "Arduino library",
    }
    for header, title in titles.items():
        # What the cryptography derives by itself is listed beside the rest of the protocol.
        group = [
            one for one in options if titles.get(one.header, titles["src/wyrm_config.h"]) == title
        ]
        if not group:
            continue
        lines += ["", f"## {title}", "", f"In `{header}`:", ""]
        lines += ["| option | default | menuconfig | effect and cost |", "|---|---|---|---|"]
        for one in group:
            there = "yes" if one.prompt else "no"
            effect = one.sentence.replace("|", "\\|")
            shown = default_in_words(one).replace("|", "\\|")
            lines.append(f"| `{one.name}` | {shown} | {there} | {effect} |")
    return "\n".join([*lines, ""])


def outputs() -> dict[Path, str]:
    options = load()
    return {
        **headers(options),
        ROOT / "Kconfig": kconfig(options),
        ROOT / "src" / "wyrm_kconfig.h": kconfig_header(options),
        ROOT / "docs" / "options.md": page(options),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes what tools/options.toml says.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    code = 0
    for path, text in outputs().items():
        if path.exists() and path.read_text() == text:
            continue
        if check:
            print(f"{path.relative_to(ROOT)} differs from tools/options.toml: run tools/options.py")
            code = 1
        else:
            path.write_text(text)
    return code


if __name__ == "__main__":
    sys.exit(main())
