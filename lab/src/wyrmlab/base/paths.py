# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Where things are. Nothing else in the lab spells out a folder."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
LAB = ROOT / "lab"
BUILD = ROOT / "build"
RUNS = ROOT / "runs"
TESTS = ROOT / "tests"
C_TESTS = TESTS / "c"
THIRD_PARTY = ROOT / "third_party"


def cache() -> Path:
    """Downloads and the Python environment: safe to delete, `setup` fills it again."""
    if given := os.environ.get("WYRM_CACHE"):
        return Path(given).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "wyrmling"


def state() -> Path:
    """What must outlive a build: the emulated devices' flash files."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(base) / "wyrmling"


def flash_files() -> list[Path]:
    """Of devices that were started without a file of their own. They hold private keys."""
    return sorted(state().glob("*.flash"))


def shown(path: Path) -> str:
    """The path as a person would type it from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def disk_use(path: Path) -> int:
    """The disk use of a file or a tree in bytes; 0 if it does not exist."""
    if path.is_file() and not path.is_symlink():
        return path.stat().st_blocks * 512
    if not path.is_dir():
        return 0
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            total += (Path(folder) / name).lstat().st_blocks * 512
    return total


def megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB" if size >= 10_000_000 else f"{size / 1e6:.1f} MB"
