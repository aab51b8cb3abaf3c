# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Names and addresses of a device's link and tunnel; several devices have different numbers."""

from __future__ import annotations

from dataclasses import dataclass

PORT = 51820


@dataclass(frozen=True)
class Wiring:
    """Names and addresses that must be unique in a network. Number 0 has a device's defaults."""

    number: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.number < 100:
            raise ValueError(f"device number {self.number} is not within 0 to 99")

    @property
    def tap(self) -> str:
        return f"tap{self.number}"

    @property
    def interface(self) -> str:
        """The interface of the daemon at the other end of the tunnel."""
        return f"wg{self.number}"

    @property
    def port(self) -> int:
        """The daemon's port: all daemons share the host's ports. Every device listens on `PORT`."""
        return PORT + self.number

    @property
    def mac(self) -> str:
        return f"52:54:00:12:34:{0x56 + self.number:02x}"

    @property
    def host_outer(self) -> dict[int, str]:
        return self._pair("10.9", "fd09", 1)

    @property
    def device_outer(self) -> dict[int, str]:
        return self._pair("10.9", "fd09", 2)

    @property
    def host_inner(self) -> dict[int, str]:
        return self._pair("10.77", "fd77", 1)

    @property
    def device_inner(self) -> dict[int, str]:
        return self._pair("10.77", "fd77", 2)

    def _pair(self, first: str, first6: str, last: int) -> dict[int, str]:
        middle = f":{self.number}" if self.number else ""
        return {4: f"{first}.{self.number}.{last}", 6: f"{first6}{middle}::{last}"}


def with_length(addresses: dict[int, str]) -> tuple[str, str]:
    """Both addresses with the prefix lengths of a link: /24 and /64."""
    return f"{addresses[4]}/24", f"{addresses[6]}/64"


def hosts(addresses: dict[int, str]) -> tuple[str, str]:
    """Both addresses as prefixes of one address each."""
    return f"{addresses[4]}/32", f"{addresses[6]}/128"
