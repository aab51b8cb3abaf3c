# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Schedules of counters against the anti-replay window, whatever its size."""

from __future__ import annotations

from wyrmlab.vectors.case import Case, Context, Malformed, Mismatch, form, parse_number

_WORD = 32
_WINDOW_MAX = 1 << 20


def _schedule(context: Context, case: Case) -> None:
    window, want = case.number("window", _WINDOW_MAX), case.text("accept")
    counters = [parse_number(counter, "counters") for counter in case.items("counters")]
    if len(want) != len(counters) or set(want) - {"0", "1"}:
        raise Malformed("accept is not one 0 or 1 for each counter")
    if window % _WORD or window == 0:
        raise Mismatch(f"the library has no window of {window}: they are multiples of {_WORD}")
    got = context.backend.replay(window // _WORD + 1, counters)
    if got != want:
        at = next(i for i, (a, b) in enumerate(zip(got, want, strict=True)) if a != b)
        verdict = "accepted" if got[at] == "1" else "refused"
        raise Mismatch(f"window {window}, step {at}: counter {counters[at]} was {verdict}")


FORMS = (form("replay window", "window counters accept", _schedule),)
