# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`doctor`: checks whether everything the project needs is present, and how to install it."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from wyrmlab.base import packages, paths
from wyrmlab.base.errors import MISSING
from wyrmlab.network import namespaces
from wyrmlab.setup import extras, host_setup, third_party


@dataclass(frozen=True)
class Finding:
    what: str
    ok: bool
    needed: bool
    version: str
    reason: str
    remedy: str


def findings() -> list[Finding]:
    return [*_packages(), *sources(), *python_programs(), _namespaces(), _tun(), _disk(), _flash()]


def examine() -> int:
    """Prints the table; returns the exit code."""
    found = findings()
    # Files and pipes have no width to fit.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", "what", "version or state"):
        table.add_column(heading, no_wrap=True)
    table.add_column("what for")
    for finding in found:
        lacks = "[red]missing[/]" if finding.needed else "[dim]-[/]"
        mark = "[green]ok[/]" if finding.ok else lacks
        table.add_row(mark, finding.what, finding.version, finding.reason)
    console.print(table)
    lacking = [finding for finding in found if not finding.ok]
    for finding in lacking:
        word = "needed" if finding.needed else "optional"
        console.print(f"{finding.what} ({word}): {finding.remedy}", soft_wrap=True, markup=False)
    missing = [finding for finding in lacking if finding.needed]
    if missing:
        console.print(f"{len(missing)} missing; `./wyrm setup` installs what it can.")
        return MISSING
    console.print("Everything needed is present.")
    return 0


def _packages() -> list[Finding]:
    table = packages.table()
    versions = packages.installed_versions([package.name for package in table])
    found = []
    for package in table:
        ok = package.found()
        found.append(
            Finding(
                package.name,
                ok,
                package.group in packages.USUAL,
                versions.get(package.name, "present, not from a package" if ok else ""),
                package.reason + (" (--all)" if package.group == "all" else ""),
                packages.install_command([package.name]),
            )
        )
    return found


def _cargo() -> list[Finding]:
    if all(group.present for group in third_party.GROUPS):
        return []
    oldest = ".".join(map(str, third_party.OLDEST_CARGO))
    version = third_party.cargo_version(packages.which("cargo"))
    return [
        Finding(
            f"cargo >= {oldest}",
            third_party.usable_cargo() is not None,
            bool(third_party.lacking(packages.USUAL)),
            ".".join(map(str, version)) if version else "",
            "fetches third-party source, during setup only",
            "./wyrm setup",
        )
    ]


def sources() -> list[Finding]:
    """Third-party source, and the command that fetches it if missing."""
    return [
        *_cargo(),
        *(
            Finding(
                ", ".join(tree.name for tree in group.trees),
                group.present,
                group.needed_for in packages.USUAL,
                paths.megabytes(paths.disk_use(group.target)) if group.present else "",
                group.reason,
                "./wyrm setup" if group.needed_for in packages.USUAL else "fetched when first used",
            )
            for group in third_party.GROUPS
        ),
    ]


def python_programs() -> list[Finding]:
    """Python packages that tests use, each group in a separate environment."""
    return [
        Finding(
            f"lab/extras/{extra.lock.name}",
            extra.present,
            extra.needed_for in packages.USUAL,
            paths.megabytes(paths.disk_use(extra.folder)) if extra.present else "",
            extra.reason[0].lower() + extra.reason[1:],
            "./wyrm setup",
        )
        for extra in extras.EXTRAS
    ]


def _namespaces() -> Finding:
    access = namespaces.access()
    return Finding(
        "private namespaces",
        access.way is not namespaces.Way.NONE,
        True,
        access.way.value,
        "isolated networks for the demo and tests",
        access.remedy,
    )


def _tun() -> Finding:
    problem = namespaces.tun_problem()
    reachable = namespaces.access().way is not namespaces.Way.NONE
    return Finding(
        "/dev/net/tun",
        reachable or problem is None,
        True,
        "opens" if problem is None else "opens as root" if reachable else "",
        "TAP devices for the emulated boards",
        namespaces.TUN_REMEDY,
    )


def _disk() -> Finding:
    paths.cache().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(paths.cache()).free
    used = paths.megabytes(paths.disk_use(paths.cache()))
    return Finding(
        "disk",
        free > host_setup.ROOM_NEEDED,
        True,
        f"{used} used, {paths.megabytes(free)} free",
        f"the cache in {paths.cache()}",
        "make room, or set WYRM_CACHE to a folder on another disk",
    )


def _flash() -> Finding:
    """Flash files contain keys; earlier versions created them readable for others."""
    files = paths.flash_files()
    open_to_others = [file for file in files if file.stat().st_mode & 0o077]
    return Finding(
        "flash files",
        not open_to_others,
        False,
        f"{len(files)} files, which contain keys" if files else "none yet",
        f"storage of emulated devices, in {paths.state()}",
        f"others may read them: chmod 600 {' '.join(map(str, open_to_others))}",
    )
