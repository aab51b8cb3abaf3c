# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`clean`: removes what builds and runs have left, and says how much that frees."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from wyrmlab.base import paths


def clean(*, all_of_it: bool) -> None:
    """Removes build/; with `all_of_it` runs/ and the cache too. Flash files of devices stay, as
    they hold keys: they are named instead."""
    doomed = [paths.BUILD]
    if all_of_it:
        # Only what is ours: WYRM_CACHE may name a folder that holds other things too.
        doomed += [paths.RUNS, paths.cache() / "venv", paths.cache() / "third_party"]
    freed = 0
    for path in doomed:
        size = paths.disk_use(path)
        if path.exists():
            shutil.rmtree(path)
            print(f"removed {path} ({paths.megabytes(size)})")
        freed += size
    if all_of_it:
        with contextlib.suppress(OSError):
            paths.cache().rmdir()
    (paths.ROOT / "compile_commands.json").unlink(missing_ok=True)
    print(f"{paths.megabytes(freed)} freed")
    if not all_of_it:
        for what, path in (("runs", paths.RUNS), ("cache", paths.cache())):
            if size := paths.disk_use(path):
                print(f"kept: {what}, {paths.megabytes(size)} in {path} (clean --all removes it)")
    for flash in paths.flash_files():
        print(f"kept: {flash}, a device's flash with its keys ({_size(flash)}; rm removes it)")


def _size(file: Path) -> str:
    return paths.megabytes(paths.disk_use(file))
