# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""One case of a vector file: typed access to its fields, and what can be wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wyrmlab.vectors.backend import Backend


class Mismatch(Exception):  # noqa: N818 - it is a finding, not an accident
    """The library and the vector disagree."""


class Malformed(Mismatch):
    """The case itself is not of its format."""


class Skipped(Exception):  # noqa: N818
    """The case cannot or need not run here; the reason is the message."""


@dataclass(frozen=True)
class Case:
    """A JSON object whose byte strings are hex. Nested objects are cases too."""

    id: str
    fields: Mapping[str, Any]

    def __contains__(self, key: str) -> bool:
        return self.fields.get(key) is not None

    def _get(self, key: str, kind: type | tuple[type, ...], what: str) -> Any:
        if key not in self.fields:
            raise Malformed(f"the field {key} is missing")
        value = self.fields[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise Malformed(f"the field {key} is not {what}")
        return value

    def text(self, key: str) -> str:
        return str(self._get(key, str, "a text"))

    def flag(self, key: str) -> bool:
        return bool(self._get(key, bool, "true or false"))

    def number(self, key: str, limit: int = 1 << 64) -> int:
        """A number, which may be written as a text because JSON numbers lose 64-bit precision."""
        value = self._get(key, (int, str), "a whole number")
        return parse_number(value, key, limit)

    def octets(self, key: str, length: int | None = None) -> bytes:
        return parse_hex(self._get(key, str, "hex"), key, length)

    def items(self, key: str) -> list[Any]:
        return list(self._get(key, list, "a list"))

    def octets_list(self, key: str) -> list[bytes]:
        return [parse_hex(item, key) for item in self.items(key)]

    def case(self, key: str) -> Case:
        return Case(f"{self.id}.{key}", self._get(key, dict, "an object"))

    def cases(self, key: str) -> list[Case]:
        items = self.items(key)
        if not all(isinstance(item, dict) for item in items):
            raise Malformed(f"the field {key} is not a list of objects")
        return [Case(f"{self.id}.{key}[{at}]", item) for at, item in enumerate(items)]


def parse_hex(value: object, what: str, length: int | None = None) -> bytes:
    try:
        if not isinstance(value, str) or any(c.isspace() for c in value):
            raise ValueError
        data = bytes.fromhex(value)
    except ValueError:
        raise Malformed(f"{what} is not hex") from None
    if length is not None and len(data) != length:
        raise Malformed(f"{what} has {len(data)} bytes instead of {length}")
    return data


def parse_number(value: object, what: str, limit: int = 1 << 64) -> int:
    try:
        if not isinstance(value, int | str) or isinstance(value, bool):
            raise ValueError
        number = int(value)
    except ValueError:
        raise Malformed(f"{what} is not a whole number") from None
    if not 0 <= number < limit:
        raise Malformed(f"{what} is out of range: {number}")
    return number


@dataclass
class Context:
    """What a case may need beside itself."""

    backend: Backend
    long: bool = False
    """Also what takes minutes."""
    transcripts: Mapping[str, Case] = field(default_factory=dict)
    """Handshake transcripts of all files, by id: what negative cases start from."""
    cache: dict[object, Any] = field(default_factory=dict)
    """Kept between the cases of one backend."""


Runner = Callable[[Context, Case], None]


@dataclass(frozen=True)
class Form:
    """A kind of case, recognised by the keys it has and, where several share those, by more."""

    name: str
    keys: frozenset[str]
    run: Runner
    kind: str | None = None
    """The value of the case's own field `kind`, if the form has one."""

    def matches(self, fields: Mapping[str, Any]) -> bool:
        return self.keys <= fields.keys() and (self.kind is None or fields.get("kind") == self.kind)


def form(name: str, keys: str, run: Runner, kind: str | None = None) -> Form:
    return Form(name, frozenset(keys.split()), run, kind)


def same(what: str, got: bytes, want: bytes) -> None:
    """Byte strings must be equal; says where they part."""
    if got == want:
        return
    at = next((i for i, (a, b) in enumerate(zip(got, want, strict=False)) if a != b), -1)
    if at < 0:
        raise Mismatch(f"{what}: {len(got)} bytes instead of {len(want)}")
    raise Mismatch(
        f"{what}: differs from byte {at} of {len(want)}:"
        f" got {got[at : at + 8].hex()}, expected {want[at : at + 8].hex()}"
    )


def check(condition: bool, what: str) -> None:
    if not condition:
        raise Mismatch(what)
