# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""What every Python test can ask for."""

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


@pytest.fixture(scope="session")
def m7() -> boards.Board:
    return boards.board("m7")


@pytest.fixture(scope="session")
def m7_firmware(m7: boards.Board) -> Path:
    """`./wyrm test` has built it before."""
    product = m7.firmware()
    assert product.exists(), "not built: ./wyrm build firmware"
    return product


@pytest.fixture(scope="session")
def wyrmd() -> Path:
    return build.daemon()


@pytest.fixture(scope="session")
def boringtun() -> Path | None:
    """It comes from a registry: there once `./wyrm test --all` has fetched it."""
    program = paths.cache() / "rivals" / "boringtun" / "bin" / "boringtun-cli"
    return program if program.exists() else None


@pytest.fixture
def boot(m7: boards.Board, m7_firmware: Path, tmp_path: Path) -> Iterator[Callable[..., Device]]:
    """Boots a device on a TAP of its own, ready for commands; keywords are Device's."""
    with links.tap("tap0") as tap, ExitStack() as stack:

        def booted(**options: object) -> Device:
            settings = {"tap": tap, "log_dir": tmp_path, **options}
            device = stack.enter_context(EmulatedDevice(m7, m7_firmware, **settings))  # type: ignore[arg-type]
            device.wait_ready()
            return device

        yield booted
