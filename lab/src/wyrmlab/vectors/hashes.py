# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""BLAKE2s, HMAC and the KDFs built of them, and TAI64N labels."""

from __future__ import annotations

from wyrmlab.vectors.backend import Backend
from wyrmlab.vectors.case import Case, Context, Malformed, check, form, parse_number, same


def _pieces(data: bytes) -> list[bytes]:
    """The same message cut so that block borders are met from both sides."""
    sizes, at = (1, 63, 64, 65, 0, 31), 0
    pieces: list[bytes] = []
    while at < len(data):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(data[at : at + size])
        at += size
    return pieces


def _digest(backend: Backend, data: bytes, key: bytes, want: bytes) -> None:
    same("digest", backend.blake2s(data, key, len(want)), want)
    same("digest, piecewise", backend.blake2s_pieces(_pieces(data), key, len(want)), want)


def _kat(context: Context, case: Case) -> None:
    _digest(context.backend, case.octets("in"), case.octets("key"), case.octets("out"))


def _keyed(context: Context, case: Case) -> None:
    want = case.octets("out", case.number("outlen"))
    _digest(context.backend, case.octets("msg"), case.octets("key"), want)


def _hash(context: Context, case: Case) -> None:
    key = case.octets("key") if "key" in case else b""
    _digest(context.backend, case.octets("msg"), key, case.octets("out"))


def _sequence(length: int, seed: int) -> bytes:
    """The pseudorandom bytes of RFC 7693 appendix E."""
    a, b, out = (0xDEAD4BAD * seed) & 0xFFFFFFFF, 1, bytearray()
    for _ in range(length):
        a, b = b, (a + b) & 0xFFFFFFFF
        out.append(b >> 24)
    return bytes(out)


def _selftest(context: Context, case: Case) -> None:
    digests = []
    for outlen in (parse_number(n, "outlens", 33) for n in case.items("outlens")):
        for inlen in (parse_number(n, "inlens", 1 << 20) for n in case.items("inlens")):
            message, key = _sequence(inlen, inlen), _sequence(outlen, outlen)
            digests.append(context.backend.blake2s(message, b"", outlen))
            digests.append(context.backend.blake2s(message, key, outlen))
    same("digest of digests", context.backend.blake2s_pieces(digests), case.octets("out"))


def _hmac(context: Context, case: Case) -> None:
    same("HMAC", context.backend.hmac(case.octets("key"), case.octets("msg")), case.octets("out"))


def _kdf(context: Context, case: Case) -> None:
    backend, key, data = context.backend, case.octets("key"), case.octets("input")
    want = case.octets_list("t")
    if str(len(want)) != case.text("kind")[-1]:
        raise Malformed(f"{case.text('kind')} with {len(want)} outputs")

    # By the definition, for keys of any length; then the library's own, whose key is a hash.
    secret, block, outputs = backend.hmac(key, data), b"", []
    for at in range(len(want)):
        block = backend.hmac(secret, block + bytes([at + 1]))
        outputs.append(block)
    if len(key) == 32:
        outputs += backend.kdf(key, data, len(want))
    for at, output in enumerate(outputs):
        same(f"output {at % len(want) + 1}", output, want[at % len(want)])


def _tai64n(context: Context, case: Case) -> None:
    seconds, nanoseconds = case.number("unix_seconds"), case.number("nanoseconds", 10**9)
    exact, whitened = case.octets("tai64n", 12), case.octets("tai64n_whitened_2p24", 12)
    epoch = (seconds + (1 << 62) + 10).to_bytes(8, "big")
    same("the label by its definition", epoch + nanoseconds.to_bytes(4, "big"), exact)
    check(whitened <= exact, "the whitened label is later than the exact one")
    same("the store's label", context.backend.tai64n(seconds, nanoseconds), whitened)


FORMS = (
    form("BLAKE2s", "in key out", _kat),
    form("BLAKE2s", "outlen key msg out", _keyed),
    form("BLAKE2s", "kind msg out", _hash, kind="hash"),
    form("BLAKE2s self-test", "kind inlens outlens out", _selftest, kind="selftest"),
    form("HMAC", "kind key msg out", _hmac, kind="hmac"),
    *(form("KDF", "kind key input t", _kdf, kind=f"kdf{n}") for n in (1, 2, 3)),
    form("TAI64N", "unix_seconds nanoseconds tai64n tai64n_whitened_2p24", _tai64n),
)
