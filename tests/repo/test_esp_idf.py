# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The component for ESP-IDF: its CMake code and sources against headers like ESP-IDF's, which are
ours, and its package by ESP-IDF's own tool. No tunnel runs here."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.setup import extras, third_party

COMPOTE = "from idf_component_manager.cli import safe_cli; safe_cli()"  # it has no __main__
PROJECT = paths.TESTS / "esp_idf"

# What a user of the component gets, and nothing else of the project.
CONTENTS = re.compile(
    r"|".join(
        (
            r"idf_component\.yml|CMakeLists\.txt|Kconfig|LICENSE|(README|CHANGELOG|SECURITY)\.md",
            r"(ARCHITECTURE|CONTRIBUTING)\.md|LICENSES/.*|REUSE\.toml|library\.(json|properties)",
            r"keywords\.txt|docs/.*|cmake/.*",
            r"src/.*\.(c|h|S|inc|cpp|cmake|mk)",
            r"examples/esp-idf/.*",
        )
    )
)


def run(*command: object, timeout_s: float = 300) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=timeout_s
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def undefined(build: Path, source: str) -> set[str]:
    (found,) = build.rglob(f"{source}.o")
    return set(re.findall(r"^\s+U (\w+)$", run("nm", found), re.MULTILINE))


@pytest.mark.parametrize("functions", [0, 1], ids=["macros", "functions"])
def test_the_component_compiles_and_lwip_asks_the_tunnel_first(
    functions: int, tmp_path: Path
) -> None:
    """Kconfig makes ESP-IDF's IPv6 hooks functions or leaves them out."""
    run(
        *("cmake", "-G", "Ninja", "-S", PROJECT, "-B", tmp_path),
        *(f"-DWYRM_THIRD_PARTY={third_party.folder()}", f"-DWITH_IPV6_HOOKS={functions}"),
    )
    run("ninja", "-C", tmp_path)
    assert {"wyrm_lwip_route4", "wyrm_lwip_input4", "ip4_route_src_hook"} <= undefined(
        tmp_path, "ip4.c"
    )
    ours, idfs = {"wyrm_lwip_route6", "wyrm_lwip_input6"}, {"lwip_hook_ip6_route"}
    assert (idfs if functions else ours) <= undefined(tmp_path, "ip6.c")
    if functions:
        assert ours < undefined(tmp_path, "wyrm_esp_hooks.c")


def tracked() -> list[str]:
    listed = run("git", "-C", paths.ROOT, "ls-files", "-z").split("\0")
    return [name for name in listed if name and (paths.ROOT / name).is_file()]


def test_compote_packs_the_component_and_nothing_else_of_the_project(tmp_path: Path) -> None:
    if not packages.which("git") or not (paths.ROOT / ".git").exists():
        pytest.skip("this is no git working copy")
    copy = tmp_path / "wyrmling"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(paths.ROOT / name, copy / name)
    run(
        *(extras.PACKAGING.python, "-c", COMPOTE, "component", "pack"),
        *("--name", "wyrmling", "--project-dir", copy, "--dest-dir", tmp_path / "packed"),
    )
    with tarfile.open(tmp_path / "packed" / "wyrmling_0.1.0.tgz") as packed:
        names = {member.name.removeprefix("./") for member in packed if member.isfile()}
    names -= {"CHECKSUMS.json"}
    assert sorted(name for name in names if not CONTENTS.fullmatch(name)) == []
    wanted = {name for name in tracked() if name.startswith(("src/", "examples/esp-idf/"))}
    assert sorted(wanted - names) == []
