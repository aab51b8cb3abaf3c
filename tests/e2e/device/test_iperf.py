# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""iperf on the device, with a real iperf 2 and with what a stranger may send it."""

from __future__ import annotations

import re
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wyrmlab.base import proc
from wyrmlab.base.errors import TimedOutError
from wyrmlab.boards.device import Device

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]

DEVICE = ("10.9.0.2", 5001)
PLACES = 4  # streams of the server


def serving(boot: Boot, **options: object) -> Device:
    device = boot(**options)
    device.command("iperf -s")
    return device


# --- Sending UDP ---------------------------------------------------------------------------------


def test_device_sends_udp_for_as_long_as_asked_even_when_it_cannot_keep_up(boot: Boot) -> None:
    said = boot().command("iperf -c 10.9.0.1 -u -b 1000 -t 1", timeout_s=20)
    found = re.search(r"^iperf: udp tx (\d+) bytes in (\d+)\.\d+ ms", said, re.MULTILINE)
    assert found is not None
    assert int(found[1]) > 0
    assert 1000 <= int(found[2]) < 2000


def test_ctrl_c_stops_a_device_that_sends_udp_as_fast_as_it_can(boot: Boot) -> None:
    device = boot()
    device.console.skip()
    device.console.send_line("iperf -c 10.9.0.1 -u -b 1000 -t 100")
    device.console.expect(r"-t 100\r*\n")
    with pytest.raises(TimedOutError):
        device.console.expect("^wyrm> ", timeout_s=0.5)
    device.console.send(b"\x03")
    said = device.console.expect("(.*?)^wyrm> ", timeout_s=60)[1]
    assert "iperf: udp tx " in said
    assert "error: iperf was interrupted" in said


def test_paced_udp_matches_the_counts_of_an_iperf_server(boot: Boot, tmp_path: Path) -> None:
    device = boot()
    command = ["iperf", "-s", "-u"]
    with proc.Service(
        "iperf", command, tmp_path / "iperf.log", stop_signal=signal.SIGKILL
    ) as server:
        server.wait_for("Server listening", timeout_s=60)
        said = device.command("iperf -c 10.9.0.1 -u -b 2 -n 147000", timeout_s=20)
    assert re.search(r"^iperf: udp tx 147000 bytes in (?!0)\d{3,}\.", said, re.MULTILINE)
    assert re.search(r"^iperf: server report: \d+/10\d lost$", said, re.MULTILINE)


def test_datagrams_that_the_stack_refuses_are_not_counted_as_sent(boot: Boot) -> None:
    device = boot(args={"term": "plain", "panic": "exit", "ip": "10.9.0.2/24"})
    said = device.command("iperf -c 192.0.2.1 -u -b 1 -n 14700", timeout_s=20)
    assert re.search(r"^iperf: udp tx 0 bytes in ", said, re.MULTILINE)
    assert re.search(r"^iperf: 10 datagrams not sent: no route$", said, re.MULTILINE)


# --- Serving UDP ---------------------------------------------------------------------------------


def datagram(number: int, *, length: int = 16) -> bytes:
    head = struct.pack("!IIII", number & 0xFFFFFFFF, 1, 0, number >> 32 & 0xFFFFFFFF)
    return head + b"\x08" + bytes(length - 17) if length > 16 else head


def first_report(port: socket.socket) -> bytes:
    port.settimeout(10)
    return port.recv(2000)


def reports(port: socket.socket, within_s: float, *, echo: bool = False) -> list[bytes]:
    """What the device sends in that time; an echo service sends it back."""
    heard = []
    end = time.monotonic() + within_s
    while (left := end - time.monotonic()) > 0 and len(heard) < 1000:
        port.settimeout(left)
        try:
            heard.append(port.recv(2000))
        except TimeoutError:
            break
        if echo:
            port.sendto(heard[-1], DEVICE)
    return heard


def test_an_iperf_client_gets_the_report_of_the_device(boot: Boot) -> None:
    device = serving(boot)
    said = proc.run("iperf", "-c", DEVICE[0], "-u", "-n", "147000", "-b", "4M", timeout_s=30).stdout
    assert "Server Report" in said
    assert "did not receive ack" not in said
    device.console.expect(r"^iperf: udp rx \d+ bytes in .* \d+/10\d lost", timeout_s=20)


def test_an_echo_service_and_the_device_do_not_answer_each_other_forever(boot: Boot) -> None:
    serving(boot)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as echo:
        for number in (1, -2, -3):
            echo.sendto(datagram(number), DEVICE)
            time.sleep(0.05)  # more than the device's rest between two reports
        report = first_report(echo)
        echo.sendto(report, DEVICE)
        assert len(reports(echo, 1, echo=True)) <= 1


def test_a_lost_report_is_repeated_for_a_new_id(boot: Boot) -> None:
    serving(boot)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(datagram(1), DEVICE)
        for number in (-2, -3):
            client.sendto(datagram(number), DEVICE)
            report = first_report(client)
            assert report[:16] == datagram(number)
            assert len(report) == 128
            assert not reports(client, 0.1)


def test_reports_are_rate_limited(boot: Boot) -> None:
    serving(boot)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood:
        flood.sendto(datagram(1), DEVICE)
        begun = time.monotonic()
        for number in range(2, 400):
            flood.sendto(datagram(-number), DEVICE)
            time.sleep(0.001)
        heard = reports(flood, 0.3)
        assert 1 <= len(heard) <= 2 + (time.monotonic() - begun) / 0.02


def test_the_largest_arguments_do_no_harm(boot: Boot) -> None:
    device = serving(boot)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        for number in (2**63 - 1, -(2**63)):
            client.sendto(datagram(number, length=100), DEVICE)
        assert first_report(client)
    device.console.expect(rf"^iperf: udp rx 200 bytes in .* {2**63 - 2 - 1}/{2**63 - 1} lost")


def test_session_is_not_disturbed_by_datagrams_from_elsewhere(boot: Boot) -> None:
    device = serving(boot)
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other,
    ):
        for number in range(1, 5):
            client.sendto(datagram(number, length=100), DEVICE)
            other.sendto(datagram(number, length=100), DEVICE)
            other.sendto(datagram(-number, length=100), DEVICE)
        client.sendto(datagram(-5, length=100), DEVICE)
        assert first_report(client)
        assert not reports(other, 0.1)
    device.console.expect(r"^iperf: udp rx 500 bytes in .* 0/5 lost")


@pytest.mark.parametrize("option", ["-R", "-d", "-r"])
def test_a_request_to_send_udp_is_refused_in_one_sentence(boot: Boot, option: str) -> None:
    device = serving(boot)
    command = ["iperf", "-c", DEVICE[0], "-u", "-t", "1", option]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
        try:
            device.console.expect(
                rf"^error: iperf refuses to send UDP to 10\.9\.0\.1 \({option}\): [^\r\n]+\r*\n"
            )
        finally:
            client.kill()


# --- Serving TCP ---------------------------------------------------------------------------------


@pytest.mark.parametrize("option", [[], ["-R"], ["-d"], ["-r"]])
def test_an_iperf_client_gets_the_mode_it_requests(boot: Boot, option: list[str]) -> None:
    device = serving(boot)
    # Another port to come back to: 5001 of the host is not the device's.
    back = ["-L", "5002"] if option in (["-d"], ["-r"]) else []
    proc.run("iperf", "-c", DEVICE[0], "-n", "100000", *option, *back, timeout_s=30)
    wanted = {"-R": {"tx"}, "-d": {"rx", "tx"}, "-r": {"rx", "tx"}}.get("".join(option), {"rx"})
    heard = {
        device.console.expect(r"^iperf: (rx|tx) 100000 bytes in ", timeout_s=60)[1] for _ in wanted
    }
    assert heard == wanted


def test_full_duplex_is_refused_in_one_sentence_and_received(boot: Boot) -> None:
    device = serving(boot)
    proc.run("iperf", "-c", DEVICE[0], "-t", "0.5", "--full-duplex", timeout_s=30)
    device.console.expect(r"^error: iperf does not support --full-duplex; it only receives\r*\n")
    device.console.expect(r"^iperf: rx \d+ bytes in ", timeout_s=60)


def test_idle_connections_release_their_slots(boot: Boot) -> None:
    """The device's clock runs ahead of time, as fast as the emulator can make it."""
    device = serving(boot, qemu_options=["-icount", "shift=3,sleep=off"])
    silent = [socket.create_connection(DEVICE, timeout=5) for _ in range(PLACES)]
    try:
        silent[0].sendall(b"begun and never ended")
        for _ in silent:
            device.console.expect(r"^error: iperf gave up on 10\.9\.0\.1: no data for 30 s")
        proc.run("iperf", "-c", DEVICE[0], "-n", "10000", timeout_s=30)
        device.console.expect(r"^iperf: rx 10000 bytes in ", timeout_s=60)
    finally:
        for connection in silent:
            connection.close()
