# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Compares our primitives with independent libraries: libsodium, and Python's hashlib for BLAKE2s.
Seeded, so that failures are reproducible."""

from __future__ import annotations

import hashlib
import hmac
import platform
from random import Random

import pytest
from wyrmlab.vectors import command
from wyrmlab.vectors.backend import Backend

OURS = ("host", "mul32", "mul16", "small16", "small32")
# Backends with their own code for sealing and opening.
CIPHERS = (*OURS, "wyrmd", "wyrmd_avx2") if platform.machine() == "x86_64" else OURS
LONGEST = 2048
P = 2**255 - 19
# Words and bytes at which carries, reductions and comparisons go wrong.
EDGES = (0, 1, 2, 18, 19, 20, P - 1, P, P + 1, 2**255 - 20, 2**255 - 1, 2**256 - 1)


@pytest.fixture(scope="module")
def all_backends() -> dict[str, Backend]:
    return {backend.name: backend for backend in command.backends()}


@pytest.fixture(params=OURS)
def ours(request: pytest.FixtureRequest, all_backends: dict[str, Backend]) -> Backend:
    return all_backends[request.param]


@pytest.fixture(params=CIPHERS)
def cipher(request: pytest.FixtureRequest, all_backends: dict[str, Backend]) -> Backend:
    return all_backends[request.param]


@pytest.fixture
def theirs(all_backends: dict[str, Backend]) -> Backend:
    if "libsodium" not in all_backends:
        pytest.skip("libsodium is not installed: ./wyrm setup")
    return all_backends["libsodium"]


@pytest.fixture
def many(pytestconfig: pytest.Config) -> int:
    return 1_000_000 if pytestconfig.getoption("--all") else 2_000


def edgy(rng: Random, size: int) -> bytes:
    """Bytes with whole words of zeros and ones among them."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice((b"\0", b"\xff")) * size
    if kind == 1:
        words = (rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFB, 0xFFFFFFFF)) for _ in range(size // 4))
        return b"".join(word.to_bytes(4, "little") for word in words) + rng.randbytes(size % 4)
    return rng.randbytes(size)


def number(rng: Random) -> bytes:
    """A field element near the edges, half of the time."""
    if rng.randrange(2):
        return rng.randbytes(32)
    return ((rng.choice(EDGES) + rng.randrange(-3, 4)) % 2**256).to_bytes(32, "little")


def split(rng: Random, data: bytes) -> list[bytes]:
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(5)))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def same_cipher(ours: Backend, theirs: Backend, rng: Random, size: int) -> None:
    key, nonce = edgy(rng, 32), edgy(rng, 12)
    plain, shift = edgy(rng, size), rng.randrange(4)
    aad = edgy(rng, rng.choice((0, rng.randrange(40))))  # packets have none
    want = theirs.aead_seal(key, nonce, aad, plain)
    assert ours.aead_seal_pieces(key, nonce, aad, split(rng, plain)) == want, size
    assert ours.aead_seal_in_place(key, nonce, aad, plain, shift) == want, (size, shift)
    opened, good = ours.aead_open(key, nonce, aad, want, shift)
    assert good and opened[:size] == plain, (size, shift)


def test_every_length_seals_and_opens_as_libsodium_does(cipher: Backend, theirs: Backend) -> None:
    rng = Random(1)
    for size in range(LONGEST + 1):
        same_cipher(cipher, theirs, rng, size)


def test_short_messages_seal_in_every_split_and_at_every_alignment(
    ours: Backend, theirs: Backend
) -> None:
    """Two blocks of the stream and a bit, so that a piece may begin and end anywhere in a block."""
    rng = Random(7)
    key, nonce, aad, plain = (rng.randbytes(size) for size in (32, 12, 5, 131))
    want = theirs.aead_seal(key, nonce, aad, plain)
    for first in range(len(plain) + 1):
        for second in range(first, len(plain) + 1):
            pieces = [plain[:first], plain[first:second], plain[second:]]
            assert ours.aead_seal_pieces(key, nonce, aad, pieces) == want, (first, second)
    for size in range(len(plain) + 1):
        want = theirs.aead_seal(key, nonce, aad, plain[:size])
        for shift in range(4):
            assert ours.aead_seal_in_place(key, nonce, aad, plain[:size], shift) == want, size
            opened, good = ours.aead_open(key, nonce, aad, want, shift)
            assert good and opened[:size] == plain[:size], (size, shift)


@pytest.mark.timeout(3600)
def test_packets_seal_and_open_as_libsodium_does(
    cipher: Backend, theirs: Backend, many: int
) -> None:
    rng = Random(2)
    for _ in range(many):
        same_cipher(cipher, theirs, rng, min(rng.randrange(LONGEST), rng.randrange(LONGEST)) // 4)


@pytest.mark.timeout(3600)
def test_parts_of_the_cipher_equal_those_of_libsodium(
    ours: Backend, theirs: Backend, many: int
) -> None:
    rng = Random(3)
    for _ in range(many):
        key, nonce, data = edgy(rng, 32), edgy(rng, 16), edgy(rng, rng.randrange(200))
        counter = rng.choice((0, 1, rng.randrange(2**31)))
        assert ours.poly1305(key, data) == theirs.poly1305(key, data)
        assert ours.hchacha20(key, nonce) == theirs.hchacha20(key, nonce)
        want = theirs.chacha20_xor(key, nonce[:12], counter, data)
        assert ours.chacha20_xor(key, nonce[:12], counter, data) == want


@pytest.mark.timeout(3600)
def test_x25519_equals_that_of_libsodium(ours: Backend, theirs: Backend, many: int) -> None:
    rng = Random(4)
    for _ in range(many // 20):
        scalar, point = number(rng), number(rng)
        assert ours.x25519(scalar, point) == theirs.x25519(scalar, point), (scalar, point)
    for _ in range(many // 200):
        scalar = number(rng)
        assert ours.x25519_base(scalar) == theirs.x25519_base(scalar), scalar


@pytest.mark.timeout(3600)
def test_blake2s_equals_that_of_python(ours: Backend, many: int) -> None:
    rng = Random(5)
    for size in range(LONGEST + 1):
        data = edgy(rng, size)
        assert ours.blake2s_pieces(split(rng, data)) == hashlib.blake2s(data).digest(), size
    for _ in range(many):
        key, data = edgy(rng, rng.randrange(33)), edgy(rng, rng.randrange(300))
        length = rng.randrange(1, 33)
        want = hashlib.blake2s(data, digest_size=length, key=key).digest()
        assert ours.blake2s(data, key, length) == want


@pytest.mark.timeout(3600)
def test_hmac_and_kdf_equal_those_of_python(ours: Backend, many: int) -> None:
    def mac(key: bytes, data: bytes) -> bytes:
        return hmac.digest(key, data, "blake2s")

    rng = Random(6)
    for _ in range(many // 10):
        key, data = edgy(rng, rng.randrange(140)), edgy(rng, rng.randrange(140))
        assert ours.hmac(key, data) == mac(key, data)
        chain = edgy(rng, 32)
        secret = mac(chain, data)
        want = [mac(secret, b"\1")]
        want.append(mac(secret, want[0] + b"\2"))
        want.append(mac(secret, want[1] + b"\3"))
        for outputs in (1, 2, 3):
            assert ours.kdf(chain, data, outputs) == want[:outputs]
