# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`genkey`, `pubkey` and `genpsk`: wg's own."""

from __future__ import annotations

import os
import sys

from wyrmlab.base import proc
from wyrmlab.setup import host_setup


def run(verb: str) -> None:
    """Becomes wg; does not return."""
    host_setup.ensure("net")
    sys.stdout.flush()
    os.execv(proc.find("wg"), ["wg", verb])
