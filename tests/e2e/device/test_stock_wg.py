# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Stock wg on a device: through the bridge, and by hand on the device's console."""

from __future__ import annotations

import base64
import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wyrmlab.base import paths, proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.boards import terminal
from wyrmlab.boards.device import Device
from wyrmlab.peers import wireguard
from wyrmlab.peers.conf import PORT, at
from wyrmlab.peers.device_tunnel import DEVICE_INNER, HOST_INNER, HOST_OUTER, DeviceTunnel

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]
MakePair = Callable[..., DeviceTunnel]
Bridged = Callable[[Device], proc.Service]

WY0 = Path("/var/run/wireguard/wy0.sock")
INNER = [f"{DEVICE_INNER[4]}/24", f"{DEVICE_INNER[6]}/64"]


@pytest.fixture
def bridged(tmp_path: Path) -> Iterator[Bridged]:
    """Starts a bridge to a device and the device's tunnel, which wg lists as wy0."""
    with contextlib.ExitStack() as stack:

        def made(device: Device) -> proc.Service:
            path = tmp_path / "console"

            def serve() -> None:
                with contextlib.suppress(WyrmError):  # the device has gone
                    terminal.on_socket(device.console, path, "console: {path}")

            thread = threading.Thread(target=serve)
            thread.start()
            stack.callback(thread.join, 10)
            stack.callback(device.stop)
            proc.wait_until(path.exists, timeout_s=60, what="the console's socket")
            command = [str(paths.ROOT / "wyrm"), "bridge", "--console", str(path)]
            for address in INNER:
                command += ["--address", address]
            running = proc.Service("bridge", command, tmp_path / "bridge.log")
            stack.enter_context(running)
            running.wait_for("socket: ", timeout_s=60)
            return running

        yield made


@pytest.fixture
def both(pair: MakePair, bridged: Bridged, tmp_path: Path) -> DeviceTunnel:
    """A device configured by wg through the bridge, and its peer by wg directly."""
    made = pair(psk=wireguard.make_psk())
    bridged(made.device)
    made.bring_up_peer()
    setting = ["private-key", secret(tmp_path, made.keys.private), "listen-port", "4321"]
    setting += ["peer", made.peer_keys.public, "endpoint", at(HOST_OUTER[4])]
    setting += ["preshared-key", secret(tmp_path, made.psk)]
    wg("set", "wy0", *setting, "allowed-ips", f"{HOST_INNER[4]}/32,{HOST_INNER[6]}/128")
    wait_for_ping(made)
    return made


def wait_for_ping(pair: DeviceTunnel) -> None:
    """The first one opens the session, and may be late for a busy machine."""
    proc.wait_until(
        lambda: pair.device_pings(count=1) == 1, timeout_s=30, what="a ping through the tunnel"
    )


def secret(folder: Path, text: str) -> str:
    file = folder / f"secret{len(list(folder.iterdir()))}"
    file.write_text(text + "\n")
    return str(file)


def wg(*args: str, check: bool = True) -> str:
    done = proc.run("wg", *args, check=check, timeout_s=30)
    return done.stdout if check else done.stdout + done.stderr


def with_file(verb: str, text: str, folder: Path) -> None:
    wg(verb, "wy0", secret(folder, text))


def dump(pair: DeviceTunnel) -> list[str]:
    """The fields of the only peer."""
    device, peer = wg("show", "wy0", "dump").splitlines()
    assert device.split("\t") == ["(none)", "(none)", "4321", "off"]
    fields = peer.split("\t")
    assert fields[0] == pair.peer_keys.public
    return fields


def assert_hidden(secrets: list[str], *places: str) -> None:
    for text in places:
        for key in secrets:
            assert key not in text
            assert base64.b64decode(key).hex() not in text


# --- wg on a device --------------------------------------------------------------------------


def test_wg_sets_a_tunnel_up_from_nothing_and_shows_it(both: DeviceTunnel, tmp_path: Path) -> None:
    assert both.host_pings()
    for family in (4, 6):
        assert both.device_pings(HOST_INNER[family]) == 3
    allowed = f"{HOST_INNER[4]}/32,{HOST_INNER[6]}/128"
    fields = dump(both)
    assert fields[1:4] == ["(none)", at(HOST_OUTER[4]), allowed]
    assert abs(int(fields[4]) - time.time()) < 60
    assert abs(int(fields[4]) - both.peer.peers()[0].latest_handshake) < 5
    assert fields[7] == "off"

    def same_counts() -> bool:
        there = both.peer.peers()[0]
        here = [int(count) for count in dump(both)[5:7]]
        return here == [there.tx_bytes, there.rx_bytes]

    proc.wait_until(same_counts, timeout_s=60, what="both ends to count the same")
    shown = wg("show", "wy0")
    for text in ("interface: wy0", "listening port: 4321", "latest handshake: ", "transfer: "):
        assert text in shown
    assert "preshared" not in shown
    assert "wy0" in wg("show", "interfaces").split()
    conf = wg("showconf", "wy0")
    assert f"PublicKey = {both.peer_keys.public}" in conf
    assert "Key = " not in conf.replace("PublicKey = ", "")
    log = (tmp_path / "bridge.log").read_text()
    places = (both.device.console.transcript, log, conf, shown, "\t".join(fields))
    assert_hidden([both.keys.private, both.psk], *places)


def test_syncconf_leaves_sessions_alone_and_setconf_does_not(
    both: DeviceTunnel, tmp_path: Path
) -> None:
    conf = both.device_conf(interface="").replace(f"ListenPort = {PORT}", "ListenPort = 4321")
    conf = "\n".join(line for line in conf.splitlines() if "Address =" not in line) + "\n"
    stranger = wireguard.make_keys().public
    other = f"[Peer]\nPublicKey = {stranger}\nAllowedIPs = 10.99.0.0/16, fd99::/16\n"
    before = dump(both)
    for extra in (other, ""):
        with_file("syncconf", conf + extra, tmp_path)
        assert (stranger in wg("show", "wy0", "peers")) == bool(extra)
        assert both.host_pings(count=1)
    after = dump(both)
    assert after[4] == before[4]
    assert int(after[6]) - int(before[6]) == 2 * (128 + 144)  # the pings, no handshake

    with_file("addconf", other, tmp_path)
    assert stranger in wg("show", "wy0", "peers")
    with_file("setconf", conf, tmp_path)
    assert dump(both)[4:7] == ["0", "0", "0"]
    wait_for_ping(both)
    wg("set", "wy0", "peer", both.peer_keys.public, "remove")
    assert wg("show", "wy0", "peers") == ""
    assert both.device_pings(count=1) == 0


def test_known_defect_65_showconf_output_can_be_set_again_without_losing_keys(
    both: DeviceTunnel, tmp_path: Path
) -> None:
    before = wg("showconf", "wy0")
    with_file("syncconf", before, tmp_path)
    assert wg("showconf", "wy0") == before
    shown = both.device.command("wg")
    assert f"public key: {both.keys.public}" in shown
    assert "preshared key: (hidden)" in shown
    assert both.device_pings(count=1) == 1
    assert "The file has no PrivateKey" in (tmp_path / "bridge.log").read_text()
    wg("set", "wy0", "private-key", "/dev/null")
    assert both.keys.public not in both.device.command("wg")


def test_port_moves_without_losing_the_session(both: DeviceTunnel) -> None:
    before = dump(both)[4]
    both.device.command("iperf -s")
    assert "Address already in use" in wg("set", "wy0", "listen-port", "5001", check=False)
    assert dump(both)[4] == before
    wg("set", "wy0", "listen-port", "4444")
    assert both.device_pings() == 3
    assert both.peer.peers()[0].endpoint.endswith(":4444")
    assert wg("show", "wy0", "latest-handshakes").split()[1] == before


def test_a_file_without_a_private_key_keeps_the_devices_key(
    pair: MakePair, bridged: Bridged, tmp_path: Path
) -> None:
    made = pair()
    shown = made.device.command("genkey")
    made.keys = wireguard.KeyPair("", shown.splitlines()[0].removeprefix("public key: "))
    log = bridged(made.device)
    assert f"The device's public key: {made.keys.public}" in log.output()
    made.bring_up_peer()
    conf = f"[Peer]\nPublicKey = {made.peer_keys.public}\nAllowedIPs = {HOST_INNER[4]}/32\n"
    conf += f"Endpoint = {at(HOST_OUTER[4])}\n"
    with_file("setconf", conf, tmp_path)
    wait_for_ping(made)
    before = wg("show", "wy0", "latest-handshakes")
    with_file("syncconf", conf, tmp_path)
    assert made.device_pings() == 3
    assert wg("show", "wy0", "latest-handshakes") == before


def test_the_bridge_reports_a_device_that_stops_or_restarts_and_continues(
    boot: Boot, bridged: Bridged
) -> None:
    device = boot()
    bridge = bridged(device)
    assert wg("show", "wy0").startswith("interface: wy0")
    # An unfinished request of a person is cancelled.
    for line in ("ping 10.9.0.99 -c 1000", "conf paste", "uapi"):
        device.console.send_line(line)
        device.console.expect(line)
        assert wg("show", "wy0").startswith("interface: wy0")
    device.console.send(b"vers")
    assert wg("show", "wy0").startswith("interface: wy0")

    device.reboot()
    assert "Network is down" in wg("show", "wy0", check=False)
    assert "Network is down" in wg("set", "wy0", "listen-port", "5", check=False)
    device.command("wg up 10.77.0.2/24")
    assert wg("show", "wy0").startswith("interface: wy0")

    os.kill(device.qemu.pid, signal.SIGKILL)
    proc.wait_until(lambda: device.console.closed, timeout_s=60, what="QEMU's end")
    assert "No such device" in wg("show", "wy0", check=False)
    assert "has gone" in bridge.output() or "no console" in bridge.output()
    assert "Traceback" not in bridge.output()
    assert WY0.exists()
    bridge.stop()
    assert not WY0.exists()


# --- The protocol on a device's socket and console ------------------------------------------

PEERS = [f"public_key={number:064x}\n" for number in range(1, 6)]
MISTAKES = {
    "unknown key": ("nonsense=1\n", 22),
    "no value": ("private_key\n", 71),
    "no number": ("listen_port=many\n", 22),
    "mark": ("fwmark=1\n", 22),
    "short key": ("private_key=00\n", 22),
    "peer's key first": ("endpoint=10.9.0.1:1\n", 22),
    "name": (PEERS[0] + "endpoint=vpn.example.com:1\n", 22),
    "prefix": (PEERS[0] + "allowed_ip=10.0.0.0/33\n", 22),
    "too many peers": ("".join(PEERS), 12),
    "long line": ("endpoint=" + "x" * 119 + "\n", 22),
    "too many lines": ("fwmark=0\n" * 1000, 22),
}


def test_mistakes_are_reported_by_errno_and_change_nothing(boot: Boot, bridged: Bridged) -> None:
    device = boot()
    bridged(device)
    allowed = f"set=1\n{PEERS[1]}allowed_ip=10.1.0.0/16\n\n"
    assert talk(allowed.encode()) == b"errno=0\n\n"
    before = talk(b"get=1\n\n")
    assert b"allowed_ip=10.1.0.0/16" in before
    for what, (lines, number) in MISTAKES.items():
        said = talk(f"set=1\n{lines}\n".encode())
        assert said == f"errno=-{number}\n\n".encode(), what
        said = talk(f"set=1\nreplace_peers=true\n{lines}\n".encode())
        assert said == f"errno=-{number}\n\n".encode(), what
        assert talk(b"get=1\n\n") == before, what
    assert talk(b"get=1\nlisten_port=1\n\n") == b"errno=22\n\n"
    assert talk(b"get=2\n\n") == b""
    assert "unknown command" not in device.console.transcript


def talk(request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(30)
        wire.connect(str(WY0))
        wire.sendall(request)
        return b"".join(iter(lambda: _until_blank(wire), b""))


def _until_blank(wire: socket.socket) -> bytes:
    data = wire.recv(65536)
    if data.endswith(b"\n\n"):
        wire.shutdown(socket.SHUT_WR)
    return data


def test_a_request_typed_by_hand_is_answered_and_not_echoed(boot: Boot) -> None:
    device = boot()
    keys = wireguard.make_keys()
    private, peer = (base64.b64decode(key).hex() for key in (keys.private, wireguard.make_psk()))
    assert by_hand(device, "get=1\n\n") == "errno=100\n\n"
    device.command("wg up 10.77.0.2/24")
    request = f"set=1\nprivate_key={private}\npublic_key={peer}\npreshared_key={private}\n\n"
    for line_end in ("\n", "\r", "\r\n"):
        assert by_hand(device, request.replace("\n", line_end)) == "errno=0\n\n"
    assert f"public_key={peer}\n" in by_hand(device, "get=1\n\n")
    assert f"public key: {keys.public}" in device.command("wg")

    secret_line = f"private_key={private}" + "x" * 10_000
    assert by_hand(device, f"set=1\n{secret_line}\n\n") == "errno=-22\n\n"
    too_long = by_hand(device, "set=1\n" + f"private_key={private}\n" * 100 + "\n")
    assert "longer than 4" in too_long
    assert "nothing has changed" in too_long
    assert "get=1 or set=1" in by_hand(device, f"{private}\nprivate_key={private}\n\n")
    assert "cancelled" in by_hand(device, f"set=1\nprivate_key={private}\x03")
    assert "errno=22" in by_hand(device, f"get=1\nprivate_key={private}\n\n")
    assert private not in device.console.transcript
    assert "unknown command" not in device.console.transcript


def test_set_that_fails_on_the_device_changes_nothing_at_all(boot: Boot) -> None:
    """Peers A and B share the 16 prefixes; only the last line of each request is invalid."""
    device = boot()
    device.command("genkey")
    device.command("iperf -s -u -p 5555")
    device.command("wg up 10.77.0.2/24")
    a, b, c, d, e = PEERS
    held = "".join(f"allowed_ip=10.{i}.0.0/16\n" for i in range(8))
    other = "".join(f"allowed_ip=10.{i}.0.0/16\n" for i in range(8, 16))
    begin = f"{a}endpoint=10.9.0.1:1\n{held}{b}persistent_keepalive_interval=25\n{other}"
    assert by_hand(device, f"set=1\nlisten_port=4321\n{begin}\n") == "errno=0\n\n"

    change = "private_key=" + "42" * 32 + f"\nlisten_port=4322\n{a}replace_allowed_ips=true\n"
    change += f"endpoint=10.9.0.9:9\nallowed_ip=10.99.0.0/16\n{b}remove=true\n"
    moved = f"{a}replace_allowed_ips=true\n{b}" + "".join(
        f"allowed_ip=10.{i}.0.0/16\n" for i in range(100, 109)
    )
    failing = {
        "prefix that is none": (change + f"{c}allowed_ip=10.1.0.0/33\n", 22),
        "endpoint that is none": (change + f"{c}endpoint=10.9.0.1\n", 22),
        "line without a value": (change + f"{c}allowed_ip\n", 71),
        "no room for a prefix": (moved, 12),
        "no room for a peer": (f"{a}remove=true\n{c}{d}{e}" + f"public_key={'7' * 64}\n", 12),
        "port in use": (change.replace("4322", "5555"), 98),
    }
    before, shown = by_hand(device, "get=1\n\n"), device.command("wg")
    assert before.count("allowed_ip=") == 16
    for what, (lines, number) in failing.items():
        assert by_hand(device, f"set=1\n{lines}\n") == f"errno=-{number}\n\n", what
        assert by_hand(device, "get=1\n\n") == before, what
        assert device.command("wg") == shown, what
    assert by_hand(device, f"set=1\n{change}\n") == "errno=0\n\n"
    assert "allowed_ip=10.99.0.0/16" in by_hand(device, "get=1\n\n")


def by_hand(device: Device, text: str) -> str:
    device.console.skip()
    device.console.send_line("uapi")
    device.console.expect(r"^Type a request[^\r\n]*\r*\n")
    device.console.send(text.encode())
    return device.console.expect("(.*?)^wyrm> ", timeout_s=20)[1].replace("\r", "")
