# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The documentation site: it builds without a warning, and the code in it compiles."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.measure import sizes
from wyrmlab.setup import extras, third_party

ROOT = paths.ROOT
SRC = ROOT / "src"
ARDUINO = paths.TESTS / "arduino"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def load_site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_sources", ROOT / "tools" / "site.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["site_sources"] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


SITE = load_site()


# ---- The site ----


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    SITE.gather(folder)
    return folder


def test_the_site_builds_without_a_warning(sources: Path) -> None:
    """Broken links and pages that no menu leads to are warnings."""
    command = [str(extras.DOCS.python), "-m", "mkdocs", "build", "--strict", "--config-file"]
    command.append(str(sources / "mkdocs.yml"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (sources / "site" / "index.html").exists()
    assert "not included in the" not in done.stdout + done.stderr


def test_every_public_function_is_in_the_reference(sources: Path) -> None:
    names = SITE.headers().keys() - {"WyrmlingWireGuard.h"}
    assert len(names) > 8
    for name in names:
        header = SRC / name
        page = (sources / "docs" / "api" / f"{header.stem}.md").read_text()
        code = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        declared = set(re.findall(r"^[a-z][^#\n]*?\b(wyrm_\w+)\(", code, re.MULTILINE))
        assert sorted(one for one in declared if f"`{one}`" not in page) == []


def test_the_reference_shows_no_private_members(sources: Path) -> None:
    page = (sources / "docs" / "api" / "wyrm_lwip.md").read_text()
    assert "struct wyrm_lwip { /* private */ }" in page
    assert "held_capacity" not in page.partition("## Start and stop")[0].partition("#define")[0]
    arduino = (sources / "docs" / "api" / "WyrmlingWireGuard.md").read_text()
    assert "bool peer_up();" in arduino and "bring_up_locked" not in arduino


def test_links_out_of_the_documents_name_the_file_and_must_exist() -> None:
    page = ROOT / "docs" / "porting.md"
    assert SITE.within_site("[flash](../examples/freertos-lwip/flash.c)", page) == (
        "flash (`examples/freertos-lwip/flash.c`)"
    )
    assert SITE.within_site("[options](options.md)", page) == "[options](options.md)"
    with pytest.raises(SystemExit, match="there is no"):
        SITE.within_site("[gone](../examples/gone.c)", page)


def test_the_page_on_memory_has_the_figures_of_the_baseline() -> None:
    page = (ROOT / "docs" / "memory.md").read_text()
    rows = json.loads(sizes.BASELINE.read_text())["rows"]
    sums = {(row["what"], row["configuration"]): f"{row['sum']:,}" for row in rows}
    for what in (sizes.PEER, sizes.DEVICE):
        both = f"| {sums[what, 'dual-480']}; {sums[what, 'client']} in the client profile |"
        assert both in page, both
    for what in (sizes.STACK_PACKET, sizes.STACK_WORKER):
        assert sums[what, "everything"] in page


# ---- Code in documents ----


def fragments(language: str) -> Iterator[tuple[str, str]]:
    """Each block of code with the name of its page and its place there."""
    for page in DOCUMENTS:
        text = page.read_text()
        for number, found in enumerate(
            re.finditer(rf"^( *)```{language}\n(.*?)^\1```", text, re.DOTALL | re.MULTILINE), 1
        ):
            indent = len(found[1])
            code = "\n".join(line[indent:] for line in found[2].split("\n"))
            yield f"{page.relative_to(ROOT).as_posix()}:{number}", code


def is_definition(piece: str) -> bool:
    first = next(line for line in piece.split("\n") if line and not line.startswith("/*"))
    return bool(re.match(r"(#|static |extern |WYRM_\w+DEFINE|int main\()", first))


def as_program(code: str) -> str:
    """Definitions as they stand, statements in a function."""
    outside, inside = [], []
    for piece in SITE.blocks(code):
        head, _, rest = piece.partition("...\n")
        for part in (head, rest):
            if part.strip():
                (outside if is_definition(part.strip()) else inside).append(part)
    variables = {
        "status": "wyrm_status status = WYRM_OK;",
        "peer": "wyrm_peer_id peer = 0;",
        "job": "struct wyrm_job job;",
        "tunnel": "static struct wyrm_lwip tunnel;",
    }
    names = [name for name in variables if re.search(rf"\b{name}\b", "\n".join(inside))]
    taken = "\n".join(outside)
    locals_ = "\n".join(
        variables[name] for name in names if not re.search(rf"\b{name}(;|, \d)", taken)
    )
    if "main(" in code:
        return code
    # What a fragment defines itself is not taken from snippets.h.
    own = re.findall(r"^static [\w *]*?\b(\w+)(?:\[.*\])?(?:\(|;| =| __)", taken, re.MULTILINE)
    parts = [f"#define {name} other_{name}" for name in own] + ['#include "snippets.h"']
    parts += [f"#undef {name}" for name in own]
    parts += [*outside, "void fragment(void);", "void fragment(void)", "{"]
    return "\n".join([*parts, locals_, *inside, "}", ""])


def port_flags() -> list[str]:
    lwip = third_party.folder() / "lwip"
    flags = [f"-I{SRC}", f"-I{ARDUINO / 'esp32'}", "-DESP_PLATFORM", "-DWYRM_PORT_FREERTOS=1"]
    flags += [
        f"-I{ROOT / folder}" for folder in ("compat/esp_wireguard/include", "tests/esp_idf/include")
    ]
    flags += ["-isystem", str(lwip / "src/include")]
    return [*flags, "-isystem", str(lwip / "contrib/ports/unix/port/include")]


C_FRAGMENTS = list(fragments("c"))


@pytest.mark.parametrize(
    "code", [code for _, code in C_FRAGMENTS], ids=[at for at, _ in C_FRAGMENTS]
)
def test_c_in_the_documents_compiles(code: str, tmp_path: Path) -> None:
    file = tmp_path / "fragment.c"
    file.write_text(as_program(code))
    command = ["gcc", "-std=gnu11", "-Wall", "-Werror", "-Wno-unused", "-fsyntax-only"]
    command += [*port_flags(), f"-I{paths.TESTS / 'repo' / 'snippets'}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{done.stderr}\n{file.read_text()}"


def test_cpp_in_the_documents_compiles(tmp_path: Path) -> None:
    if not packages.which("g++"):
        pytest.skip("g++ is missing: ./wyrm setup")
    found = list(fragments("cpp"))
    assert found
    for _, code in found:
        file = tmp_path / "fragment.cpp"
        file.write_text(code)
        command = ["g++", "-std=gnu++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
        command += ["-DARDUINO=10819", "-DARDUINO_ARCH_ESP32", f"-I{ARDUINO / 'core'}"]
        done = subprocess.run(
            [*command, *port_flags(), str(file)], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr


def test_the_cmake_project_of_the_documents_builds(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "start" / "cmake.md").read_text()
    (project,) = re.findall(r"```cmake\n(.*?)```", page, re.DOTALL)
    (program,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    (tmp_path / "CMakeLists.txt").write_text(project)
    (tmp_path / "main.c").write_text(program)
    (tmp_path / "wyrmling").symlink_to(ROOT)
    build = tmp_path / "build"
    for command in (
        ["cmake", "-S", str(tmp_path), "-B", str(build), "-G", "Ninja"],
        ["cmake", "--build", str(build)],
        [str(build / "app")],
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "replayed or too late\n"


def test_the_esphome_configuration_of_the_documents_is_valid(tmp_path: Path) -> None:
    """By ESPHome itself, with the component of this repository."""
    page = (ROOT / "docs" / "start" / "esphome.md").read_text()
    (text,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "wyrmling").symlink_to(ROOT)
    (tmp_path / "sensor.yaml").write_text(text)
    command = [str(extras.ESPHOME.python), "-m", "esphome", "config", "sensor.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "peer_endpoint: vpn.example.org" in done.stdout
