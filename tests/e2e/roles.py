# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Parameters: the daemon at each end of a tunnel, and the address family outside."""

from __future__ import annotations

import pytest

ROLES = pytest.mark.parametrize(
    ("west", "east"),
    [("wyrmd", "wyrmd"), ("wyrmd", "wireguard-go"), ("wireguard-go", "wyrmd")],
    ids=["wyrmd_wyrmd", "wyrmd_go", "go_wyrmd"],
)
OUTER = pytest.mark.parametrize("outer", [4, 6], ids=["over_ipv4", "over_ipv6"])
