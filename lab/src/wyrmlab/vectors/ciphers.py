# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""ChaCha20, Poly1305 and the two AEADs made of them."""

from __future__ import annotations

from wyrmlab.vectors.backend import NONCE_LEN, TAG_LEN, XNONCE_LEN, Backend
from wyrmlab.vectors.case import Case, Context, Malformed, check, form, same


def seal_every_way(
    backend: Backend, key: bytes, nonce: bytes, aad: bytes, plain: bytes, want: bytes
) -> None:
    """Sealing gives `want`: in one piece, gathered, with its zeros as padding, in place."""
    if len(nonce) == XNONCE_LEN:
        same("sealed", backend.xaead_seal(key, nonce, aad, plain), want)
        same("sealed in place", backend.xaead_seal_in_place(key, nonce, aad, plain), want)
        return
    same("sealed", backend.aead_seal(key, nonce, aad, plain), want)
    third = len(plain) // 3
    pieces = [plain[:third], b"", plain[third : third + 1], plain[third + 1 :]]
    same("sealed, gathered", backend.aead_seal_pieces(key, nonce, aad, pieces), want)
    body = plain.rstrip(b"\0")
    pad = len(plain) - len(body)
    if pad:
        same("sealed, padded", backend.aead_seal_pieces(key, nonce, aad, [body], pad), want)
    for shift in (0, 1):
        got = backend.aead_seal_in_place(key, nonce, aad, plain, shift)
        same(f"sealed in place, {shift} off alignment", got, want)


def open_every_way(
    backend: Backend, key: bytes, nonce: bytes, aad: bytes, text: bytes, plain: bytes | None
) -> None:
    """Opening gives `plain`, or, if that is None, is refused with the buffer untouched (or, by
    a cipher that cannot do so, cleared)."""
    opening = backend.xaead_open if len(nonce) == XNONCE_LEN else backend.aead_open
    for shift in (0, 1):
        left, good = opening(key, nonce, aad, text, shift)
        if plain is None:
            check(not good, "a forged text was taken for authentic")
            kept = text[-TAG_LEN:] if len(text) >= TAG_LEN else text
            cleared = bytes(len(text) - len(kept)) + kept
            same("the buffer after a refusal", left, cleared if backend.refusal_clears else text)
        else:
            check(good, "an authentic text was refused")
            same("opened", left[: len(plain)], plain)


def _aead(context: Context, case: Case) -> None:
    key, nonce, aad = case.octets("key", 32), case.octets("nonce"), case.octets("aad")
    plain, text = case.octets("plaintext"), case.octets("ciphertext_and_tag")
    expected = XNONCE_LEN if "xchacha" in case.fields.get("kind", "") else len(nonce)
    if len(nonce) not in (NONCE_LEN, XNONCE_LEN) or len(nonce) != expected:
        raise Malformed(f"a nonce of {len(nonce)} bytes")
    seal_every_way(context.backend, key, nonce, aad, plain, text)
    open_every_way(context.backend, key, nonce, aad, text, plain)
    for at in (0, len(text) - 1):  # a flipped bit anywhere must be noticed
        forged = text[:at] + bytes([text[at] ^ 0x40]) + text[at + 1 :]
        open_every_way(context.backend, key, nonce, aad, forged, None)


def _block(context: Context, case: Case) -> None:
    want = case.octets("keystream")
    _xor(context.backend, case, bytes(len(want)), want)


def _encrypt(context: Context, case: Case) -> None:
    _xor(context.backend, case, case.octets("plaintext"), case.octets("ciphertext"))


def _xor(backend: Backend, case: Case, data: bytes, want: bytes) -> None:
    key, nonce = case.octets("key", 32), case.octets("nonce", NONCE_LEN)
    counter = case.number("counter", 1 << 32)
    same("ciphertext", backend.chacha20_xor(key, nonce, counter, data), want)
    same("plaintext", backend.chacha20_xor(key, nonce, counter, want), data)


def _keygen(context: Context, case: Case) -> None:
    key, nonce = case.octets("key", 32), case.octets("nonce", NONCE_LEN)
    same("key", context.backend.chacha20_xor(key, nonce, 0, bytes(32)), case.octets("otk", 32))


def _poly1305(context: Context, case: Case) -> None:
    key, message, want = case.octets("key", 32), case.octets("msg"), case.octets("tag", 16)
    for shift in (0, 1):
        got = context.backend.poly1305(key, message, shift)
        same(f"tag, {shift} off alignment", got, want)


def _hchacha20(context: Context, case: Case) -> None:
    got = context.backend.hchacha20(case.octets("key", 32), case.octets("nonce16", 16))
    same("key", got, case.octets("out", 32))


_AEAD = "key nonce aad plaintext ciphertext_and_tag"

FORMS = (
    form("ChaCha20", "kind key nonce counter keystream", _block, kind="chacha20_block"),
    form(
        "ChaCha20", "kind key nonce counter plaintext ciphertext", _encrypt, kind="chacha20_encrypt"
    ),
    form("Poly1305 key", "kind key nonce otk", _keygen, kind="poly1305_keygen"),
    form("Poly1305", "kind key msg tag", _poly1305, kind="poly1305"),
    form("HChaCha20", "kind key nonce16 out", _hchacha20, kind="hchacha20"),
    form("XChaCha20-Poly1305", f"kind {_AEAD}", _aead, kind="aead_xchacha20_poly1305"),
    form("ChaCha20-Poly1305", f"kind {_AEAD}", _aead, kind="aead_chacha20_poly1305"),
    form("AEAD", _AEAD, _aead),
    form("Poly1305", "key msg tag", _poly1305),
)
