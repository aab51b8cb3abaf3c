# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Exercises wg and wg-quick with a userspace daemon, using the addresses of the blog post that it
follows: keys, interfaces configured by hand and from a file, a peer added to live sessions, which
side can initiate, cryptokey routing in both directions, roaming, keepalives.

Every command and its output is in the transcript; each step is checked. The two machines are
network namespaces that share /run, so their interfaces are wg1 and wg2 instead of the blog's two
wg0.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from wyrmlab.base import proc
from wyrmlab.base.errors import TimedOutError
from wyrmlab.experiments.bench import Bench, Experiment, Parameters
from wyrmlab.network.host import Host, namespace
from wyrmlab.network.links import cable
from wyrmlab.peers import conf
from wyrmlab.peers.wireguard import WireGuard, make_keys
from wyrmlab.setup import build, host_setup

VM1_OUTER, VM2_OUTER = "172.16.25.100", "172.16.25.101"
VM1, VM2 = "192.168.2.1", "10.0.0.1"
PORT1, PORT2, ROAMED = 51820, 51821, 21841
ELSEWHERE = "198.51.100.1"


class WgTools(Parameters):
    program: Literal["wyrmd", "wireguard-go"]


@dataclass
class Walk:
    """Two machines and a transcript of commands and output."""

    bench: Bench
    vm1: Host
    vm2: Host
    folder: Path
    program: str
    lines: list[str] = field(default_factory=list)

    def on(self, host: Host, command: str, *, fails: bool = False) -> str:
        """Runs a command and records it; `fails` permits failure."""
        self.lines.append(f"{host.namespace}$ {command}")
        done = proc.run(
            *host.command("sh", "-c", f"{command} 2>&1"),
            check=not fails,
            env={"WG_QUICK_USERSPACE_IMPLEMENTATION": self.program},
        )
        self.lines += done.stdout.rstrip().splitlines()
        return done.stdout

    def reaches(self, host: Host, address: str, *options: str) -> bool:
        """Whether the address answers a ping from the host."""
        shown = shlex.join(["ping", "-c", "1", *options, address])
        answered = host.pings(address, *options, wait_s=3) == 1
        self.lines += [f"{host.namespace}$ {shown}", "answered" if answered else "no answer"]
        return answered

    def step(self, title: str, held: bool) -> None:
        self.bench.check(title, held)
        self.lines += [f"# {title}: {'yes' if held else 'NO'}", ""]

    def wait(self, title: str, condition: Callable[[], bool]) -> None:
        with contextlib.suppress(TimedOutError):
            proc.wait_until(condition, timeout_s=20, what=title, interval_s=0.2)
        self.step(title, condition())


def prepare() -> None:
    host_setup.ensure("build", "net", "check")
    build.daemon()


def tell(bench: Bench, parameters: WgTools) -> None:
    program = str(build.daemon()) if parameters.program == "wyrmd" else parameters.program
    for _ in bench.cells(["the walk"]):
        with _two_machines(bench, program) as walk:
            try:
                _tell(walk)
            finally:
                bench.keep("Transcript", "transcript.txt", "\n".join(walk.lines) + "\n")


@contextlib.contextmanager
def _two_machines(bench: Bench, program: str) -> Iterator[Walk]:
    with namespace("vm1") as vm1, namespace("vm2") as vm2:
        cable(vm1, vm2, ("eth1", "eth2"), ((f"{VM1_OUTER}/24",), (f"{VM2_OUTER}/24",)))
        yield Walk(bench, vm1, vm2, bench.run.folder, program)


def _tell(walk: Walk) -> None:
    keys1, keys2 = make_keys(), make_keys()
    vm1, vm2 = walk.vm1, walk.vm2

    key = walk.folder / "key"
    walk.on(vm1, f"umask 077; wg genkey > {key}")
    public = walk.on(vm1, f"wg pubkey < {key}").strip()
    mode = key.stat().st_mode & 0o777
    key.unlink()
    walk.step("wg creates keys that only their owner can read", (len(public), mode) == (44, 0o600))

    with WireGuard(vm1, "wg1", walk.program, walk.folder / "vm1.log") as one:
        one.configure(conf.text(keys1.private, conf.PeerSection(keys2.public, [f"{VM2}/32"])))
        walk.on(vm1, f"ip address add {VM1}/32 dev wg1; ip link set wg1 up")
        walk.on(vm1, f"ip route add {VM2}/32 dev wg1")
        shown = walk.on(vm1, "wg show wg1")
        walk.step("an interface is configured by hand", f"listening port: {PORT1}" in shown)

        file = walk.folder / "wg2.conf"
        server = conf.PeerSection(keys1.public, [f"{VM1}/32"], endpoint=f"{VM1_OUTER}:{PORT1}")
        file.write_text(conf.text(keys2.private, server, port=PORT2, addresses=[f"{VM2}/32"]))
        file.chmod(0o600)
        walk.on(vm2, f"wg-quick up {file}")
        try:
            route = walk.on(vm2, f"ip route show {VM1}")
            walk.step("wg-quick up creates link, address and route", "dev wg2" in route)
            _client_and_server(walk, one, keys2.public)
            _live_sessions(walk, one, keys2.public)
            _cryptokey_routing(walk, keys1.public, keys2.public)
            _roaming(walk, keys1.public, keys2.public)
            _server_and_server(walk, keys1.public, keys2.public)
        finally:
            walk.on(vm2, f"wg-quick down {file}", fails=True)
            file.unlink()  # it contains a key
        walk.wait("wg-quick down leaves no interface", lambda: not vm2.has_interface("wg2"))


def _client_and_server(walk: Walk, one: WireGuard, key2: str) -> None:
    """Only vm2 knows its peer's endpoint."""
    walk.step("the server cannot initiate before the client has", not walk.reaches(walk.vm1, VM2))
    walk.step("the client begins", walk.reaches(walk.vm2, VM1))
    walk.step("then the server reaches the client", walk.reaches(walk.vm1, VM2))
    shown = walk.on(walk.vm1, "wg show wg1 endpoints")
    walk.step("the server has learned the client's endpoint", f"{VM2_OUTER}:{PORT2}" in shown)
    walk.step("wg shows the handshake", one.handshake(key2) > 0)


def _live_sessions(walk: Walk, one: WireGuard, key2: str) -> None:
    before = one.handshake(key2)
    other = make_keys().public
    text = walk.on(walk.vm1, "wg showconf wg1 | sed 's/^PrivateKey.*/PrivateKey = (not shown)/'")
    whole = one.wg("showconf", "wg1") + f"\n[Peer]\nPublicKey = {other}\nAllowedIPs = 10.9.9.9/32\n"
    with walk.vm2.service(
        "ping", "ping", "-i", "0.05", "-c", "20", VM1, log=walk.folder / "pings.log"
    ) as pings:
        one.configure(whole, "syncconf")
        walk.lines.append("vm1$ wg syncconf wg1 FILE-WITH-ONE-MORE-PEER")
        pings.wait(60)
        lost = " 0% packet loss" not in pings.output()
    peers = walk.on(walk.vm1, "wg show wg1 peers").split()
    walk.step(
        "syncconf adds a peer; the live session continues without loss or handshake",
        "[Peer]" in text
        and set(peers) == {key2, other}
        and not lost
        and one.handshake(key2) == before,
    )


def _cryptokey_routing(walk: Walk, key1: str, key2: str) -> None:
    walk.on(walk.vm1, "ip route add 10.192.124.0/24 dev wg1")
    walk.step(
        "sending: a destination outside all AllowedIPs is refused",
        not walk.reaches(walk.vm1, "10.192.124.7"),
    )
    walk.on(walk.vm2, "ip address add 10.192.122.4/32 dev wg2")
    before = walk.on(walk.vm1, "wg show wg1 transfer")
    walk.step(
        "receiving: a source outside the peer's AllowedIPs is dropped",
        not walk.reaches(walk.vm2, VM1, "-I", "10.192.122.4"),
    )
    walk.step(
        "although the datagram was received and counted",
        walk.on(walk.vm1, "wg show wg1 transfer") != before,
    )
    walk.on(walk.vm1, f"wg set wg1 peer {key2} allowed-ips {VM2}/32,10.192.122.4/32")
    walk.on(walk.vm1, "ip route add 10.192.122.4/32 dev wg1")
    walk.step(
        "once the source is allowed, it passes", walk.reaches(walk.vm2, VM1, "-I", "10.192.122.4")
    )
    walk.on(walk.vm1, f"ip address add {ELSEWHERE}/32 dev lo")
    walk.on(walk.vm2, f"wg set wg2 peer {key1} allowed-ips 0.0.0.0/0")
    walk.on(walk.vm2, f"ip route add {ELSEWHERE}/32 dev wg2")
    walk.step("with 0.0.0.0/0 everything goes to one peer", walk.reaches(walk.vm2, ELSEWHERE))


def _roaming(walk: Walk, key1: str, key2: str) -> None:
    walk.on(walk.vm2, f"wg set wg2 listen-port {ROAMED}")
    walk.reaches(walk.vm2, VM1)
    shown = walk.on(walk.vm1, "wg show wg1 endpoints")
    walk.step("the endpoint follows the client to its new port", f":{ROAMED}" in shown)
    walk.step("and the server still reaches it", walk.reaches(walk.vm1, VM2))

    def received() -> str:
        return walk.vm1.run("wg", "show", "wg1", "transfer")

    before = received()
    walk.on(walk.vm2, f"wg set wg2 peer {key1} persistent-keepalive 1")
    walk.wait("with PersistentKeepalive packets come without traffic", lambda: received() != before)
    walk.on(walk.vm2, f"wg set wg2 peer {key1} persistent-keepalive 0")
    walk.on(walk.vm1, f"wg show wg1 | grep -A5 'peer: {key2}'")


def _server_and_server(walk: Walk, key1: str, key2: str) -> None:
    """Both know their peer's endpoint: either side can initiate; here vm1 does, without any
    session."""
    walk.on(walk.vm1, f"wg set wg1 peer {key2} remove")
    walk.on(walk.vm2, f"wg set wg2 peer {key1} remove")
    endpoint1, endpoint2 = f"{VM1_OUTER}:{PORT1}", f"{VM2_OUTER}:{ROAMED}"
    walk.on(walk.vm1, f"wg set wg1 peer {key2} allowed-ips {VM2}/32 endpoint {endpoint2}")
    walk.on(walk.vm2, f"wg set wg2 peer {key1} allowed-ips {VM1}/32 endpoint {endpoint1}")
    walk.step(
        "with an endpoint on both sides the first server initiates", walk.reaches(walk.vm1, VM2)
    )
    walk.step("and the second responds on the same session", walk.reaches(walk.vm2, VM1))


EXPERIMENT = Experiment(
    name="wg-tools",
    answers="Do wg and wg-quick work with wyrmd as with the kernel module?",
    clock="none",
    quick_minutes=0.3,
    minutes=0.3,
    parameters=WgTools,
    tell=tell,
    setup=(f"vm1|{VM1_OUTER}|wg1: {VM1}", "veth", f"vm2|{VM2_OUTER}|wg2: {VM2}"),
    items=("D03", "D04", "D05", "D06", "D08", "D09", "D10", "D11", "D12", "D13"),
    prepare=prepare,
)
