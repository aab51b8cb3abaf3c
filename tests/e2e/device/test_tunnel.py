# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The tunnel between a device and Debian's wireguard-go."""

from __future__ import annotations

import contextlib
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.network import capture, packets
from wyrmlab.network.host import HERE
from wyrmlab.peers import wireguard
from wyrmlab.peers.conf import PORT, at
from wyrmlab.peers.device_tunnel import (
    DEVICE_INNER,
    DEVICE_OUTER,
    HOST_INNER,
    HOST_OUTER,
    DeviceTunnel,
    Family,
    boot,
)
from wyrmlab.peers.flood import flood
from wyrmlab.peers.wireguard import wireguard_go
from wyrmlab.setup import build

pytestmark = pytest.mark.netns
MakePair = Callable[..., DeviceTunnel]


# --- Interoperation ------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["device", "peer"])
@pytest.mark.parametrize("with_psk", [True, False], ids=["psk", "no-psk"])
@pytest.mark.parametrize("outer", [4, 6], ids=["over-ipv4", "over-ipv6"])
def test_both_families_pass_whoever_begins(
    pair: MakePair, outer: Family, with_psk: bool, first: Literal["device", "peer"]
) -> None:
    made = pair(outer, wireguard.make_psk() if with_psk else "")
    made.connect(first=first)
    assert made.host_pings()
    for family in (4, 6):
        assert made.device_pings(HOST_INNER[family]) == 3
    assert made.peer.peers()[0].endpoint == at(DEVICE_OUTER[outer])


@pytest.mark.all
@pytest.mark.timeout(1800)
def test_both_families_pass_in_the_smallest_build(tmp_path: Path) -> None:
    firmware = build.firmware(variant="small")
    with boot(firmware, tmp_path, psk=wireguard.make_psk()) as made:
        made.connect()
        assert made.host_pings()
        for family in (4, 6):
            assert made.device_pings(HOST_INNER[family]) == 3


@pytest.mark.every_board
@pytest.mark.parametrize("outer", [4, 6], ids=["over-ipv4", "over-ipv6"])
@pytest.mark.parametrize("inner", [4, 6], ids=["ipv4-inside", "ipv6-inside"])
def test_tcp_flows_towards_the_device(pair: MakePair, outer: Family, inner: Family) -> None:
    made = pair(outer)
    made.connect()
    made.device.command("iperf -s")
    size = 1 << 20
    version = ["-V"] if inner == 6 else []
    proc.run("iperf", *version, "-c", DEVICE_INNER[inner], "-n", str(size), timeout_s=60)
    made.device.console.expect(rf"^iperf: rx {size} bytes in", timeout_s=30)


@pytest.mark.every_board
@pytest.mark.parametrize("inner", [4, 6], ids=["ipv4-inside", "ipv6-inside"])
def test_tcp_flows_from_the_device(tunnel: DeviceTunnel, tmp_path: Path, inner: Family) -> None:
    size = 1 << 20
    version = ["-V"] if inner == 6 else []
    server = proc.Service(
        "iperf", ["iperf", "-s", *version], tmp_path / "iperf.log", stop_signal=signal.SIGKILL
    )
    with server:
        server.wait_for("Server listening", timeout_s=60)
        tunnel.device.console.send_line(f"iperf -c {HOST_INNER[inner]} -n {size}")
        tunnel.device.console.expect(rf"^iperf: tx {size} bytes in", timeout_s=60)


def test_persistent_keepalive_is_sent_without_traffic(pair: MakePair, tmp_path: Path) -> None:
    made = pair()
    made.bring_up_peer()
    made.device.configure(made.device_conf(peer="PersistentKeepalive = 1"))
    made.device.command("wg up")
    made.wait_up()
    assert "persistent keepalive: every 1 second" in made.device.command("wg")
    file = tmp_path / "outside.pcapng"
    begun = time.monotonic()
    with capture.Capture("tap0", file):
        time.sleep(4)
    longest = time.monotonic() - begun
    seen = packets.examine_outside(file, port=PORT, plaintext=b"never")
    assert 2 <= seen.messages["keepalive"] <= longest + 1


def test_release_firmware_cannot_print_session_keys(tunnel: DeviceTunnel, firmware: Path) -> None:
    assert b"keylog" not in firmware.read_bytes()
    assert "keylog" not in tunnel.device.console.transcript


@pytest.mark.every_board
def test_big_packets_pass_whole_and_in_fragments(tunnel: DeviceTunnel) -> None:
    whole = 1420 - 28
    proc.run("ping", "-c", "2", "-s", str(whole), "-M", "do", DEVICE_INNER[4], timeout_s=20)
    refused = proc.run(
        *("ping", "-c", "1", "-s", str(whole + 1), "-M", "do", DEVICE_INNER[4]),
        check=False,
        timeout_s=20,
    )
    assert "message too long" in refused.stderr.lower()
    for size in (whole + 1, 4000):
        assert tunnel.host_pings(size=size)
        for family in (4, 6):
            assert tunnel.device_pings(HOST_INNER[family], size=size) == 3


def test_device_with_a_small_mtu_keeps_to_it(pair: MakePair, tmp_path: Path) -> None:
    made = pair()
    made.bring_up_peer()
    made.device.configure(made.device_conf(interface="MTU = 1280"))
    file = tmp_path / "inside.pcapng"
    with capture.Capture(made.peer.interface, file):
        made.device.command("wg up")
        made.wait_up()
        assert made.host_pings(size=1372)
        made.device.command("iperf -s")
        proc.run("iperf", "-c", DEVICE_INNER[4], "-n", "100000", timeout_s=60)
    from_device = capture.tshark(
        file, "-Y", f"ip.src == {DEVICE_INNER[4]}", "-T", "fields", "-e", "ip.len"
    )
    assert max(int(length.split(",")[0]) for length in from_device.split()) <= 1280
    syn = capture.tshark(
        file, "-Y", f"tcp.flags.syn == 1 && ip.src == {DEVICE_INNER[4]}",
        "-T", "fields", "-e", "tcp.options.mss_val",
    )  # fmt: skip
    assert int(syn) <= 1240


# --- Starting again ------------------------------------------------------------------------------


@pytest.mark.every_board
def test_tunnel_comes_back_after_reboots_and_power_cuts_without_a_clock(
    tunnel: DeviceTunnel,
) -> None:
    def cut_power() -> None:
        tunnel.device.stop()
        tunnel.device.start()
        tunnel.device.wait_ready()

    for again in (tunnel.device.reboot, tunnel.device.reboot, cut_power, cut_power):
        again()
        tunnel.wait_up()
        assert tunnel.host_pings()
        assert tunnel.device_pings() == 3
    # One mark for each of five boots, two for the first, and all in one sector.
    assert tunnel.device.qemu.chip is not None
    content = tunnel.device.qemu.chip.file.read_bytes()
    marks = [found.start() for found in re.finditer(b"WTM\x01", content)]
    assert len(marks) == 6
    assert marks[-1] - marks[0] < 4096


def test_device_without_an_endpoint_is_found_again_after_a_reboot(pair: MakePair) -> None:
    made = pair()
    made.connect(first="peer")
    made.device.reboot()
    # The peer still believes in its session; after 15 s without an answer it does not.
    begun = time.monotonic()
    proc.wait_until(
        lambda: HERE.ping(DEVICE_INNER[4], count=1, wait_s=1).received == 1,
        timeout_s=60,
        what="a ping after the reboot",
    )
    assert time.monotonic() - begun < 45


def test_peer_that_forgot_its_session_is_reached_again_within_15_s_of_traffic(
    tunnel: DeviceTunnel,
) -> None:
    tunnel.forget()
    begun = time.monotonic()
    tunnel.device.console.send_line(f"ping {HOST_INNER[4]} -c 60 -i 0.5 -q")
    tunnel.peer.wait_handshake(timeout_s=40)
    # KEEPALIVE_TIMEOUT + REKEY_TIMEOUT, a third of a second of jitter, the time of a busy machine,
    # which may lose an initiation: the next comes after REKEY_TIMEOUT.
    assert 14 < time.monotonic() - begun < 27
    tunnel.device.console.send(b"\x03")
    tunnel.device.console.expect(r"^wyrm> ")
    assert tunnel.host_pings()


def _story_of_rekeying(firmware: Path, folder: Path, first: Literal["device", "peer"]) -> bool:
    """Pings for 135 s; whether they were answered, over two sessions and no more."""
    file = folder / "outside.pcapng"
    with (
        boot(firmware, folder, psk=wireguard.make_psk(), interface=f"wgr-{first}") as made,
        capture.Capture("tap0", file, only=f"udp port {PORT} and udp[8] < 4"),
    ):
        made.connect(first=first)
        answered = HERE.ping(DEVICE_INNER[4], count=135, interval_s=1)
    by = {"device": DEVICE_OUTER, "peer": HOST_OUTER}[first][4]
    begun = capture.tshark(file, "-Y", "wg.type == 1", "-T", "fields", "-e", "ip.src").split()
    completed = capture.tshark(file, "-Y", "wg.type == 2").splitlines()
    return answered.loss_percent == 0 and begun == [by] * 2 and len(completed) == 2


def rekeying_by_the_device(firmware: Path, folder: Path) -> object:
    return _story_of_rekeying(firmware, folder, "device")


def rekeying_by_the_peer(firmware: Path, folder: Path) -> object:
    return _story_of_rekeying(firmware, folder, "peer")


@pytest.mark.story(tells=rekeying_by_the_device)
def test_device_renews_the_session_after_120_s_and_no_ping_is_lost(told: object) -> None:
    assert told


@pytest.mark.story(tells=rekeying_by_the_peer)
def test_device_follows_when_the_peer_renews_the_session(told: object) -> None:
    assert told


def a_peer_that_answers_late(firmware: Path, folder: Path) -> object:
    """The peer uses another preshared key for 100 s. Returns the device's output until then, and
    whether the tunnel works once the keys agree."""
    psk = wireguard.make_psk()
    with boot(firmware, folder, psk=psk, interface="wgl") as made:
        made.bring_up_peer(psk=wireguard.make_psk())
        made.device.configure(made.device_conf())
        made.device.command("wg up")
        silent = made.device_pings(count=1) == 0
        made.device.console.expect(r"^tunnel: a peer does not answer\r*\n", timeout_s=110)
        made.peer.configure(made.peer_conf())
        made.device.console.send_line(f"ping {HOST_INNER[4]} -c 30 -q")
        made.device.console.expect(r"^tunnel: up, ", timeout_s=20)
        made.device.console.send(b"\x03")
        made.device.console.expect(r"^wyrm> ")
        return silent and made.host_pings()


@pytest.mark.story(tells=a_peer_that_answers_late)
def test_device_gives_up_after_90_s_and_retries_when_there_is_traffic(
    told: object,
) -> None:
    assert told


# --- Moving about --------------------------------------------------------------------------------


def test_device_follows_a_peer_that_moves_to_another_port(tunnel: DeviceTunnel) -> None:
    tunnel.peer.set("listen-port 51999")
    assert tunnel.host_pings()
    assert f"endpoint: {at(HOST_OUTER[4], 51999)}" in tunnel.device.command("wg")
    assert tunnel.device_pings() == 3


def test_device_follows_a_peer_from_ipv4_to_ipv6_and_back(tunnel: DeviceTunnel) -> None:
    for family in (6, 4):
        where = at(DEVICE_OUTER[family])
        tunnel.peer.set(f"peer {tunnel.keys.public} endpoint {where}")
        assert tunnel.host_pings()
        assert f"endpoint: {at(HOST_OUTER[family])}" in tunnel.device.command("wg")
        assert tunnel.device_pings() == 3


def test_peer_follows_a_device_that_gets_another_address(tunnel: DeviceTunnel) -> None:
    tunnel.device.command("ip 10.9.0.33/24 gw 10.9.0.1")
    assert tunnel.device_pings() == 3
    assert tunnel.peer.peers()[0].endpoint == at("10.9.0.33")
    assert tunnel.host_pings()


# --- Under load ----------------------------------------------------------------------------------


def test_device_under_load_sends_cookies_and_keeps_working(pair: MakePair, tmp_path: Path) -> None:
    made = pair()
    made.connect()
    with flood(made.keys.public, DEVICE_OUTER[4], tmp_path / "flood", rate=500) as running:
        during = HERE.ping(DEVICE_INNER[4], count=25, interval_s=0.1)

        # A peer that proves its address with the cookie still gets in. Once a second, when all have
        # been sent cookies, the load seems over and one gets in without: then try again.
        def started_anew_with_a_cookie() -> bool:
            made.forget(endpoint=at(DEVICE_OUTER[4]))
            proc.wait_until(
                lambda: HERE.ping(DEVICE_INNER[4], count=1, wait_s=1).received == 1,
                timeout_s=60,
                what="a ping of the peer that starts anew",
            )
            return "Receiving cookie response" in made.peer.output()

        proc.wait_until(
            started_anew_with_a_cookie, timeout_s=120, what="a peer with a cookie", interval_s=0.3
        )
        count = running.end()
    assert during.received >= 24
    assert count.cookies > 100
    assert (count.responses, count.other) == (0, 0)
    assert made.host_pings()
    assert "panic" not in made.device.console.transcript


# --- Routes --------------------------------------------------------------------------------------


@contextlib.contextmanager
def far_addresses(*addresses: str) -> Iterator[None]:
    """Addresses of this host that the device only knows by its tunnel."""
    for address in addresses:
        HERE.add_address("lo", address)
    try:
        yield
    finally:
        for address in addresses:
            proc.run("ip", "address", "delete", address, "dev", "lo")


def test_default_route_leads_through_the_tunnel(pair: MakePair, tmp_path: Path) -> None:
    made = pair()
    made.bring_up_peer()
    made.device.configure(made.device_conf(allowed="0.0.0.0/0, ::/0"))
    file = tmp_path / "outside.pcapng"
    with far_addresses("203.0.113.5/32", "2001:db8::5/128"), capture.Capture("tap0", file):
        made.device.command("wg up")
        made.wait_up()
        assert made.device_pings("203.0.113.5") == 3
        assert made.device_pings("2001:db8::5") == 3
    seen = packets.examine_outside(file, port=PORT, plaintext=b"203.0.113.5")
    assert seen.only_wireguard, seen.strangers


@pytest.fixture
def two_peers(pair: MakePair, tmp_path: Path) -> Iterator[tuple[DeviceTunnel, wireguard.WireGuard]]:
    """The device gives 10.77.0.0/24 to the first peer, but 10.77.0.7 out of it to the second."""
    made = pair()
    second_keys = wireguard.make_keys()
    second_conf = (
        f"[Interface]\nPrivateKey = {second_keys.private}\nListenPort = 51821\n"
        f"[Peer]\nPublicKey = {made.keys.public}\nAllowedIPs = {DEVICE_INNER[4]}/32\n"
    )
    further = (
        f"[Peer]\nPublicKey = {second_keys.public}\nAllowedIPs = 10.77.0.7/32\n"
        f"Endpoint = {at(HOST_OUTER[4], 51821)}"
    )
    with wireguard_go("wg1", tmp_path / "wireguard-go-1.log") as second:
        made.bring_up_peer()
        second.configure(second_conf)
        second.up("10.77.0.7/32")
        # Packets from the second peer's addresses use the second tunnel.
        proc.run("ip", "route", "add", f"{DEVICE_INNER[4]}/32", "dev", "wg1", "table", "7")
        sources = ("10.77.0.7", "10.77.0.9")
        for source in sources:
            proc.run("ip", "rule", "add", "from", source, "table", "7")
        try:
            made.device.configure(made.device_conf(allowed="10.77.0.0/24", peer=further))
            made.device.command("wg up")
            made.peer.wait_handshake()
            second.wait_handshake()
            yield made, second
        finally:
            for source in sources:
                proc.run("ip", "rule", "delete", "from", source, "table", "7")


def test_the_longer_of_overlapping_prefixes_wins_in_both_directions(
    two_peers: tuple[DeviceTunnel, wireguard.WireGuard],
) -> None:
    made, second = two_peers
    before = made.peer.peers()[0].rx_bytes, second.peers()[0].rx_bytes
    assert made.device_pings("10.77.0.7", count=5) == 5
    after = made.peer.peers()[0].rx_bytes, second.peers()[0].rx_bytes
    assert after[0] - before[0] < 5 * 128 <= after[1] - before[1]
    assert made.device_pings("10.77.0.1") == 3


def test_a_peer_cannot_use_the_address_of_another(
    two_peers: tuple[DeviceTunnel, wireguard.WireGuard],
) -> None:
    made, _ = two_peers
    with far_addresses("10.77.0.9/32"):
        from_second = proc.run(
            *("ping", "-c", "3", "-i", "0.1", "-W", "1", "-I", "10.77.0.9", DEVICE_INNER[4]),
            check=False,
            timeout_s=20,
        )
    assert " 0 received" in from_second.stdout
    assert re.search(r"^tunnel .*\bsource 3\b", made.device.command("stats"), re.MULTILINE)


# --- What must not work --------------------------------------------------------------------------


def tries_in_vain(made: DeviceTunnel, file: Path) -> None:
    """The device sends packets; no session is established and nothing is sent in the clear."""
    with capture.Capture("tap0", file):
        made.device.command("wg up")
        assert made.device_pings(count=8, every_s=0.5) == 0
        assert made.device_pings(HOST_INNER[6]) == 0
        try_tcp(made)
    seen = packets.examine_outside(file, port=PORT, plaintext=b"never")
    assert not [who for who in seen.strangers if "ICMP" not in who], seen.strangers
    assert leaked(file) == 0
    assert not seen.messages["data"]
    assert seen.messages["initiation"] >= 1
    assert "tunnel: up" not in made.device.console.transcript
    shown = made.device.command("wg")
    assert "latest handshake: none yet" in shown
    assert made.peer.peers()[0].latest_handshake == 0


def try_tcp(made: DeviceTunnel) -> None:
    """A connection that waits for an answer until Ctrl-C."""
    made.device.console.send_line(f"iperf -c {HOST_INNER[4]} -t 1")
    time.sleep(2)
    made.device.console.send(b"\x03")
    made.device.console.expect(r"^wyrm> ", timeout_s=30)


def leaked(file: Path) -> int:
    """Frames with an inner address in an outer header."""
    inner = " || ".join(
        [f"ip.addr == {address}" for address in (HOST_INNER[4], DEVICE_INNER[4])]
        + [f"ipv6.addr == {address}" for address in (HOST_INNER[6], DEVICE_INNER[6])]
        + [f"arp.dst.proto_ipv4 == {HOST_INNER[4]}"]
        + [f"icmpv6.nd.ns.target_address == {HOST_INNER[6]}"]
    )
    return len(capture.tshark(file, "-Y", inner).splitlines())


def test_wrong_preshared_key_gives_no_tunnel_and_no_leak(pair: MakePair, tmp_path: Path) -> None:
    made = pair()
    made.bring_up_peer(psk=wireguard.make_psk())
    made.device.configure(made.device_conf(psk=wireguard.make_psk()))
    tries_in_vain(made, tmp_path / "outside.pcapng")


def test_wrong_public_key_gives_no_tunnel_and_no_leak(pair: MakePair, tmp_path: Path) -> None:
    made = pair()
    made.bring_up_peer()
    text = made.device_conf().replace(made.peer_keys.public, wireguard.make_keys().public)
    made.device.configure(text)
    tries_in_vain(made, tmp_path / "outside.pcapng")


def test_wrong_port_gives_no_tunnel_and_no_leak(pair: MakePair, tmp_path: Path) -> None:
    made = pair()
    made.bring_up_peer()
    made.device.configure(made.device_conf(endpoint=at(HOST_OUTER[4], 51888)))
    with capture.Capture("tap0", tmp_path / "outside.pcapng"):
        made.device.command("wg up")
        assert made.device_pings() == 0
    assert leaked(tmp_path / "outside.pcapng") == 0
    assert "latest handshake: none yet" in made.device.command("wg")


@pytest.mark.parametrize("how", ["wg down", "the peer is gone"])
def test_a_tunnel_that_is_down_sends_nothing_in_the_clear(
    tunnel: DeviceTunnel, tmp_path: Path, how: str
) -> None:
    if how == "wg down":
        tunnel.device.command(how)
    else:
        tunnel.peer.stop()
    file = tmp_path / "outside.pcapng"
    with capture.Capture("tap0", file):
        for family in (4, 6):
            assert tunnel.device_pings(HOST_INNER[family]) == 0
        with contextlib.suppress(WyrmError):
            tunnel.device.command(f"iperf -c {HOST_INNER[4]} -u -t 1", timeout_s=40)
        try_tcp(tunnel)
    assert leaked(file) == 0


def test_wg_off_gives_the_routes_back(tunnel: DeviceTunnel, tmp_path: Path) -> None:
    """Also proves that the check detects a leak, which `wg off` causes on purpose."""
    tunnel.device.command("wg off")
    file = tmp_path / "outside.pcapng"
    with capture.Capture("tap0", file):
        tunnel.device_pings(HOST_INNER[4])
    assert leaked(file) >= 3
    tunnel.device.command("wg up")
    tunnel.wait_up()
    assert tunnel.host_pings()


@pytest.mark.every_board
def test_device_without_entropy_makes_no_handshake_and_says_so(pair: MakePair) -> None:
    made = pair()
    made.bring_up_peer()
    made.device.configure(made.device_conf())
    made.device.stop()
    made.device.qemu.args["entropy"] = "none"
    made.device.start()
    made.device.console.expect(r"^random: the board has no entropy", timeout_s=20)
    made.device.wait_ready()
    assert made.device_pings() == 0
    assert made.peer.peers()[0].rx_bytes == 0
    with pytest.raises(WyrmError, match="no entropy"):
        made.device.command("genkey")
