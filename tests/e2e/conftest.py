# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Pairs with a tunnel between them: a device and a daemon, or two daemons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from wyrmlab import boards
from wyrmlab.network.host import HERE
from wyrmlab.peers import pair as daemons
from wyrmlab.peers import wireguard
from wyrmlab.peers.device_tunnel import DeviceTunnel, Family, boot

MakePair = Callable[..., DeviceTunnel]
HOST, BOARD, HOST_INNER = "10.9.0.1", "10.9.0.2", "10.77.0.1"


@pytest.fixture
def pair(board: boards.Board, firmware: Path, tmp_path: Path) -> Iterator[MakePair]:
    """Boots the two ends, once in a test; arguments are those of `device_tunnel.boot`."""
    with ExitStack() as stack:

        def make(
            outer: Family = 4,
            psk: str = "",
            program: Path | str = "wireguard-go",
            qemu_options: Sequence[str] = (),
        ) -> DeviceTunnel:
            return stack.enter_context(
                boot(
                    firmware,
                    tmp_path,
                    outer=outer,
                    psk=psk,
                    board=board.name,
                    program=program,
                    qemu_options=qemu_options,
                )
            )

        yield make


@pytest.fixture
def tunnel(pair: MakePair) -> DeviceTunnel:
    """A tunnel in use: IPv4 outside, preshared key, opened by the device."""
    made = pair(psk=wireguard.make_psk())
    made.connect()
    return made


@pytest.fixture
def program_named(wyrmd: Path, boringtun: Path | None) -> Callable[[str], Path | str]:
    """Finds a daemon by its name; without it the test is skipped."""

    where = {
        "wyrmd": wyrmd,
        "wyrmd-client": wyrmd.with_name("wyrmd-client"),
        "boringtun": boringtun,
        "wireguard-go": "wireguard-go",
    }

    def find(name: str) -> Path | str:
        program = where[name]
        if program is None:
            pytest.skip(f"{name} is not installed: ./wyrm test --all fetches it")
        return program

    return find


@pytest.fixture
def connect(
    program_named: Callable[[str], Path | str], tmp_path: Path
) -> Iterator[Callable[..., daemons.Pair]]:
    """Makes a pair: `connect("wyrmd", "wireguard-go", outer=6, psk=...)`."""
    with ExitStack() as stack:

        def connected(west: str = "wyrmd", east: str = "wyrmd", **options: object) -> daemons.Pair:
            programs = [program_named(name) for name in (west, east)]
            return stack.enter_context(daemons.pair(tmp_path, *programs, **options))  # type: ignore[arg-type]

        yield connected


@pytest.fixture
def tap_board() -> Iterator[dict[str, str]]:
    """A TAP for a program that runs lwIP on this machine; the environment that tells it so."""
    HERE.ip("tuntap add mode tap name board0")
    try:
        HERE.add_address("board0", f"{HOST}/24")
        HERE.ip("link set board0 up")
        board = {"PRECONFIGURED_TAPIF": "board0", "BOARD_ADDRESS": BOARD}
        yield board | {"BOARD_GATEWAY": HOST, "BOARD_REPORTS_TO": HOST_INNER}
    finally:
        HERE.ip("link delete board0", check=False)
