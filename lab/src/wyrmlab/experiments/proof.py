# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The proof by capture: outside nothing but WireGuard, inside the pings, and they are the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.network import packets
from wyrmlab.peers.conf import PORT
from wyrmlab.peers.device_tunnel import DeviceTunnel

# What the pings carry: readable, so that anyone can look for it in the captures.
PATTERN = b"WyrmlingPlainTxt"


@dataclass(frozen=True)
class Proof:
    """What two captures show; `checks` is what had to hold, and whether it did."""

    outside: packets.Outside
    inside: int
    decrypted: int
    checks: dict[str, bool]


def examine(outside: Path, inside: Path, keylog: Path, *, pings: int, port: int = PORT) -> Proof:
    """Of so many pings with the pattern, and the keys of their session in `keylog`."""
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
    """What tshark needs: the static keys of this run and what the lab's firmware tells."""
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
