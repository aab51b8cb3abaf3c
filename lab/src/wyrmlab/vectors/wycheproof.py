# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Files of the Wycheproof project: groups of tests with a verdict each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wyrmlab.vectors.backend import NONCE_LEN, TAG_LEN, XNONCE_LEN
from wyrmlab.vectors.case import Case, Context, Form, Malformed, check, form
from wyrmlab.vectors.ciphers import open_every_way, seal_every_way
from wyrmlab.vectors.curve import agree

_NONCE_LEN = {"CHACHA20-POLY1305": NONCE_LEN, "XCHACHA20-POLY1305": XNONCE_LEN}


def cases(document: Mapping[str, Any]) -> Iterator[tuple[Form | None, Case]]:
    """Every test of every group; the form is None where the library has no such primitive."""
    algorithm = document.get("algorithm")
    for at, group in enumerate(document["testGroups"]):
        known: Form | None = None
        if isinstance(group, dict) and group.get("type") == "AeadTest" and algorithm in _NONCE_LEN:
            known = _AEAD
        elif isinstance(group, dict) and group.get("type") == "XdhComp":
            known = _XDH if group.get("curve") == "curve25519" else None
        tests = group.get("tests") if isinstance(group, dict) else None
        if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
            yield None, Case(f"group {at}", {})
            continue
        for test in tests:
            fields = {**test, "nonce_len": _NONCE_LEN.get(str(algorithm), 0)}
            yield known, Case(f"tcId {test.get('tcId', '?')}", fields)


def _verdict(case: Case) -> str:
    result = case.text("result")
    if result not in ("valid", "acceptable", "invalid"):
        raise Malformed(f"the result {result!r} is none of valid, acceptable, invalid")
    return result


def _aead(context: Context, case: Case) -> None:
    key, nonce, tag = case.octets("key"), case.octets("iv"), case.octets("tag")
    result, aad, plain = _verdict(case), case.octets("aad"), case.octets("msg")
    text = case.octets("ct") + tag
    if (len(key), len(nonce), len(tag)) != (32, case.number("nonce_len"), TAG_LEN):
        # There is no way to pass such a nonce, key or tag to the library: that is the refusal.
        check(result != "valid", "valid, but of sizes that the library does not take")
        return
    if result == "invalid":
        open_every_way(context.backend, key, nonce, aad, text, None)
        return
    seal_every_way(context.backend, key, nonce, aad, plain, text)
    open_every_way(context.backend, key, nonce, aad, text, plain)


def _xdh(context: Context, case: Case) -> None:
    point, scalar, want = case.octets("public"), case.octets("private"), case.octets("shared")
    result = _verdict(case)
    if (len(point), len(scalar), len(want)) != (32, 32, 32):
        check(result == "invalid", "of sizes that the library does not take, but not invalid")
        return
    # An acceptable result must be right all the same; one of zero is refused besides.
    if result == "invalid":
        _, usable = context.backend.x25519(scalar, point)
        check(not usable, "an invalid key exchange was not refused")
        return
    agree(context.backend, scalar, point, want)


_AEAD = form("Wycheproof AEAD", "key iv aad msg ct tag result", _aead)
_XDH = form("Wycheproof X25519", "public private shared result", _xdh)
