# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""X25519."""

from __future__ import annotations

from wyrmlab.vectors.backend import Backend
from wyrmlab.vectors.case import Case, Context, Skipped, check, form, same

# Above this an iterated test takes minutes on the slower fields.
_LONG = 10_000


def agree(backend: Backend, scalar: bytes, point: bytes, want: bytes) -> None:
    """The result is `want`, and usable as a key exactly if that is not zero."""
    got, usable = backend.x25519(scalar, point)
    same("shared secret", got, want)
    if any(want):
        check(usable, "a good shared secret was refused")
    else:
        check(not usable, "a shared secret of zero was not refused")
    if point == (9).to_bytes(32, "little"):
        same("public key", backend.x25519_base(scalar), want)


def _single(context: Context, case: Case) -> None:
    agree(context.backend, case.octets("scalar", 32), case.octets("u", 32), case.octets("out", 32))


def _low_order(context: Context, case: Case) -> None:
    want, refused = case.octets("out", 32), case.flag("must_reject")
    got, usable = context.backend.x25519(case.octets("scalar", 32), case.octets("u", 32))
    same("shared secret", got, want)
    check(usable != refused, "was not refused" if refused else "was refused")


def _iterated(context: Context, case: Case) -> None:
    times = case.number("iterations", 1 << 31)
    if times > _LONG and not (context.long and context.backend.name == "host"):
        raise Skipped(f"{times} iterations run with --all, on the host's own field")
    same(
        "result",
        context.backend.x25519_iterate(case.octets("start", 32), times),
        case.octets("out"),
    )


FORMS = (
    form("X25519", "kind scalar u out", _single, kind="x25519"),
    form("X25519 iterated", "kind start iterations out", _iterated, kind="x25519_iterated"),
    form("X25519 low order", "kind scalar u out must_reject", _low_order, kind="x25519_low_order"),
)
