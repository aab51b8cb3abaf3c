# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Lists the packets outside and inside a tunnel in two columns, and proves that no plaintext leaves
the device."""

from __future__ import annotations

from pydantic import Field

from wyrmlab.experiments import proof
from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters
from wyrmlab.network import capture, packets
from wyrmlab.network.host import HERE
from wyrmlab.records.record import Table


class CaptureProof(Parameters):
    pings: int = Field(ge=1, le=100)


def tell(bench: Bench, parameters: CaptureProof) -> None:
    for _ in bench.cells(["captures"]):
        with bench.tunnel("device", "lab") as tunnel:
            outside = bench.run.keep("Capture outside the tunnel", "outside.pcapng")
            inside = bench.run.keep("Capture inside the tunnel", "inside.pcapng")
            tunnel.bring_up_peer()
            tunnel.device.configure(tunnel.device_conf())
            with (
                capture.Capture(tunnel.device.link.interface, outside),
                capture.Capture(tunnel.peer.interface, inside),
            ):
                tunnel.device.command("wg up")
                tunnel.device.console.expect(r"^tunnel: up, handshake took ", timeout_s=60)
                for address in tunnel.wiring.device_inner.values():
                    answered = HERE.ping(
                        *(address,),
                        count=parameters.pings,
                        interval_s=0.05,
                        pattern=proof.PATTERN.hex(),
                    )
                    bench.check(f"every ping to {address} is answered", answered.loss_percent == 0)
            keys = bench.run.keep("Session keys of this run, for Wireshark", "keys.log")
            keys.write_text(proof.session_keys(tunnel))
            port = tunnel.wiring.port
            found = proof.examine(outside, inside, keys, pings=2 * parameters.pings, port=port)
            for kind, number in sorted(found.outside.messages.items()):
                bench.sample("messages", number, "messages", path="outside", x=kind)
            bench.sample("messages", found.inside, "messages", path="inside", x="echo")
            bench.sample(
                "messages", found.decrypted, "messages", path="outside, decrypted", x="echo"
            )
            for what, held in found.checks.items():
                bench.check(what, held)
            bench.run.record.tables = [two_columns(packets.walk(outside), packets.walk(inside))]


def two_columns(outside: list[packets.Seen], inside: list[packets.Seen]) -> Table:
    """Both captures as one list in chronological order."""
    both = [(seen.at, seen.what, "") for seen in outside]
    both += [(seen.at, "", seen.what) for seen in inside]
    both.sort()
    begun = both[0][0] if both else 0.0
    return Table(
        title="Packet by packet",
        columns=["ms", "outside", "inside"],
        rows=[[f"{(at - begun) * 1000:.1f}", left, right] for at, left, right in both],
        note="The host's clock. An outgoing packet appears inside first, an incoming one last.",
    )


EXPERIMENT = Experiment(
    name="capture-proof",
    answers="Does the device send anything but WireGuard while the tunnel carries pings?",
    clock="host",
    quick_minutes=0.2,
    minutes=0.2,
    parameters=CaptureProof,
    tell=tell,
    setup=DEVICE_AND_HOST,
    items=("A07",),
    variants=("lab",),
)
