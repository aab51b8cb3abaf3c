# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The duration of a handshake on the device's clock, from the first message to the session."""

from __future__ import annotations

import re
import time

from pydantic import Field

from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters

_TOOK = r"^tunnel: up, handshake took ([\d.]+) ms"


class HandshakeLatency(Parameters):
    rounds: int = Field(ge=1, le=1000)
    rest_ms: int = Field(ge=0, le=10_000)


def tell(bench: Bench, parameters: HandshakeLatency) -> None:
    for secret in bench.cells(("with a preshared key", "without a preshared key")):
        with bench.tunnel(secret) as tunnel:
            if secret.startswith("without"):
                tunnel.psk = ""
            tunnel.bring_up_peer()
            tunnel.device.configure(tunnel.device_conf())
            for number in range(1, parameters.rounds + 1):
                tunnel.device.command("wg up")
                took = tunnel.device.console.expect(_TOOK, timeout_s=60)
                tunnel.device.command("wg down")
                time.sleep(parameters.rest_ms / 1000)
                bench.sample("handshake_ms", float(took[1]), "ms", path=secret, round_=number)
            refused = re.findall(r"^tunnel: .*refused", tunnel.device.console.transcript, re.M)
            bench.check("the peer accepts every handshake", not refused)


EXPERIMENT = Experiment(
    name="handshake-latency",
    answers="How long does a handshake take?",
    clock="device",
    quick_minutes=0.2,
    minutes=0.5,
    parameters=HandshakeLatency,
    tell=tell,
    setup=DEVICE_AND_HOST,
    variants=("",),
)
