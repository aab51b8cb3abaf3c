# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The daemon under test, and pairs of machines with a tunnel between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from wyrmlab.tunnels import Pair, pair

OTHER = "wireguard-go"


@pytest.fixture
def connect(wyrmd: Path, tmp_path: Path) -> Iterator[Callable[..., Pair]]:
    """Makes a pair: `connect("wyrmd", "wireguard-go", outer=6, psk=...)`."""
    with ExitStack() as stack:

        def connected(west: str = "wyrmd", east: str = "wyrmd", **options: object) -> Pair:
            programs = [wyrmd if name == "wyrmd" else name for name in (west, east)]
            return stack.enter_context(pair(tmp_path, *programs, **options))  # type: ignore[arg-type]

        yield connected
