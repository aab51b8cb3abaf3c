# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""wyrmd under Debian's wg and wg-quick: configuration, start, end and privileges."""

from __future__ import annotations

import contextlib
import os
import platform
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.base.proc import eventually, quietly
from wyrmlab.network.host import Host, namespace
from wyrmlab.peers import wireguard
from wyrmlab.peers.pair import Pair
from wyrmlab.peers.pair import pair as tunnel_pair
from wyrmlab.peers.wireguard import SOCKETS, WireGuard

from .uapi_model import configure_at_random

pytestmark = pytest.mark.netns
Connect = Callable[..., Pair]


@pytest.fixture
def alone(wyrmd: Path, tmp_path: Path) -> Iterator[WireGuard]:
    """One daemon without peers, its interface down."""
    with namespace("west") as west, WireGuard(west, "wga", wyrmd, tmp_path / "log") as tunnel:
        yield tunnel


def interfaces(where: Host) -> set[str]:
    return {line.split()[1].split("@")[0].rstrip(":") for line in where.ip("-o link").splitlines()}


# --- wg --------------------------------------------------------------------------------------


def test_wg_show_and_dump_report_every_setting(connect: Connect) -> None:
    psk = wireguard.make_psk()
    pair = connect(psk=psk)
    west, east = pair.west, pair.east
    west.set(f"fwmark 0x10 peer {east.keys.public} persistent-keepalive 25")
    assert west.host.pings(pair.EAST) == 1
    device, peer = west.wg("show", "wga", "dump").splitlines()
    assert device.split("\t") == [west.keys.private, west.keys.public, "51820", "0x10"]
    fields = peer.split("\t")
    assert fields[:4] == [
        *(east.keys.public, psk, "10.77.0.2:51820"),
        f"{pair.EAST}/32,{pair.EAST6}/128",
    ]
    assert abs(int(fields[4]) - time.time()) < 30
    assert int(fields[5]) > 0 < int(fields[6])
    assert fields[7] == "25"
    shown = west.wg("show")
    for text in ("interface: wga", "latest handshake:", "transfer:", "every 25 seconds"):
        assert text in shown
    assert sorted(west.wg("show", "interfaces").split()) == ["wga", "wgb"]


def test_setconf_accepts_the_output_of_showconf(connect: Connect) -> None:
    pair = connect(psk=wireguard.make_psk())
    text = pair.west.wg("showconf", "wga")
    assert pair.west.keys.private in text
    pair.west.set(f"private-key /dev/null peer {pair.east.keys.public} remove")
    pair.west.configure(text)
    assert sorted(pair.west.wg("showconf", "wga").split()) == sorted(text.split())
    assert pair.west.host.pings(pair.EAST) == 1


def test_addconf_keeps_existing_peers(alone: WireGuard) -> None:
    one, other = wireguard.make_keys().public, wireguard.make_keys().public
    alone.configure(f"[Peer]\nPublicKey = {one}\nAllowedIPs = 10.0.0.0/8\n")
    alone.configure(f"[Peer]\nPublicKey = {other}\nAllowedIPs = 11.0.0.0/8\n", "addconf")
    assert alone.show("allowed-ips") == {one: "10.0.0.0/8", other: "11.0.0.0/8"}
    alone.configure(f"[Peer]\nPublicKey = {other}\n")
    assert alone.show("allowed-ips") == {other: "(none)"}


@pytest.mark.parametrize("port", ["ListenPort = 51820\n", ""], ids=["port", "no_port"])
def test_syncconf_does_not_disturb_live_sessions(connect: Connect, port: str) -> None:
    pair = connect()
    if not port:
        pair.west.set("listen-port 0")
    other, stranger = pair.east.keys.public, wireguard.make_keys().public
    text = (
        f"[Interface]\nPrivateKey = {pair.west.keys.private}\n{port}"
        f"[Peer]\nPublicKey = {other}\nAllowedIPs = {pair.EAST}/32\nEndpoint = 10.77.0.2:51820\n"
    )
    assert pair.west.host.pings(pair.EAST) == 1
    sent = pair.west.transfer(other)[1]
    for extra in (f"[Peer]\nPublicKey = {stranger}\nAllowedIPs = 10.9.9.0/24\n", ""):
        pair.west.configure(text + extra, "syncconf")
        assert (stranger in pair.west.show("endpoints")) == bool(extra)
        assert pair.west.host.pings(pair.EAST) == 1
    assert pair.west.transfer(other)[1] - sent == 2 * 128  # two pings, no handshake
    assert pair.east.host.pings(pair.WEST) == 1


def test_a_port_in_use_is_refused_and_the_old_one_kept(alone: WireGuard, wyrmd: Path) -> None:
    with WireGuard(alone.host, "wgb", wyrmd, alone.socket.parent / "b.log") as other:
        other.set("listen-port 51820")
        alone.set("listen-port 4000")
        with pytest.raises(WyrmError) as refused:
            alone.set("listen-port 51820")
        assert "Address already in use" in refused.value.detail
        assert alone.wg("show", "wga", "listen-port").strip() == "4000"


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
def test_no_other_program_gets_the_port(alone: WireGuard, family: str) -> None:
    for port in (51820, 51821):
        alone.set(f"listen-port {port}")
        said = alone.host.run(
            "python3",
            "-c",
            "import errno, socket\n"
            f"s = socket.socket(socket.{family}, socket.SOCK_DGRAM)\n"
            "try:\n"
            f"    s.bind(('', {port}))\n"
            "except OSError as error:\n"
            "    print(errno.errorcode[error.errno])\n",
        )
        assert said.strip() == "EADDRINUSE"


def test_a_program_that_shares_the_port_gets_no_datagram(connect: Connect, tmp_path: Path) -> None:
    """A program of root may join the port's group, but receives none of our datagrams."""
    pair = connect()
    program = (
        "import socket\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
        "s.bind(('', 51820)); print('ready', flush=True)\n"
        "s.recv(2048); print('received', flush=True)\n"
    )
    with pair.east.host.service("guest", "python3", "-c", program, log=tmp_path / "guest") as guest:
        guest.wait_for("ready", timeout_s=60)
        for port in range(41000, 41020):  # each selects another socket of ours
            pair.west.set(f"listen-port {port}")
            assert pair.west.host.pings(pair.EAST) == 1
            pair.west.set_key(pair.west.keys)
        assert "received" not in guest.output()


def test_a_port_that_another_program_would_share_is_refused(alone: WireGuard) -> None:
    program = (
        "import socket, time\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
        "s.bind(('', 51822)); print('ready', flush=True); time.sleep(60)\n"
    )
    log = alone.socket.parent / "holder"
    with alone.host.service("holder", "python3", "-c", program, log=log) as holder:
        holder.wait_for("ready", timeout_s=60)
        with pytest.raises(WyrmError) as refused:
            alone.set("listen-port 51822")
    assert "Address already in use" in refused.value.detail


def test_invalid_requests_are_answered_with_the_right_errno(alone: WireGuard) -> None:
    said = talk(alone, b"set=1\nfwmark=0x10\n\n")
    assert said == b"errno=-22\n\n"
    assert talk(alone, b"set=1\nprivate_key\n\n") == b"errno=-71\n\n"
    assert talk(alone, b"get=2\n\n") == b""
    assert talk(alone, b"set=1\nendpoint=" + b"x" * 5000 + b"\n\n") == b"errno=-22\n\n"
    assert alone.wg("show", "wga", "fwmark").strip() == "off"


def talk(tunnel: WireGuard, request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
        wire.settimeout(60)
        wire.connect(str(tunnel.socket))
        wire.sendall(request)
        wire.shutdown(socket.SHUT_WR)
        said = b""
        while part := wire.recv(65536):
            said += part
        return said


def test_several_requests_may_share_a_connection(alone: WireGuard) -> None:
    said = talk(alone, b"set=1\nlisten_port=4567\n\nget=1\n\nget=1\n\n")
    assert said.startswith(b"errno=0\n\nlisten_port=4567\n")
    assert said.count(b"errno=0\n\n") == 3


def test_hanging_clients_do_not_lock_out_others(alone: WireGuard) -> None:
    for i in range(100):
        alone_peer = f"public_key={i + 1:064x}\n"
        talk(alone, f"set=1\n{alone_peer}allowed_ip=10.0.{i}.0/24\n\n".encode())
    hanging = []
    for i in range(40):
        wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        wire.connect(str(alone.socket))
        wire.setblocking(False)
        hanging.append(wire)
        if i % 2:
            wire.send(b"get=1\n\n" * 500)  # and never reads
        else:
            wire.send(b"set=1\nlisten_")
        time.sleep(0.005)
    started = time.monotonic()
    for _ in range(3):
        assert len(alone.show("allowed-ips")) == 100
    assert time.monotonic() - started < 30
    for wire in hanging:
        wire.close()
    assert alone.running


def test_idle_and_short_connections_do_not_delay_others(alone: WireGuard) -> None:
    """Also while the daemon has no time to accept them."""
    os.kill(alone.pid, signal.SIGSTOP)
    wires = []
    try:
        for i in range(1000):
            wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            wire.setblocking(False)
            wire.connect(str(alone.socket))  # BlockingIOError: the queue is full
            if i % 20 == 0:
                wires.append(wire)  # says nothing for ever
            else:
                wire.close()
    finally:
        os.kill(alone.pid, signal.SIGCONT)
    assert "interface: wga" in alone.wg("show", "wga")
    for wire in wires:
        wire.close()


def test_idle_connections_do_not_evict_a_request_in_progress(alone: WireGuard) -> None:
    with contextlib.ExitStack() as stack:

        def connect() -> socket.socket:
            wire = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            wire.settimeout(5)
            wire.connect(str(alone.socket))
            return wire

        slow = connect()
        slow.sendall(b"set=1\nlisten_port=45")
        eventually(lambda: unread(alone) == 0, "the first half read")
        for _ in range(100):
            connect()
        assert "interface: wga" in alone.wg("show", "wga")  # all before it have been accepted
        slow.sendall(b"67\n\n")
        assert slow.recv(100) == b"errno=0\n\n"
    assert alone.wg("show", "wga", "listen-port").strip() == "4567"


def unread(tunnel: WireGuard) -> int:
    """Bytes that wait for the daemon on connections to its socket."""
    shown = quietly(["ss", "-xH", "src", str(tunnel.socket)], {})
    return sum(int(line.split()[2]) for line in shown.splitlines() if " ESTAB " in line)


# --- Many ------------------------------------------------------------------------------------


def test_a_dump_of_very_many_allowed_ips(alone: WireGuard) -> None:
    peer = wireguard.make_keys().public
    lines = [f"AllowedIPs = {a}.{b}.0.0/16,{a}::{b}/128" for a in range(1, 256) for b in range(256)]
    text = f"[Interface]\nPrivateKey = {alone.keys.private}\n[Peer]\nPublicKey = {peer}\n"
    alone.configure(text + "\n".join(lines) + "\n")
    assert len(alone.show("allowed-ips")[peer].split()) == 255 * 256 * 2


def fill(tunnel: WireGuard, peers: int, prefixes: int) -> None:
    """`prefixes` allowed addresses for each of `peers` peers."""
    request = "set=1\nreplace_peers=true\n" + "".join(
        f"public_key={i + 1:064x}\n"
        + "".join(f"allowed_ip=10.{i % 250}.{j}.{i // 250}/32\n" for j in range(prefixes))
        for i in range(peers)
    )
    assert talk(tunnel, request.encode() + b"\n") == b"errno=0\n\n"


def test_a_dump_of_a_thousand_peers_does_not_stall_the_tunnel(connect: Connect) -> None:
    pair = connect()
    other = wireguard.make_keys().public
    fill_request = pair.west.wg("showconf", "wga")
    peers = "".join(
        f"[Peer]\nPublicKey = {wireguard.make_keys().public if i else other}\nAllowedIPs = "
        + ",".join(f"11.{i % 250}.{j}.{i // 250}/32" for j in range(256))
        + "\n"
        for i in range(1000)
    )
    pair.west.configure(fill_request + peers)
    assert pair.west.host.pings(pair.EAST) == 1

    def shows() -> int:
        return len(pair.west.show("allowed-ips")[other].split(","))

    worst = worst_round_trip_ms(pair, shows)
    assert worst < 150


def worst_round_trip_ms(pair: Pair, work: Callable[[], object]) -> float:
    ping = pair.west.host.command("ping", "-n", "-i", "0.002", "-w", "60", pair.EAST)
    running = subprocess.Popen(
        [str(arg) for arg in ping], stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
    )
    try:
        started = time.monotonic()
        work()
        print(f"took {time.monotonic() - started:.3f} s")
    finally:
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=10)
    return float(said.rsplit(" = ", 1)[1].split("/")[2])


def test_clients_that_never_read_answers_cost_no_memory(alone: WireGuard) -> None:
    fill(alone, 100, 250)
    before = alone.resident_kib()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
        wire.connect(str(alone.socket))
        wire.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                wire.send(b"get=1\n\n" * 1000)
        for _ in range(5):  # the daemon goes on meanwhile
            assert "interface: wga" in alone.wg("show", "wga")
        assert alone.resident_kib() - before < 4096


def test_the_reported_handshake_time_is_stable(connect: Connect) -> None:
    pair = connect()
    assert pair.west.host.pings(pair.EAST) == 1

    def told() -> bytes:
        lines = talk(pair.west, b"get=1\n\n").splitlines()
        return b"".join(line for line in lines if line.startswith(b"last_handshake_time"))

    assert len({told() for _ in range(300)}) == 1


def test_dumps_of_many_peers(alone: WireGuard) -> None:
    peers = [wireguard.make_keys().public for _ in range(40)]
    text = "".join(
        f"[Peer]\nPublicKey = {peer}\n"
        + "".join(f"AllowedIPs = {a + 1}.{b}.0.0/16\n" for b in range(52))
        for a, peer in enumerate(peers)
    )
    alone.configure(text)
    shown = alone.show("allowed-ips")
    assert {len(value.split()) for value in shown.values()} == {52}
    assert len(shown) == 40

    last = f"[Peer]\nPublicKey = {peers[0]}\nAllowedIPs = 255.2.3.4/32,abcd::255/128\n"
    alone.configure("".join(f"[Peer]\nPublicKey = {p}\n" for p in peers[1:30]) + last)
    assert alone.wg("showconf", "wga").count("[Peer]") == 30

    alone.set(f"peer {peers[1]} allowed-ips " + ",".join(f"abcd::{i}" for i in range(1, 198)))
    assert len(alone.show("allowed-ips")[peers[1]].split()) == 197


# --- wg-quick --------------------------------------------------------------------------------


def test_wg_quick_up_strip_and_down(connect: Connect, wyrmd: Path, tmp_path: Path) -> None:
    """Adds the default route through the tunnel, with mark and rules, and removes all of it."""
    pair = connect()
    west = pair.west.host
    pair.west.stop()
    pair.east.host.ip("address add 192.0.2.1/32 dev lo")
    conf = tmp_path / "wgq.conf"
    conf.write_text(
        f"[Interface]\nPrivateKey = {pair.west.keys.private}\nListenPort = 51820\n"
        f"Address = {pair.WEST}/24, {pair.WEST6}/64\nMTU = 1380\n"
        f"[Peer]\nPublicKey = {pair.east.keys.public}\nAllowedIPs = 0.0.0.0/0, ::/0\n"
        "Endpoint = 10.77.0.2:51820\nPersistentKeepalive = 25\n"
    )
    conf.chmod(0o600)
    env = {"WG_QUICK_USERSPACE_IMPLEMENTATION": str(wyrmd)}

    def wg_quick(verb: str) -> str:
        return quietly([str(arg) for arg in west.command("wg-quick", verb, conf)], env)

    before = interfaces(west)
    wg_quick("up")
    assert west.pings("192.0.2.1", count=2) == 2  # only the tunnel leads there
    assert west.pings(pair.EAST6) == 1
    assert "not from all fwmark" in west.ip("rule")
    handshake = west.run("wg", "show", "wgq", "latest-handshakes")
    stripped = tmp_path / "stripped.conf"
    # wg removes a mark that is not in the file, and wg-quick finds its rules by the mark.
    stripped.write_text(wg_quick("strip").replace("[Interface]\n", "[Interface]\nFwMark = 51820\n"))
    west.run("wg", "syncconf", "wgq", stripped)
    assert west.pings("10.88.0.2") == 1
    assert west.run("wg", "show", "wgq", "latest-handshakes") == handshake
    wg_quick("down")
    eventually(lambda: not (SOCKETS / "wgq.sock").exists(), "the end of the daemon")
    assert interfaces(west) == before
    assert "fwmark" not in west.ip("rule")


# --- Life and end ----------------------------------------------------------------------------


def ended(tunnel: WireGuard) -> bool:
    return not tunnel.running and not tunnel.socket.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_the_daemon_and_everything_is_removed(
    alone: WireGuard, number: signal.Signals
) -> None:
    os.kill(alone.pid, number)
    eventually(lambda: ended(alone), "its end")
    assert "wga" not in interfaces(alone.host)


def test_sigint_stops_the_daemon_even_if_it_was_ignored_at_start(
    alone: WireGuard, wyrmd: Path, tmp_path: Path
) -> None:
    """As a shell does for its background jobs."""
    script = f"trap '' INT; exec {wyrmd} -f wgb"
    with alone.host.service("wyrmd", "sh", "-c", script, log=tmp_path / "b.log") as service:
        eventually(lambda: (SOCKETS / "wgb.sock").exists(), "its socket")
        os.kill(service.pid, signal.SIGINT)
        eventually(lambda: not (SOCKETS / "wgb.sock").exists(), "its end")
        assert "wgb" not in interfaces(alone.host)


def test_the_daemon_closes_inherited_files(wyrmd: Path) -> None:
    ours, inherited = os.pipe()
    with namespace("west") as west:
        command = [str(arg) for arg in west.command(wyrmd, "wgz")]
        subprocess.run(command, pass_fds=[inherited], check=True, timeout=10)
        os.close(inherited)
        assert select.select([ours], [], [], 5)[0], "the daemon keeps the pipe open"
        assert os.read(ours, 1) == b""
        west.ip("link delete wgz")
        eventually(lambda: not (SOCKETS / "wgz.sock").exists(), "its end")
    os.close(ours)


BINDS_WHEN_THE_SOCKET_IS_GONE = """
import pathlib, socket, sys
path, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])
print("ready", flush=True)
while path.exists():
    pass
print(pathlib.Path("/sys/class/net", path.stem).exists())
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("0.0.0.0", port))
"""


def test_port_and_interface_are_free_once_the_socket_is_gone(wyrmd: Path, tmp_path: Path) -> None:
    with namespace("west") as west:
        for _ in range(5):
            with WireGuard(west, "wga", wyrmd, tmp_path / "log") as tunnel:
                tunnel.set("listen-port 51820")
                script = ("-c", BINDS_WHEN_THE_SOCKET_IS_GONE, tunnel.socket, "51820")
                command = [str(arg) for arg in west.command(sys.executable, *script)]
                with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as waiting:
                    assert waiting.stdout is not None
                    assert waiting.stdout.readline() == "ready\n"
                    os.kill(tunnel.pid, signal.SIGTERM)
                    assert waiting.stdout.readline() == "False\n"
                    assert waiting.wait(10) == 0


def test_deleting_the_interface_stops_the_daemon(alone: WireGuard) -> None:
    alone.host.ip("link delete wga")
    eventually(lambda: ended(alone), "its end")


def test_deleting_the_socket_stops_the_daemon(alone: WireGuard) -> None:
    alone.socket.chmod(0o600)  # a change of mode alone does not
    time.sleep(0.1)
    assert alone.running
    alone.socket.unlink()
    eventually(lambda: not alone.running, "its end")
    assert "wga" not in interfaces(alone.host)


def test_the_socket_of_another_daemon_is_not_removed(alone: WireGuard) -> None:
    alone.socket.unlink()
    alone.socket.write_text("another's")
    eventually(lambda: not alone.running, "its end")
    assert alone.socket.read_text() == "another's"
    alone.socket.unlink()


def test_a_new_interface_sends_nothing_unasked(alone: WireGuard) -> None:
    west = alone.host
    west.nft(
        "table inet t { chain out { type filter hook output priority 0; oifname wga counter; } }"
    )
    west.ip("link set wga up")
    time.sleep(0.5)
    shown = west.ip("address show dev wga")
    assert " mtu 1420 " in shown
    assert "MULTICAST" not in shown
    assert "inet6" not in shown
    assert west.run("cat", "/proc/sys/net/ipv4/conf/wga/send_redirects").strip() == "0"
    assert "counter packets 0" in west.run("nft", "list", "ruleset")


def test_a_second_daemon_for_an_interface_is_refused(alone: WireGuard, wyrmd: Path) -> None:
    with pytest.raises(WyrmError) as refused:
        alone.host.run(wyrmd, "wga")
    assert "another program uses it" in refused.value.detail
    with namespace("east") as east, pytest.raises(WyrmError) as refused:
        east.run(wyrmd, "wga")  # there the name is free, but the socket is taken
    assert "another daemon serves this interface" in refused.value.detail
    assert alone.wg("show", "wga") != ""


def test_errors_name_the_reason_an_interface_name_is_refused(wyrmd: Path) -> None:
    """The hint to run as root is printed only for other users."""
    taken, impossible = "an interface of another kind has this name", "not a valid interface name"
    with namespace("west") as west:
        west.ip("link add veth0 type veth peer name veth1")
        for name, why in (("veth0", taken), ("wg 0", impossible), ("..", impossible)):
            with pytest.raises(WyrmError) as refused:
                west.run(wyrmd, name)
            assert refused.value.detail.strip() == (
                f"wyrmd: {name}: creating the interface: Invalid argument; {why}"
            )
            assert not (SOCKETS / f"{name}.sock").exists()


def test_without_privileges_the_error_names_the_remedy(wyrmd: Path) -> None:
    with namespace("west") as west:
        weak = ("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin")
        with pytest.raises(WyrmError) as refused:
            west.run(*weak, wyrmd, "wga")
        assert "run as root or with CAP_NET_ADMIN" in refused.value.detail
        assert not (SOCKETS / "wga.sock").exists()


def test_a_stale_socket_is_replaced(alone: WireGuard) -> None:
    os.kill(alone.pid, signal.SIGKILL)
    eventually(lambda: not alone.running, "its end")
    assert alone.socket.exists()
    alone.start()
    eventually(lambda: "interface: wga" in alone.wg("show", "wga", check=False), "an answer")


def test_wrong_usage_is_one_sentence(wyrmd: Path) -> None:
    for arguments in ([], ["a", "b"], ["sixteen-letters-"], ["a/b"], ["--peers=0", "wg0"]):
        done = proc.run(wyrmd, *arguments, check=False, timeout_s=60)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
    assert "usage: wyrmd" in proc.run(wyrmd, "--help").stdout


def test_the_daemon_keeps_one_capability_and_is_not_dumpable(alone: WireGuard) -> None:
    status = dict(
        line.split(":\t", 1)
        for line in Path(f"/proc/{alone.pid}/status").read_text().splitlines()
        if ":\t" in line
    )
    # The process is nsenter's exec of wyrmd: itself.
    net_admin = 1 << 12
    for kind in ("CapPrm", "CapEff", "CapBnd"):
        assert int(status[kind], 16) == net_admin, kind
    for kind in ("CapInh", "CapAmb"):
        assert int(status[kind], 16) == 0
    assert status["NoNewPrivs"] == "1"
    if platform.machine() in ("x86_64", "aarch64", "riscv64"):
        assert status["Seccomp"] == "2"
    assert alone.log.read_text() == ""
    limits = Path(f"/proc/{alone.pid}/limits").read_text()
    assert "Max core file size        0                    0" in limits


def test_verbose_reports_missing_sandbox_features(wyrmd: Path, tmp_path: Path) -> None:
    """On a system without these features, simulated by a filter."""
    log = tmp_path / "log"
    without = f"""
import ctypes, os, platform, struct, sys
numbers = [444] + {{"x86_64": [317], "aarch64": [277], "riscv64": [277]}}[platform.machine()]
code = [(0x20, 0, 0, 0)]  # the number of the call
for number in numbers:
    code += [(0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | 38)]  # ENOSYS
code += [(0x06, 0, 0, 0x7FFF0000)]
program = b"".join(struct.pack("HBBI", *line) for line in code)
memory = ctypes.create_string_buffer(program)
filter = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(memory))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, filter) == 0
os.execv("{wyrmd}", ["wyrmd", *sys.argv[1:]])
"""
    with namespace("west") as west:
        command = (sys.executable, "-c", without)
        with west.service("wyrmd", *command, "-fv", "wga", log=log):
            eventually(lambda: "interface: wga" in west.run("wg", "show", check=False), "it")
            said = log.read_text().splitlines()
        assert said == [
            "wyrmd: wga: running without Landlock: Function not implemented",
            "wyrmd: wga: running without a seccomp filter: Function not implemented",
        ]


def test_an_unprivileged_user_needs_one_capability_and_the_directory(
    wyrmd: Path, tmp_path: Path
) -> None:
    """As a unit of systemd with User= and AmbientCapabilities= starts it."""
    user, log, program = 65534, tmp_path / "log", Path("/run/wyrmd-of-anybody")
    shutil.copy(wyrmd, program)  # where every user gets at it
    owner = SOCKETS.stat().st_uid
    try:
        os.chown(SOCKETS, user, -1)
        program.chmod(0o755)
    except OSError:
        pytest.skip("an ordinary user's namespace knows nobody else")
    as_user = (f"--reuid={user}", f"--regid={user}", "--clear-groups")
    one = ("--inh-caps=-all,+net_admin", "--ambient-caps=-all,+net_admin")
    try:
        with namespace("west") as west:
            command = ("setpriv", *as_user, *one, program, "-f", "wga")
            with west.service("wyrmd", *command, log=log) as service:
                eventually(lambda: "wga" in west.run("wg", "show", check=False), "it")
                west.run("wg", "set", "wga", "listen-port", "4567", "fwmark", "7")
                status = Path(f"/proc/{service.pid}/status").read_text()
                assert f"Uid:\t{user}\t{user}\t{user}\t{user}\n" in status
                assert f"CapEff:\t{1 << 12:016x}\n" in status
                os.kill(service.pid, signal.SIGTERM)
                eventually(lambda: not (SOCKETS / "wga.sock").exists(), "its end")
            assert log.read_text() == ""
    finally:
        os.chown(SOCKETS, owner, -1)
        program.unlink()


def test_in_a_foreign_directory_the_daemon_can_still_remove_its_socket(
    wyrmd: Path, tmp_path: Path
) -> None:
    owner = SOCKETS.stat().st_uid
    try:
        os.chown(SOCKETS, 1, -1)
    except OSError:
        pytest.skip("an ordinary user's namespace knows nobody else")
    try:
        with namespace("west") as west, WireGuard(west, "wga", wyrmd, tmp_path / "log") as tunnel:
            status = Path(f"/proc/{tunnel.pid}/status").read_text()
            assert f"CapEff:\t{1 << 12 | 1 << 1:016x}\n" in status
            os.kill(tunnel.pid, signal.SIGTERM)
            eventually(lambda: ended(tunnel), "its end")
    finally:
        os.chown(SOCKETS, owner, -1)


def test_the_socket_is_private_and_its_directory_readable(alone: WireGuard) -> None:
    assert stat.S_IMODE(alone.socket.stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE(SOCKETS.stat().st_mode) == 0o755


def test_low_ports_need_an_option(alone: WireGuard, wyrmd: Path, tmp_path: Path) -> None:
    with pytest.raises(WyrmError) as refused:
        alone.set("listen-port 443")
    assert "Permission denied" in refused.value.detail
    service = alone.host.service("wyrmd", wyrmd, "-fl", "wgb", log=tmp_path / "low")
    with service:
        eventually(lambda: (SOCKETS / "wgb.sock").exists(), "its socket")
        alone.wg("set", "wgb", "listen-port", "443")


def test_repeated_up_and_down_leaks_nothing(connect: Connect) -> None:
    pair = connect()
    west, other = pair.west, pair.east.keys.public

    def files() -> int:
        return len(list(Path(f"/proc/{west.pid}/fd").iterdir()))

    def round_of(n: int) -> None:
        for i in range(n):
            west.host.ip("link set wga down")
            west.set(f"listen-port {40000 + i % 7} peer {net_key} allowed-ips 10.{i}.0.0/16")
            west.set(f"peer {net_key} remove")
            west.host.ip("link set wga up")

    net_key = wireguard.make_keys().public
    round_of(5)
    before, memory = files(), west.resident_kib()
    round_of(195)
    eventually(lambda: files() <= before, "all files closed")
    assert west.resident_kib() - memory < 256
    west.host.ip("route replace 10.88.0.0/24 dev wga")
    west.set(f"peer {other} endpoint 10.77.0.2:51820")
    assert west.host.pings(pair.EAST, count=2) == 2


def test_starting_and_stopping_leaves_nothing_behind(wyrmd: Path) -> None:
    with namespace("west") as west:
        before = interfaces(west)
        for _ in range(20):
            quietly([str(arg) for arg in west.command(wyrmd, "wgz")], {})  # to the background
            assert (SOCKETS / "wgz.sock").exists()  # once the command is back
            west.ip("link delete wgz")
            eventually(lambda: not (SOCKETS / "wgz.sock").exists(), "its end")
        assert interfaces(west) == before


def valgrind_errors(log: Path) -> list[str]:
    """The report without notes on system calls that valgrind does not know, such as Landlock."""
    notes = ("noted but unhandled ioctl", "could cause spurious value errors", "README_MISSING")
    return [
        line
        for line in log.read_text().splitlines()
        if not line.startswith("--") and not any(note in line for note in notes)
    ]


@pytest.mark.all
def test_valgrind_finds_no_leaks_and_no_uninitialized_reads(wyrmd: Path, tmp_path: Path) -> None:
    """A daemon is configured at random, used, reconfigured and stopped. It runs without its
    sandbox, whose system calls valgrind does not know."""
    log = tmp_path / "valgrind"
    checked = tmp_path / "wyrmd-checked"
    checked.write_text(
        f'#!/bin/sh\nexec valgrind -q --leak-check=full --log-file={log} {wyrmd} "$@"\n'
    )
    checked.chmod(0o755)
    configure_at_random(checked, tmp_path / "log", range(1), 100)
    assert valgrind_errors(log) == []
    with tunnel_pair(tmp_path, checked, "wireguard-go", psk=wireguard.make_psk()) as made:
        for address in (made.EAST, made.EAST6):
            assert made.west.host.pings(address, "-s", "1300", count=20) == 20
        made.west.set_key(wireguard.make_keys())
        made.west.set("listen-port 4000")
    assert valgrind_errors(log) == []
