# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""ESPHome's wireguard component, unmodified, on compat/esp_wireguard and a real lwIP.

ESPHome validates the configuration and generates its program for the platform `host`; g++ compiles
it; it runs on this machine and tunnels to wireguard-go.
"""

from __future__ import annotations

import configparser
import filecmp
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dpkt
import pytest
from wyrmlab.base import paths, proc
from wyrmlab.network.datagrams import DatagramServer
from wyrmlab.network.host import HERE
from wyrmlab.peers.wireguard import KeyPair, WireGuard
from wyrmlab.setup import extras, third_party

FOLDER = Path(__file__).parent
BUILD = paths.BUILD / "esphome"
YAML = BUILD / "device.yaml"
GENERATED = BUILD / ".esphome" / "build" / "doors"
PROGRAM = BUILD / "program" / "esphome_program"

# Examples' keys; the device's are in device.yaml.
PEER_PRIVATE = "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA0M="
DEVICE_PRIVATE = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAUE="
PSK = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="

GATEWAY = "10.9.0.1"
PEER_INNER, DEVICE_INNER = "10.77.0.1", "10.77.0.2"
ALSO_ALLOWED, NOT_ALLOWED = "10.79.3.1", "10.78.0.1"


def public_key(private: str) -> str:
    return proc.run("wg", "pubkey", stdin=private + "\n").stdout.strip()


def esphome(configuration: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(extras.ESPHOME.python), "-m", "esphome", *arguments, str(configuration)],
        cwd=BUILD,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def configuration() -> Path:
    BUILD.mkdir(parents=True, exist_ok=True)
    text = (FOLDER / "device.yaml").read_text()
    text = text.replace("${components}", str(paths.ROOT / "esphome" / "components"))
    text = text.replace("${peer_public_key}", public_key(PEER_PRIVATE))
    if not YAML.exists() or YAML.read_text() != text:
        YAML.write_text(text)
    return YAML


@pytest.fixture(scope="module")
def generated(configuration: Path) -> Path:
    esphome(configuration, "compile", "--only-generate")
    return GENERATED / "src"


@pytest.fixture(scope="module")
def program(generated: Path) -> Path:
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(GENERATED / "platformio.ini")
    flags = settings["env:doors"]["build_flags"].split()
    proc.run(
        *("cmake", "-G", "Ninja", "-S", FOLDER / "program", "-B", PROGRAM.parent),
        *(f"-DGENERATED={generated}", f"-DESPHOME_FLAGS={' '.join(flags)}"),
        f"-DWYRM_THIRD_PARTY={third_party.folder()}",
        timeout_s=120,
    )
    proc.run("ninja", "-C", PROGRAM.parent, timeout_s=600)
    return PROGRAM


def test_esphome_accepts_the_configuration_with_our_component(configuration: Path) -> None:
    assert "Configuration is valid!" in esphome(configuration, "config")


def test_the_program_contains_esphomes_own_component_and_our_library(generated: Path) -> None:
    built_in = next(extras.ESPHOME.folder.glob("lib/python3*/site-packages/esphome/components"))
    for name in ("wireguard.cpp", "wireguard.h"):
        ours = generated / "esphome" / "components" / "wireguard" / name
        assert filecmp.cmp(ours, built_in / "wireguard" / name, shallow=False)
    libraries = (GENERATED / "platformio.ini").read_text()
    assert "droscy" not in libraries
    assert f"esp_wireguard=symlink://{paths.ROOT / 'compat' / 'esp_wireguard'}" in libraries


# ---- The tunnel ------------------------------------------------------------------------------


class NameServer(DatagramServer):
    """Says where peer.example is once it is told to answer."""

    def __init__(self) -> None:
        super().__init__(GATEWAY, 53)
        self.answers = False
        self.asked = 0

    def handle(self, data: bytes, sender: tuple[str, int]) -> None:
        self.asked += 1
        if not self.answers:
            return
        message = dpkt.dns.DNS(data)
        asked = message.qd[0]
        assert asked.name == "peer.example"
        where = bytes(map(int, GATEWAY.split(".")))
        message.qr = dpkt.dns.DNS_R
        message.an.append(
            dpkt.dns.DNS.RR(name=asked.name, type=1, cls=1, ttl=1, rdata=where, ip=where)
        )
        self.socket.sendto(bytes(message), sender)


@dataclass
class Running:
    """ESPHome's program on its board, and the peer."""

    service: proc.Service
    peer: WireGuard
    names: NameServer
    folder: Path
    device_key: str

    def output(self) -> str:
        return re.sub(r"\x1b\[[0-9;]*m", "", self.service.output())

    def wait_said(self, pattern: str, *, after: int = 0, timeout_s: float = 60) -> int:
        """Until the program has said it behind the position `after`; the position behind that."""

        def found() -> re.Match[str] | None:
            assert self.service.running, self.output()[-3000:]
            return re.compile(pattern).search(self.output(), after)

        proc.wait_until(lambda: found() is not None, timeout_s=timeout_s, what=pattern)
        match = found()
        assert match is not None
        return match.end()

    def position(self) -> int:
        return len(self.output())

    def wait_pings(self, timeout_s: float = 60) -> None:
        proc.wait_until(
            lambda: HERE.pings(DEVICE_INNER, wait_s=1) == 1,
            timeout_s=timeout_s,
            what="a ping through the tunnel",
        )

    def connect(self) -> int:
        self.names.answers = True
        return self.wait_said(r"'Peer'.*\bON\b")

    def start_peer(self) -> None:
        self.peer.start()
        self.peer.set_key(KeyPair(PEER_PRIVATE, public_key(PEER_PRIVATE)))
        self.peer.configure(
            f"[Interface]\nPrivateKey = {PEER_PRIVATE}\nListenPort = 51820\n"
            f"[Peer]\nPublicKey = {self.device_key}\nPresharedKey = {PSK}\n"
            f"AllowedIPs = {DEVICE_INNER}/32\n"
        )
        self.peer.up(f"{PEER_INNER}/24", f"{ALSO_ALLOWED}/16", f"{NOT_ALLOWED}/24")


@pytest.fixture
def running(program: Path, tap_board: dict[str, str], tmp_path: Path) -> Iterator[Running]:
    service = HERE.service(
        "esphome",
        "env",
        f"--chdir={tmp_path}",
        program,
        log=tmp_path / "esphome.log",
        env=tap_board,
    )
    with NameServer() as names:
        peer = WireGuard(HERE, "wg0", "wireguard-go", tmp_path / "peer.log")
        made = Running(service, peer, names, tmp_path, public_key(DEVICE_PRIVATE))
        made.start_peer()
        with service:
            yield made
        peer.stop()


@pytest.mark.netns
def test_connection_waits_for_the_endpoints_name_and_the_sensors_follow(running: Running) -> None:
    running.wait_said("Initialized")
    running.wait_said("'Address'.*10.77.0.2")
    running.wait_said("Waiting for endpoint IP address to be available")
    running.wait_said(r"'Peer'.*\bOFF\b")
    assert running.peer.handshake(running.device_key) == 0
    running.connect()
    running.wait_said("Allowed IPs list configured correctly")
    running.wait_said("'Handshake' >> ")  # rounded to minutes: ESPHome's sensors are of 24 bits
    at_device = re.search(r"handshake: current=([1-9]\d*)", running.output())
    assert at_device is not None
    assert abs(int(at_device[1]) - running.peer.handshake(running.device_key)) <= 2
    assert HERE.ping(DEVICE_INNER, count=3).received == 3


@pytest.mark.netns
def test_only_allowed_addresses_get_through(running: Running) -> None:
    running.connect()
    running.wait_said("Allowed IPs list configured correctly")
    assert HERE.ping(DEVICE_INNER, "-I", ALSO_ALLOWED, count=2).received == 2
    received, _ = running.peer.transfer(running.device_key)
    assert HERE.ping(DEVICE_INNER, "-I", NOT_ALLOWED, count=2, wait_s=1).received == 0
    assert HERE.ping(DEVICE_INNER, count=2).received == 2
    assert running.peer.transfer(running.device_key)[0] > received


@pytest.mark.netns
def test_disable_ends_the_tunnel_and_enable_connects_again(running: Running) -> None:
    position = running.connect()
    (running.folder / "off").touch()
    position = running.wait_said(r"'Enabled'.*\bOFF\b", after=position)
    position = running.wait_said(r"'Peer'.*\bOFF\b", after=position)
    assert HERE.ping(DEVICE_INNER, count=1, wait_s=1).received == 0
    before = running.peer.handshake(running.device_key)
    (running.folder / "off").unlink()
    position = running.wait_said(r"'Enabled'.*\bON\b", after=position)
    running.wait_said(r"'Peer'.*\bON\b", after=position)
    running.wait_pings()
    assert running.peer.handshake(running.device_key) >= before


@pytest.mark.netns
def test_tunnel_comes_back_after_the_peer_has_restarted(running: Running) -> None:
    """The peer has forgotten session and endpoint: the device notices that nobody answers it."""
    running.connect()
    running.wait_pings()
    running.peer.stop()
    running.peer.wait_gone()
    running.start_peer()
    running.wait_pings(timeout_s=90)
    assert "Stopping connection" not in running.output()
