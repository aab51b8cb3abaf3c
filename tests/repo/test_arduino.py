# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The Arduino library: it compiles for each core against headers like the core's, and tunnels.

tests/arduino/ has the part of the cores' headers that is used; lwIP's are the real ones.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.setup import extras, third_party

SRC = paths.ROOT / "src"
CORES = paths.TESTS / "arduino"
EXAMPLES = paths.ROOT / "examples" / "arduino"
MANIFEST = json.loads((paths.ROOT / "library.json").read_text())
PROPERTIES = dict(
    line.split("=", 1)
    for line in (paths.ROOT / "library.properties").read_text().splitlines()
    if "=" in line
)
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def run(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lwip() -> Path:
    if not packages.which("g++"):
        pytest.skip("g++ is missing: ./wyrm setup")
    return third_party.folder() / "lwip"


def flags(core: str, lwip: Path) -> list[str]:
    chosen = ["-DARDUINO=10819", f"-DARDUINO_ARCH_{core.upper()}", *WARNINGS]
    chosen += ["-DESP_PLATFORM"] if core == "esp32" else []
    chosen += [f"-I{CORES / 'core'}", f"-I{CORES / core}", f"-I{SRC}"]
    chosen += ["-isystem", str(lwip / "src/include")]
    return [*chosen, "-isystem", str(lwip / "contrib/ports/unix/port/include")]


C = ("gcc", "-std=gnu11")
CPP = ("g++", "-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-x", "c++")


@pytest.mark.parametrize("core", PROPERTIES["architectures"].split(","))
def test_every_file_of_the_library_compiles_on_each_core(core: str, lwip: Path) -> None:
    """The builder takes all of src/ and no definitions but its own."""
    run(*C, *flags(core, lwip), "-fsyntax-only", *SRC.rglob("*.c"))
    run(*CPP, *flags(core, lwip), "-fsyntax-only", *SRC.rglob("*.cpp"))


@pytest.mark.parametrize(
    ("core", "compiler"),
    [
        ("rp2040", ("arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb")),
        ("esp8266", ("xtensa-lx106-elf-gcc",)),
    ],
)
def test_the_assembly_takes_the_definitions_of_the_builder(
    core: str, compiler: tuple[str, ...], tmp_path: Path
) -> None:
    if not packages.which(compiler[0]):
        pytest.skip(f"{compiler[0]} is missing")
    command = [*compiler, "-x", "assembler-with-cpp", "-DARDUINO=10819", "-c"]
    command += [f"-DARDUINO_ARCH_{core.upper()}", f"-I{SRC}", *map(str, SRC.rglob("*.S"))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "wyrm_chacha" in run("nm", *tmp_path.glob("wyrm_chacha_*.o"))


@pytest.mark.parametrize("sketch", sorted(EXAMPLES.rglob("*.ino")), ids=lambda path: path.stem)
def test_every_example_compiles_on_its_core(sketch: Path, lwip: Path) -> None:
    core = {"Esp32": "esp32", "Esp8266": "esp8266", "PicoW": "rp2040"}
    (name,) = (core[start] for start in core if sketch.stem.startswith(start))
    run(*CPP, *flags(name, lwip), "-include", "Arduino.h", "-fsyntax-only", sketch)


def test_the_port_is_part_of_the_library_only_where_a_core_has_lwip(
    tmp_path: Path, lwip: Path
) -> None:
    """On an AVR, say, the files compile to nothing."""
    source = SRC / "port/lwip/wyrm_lwip.c"
    run(*C, "-DARDUINO=10819", "-DARDUINO_ARCH_AVR", f"-I{SRC}", "-fsyntax-only", source)
    run(*C, *flags("esp8266", lwip), "-c", source, "-o", tmp_path / "port.o")
    assert "wyrm_lwip_output4" in run("nm", tmp_path / "port.o")


def test_two_tunnels_of_the_class_reach_each_other(tmp_path: Path, lwip: Path) -> None:
    """On the real lwIP, without an operating system as on an ESP8266."""
    options = [*flags("esp8266", lwip), "-DLWIP_NETIF_LOOPBACK=1", "-O1"]
    sources = [*SRC.glob("*.c"), *SRC.glob("core/*.c"), *SRC.glob("port/lwip/*.c")]
    sources += list(SRC.rglob("crypto/**/*.c"))
    sources += [*lwip.glob("src/core/*.c"), *lwip.glob("src/core/ipv4/*.c")]
    objects = tmp_path / "objects"
    objects.mkdir()
    command = [*C, *options, "-w", "-c", *map(str, sources)]
    done = subprocess.run(command, cwd=objects, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    program = tmp_path / "two_tunnels"
    own = [CORES / "two_tunnels.cpp", *SRC.glob("port/arduino/*.cpp")]
    run("g++", "-std=gnu++17", *options, *own, *objects.glob("*.o"), "-o", program)
    assert run(program).splitlines() == [
        "starts without a network: no",
        "the tunnel did not start: there is no network yet; connect it first",
        "starts with a bad key: no",
        "the tunnel did not start: a key is not 44 characters of base64",
        "starts: yes",
        "starts twice: no",
        "up without a clock: no",
        "up with a clock: yes",
        "events: 1",
        "another route: yes",
        "default route taken: no",
        "up after the end: no",
        "starts anew: yes",
        "default route taken: yes",
        "default route taken back: yes",
        "up: yes",
        "default route returned: yes",
        "interfaces left over: no",
    ]


def test_the_manifests_agree() -> None:
    project = (paths.ROOT / "CMakeLists.txt").read_text()
    assert MANIFEST["version"] == PROPERTIES["version"]
    assert f"project(wyrmling VERSION {MANIFEST['version']}" in project
    assert MANIFEST["name"] == PROPERTIES["name"]
    assert MANIFEST["headers"] == PROPERTIES["includes"].split(",")
    for header in MANIFEST["headers"]:
        assert (SRC / header).exists()
    listed = {
        paths.ROOT / one["base"] / name for one in MANIFEST["examples"] for name in one["files"]
    }
    assert listed == set(EXAMPLES.rglob("*.ino"))


def test_the_name_keeps_to_the_rules_of_the_index_and_of_the_trademark() -> None:
    """Names may not begin with Arduino; the trademark names the protocol, not the product."""
    assert not PROPERTIES["name"].lower().startswith("arduino")
    assert "wireguard" not in PROPERTIES["name"].lower()
    assert "registered trademark" in PROPERTIES["paragraph"]


def test_every_method_of_the_class_is_a_keyword() -> None:
    header = (SRC / "WyrmlingWireGuard.h").read_text()
    public = header[header.index("  public:") : header.index("  private:")]
    words = {line.split("\t")[0] for line in (paths.ROOT / "keywords.txt").read_text().splitlines()}
    for method in ("begin", "end", "is_initialized", "error", "peer_up", "add_allowed_ip"):
        assert f"{method}(" in public and method in words


# What a user of the library gets, and nothing else of the project.
CONTENTS = (
    r"library\.(json|properties)|keywords\.txt|(README|CHANGELOG|SECURITY)\.md|LICENSE",
    r"docs/(options|porting|threat-model)\.md",
    r"examples/arduino/\w+/\w+\.ino",
    r"src/\w+\.(c|h)",
    r"src/core/\w+\.(c|h)",
    r"src/crypto/((c|aarch64|armv6m|armv7em|armv7m|rv32|x86_64|xtensa)/)?\w+\.(c|h|S|inc)",
    r"src/port/(arduino|esp_idf|freertos|lwip|tunnel)/\w+\.(c|h|cpp)",
)


def test_platformio_packs_the_library_and_nothing_else_of_the_project(tmp_path: Path) -> None:
    """Its packer checks the manifest. With a licence it asks the network for a list of licences,
    so the copy that is packed has none."""
    copy, archive = tmp_path / "copy", tmp_path / "library.tar.gz"
    for name in tracked():
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(paths.ROOT / name, target)
    without = {key: value for key, value in MANIFEST.items() if key != "license"}
    (copy / "library.json").write_text(json.dumps(without))
    command = [str(extras.PACKAGING.python), "-m", "platformio"]
    command += ["pkg", "pack", "--output", str(archive), str(copy)]
    home = {
        "PLATFORMIO_CORE_DIR": str(tmp_path / "pio"),
        "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
    }
    done = subprocess.run(
        command, env={**os.environ, **home}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with tarfile.open(archive) as packed:
        names = {member.name for member in packed.getmembers() if member.isfile()}
    names -= {".piopm"}
    allowed = re.compile("|".join(CONTENTS))
    assert sorted(name for name in names if not allowed.fullmatch(name)) == []
    wanted = {name for name in tracked() if allowed.fullmatch(name)}
    assert sorted(wanted - names) == []


def tracked() -> list[str]:
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, timeout=60)
    if listed.returncode != 0:
        pytest.skip("this is no git working copy")
    return [name for name in listed.stdout.split("\0") if name and (paths.ROOT / name).is_file()]
