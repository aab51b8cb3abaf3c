# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`build`: makes one product, and says where it is and what takes its room."""

from __future__ import annotations

from wyrmlab.base.errors import UsageError
from wyrmlab.measure import footprint
from wyrmlab.setup import build


def run(target: build.Target, board: str | None, *, size: bool) -> None:
    if size and target is build.Target.DOCS:
        raise UsageError("The documentation is not a program: it has no --size.")
    if size and target is build.Target.TESTS:
        raise UsageError(
            "The tests are many programs; --size shows where the bytes of one go.",
            remedy="It goes with firmware, lib and wyrmd.",
        )
    product = build.build(target, board)
    if size:
        footprint.show(product)
    print(product)
