# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Several devices in one network, each with its own link, peer and tunnel."""

from __future__ import annotations

from pathlib import Path

import pytest
from wyrmlab.network.host import HERE
from wyrmlab.peers.device_tunnel import boot

pytestmark = pytest.mark.netns


def test_two_devices_boot_side_by_side_and_answer_outside_and_inside(
    m7_firmware: Path, tmp_path: Path
) -> None:
    with boot(m7_firmware, tmp_path) as one, boot(m7_firmware, tmp_path) as other:
        assert one.wiring != other.wiring
        for made in (one, other):
            made.connect()
        for made in (one, other):
            assert all(
                HERE.ping(address, count=3).received == 3
                for address in made.wiring.device_outer.values()
            )
            assert made.host_pings()
            assert made.device_pings() == 3
            assert [peer.public_key for peer in made.peer.peers()] == [made.keys.public]
