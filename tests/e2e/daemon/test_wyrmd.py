# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The documentation of wyrmd: manual page, systemd unit, help."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths, proc

MANUAL = paths.ROOT / "daemon" / "wyrmd.8"


@pytest.mark.parametrize("prefix", ["/usr/local", "/usr", "/opt/wyrmling"])
def test_the_systemd_unit_starts_the_installed_program(wyrmd: Path, prefix: str) -> None:
    install = ("cmake", "--install", wyrmd.parents[1], "--component", "wyrmd", "--prefix", prefix)
    # Not in build/, which holds one file of that name.
    with tempfile.TemporaryDirectory(prefix="wyrm-install-") as folder:
        there = Path(folder)
        subprocess.run(install, check=True, env={**os.environ, "DESTDIR": folder})
        files = {str(path.relative_to(there)) for path in there.rglob("*") if path.is_file()}
        root = prefix.strip("/")
        unit = f"{root}/lib/systemd/system/wyrmd@.service"
        assert files == {f"{root}/sbin/wyrmd", f"{root}/share/man/man8/wyrmd.8", unit}
        assert f"\nExecStart={prefix}/sbin/wyrmd %i\n" in (there / unit).read_text()


def test_the_manual_names_the_unit() -> None:
    manual = MANUAL.read_text()
    assert ".It Pa wyrmd@.service" in manual
    assert "systemctl enable --now wyrmd@wg0" in manual


def test_systemd_understands_the_unit(wyrmd: Path, tmp_path: Path) -> None:
    if not packages.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed: it comes with systemd")
    template = (paths.ROOT / "daemon" / "wyrmd@.service.in").read_text()
    unit = tmp_path / "wyrmd@wg0.service"
    unit.write_text(template.replace("@WYRMD@", str(wyrmd)))
    done = proc.run("systemd-analyze", "verify", "--man=no", unit, check=False)
    assert done.stderr + done.stdout == ""
    assert done.returncode == 0


def test_manual_and_help_know_the_same_options(wyrmd: Path) -> None:
    said = proc.run(wyrmd, "--help").stdout
    told = set(re.findall(r"^  -(\w), --([\w-]+)", said, re.MULTILINE))
    written = set(re.findall(r"^\.It Fl (\w) , Fl -([\w-]+)", MANUAL.read_text(), re.MULTILINE))
    assert len(told) == 7
    assert told == written
    for signal in re.findall(r"SIG\w+", MANUAL.read_text()):
        assert signal in said


def test_the_manual_is_free_of_mistakes() -> None:
    if not packages.which("man"):
        pytest.skip("man is not installed: it comes with man-db")
    done = proc.run(
        *("man", "--warnings", "--encoding=UTF-8", "--local-file", "-Tutf8", "-Z", MANUAL),
        check=False,
    )
    assert done.stderr == ""
    assert "WireGuard interface in user space" in proc.run("man", "-l", MANUAL).stdout
