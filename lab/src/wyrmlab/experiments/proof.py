# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Proof by capture: only WireGuard outside, the pings inside, and both are the same pings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.network import packets
from wyrmlab.peers.conf import PORT
from wyrmlab.peers.device_tunnel import DeviceTunnel

# The payload of the pings: readable, so that anyone can search the captures for it.
PATTERN = b"WyrmlingPlainTxt"


@dataclass(frozen=True)
class Proof:
    """The results from two captures; `checks` maps each check to its outcome."""

    outside: packets.Outside
    inside: int
    decrypted: int
    checks: dict[str, bool]


def examine(outside: Path, inside: Path, keylog: Path, *, pings: int, port: int = PORT) -> Proof:
    """Examines captures of `pings` pings with the pattern; `keylog` has the keys of their
    session."""
    seen = packets.examine_outside(outside, port=port, plaintext=PATTERN)
    within = packets.echoes_inside(inside)
    decrypted = packets.echoes_decrypted(outside, keylog)
    checks = {
        "outside there is nothing but WireGuard of the right kinds and sizes": (
            seen.only_wireguard and seen.messages["initiation"] > 0 and seen.messages["data"] > 0
        ),
        "the pings' text does not occur outside": not seen.plaintext_found,
        "inside there are the pings with their text": len(within) == 2 * pings
        and all(PATTERN in echo.text for echo in within),
        "tshark, given the session keys, finds the very same pings outside": bool(decrypted)
        and decrypted == within,
    }
    return Proof(seen, len(within), len(decrypted), checks)


def session_keys(tunnel: DeviceTunnel) -> str:
    """The key log for tshark: the static keys of this run and the keys that the lab's firmware
    prints."""
    told = re.findall(
        r"^keylog: LOCAL_EPHEMERAL_PRIVATE_KEY = (\S+)",
        tunnel.device.console.transcript,
        re.MULTILINE,
    )
    lines = [
        f"LOCAL_STATIC_PRIVATE_KEY = {tunnel.keys.private}",
        f"REMOTE_STATIC_PUBLIC_KEY = {tunnel.peer_keys.public}",
        *(f"LOCAL_EPHEMERAL_PRIVATE_KEY = {key}" for key in told),
        f"PRESHARED_KEY = {tunnel.psk}",
    ]
    return "\n".join(lines) + "\n"
