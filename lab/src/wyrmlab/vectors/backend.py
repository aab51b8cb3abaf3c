# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The library as Python sees it: one shared object per set of implementations."""

from __future__ import annotations

import ctypes as c
import functools
from pathlib import Path

from wyrmlab.base.errors import WyrmError

_POINTER = c.c_void_p
_STATUS = c.c_int


class Span(c.Structure):
    _fields_ = (("data", c.c_void_p), ("len", c.c_size_t))


class Address(c.Structure):
    """struct vec_address: where a datagram came from or goes to."""

    _fields_ = (("port", c.c_uint16), ("family", c.c_uint8), ("addr", c.c_uint8 * 16))


class _Field(c.Structure):
    _fields_ = (("name", c.c_char_p), ("offset", c.c_size_t), ("size", c.c_size_t))


# Result and arguments of every function called.
_SIZE, _BYTES = c.c_size_t, c.c_void_p
_PROTOTYPES: dict[str, tuple[object, tuple[object, ...]]] = {
    "wyrm_x25519": (c.c_bool, (_BYTES, _BYTES, _BYTES)),
    "wyrm_x25519_base": (None, (_BYTES, _BYTES)),
    "wyrm_aead_seal": (
        None,
        (_BYTES, c.POINTER(Span), c.c_uint, _SIZE, _BYTES, _SIZE, _BYTES, _BYTES),
    ),
    "wyrm_aead_open": (c.c_bool, (_BYTES, _SIZE, _BYTES, _SIZE, _BYTES, _BYTES)),
    "wyrm_xaead_seal": (None, (_BYTES, _BYTES, _SIZE, _BYTES, _SIZE, _BYTES, _BYTES)),
    "wyrm_xaead_open": (c.c_bool, (_BYTES, _SIZE, _BYTES, _SIZE, _BYTES, _BYTES)),
    "wyrm_chacha20_xor": (None, (_BYTES, _BYTES, _SIZE, _BYTES, _BYTES, c.c_uint32)),
    "wyrm_hchacha20": (None, (_BYTES, _BYTES, _BYTES)),
    "wyrm_poly1305": (None, (_BYTES, _BYTES, _SIZE, _BYTES)),
    "wyrm_blake2s": (None, (_BYTES, _SIZE, _BYTES, _SIZE, _BYTES, _SIZE)),
    "wyrm_blake2s_init": (None, (_BYTES, _SIZE, _BYTES, _SIZE)),
    "wyrm_blake2s_update": (None, (_BYTES, _BYTES, _SIZE)),
    "wyrm_blake2s_final": (None, (_BYTES, _BYTES)),
    "wyrm_hmac": (None, (_BYTES, _BYTES, _SIZE, _BYTES, _SIZE)),
    "wyrm_kdf": (None, (_BYTES, _BYTES, _BYTES, _BYTES, _BYTES, _SIZE)),
    "wyrm_set_private_key": (_STATUS, (_POINTER, _BYTES)),
    "wyrm_peer_set_keepalive": (_STATUS, (_POINTER, c.c_uint16, c.c_uint16)),
    "wyrm_peer_connect": (_STATUS, (_POINTER, c.c_uint64, c.c_uint16)),
    "wyrm_peer_disconnect": (_STATUS, (_POINTER, c.c_uint16)),
    "wyrm_deadline": (c.c_uint64, (_POINTER,)),
    "wyrm_drops": (c.c_uint32, (_POINTER, _STATUS)),
    "wyrm_job_run": (None, (_POINTER,)),
    "vec_bench_new": (_POINTER, ()),
    "vec_bench_free": (None, (_POINTER,)),
    "vec_bench_size": (_SIZE, ()),
    "vec_state_size": (_SIZE, ()),
    "vec_state": (None, (_POINTER, _BYTES)),
    "vec_feed_random": (c.c_bool, (_POINTER, _BYTES, _SIZE)),
    "vec_random_left": (_SIZE, (_POINTER,)),
    "vec_set_timestamp": (None, (_POINTER, _BYTES)),
    "vec_fields": (c.POINTER(_Field), ()),
    "vec_job": (_POINTER, (_POINTER,)),
    "vec_peer": (_POINTER, (_POINTER, c.c_uint)),
    "vec_keypair": (_POINTER, (_POINTER, c.c_uint, c.c_uint)),
    "vec_slot": (_POINTER, (_POINTER, c.c_uint)),
    "vec_peer_add": (_STATUS, (_POINTER, _BYTES, _BYTES, c.POINTER(Address))),
    "vec_route_add": (_STATUS, (_POINTER, c.c_uint, c.c_uint8, c.c_uint8, _BYTES)),
    "vec_input": (_STATUS, (_POINTER, c.c_uint64, c.POINTER(Address), _BYTES, _SIZE)),
    "vec_output": (
        _STATUS,
        (_POINTER, c.c_uint64, _BYTES, _SIZE, _SIZE, _SIZE, _BYTES, _SIZE),
    ),
    "vec_poll": (_STATUS, (_POINTER, c.c_uint64, _BYTES, _SIZE)),
    "vec_job_take": (_STATUS, (_POINTER, c.c_uint64)),
    "vec_job_commit": (_STATUS, (_POINTER, c.c_uint64)),
    "vec_out": (
        c.c_void_p,
        (_POINTER, c.POINTER(c.c_size_t), c.POINTER(c.c_uint), c.POINTER(Address)),
    ),
    "vec_refusal_clears": (c.c_bool, ()),
    "vec_x25519_iterate": (None, (_BYTES, _BYTES, c.c_uint)),
    "vec_replay": (c.c_bool, (c.c_uint, _BYTES, _SIZE, _BYTES)),
    "vec_tai64n": (c.c_bool, (c.c_uint64, c.c_uint32, _BYTES)),
}

TAG_LEN = 16
KEY_LEN = 32
HASH_LEN = 32
NONCE_LEN = 12
XNONCE_LEN = 24
_STATE_ROOM = 256  # more than struct wyrm_blake2s


class Backend:
    """The primitives of one shared object. Raises ValueError for arguments no caller in C could
    pass: a key or nonce of the wrong length."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem.removeprefix("libwyrm-vectors-")
        try:
            self.lib = c.CDLL(str(path))
            for name, (result, arguments) in _PROTOTYPES.items():
                function = getattr(self.lib, name)
                function.restype = result
                function.argtypes = arguments
        except (OSError, AttributeError) as error:
            raise WyrmError(
                f"The test library {path.name} cannot be used: {error}.",
                remedy="`./wyrm clean` and try again.",
            ) from error

    @functools.cached_property
    def refusal_clears(self) -> bool:
        return bool(self.lib.vec_refusal_clears())

    @functools.cached_property
    def layout(self) -> dict[str, tuple[int, int]]:
        """Offset and size of the fields of the visible structs, by "type.member"."""
        table = self.lib.vec_fields()
        fields = {}
        at = 0
        while table[at].name is not None:
            fields[table[at].name.decode()] = (table[at].offset, table[at].size)
            at += 1
        return fields

    # ---- X25519

    def x25519(self, scalar: bytes, point: bytes) -> tuple[bytes, bool]:
        """The result, and whether the library lets it be used as a key."""
        _need(scalar, KEY_LEN)
        _need(point, KEY_LEN)
        out = c.create_string_buffer(KEY_LEN)
        usable = self.lib.wyrm_x25519(out, scalar, point)
        return out.raw, usable

    def x25519_base(self, scalar: bytes) -> bytes:
        _need(scalar, KEY_LEN)
        out = c.create_string_buffer(KEY_LEN)
        self.lib.wyrm_x25519_base(out, scalar)
        return out.raw

    def x25519_iterate(self, start: bytes, times: int) -> bytes:
        k, u = (c.create_string_buffer(_need(start, KEY_LEN), KEY_LEN) for _ in range(2))
        while times > 0:  # in portions, so that Ctrl-C is heard
            portion = min(times, 500)
            self.lib.vec_x25519_iterate(k, u, portion)
            times -= portion
        return k.raw

    # ---- ChaCha20 and Poly1305

    def aead_seal(self, key: bytes, nonce: bytes, aad: bytes, plain: bytes) -> bytes:
        return self.aead_seal_pieces(key, nonce, aad, [plain])

    def aead_seal_pieces(
        self, key: bytes, nonce: bytes, aad: bytes, pieces: list[bytes], pad: int = 0
    ) -> bytes:
        """Gathers the pieces, followed by `pad` zero bytes."""
        _need(key, KEY_LEN)
        _need(nonce, NONCE_LEN)
        size = sum(map(len, pieces)) + pad + TAG_LEN
        out = c.create_string_buffer(size)
        buffers = [c.create_string_buffer(piece, len(piece) or 1) for piece in pieces]
        spans = (Span * len(pieces))(
            *(
                Span(c.addressof(buffer), len(piece))
                for buffer, piece in zip(buffers, pieces, strict=True)
            )
        )
        self.lib.wyrm_aead_seal(out, spans, len(pieces), pad, aad, len(aad), nonce, key)
        return out.raw

    def aead_seal_in_place(
        self, key: bytes, nonce: bytes, aad: bytes, plain: bytes, shift: int = 0
    ) -> bytes:
        """The same over its own input, `shift` bytes off the alignment."""
        _need(key, KEY_LEN)
        _need(nonce, NONCE_LEN)
        room = c.create_string_buffer(bytes(shift) + plain + bytes(TAG_LEN))
        at = c.addressof(room) + shift
        self.lib.wyrm_aead_seal(at, Span(at, len(plain)), 1, 0, aad, len(aad), nonce, key)
        return room.raw[shift : shift + len(plain) + TAG_LEN]

    def aead_open(
        self, key: bytes, nonce: bytes, aad: bytes, text: bytes, shift: int = 0
    ) -> tuple[bytes, bool]:
        """What is in the buffer afterwards, and the verdict."""
        _need(key, KEY_LEN)
        _need(nonce, NONCE_LEN)
        room = c.create_string_buffer(bytes(shift) + text)
        at = c.addressof(room) + shift
        good = self.lib.wyrm_aead_open(at, len(text), aad, len(aad), nonce, key)
        return room.raw[shift : shift + len(text)], good

    def xaead_seal(self, key: bytes, nonce: bytes, aad: bytes, plain: bytes) -> bytes:
        _need(key, KEY_LEN)
        _need(nonce, XNONCE_LEN)
        out = c.create_string_buffer(len(plain) + TAG_LEN)
        self.lib.wyrm_xaead_seal(out, plain, len(plain), aad, len(aad), nonce, key)
        return out.raw

    def xaead_seal_in_place(self, key: bytes, nonce: bytes, aad: bytes, plain: bytes) -> bytes:
        _need(key, KEY_LEN)
        _need(nonce, XNONCE_LEN)
        room = c.create_string_buffer(plain + bytes(TAG_LEN), len(plain) + TAG_LEN)
        self.lib.wyrm_xaead_seal(room, room, len(plain), aad, len(aad), nonce, key)
        return room.raw

    def xaead_open(
        self, key: bytes, nonce: bytes, aad: bytes, text: bytes, shift: int = 0
    ) -> tuple[bytes, bool]:
        _need(key, KEY_LEN)
        _need(nonce, XNONCE_LEN)
        room = c.create_string_buffer(bytes(shift) + text)
        at = c.addressof(room) + shift
        good = self.lib.wyrm_xaead_open(at, len(text), aad, len(aad), nonce, key)
        return room.raw[shift : shift + len(text)], good

    def chacha20_xor(self, key: bytes, nonce: bytes, counter: int, data: bytes) -> bytes:
        _need(key, KEY_LEN)
        _need(nonce, NONCE_LEN)
        out = c.create_string_buffer(len(data) or 1)
        self.lib.wyrm_chacha20_xor(out, data, len(data), key, nonce, counter)
        return out.raw[: len(data)]

    def hchacha20(self, key: bytes, nonce: bytes) -> bytes:
        _need(key, KEY_LEN)
        _need(nonce, 16)
        out = c.create_string_buffer(KEY_LEN)
        self.lib.wyrm_hchacha20(out, key, nonce)
        return out.raw

    def poly1305(self, key: bytes, message: bytes, shift: int = 0) -> bytes:
        _need(key, KEY_LEN)
        room = c.create_string_buffer(bytes(shift) + message)
        out = c.create_string_buffer(TAG_LEN)
        self.lib.wyrm_poly1305(out, c.addressof(room) + shift, len(message), key)
        return out.raw

    # ---- BLAKE2s, HMAC, HKDF

    def blake2s(self, data: bytes, key: bytes = b"", out_len: int = HASH_LEN) -> bytes:
        _need_hash(key, out_len)
        out = c.create_string_buffer(out_len)
        self.lib.wyrm_blake2s(out, out_len, key, len(key), data, len(data))
        return out.raw

    def blake2s_pieces(self, pieces: list[bytes], key: bytes = b"", out_len: int = 32) -> bytes:
        _need_hash(key, out_len)
        state = c.create_string_buffer(_STATE_ROOM)
        out = c.create_string_buffer(out_len)
        self.lib.wyrm_blake2s_init(state, out_len, key, len(key))
        for piece in pieces:
            self.lib.wyrm_blake2s_update(state, piece, len(piece))
        self.lib.wyrm_blake2s_final(state, out)
        return out.raw

    def hmac(self, key: bytes, data: bytes) -> bytes:
        out = c.create_string_buffer(HASH_LEN)
        self.lib.wyrm_hmac(out, key, len(key), data, len(data))
        return out.raw

    def kdf(self, chaining_key: bytes, data: bytes, outputs: int) -> list[bytes]:
        """KDF1, KDF2 or KDF3; the first output overwrites the chaining key, as callers do."""
        _need(chaining_key, HASH_LEN)
        first = c.create_string_buffer(chaining_key, HASH_LEN)
        rest = [c.create_string_buffer(HASH_LEN) for _ in range(outputs - 1)]
        second, third = (*rest, None, None)[:2]
        self.lib.wyrm_kdf(first, second, third, first, data, len(data))
        return [first.raw, *(out.raw for out in rest)]

    # ---- The rest

    def replay(self, words: int, counters: list[int]) -> str:
        """One "1" or "0" for each counter: accepted or not."""
        schedule = (c.c_uint64 * len(counters))(*counters)
        accepted = c.create_string_buffer(len(counters) or 1)
        if not self.lib.vec_replay(words, schedule, len(counters), accepted):
            raise MemoryError
        return "".join("1" if verdict else "0" for verdict in accepted.raw[: len(counters)])

    def tai64n(self, unix_s: int, nanoseconds: int) -> bytes:
        """The first label of a new store that was told this time."""
        label = c.create_string_buffer(12)
        if not self.lib.vec_tai64n(unix_s, nanoseconds, label):
            raise ValueError("the store hands out no label")
        return label.raw


def _need(value: bytes, length: int) -> bytes:
    if len(value) != length:
        raise ValueError(f"{len(value)} bytes where the library takes {length}")
    return value


def _need_hash(key: bytes, out_len: int) -> None:
    if len(key) > KEY_LEN or not 1 <= out_len <= HASH_LEN:
        raise ValueError("BLAKE2s takes keys of 0 to 32 bytes and makes 1 to 32")
