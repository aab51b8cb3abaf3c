# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The daemon under test, and pairs of machines with a tunnel between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from wyrmlab.peers.tunnels import Pair, pair


@pytest.fixture
def connect(wyrmd: Path, boringtun: Path | None, tmp_path: Path) -> Iterator[Callable[..., Pair]]:
    """Makes a pair: `connect("wyrmd", "wireguard-go", outer=6, psk=...)`."""
    client = wyrmd.with_name("wyrmd-client")
    where = {
        "wyrmd": wyrmd,
        "wyrmd-client": client,
        "boringtun": boringtun,
        "wireguard-go": "wireguard-go",
    }
    with ExitStack() as stack:

        def connected(west: str = "wyrmd", east: str = "wyrmd", **options: object) -> Pair:
            programs = [where[name] for name in (west, east)]
            if None in programs:
                pytest.skip("boringtun is not here: ./wyrm test --all fetches it")
            return stack.enter_context(pair(tmp_path, *programs, **options))  # type: ignore[arg-type]

        yield connected
