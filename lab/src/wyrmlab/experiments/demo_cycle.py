# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The demonstration of the thesis: tunnel up, pings through it, tunnel down, repeatedly; finally
the peer's view of the tunnel."""

from __future__ import annotations

import re

from pydantic import Field

from wyrmlab.base.errors import WyrmError
from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters

_TOOK = r"^tunnel: up, handshake took ([\d.]+) ms"
_REPLY = re.compile(r"^reply \d+ from \S+: \d+ bytes in ([\d.]+) ms", re.MULTILINE)
_SUM = re.compile(r"^ping: (\d+) sent, (\d+) received", re.MULTILINE)


class DemoCycle(Parameters):
    cycles: int = Field(ge=1, le=1000)
    pings: int = Field(ge=1, le=100)


def tell(bench: Bench, parameters: DemoCycle) -> None:
    names = [f"cycle {number}" for number in range(1, parameters.cycles + 1)]
    if not bench.pending(names):
        return
    with bench.tunnel("device") as tunnel:
        tunnel.bring_up_peer()
        tunnel.device.configure(tunnel.device_conf(peer="PersistentKeepalive = 25"))
        for name in bench.cells(names):
            number = int(name.split()[1])
            tunnel.device.command("wg up")
            took = tunnel.device.console.expect(_TOOK, timeout_s=60)
            bench.sample("handshake_ms", float(took[1]), "ms", round_=number)
            address = tunnel.wiring.host_inner[4]
            said = tunnel.device.command(f"ping {address} -c {parameters.pings} -i 0.2")
            summary = _SUM.search(said)
            if summary is None:
                raise WyrmError(f"Unexpected output of the device's ping: `{said.strip()}`.")
            for time_ms in _REPLY.findall(said):
                bench.sample("ping_ms", float(time_ms), "ms", path="tunnel", round_=number)
            sent, received = int(summary[1]), int(summary[2])
            bench.sample("ping_lost", sent - received, "pings", path="tunnel", round_=number)
            bench.check("every ping through the tunnel is answered", received == sent)
            bench.keep("The peer's view, as wg shows it", "wg-show.txt", tunnel.peer.wg("show"))
            tunnel.device.command("wg down")
            said = tunnel.device.console.command("wg")
            bench.check("after `wg down` the tunnel is down", "the tunnel is down" in said)


EXPERIMENT = Experiment(
    name="demo-cycle",
    answers="Can the tunnel be brought up, carry pings and be taken down repeatedly?",
    clock="device",
    quick_minutes=0.2,
    minutes=0.5,
    parameters=DemoCycle,
    tell=tell,
    setup=DEVICE_AND_HOST,
    items=("A05", "A06"),
    variants=("",),
)
