# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`setup`: installs everything that the other commands need; does nothing if it is installed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from wyrmlab.base import packages, paths
from wyrmlab.base.errors import MissingError
from wyrmlab.setup import extras, third_party

ROOM_NEEDED = 300_000_000
T = TypeVar("T")


def ready(groups: Iterable[str], names: Iterable[str] = ()) -> bool:
    """Whether the packages of the groups, the additional packages named, and the third-party source
    and Python programs of the groups are present."""
    wanted = tuple(groups)
    if packages.missing(wanted, names):
        return False
    return not (third_party.lacking(wanted) or extras.lacking(wanted))


def ensure(*groups: str, names: Iterable[str] = ()) -> None:
    """Called first by every command. Installs missing prerequisites: groups of packages.txt and
    single packages of it by name. Prints nothing if all are present."""
    if ready(groups, names):
        return
    say(
        "This command needs packages that are not installed yet; setting up once (`./wyrm setup`).",
        style="bold",
    )
    setup(groups, names)


def setup(
    groups: Iterable[str] = packages.USUAL, names: Iterable[str] = (), *, all_of_it: bool = False
) -> None:
    wanted = tuple(groups) + (("all",) if all_of_it else ())
    _check_room()
    _install(packages.missing(wanted, names))
    _fetch_sources(third_party.lacking(wanted))
    for extra in extras.lacking(wanted):
        say(f"{extra.reason}: installing lab/extras/{extra.lock.name} with pip.")
        _with_spinner("pip", partial(extras.install, extra))


def setup_and_report(*, all_of_it: bool) -> None:
    """Implements `./wyrm setup`; finally prints the disk use of each folder."""
    setup(all_of_it=all_of_it)
    say("Everything is set up; no network is needed from here on. Disk in use:")
    for what, path in (("cache", paths.cache()), ("build", paths.BUILD), ("runs", paths.RUNS)):
        say(f"  {what:6} {paths.megabytes(paths.disk_use(path)):>8}  {path}")


def say(text: str, *, style: str = "") -> None:
    """Prints to standard error: standard output is for a command's result."""
    from rich.console import Console

    Console(stderr=True, highlight=False).print(text, style=style or None, soft_wrap=True)


def _check_room() -> None:
    place = paths.cache()
    place.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(place).free
    if free < ROOM_NEEDED:
        raise MissingError(
            f"Only {paths.megabytes(free)} are free on the disk of the cache ({place}).",
            remedy="Make room, or set WYRM_CACHE to a folder on another disk.",
        )


def _install(wanted: list[packages.Package]) -> None:
    if not wanted:
        say("Debian packages: all installed.")
        return
    if not packages.is_debian():
        needed = "\n".join(f"  {package.name:24}{package.reason}" for package in wanted)
        raise MissingError(
            "This system is neither Debian nor Ubuntu, so this command cannot install packages.",
            remedy="Install the equivalents of those listed above.",
            detail=needed,
        )
    how = "through sudo" if packages.sudo() else "as root"
    say(f"Installing {len(wanted)} Debian packages with apt-get, {how}:")
    for package in wanted:
        say(f"  {package.name:24}[dim]{package.reason}[/dim]")
    took = _with_spinner("apt-get", partial(packages.install, [package.name for package in wanted]))
    say(f"  They take {took} on disk." if took else "  Done.")
    if left := [package.name for package in wanted if not package.found()]:
        raise MissingError(
            f"apt-get succeeded, but this is still missing: {', '.join(left)}.",
            remedy="See: ./wyrm doctor",
        )


def _fetch_sources(lacking: list[third_party.Group]) -> None:
    if not lacking:
        say("Third-party source: all present.")
        return
    cargo = third_party.usable_cargo() or _install_cargo()
    for group in lacking:
        names = ", ".join(tree.name for tree in group.trees)
        say(f"Fetching {names} from the crates registry (checksums in Cargo.lock).")
        _with_spinner("cargo", partial(third_party.fetch, group, cargo))


def _install_cargo() -> str:
    oldest = ".".join(map(str, third_party.OLDEST_CARGO))
    if not packages.is_debian():
        raise MissingError(
            f"cargo {oldest} or newer is needed to fetch third-party source.",
            remedy="Install it with your system's package manager or rustup.",
        )
    name = third_party.cargo_package()
    if name is None:
        packages.refresh_lists()
        name = third_party.cargo_package()
    if name is None:
        raise MissingError(
            f"No package provides cargo {oldest} or newer, needed to fetch third-party source.",
            remedy="On Debian 12 enable the bookworm-security suite (it has cargo-web),"
            " or put a newer cargo on PATH.",
        )
    present = packages.installed_versions(["cargo", "rustup"])
    if name == "cargo-web" and present:
        raise MissingError(
            f"The installed {' and '.join(present)} cannot provide cargo {oldest}, and Debian's"
            " cargo-web, which can, would replace it.",
            remedy=f"Either run: {packages.install_command([name])} or put a newer cargo on PATH.",
        )
    say(f"Installing {name}, to fetch third-party source. Nothing else uses it: afterwards")
    say(f"you may remove it with `apt-get autoremove {name}`.")
    took = _with_spinner("apt-get", partial(packages.install, [name]))
    say(f"  It takes {took} on disk." if took else "  Done.")
    cargo = third_party.usable_cargo()
    if cargo is None:
        raise MissingError(f"{name} is installed, but cargo {oldest} is not on PATH.")
    return cargo


def _with_spinner(what: str, action: Callable[[], T]) -> T:
    from rich.console import Console

    console = Console(stderr=True)
    # sudo may ask for a password on the terminal, which a spinner would overwrite.
    if console.is_terminal and not (what == "apt-get" and packages.sudo()):
        with console.status(f"{what} is working ..."):
            return action()
    return action()
