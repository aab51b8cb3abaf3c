# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The library as a package: each way to use it from another project builds programs that run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.setup import third_party

CONSUMER = paths.TESTS / "repo" / "consumer"
# Of the private key in protocol.c: RFC 7748 section 6.1.
PUBLIC = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="


def run(*command: str | Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        list(map(str, command)),
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def configure(source: Path, folder: Path, *options: str) -> None:
    run("cmake", "-S", source, "-B", folder, "-G", "Ninja", *options)


def install(folder: Path, *options: str) -> Path:
    """The installed library, moved after the installation as packages are."""
    build, prefix = folder / "library", folder / "prefix"
    configure(paths.ROOT, build, "-DWYRM_LIBRARY_ONLY=ON", *options)
    run("cmake", "--build", build)
    run("cmake", "--install", build, "--prefix", folder / "stage", "--component", "wyrmling")
    (folder / "stage").rename(prefix)
    shutil.rmtree(build)
    return prefix


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("package"))


@pytest.mark.parametrize("way", ["find_package", "FetchContent", "add_subdirectory"])
def test_a_cmake_project_uses_core_and_lwip_port(way: str, prefix: Path, tmp_path: Path) -> None:
    build = tmp_path / "build"
    options = [f"-DWAY={way}", f"-DCHECKOUT={paths.ROOT}", f"-DCMAKE_PREFIX_PATH={prefix}"]
    lwip = third_party.FREERTOS_LWIP
    if lwip.present:
        options.append(f"-DLWIP={lwip.target / 'lwip'}")
    configure(CONSUMER, build, *options)
    run("cmake", "--build", build)
    assert run(build / "protocol") == f"{PUBLIC}, IPv6 1\n"
    if lwip.present:
        assert run(build / "tunnel_netif") == "MTU 1420, port 51820\n"


def test_a_project_that_contains_the_library_builds_and_installs_nothing_else_of_it(
    tmp_path: Path,
) -> None:
    build = tmp_path / "build"
    configure(CONSUMER, build, "-DWAY=add_subdirectory", f"-DCHECKOUT={paths.ROOT}")
    targets = run("ninja", "-C", build, "-t", "targets", "all")
    assert "protocol" in targets
    assert not [name for name in ("wyrmd", "test_", "wyrm_flood") if name in targets]
    run("cmake", "--build", build)
    run("cmake", "--install", build, "--prefix", tmp_path / "prefix")
    assert not (tmp_path / "prefix" / "include").exists()


@pytest.mark.parametrize(("wanted", "accepted"), [("0.1", True), ("0.2", False), ("0.0", False)])
def test_find_package_accepts_only_versions_with_the_same_interface(
    prefix: Path, tmp_path: Path, wanted: str, accepted: bool
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES C)\n"
        f"find_package(wyrmling {wanted} CONFIG)\n"
        'file(WRITE ${CMAKE_BINARY_DIR}/found "${wyrmling_FOUND}")\n'
    )
    configure(tmp_path, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    found = (tmp_path / "build" / "found").read_text()
    assert found == ("1" if accepted else "0")


def pkg_config(prefix: Path, *options: str) -> list[str]:
    if not packages.which("pkg-config"):
        pytest.skip("pkg-config is not installed: apt-get install pkg-config")
    (folder,) = prefix.rglob("pkgconfig")
    return run("pkg-config", *options, "wyrmling", env={"PKG_CONFIG_PATH": str(folder)}).split()


def test_pkg_config_finds_the_library_where_it_was_moved_to(prefix: Path, tmp_path: Path) -> None:
    flags = pkg_config(prefix, "--cflags", "--libs")
    run("gcc", "-std=c11", CONSUMER / "protocol.c", "-o", tmp_path / "protocol", *flags)
    assert run(tmp_path / "protocol") == f"{PUBLIC}, IPv6 1\n"


def test_options_reach_the_library_and_the_programs_that_link_it(tmp_path: Path) -> None:
    """Otherwise wyrm_init would refuse with WYRM_E_ABI."""
    prefix = install(tmp_path, "-DWYRM_DEFINITIONS=WYRM_IPV6=0;WYRM_RESPONDER=0")
    flags = pkg_config(prefix, "--cflags", "--libs")
    assert {"-DWYRM_IPV6=0", "-DWYRM_RESPONDER=0"} <= set(flags)
    run("gcc", "-std=c11", CONSUMER / "protocol.c", "-o", tmp_path / "protocol", *flags)
    assert run(tmp_path / "protocol") == f"{PUBLIC}, IPv6 0\n"
    build = tmp_path / "build"
    configure(CONSUMER, build, "-DWAY=find_package", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    assert run(build / "protocol") == f"{PUBLIC}, IPv6 0\n"


def test_the_installed_headers_compile_each_on_its_own(prefix: Path, tmp_path: Path) -> None:
    include = prefix / "include" / "wyrmling"
    headers = sorted(path.name for path in include.glob("*.h"))
    assert {"wyrm.h", "wyrm_lwip.h", "wyrm_store.h"} <= set(headers)
    for header in headers:
        if header == "wyrm_storage.h" or re.search(
            r'#include "(wyrm_lwip\.h|lwip/|freertos/)', (include / header).read_text()
        ):
            continue  # part of wyrm.h; needs lwIP or FreeRTOS
        file = tmp_path / "one.c"
        file.write_text(f"#include <{header}>\nextern int unused;\n")
        run("gcc", "-std=c11", "-Wall", "-Werror", f"-I{include}", "-fsyntax-only", file)


def make(*arguments: str) -> str:
    if not packages.which("make"):
        pytest.skip("make is not installed: apt-get install make")
    at = [f"HERE={CONSUMER}", f"CHECKOUT={paths.ROOT}"]
    return run("make", "-s", "-f", CONSUMER / "Makefile", *at, *arguments)


def test_plain_make_builds_a_program_from_the_source_lists(tmp_path: Path) -> None:
    make(f"OUT={tmp_path}", f"-j{os.cpu_count() or 1}")
    assert run(tmp_path / "protocol") == f"{PUBLIC}, IPv6 1\n"


def test_the_lists_for_make_and_cmake_name_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "lists.cmake").write_text(
        f"include({paths.ROOT}/src/wyrm_sources.cmake)\n"
        "get_cmake_property(names VARIABLES)\n"
        'list(FILTER names INCLUDE REGEX "^WYRM_.*_SRCS$")\n'
        "foreach(name IN LISTS names)\n"
        "  foreach(file IN LISTS ${name})\n"
        '    message(NOTICE "${name} ${file}")\n'
        "  endforeach()\n"
        "endforeach()\n"
    )
    listing = subprocess.run(
        ["cmake", "-P", str(tmp_path / "lists.cmake")], capture_output=True, text=True, timeout=60
    )
    by_cmake = set(listing.stderr.split("\n"))
    by_make = set(make("lists", f"OUT={tmp_path}").split("\n"))
    assert len(by_cmake) > 50
    assert by_make == by_cmake
