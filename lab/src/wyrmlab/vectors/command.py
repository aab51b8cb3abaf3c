# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`vectors`: builds the backends and runs the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wyrmlab.base import paths
from wyrmlab.base.errors import WyrmError
from wyrmlab.setup import build, host_setup
from wyrmlab.vectors import runner
from wyrmlab.vectors.backend import Backend

_BACKENDS = Path("tests/c/vectors/backends.txt")


def run(folders: Sequence[Path], *, long: bool = False) -> int:
    files = runner.find(folders)  # a wrong folder is told before anything is built
    return runner.run(files, backends(), long=long)


def backends(preset: str = "host") -> list[Backend]:
    """Every set of implementations, built if that is due."""
    host_setup.ensure("build", "check")
    build.cmake(preset, target="wyrm_vectors")
    listed = paths.BUILD / preset / _BACKENDS
    if not listed.exists():
        raise WyrmError(f"The build went through but left no {paths.shown(listed)}.")
    return [Backend(Path(line)) for line in listed.read_text().splitlines()]
