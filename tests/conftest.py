# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Fixtures for all Python tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from wyrmlab import boards
from wyrmlab.base import paths
from wyrmlab.boards.device import Device
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.network import links
from wyrmlab.setup import build


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of a device run on every board of --boards: on those but the default one with --all
    only, unless they are marked `every_board`."""
    if "firmware" not in metafunc.fixturenames:
        return
    everywhere = metafunc.definition.get_closest_marker("every_board")
    names = metafunc.config.getoption("--boards").split(",")
    metafunc.parametrize(
        "board",
        [
            pytest.param(
                boards.board(name),
                id=name,
                marks=[] if everywhere or name == boards.DEFAULT else [pytest.mark.all],
            )
            for name in names
        ],
        scope="session",
    )


@pytest.fixture(scope="session")
def firmware(board: boards.Board) -> Path:
    return _built(board)


@pytest.fixture(scope="session")
def m7_firmware() -> Path:
    return _built(boards.board("m7"))


def _built(board: boards.Board) -> Path:
    """`./wyrm test` has built it before."""
    product = board.firmware()
    assert product.exists(), f"not built: ./wyrm build firmware --board {board.name}"
    return product


@pytest.fixture(scope="session")
def wyrmd() -> Path:
    return build.daemon()


@pytest.fixture(scope="session")
def boringtun() -> Path | None:
    """Available after `./wyrm test --all` has fetched it."""
    program = paths.cache() / "rivals" / "boringtun" / "bin" / "boringtun-cli"
    return program if program.exists() else None


@pytest.fixture
def boot(board: boards.Board, firmware: Path, tmp_path: Path) -> Iterator[Callable[..., Device]]:
    """Boots a device on a TAP of its own, ready for commands; keywords are Device's."""
    with links.tap("tap0") as tap, ExitStack() as stack:

        def booted(**options: object) -> Device:
            settings = {"tap": tap, "log_dir": tmp_path, **options}
            device = stack.enter_context(EmulatedDevice(board, firmware, **settings))  # type: ignore[arg-type]
            device.wait_ready()
            return device

        yield booted
