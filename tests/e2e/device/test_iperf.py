# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""iperf on the device, with a real iperf 2 and with forged datagrams."""

from __future__ import annotations

import re
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
from wyrmlab.base import proc
from wyrmlab.base.errors import TimedOutError, WyrmError
from wyrmlab.boards.device import Device
from wyrmlab.network import capture
from wyrmlab.network.host import HERE
from wyrmlab.peers import iperf

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]

DEVICE = ("10.9.0.2", 5001)
PLACES = 8  # streams of the server


def serving(boot: Boot, **options: object) -> Device:
    device = boot(**options)
    device.command("iperf -s")
    return device


def listening(log: Path, *options: str, port: int = 5001) -> AbstractContextManager[proc.Service]:
    """A real server on the host."""
    return iperf.server(HERE, log / f"server-{port}.log", *options, port=port)


def intervals(said: str, direction: str) -> list[tuple[float, float, int]]:
    """From, to and bytes of each interval that the device printed."""
    found = re.findall(
        rf"^iperf: {direction} (\d+\.\d+)-(\d+\.\d+) s: (\d+) bytes, [\d.]+ Mbit/s,",
        said,
        re.MULTILINE,
    )
    return [(float(begin), float(end), int(size)) for begin, end, size in found]


def check_series(said: str, direction: str, period_s: float) -> None:
    """Intervals follow each other and add up to the total."""
    parts = intervals(said, direction)
    total = re.search(rf"^iperf: {direction} (\d+) bytes in ([\d.]+) ms", said, re.MULTILINE)
    assert total is not None
    assert len(parts) >= 2
    assert sum(size for _, _, size in parts) == int(total[1])
    assert parts[0][0] == 0
    for one, after in pairwise(parts):
        assert one[1] == after[0]
        assert one[1] - one[0] == pytest.approx(period_s)
    assert parts[-1][1] == pytest.approx(float(total[2]) / 1000, abs=0.1)


# --- Options -------------------------------------------------------------------------------------


def test_options_that_cannot_be_are_refused_in_a_sentence(boot: Boot) -> None:
    device = boot()
    for options, sentence in {
        "-s -d": "-d and -r are for 'iperf -c HOST'",
        "-c 10.9.0.1 -P 9": "-P must be 1 to 8 streams",
        "-c 10.9.0.1 -P 2 -d": "-P cannot be combined with -d or -r",
        "-c 10.9.0.1 -i 0.01": "-i must be 0.1 seconds or more",
        "-c 10.9.0.1 -M 63": "-M must be 64 to 1460 bytes",
        "-c 10.9.0.1 -M 1461": "-M must be 64 to 1460 bytes",
        "-c 10.9.0.1 -u -l 75": "-l must be a datagram length from 76 to 8000 bytes",
        "-c 10.9.0.1 -l 2M": "-l must be 1 to 1048576 bytes",
        "-c 10.9.0.1 -w 5X": "-w must be 1 to 4294967295 bytes",
        "-c 10.9.0.1 -L 0": "-L must be a port from 1 to 65535",
        "-c 10.9.0.1 -o 0": "-o must be 0.001 to 86400 seconds",
        "-c 10.9.0.1 -n 0": "-n must be a number of bytes",
        "-c 10.9.0.1 -b -1": "-b must be 0.001 to 1000 Mbit/s, or 0 for as fast as possible",
        "-c 10.9.0.1 -tt 1": "usage: iperf",
        "-c 10.9.0.1 -s": "usage: iperf",
    }.items():
        with pytest.raises(WyrmError, match=re.escape(sentence)):
            device.command(f"iperf {options}")


# --- The device as a client of a real server over TCP --------------------------------------------


def test_client_reports_intervals_that_add_up(boot: Boot, tmp_path: Path) -> None:
    device = boot()
    with listening(tmp_path):
        said = device.command("iperf -c 10.9.0.1 -t 1.7 -i 0.5", timeout_s=40)
    check_series(said, "tx", 0.5)
    assert len(intervals(said, "tx")) == 4


def test_parallel_streams_are_summed_up(boot: Boot, tmp_path: Path) -> None:
    device = boot()
    with listening(tmp_path, *iperf.CSV) as server:
        said = device.command("iperf -c 10.9.0.1 -P 4 -n 100K", timeout_s=40)
        proc.wait_until(lambda: server.output().count("\n") >= 4, timeout_s=20, what="four counts")
        arrived = [size for size in iperf.transfers(server.output()) if size == 102400]
    assert len(re.findall(r"^iperf: tx 102400 bytes in ", said, re.MULTILINE)) == 4
    assert re.search(r"^iperf: sum of 4 streams: tx 409600 bytes in ", said, re.MULTILINE)
    assert len(arrived) == 4


def test_window_limits_what_is_on_its_way(boot: Boot, tmp_path: Path) -> None:
    """With a host that is slow to acknowledge, no more than the window leaves the device."""
    device = boot()
    file = tmp_path / "wire.pcapng"
    with listening(tmp_path), capture.Capture("tap0", file):
        device.command("iperf -c 10.9.0.1 -n 60000 -w 3000", timeout_s=40)
    fields = ("-T", "fields", "-e", "tcp.analysis.bytes_in_flight")
    said = capture.tshark(file, "-Y", "ip.src == 10.9.0.2 && tcp.len > 0", *fields).split()
    assert said
    assert max(int(size) for size in said) <= 3000


def test_segments_are_no_longer_than_asked(boot: Boot, tmp_path: Path) -> None:
    device = boot()
    file = tmp_path / "wire.pcapng"
    with listening(tmp_path), capture.Capture("tap0", file):
        device.command("iperf -c 10.9.0.1 -n 20000 -M 560", timeout_s=40)
        device.command("iperf -c 10.9.0.1 -n 20000 -l 200", timeout_s=40)
    said = capture.tshark(
        file, "-Y", "ip.src == 10.9.0.2 && tcp.len > 0", "-T", "fields", "-e", "tcp.len"
    )
    lengths = [int(length) for length in said.split()]
    assert 560 in lengths
    assert max(lengths[:20]) == 560


@pytest.mark.parametrize(
    ("option", "kind"), [("-d", []), ("-r", []), ("-d", ["-u"]), ("-r", ["-u"])]
)
def test_device_asks_the_other_side_to_send_back(
    boot: Boot, tmp_path: Path, option: str, kind: list[str]
) -> None:
    device = boot()
    udp = " ".join(kind)
    with listening(tmp_path, *kind):
        said = device.command(f"iperf -c 10.9.0.1 {udp} -t 1 {option} -L 5002 -i 0.5", timeout_s=60)
    prefix = "udp " if kind else ""
    sizes = {
        way: int(size)
        for way, size in re.findall(rf"^iperf: {prefix}(rx|tx) (\d+) bytes in ", said, re.MULTILINE)
    }
    assert set(sizes) == {"rx", "tx"}
    assert min(sizes.values()) > 50_000
    check_series(said, f"{prefix}tx", 0.5)
    # What was opened for this is closed again.
    with pytest.raises(OSError):
        socket.create_connection((DEVICE[0], 5002), timeout=5)


def test_connection_without_an_answer_is_given_up(boot: Boot) -> None:
    device = boot()
    began = time.monotonic()
    with pytest.raises(WyrmError, match=r"could not connect to 10\.9\.0\.77: no answer for 2 s"):
        device.command("iperf -c 10.9.0.77 -o 2", timeout_s=60)
    assert time.monotonic() - began < 40


def test_server_that_stops_reading_does_not_hang_the_device(boot: Boot) -> None:
    device = boot()
    with (
        socket.create_server(("10.9.0.1", 5001)) as deaf,
        pytest.raises(WyrmError, match=r"gave up on 10\.9\.0\.1: no data for 2 s"),
    ):
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        device.command("iperf -c 10.9.0.1 -t 60 -o 2", timeout_s=60)


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


def test_udp_without_a_rate_is_sent_as_fast_as_possible(boot: Boot, tmp_path: Path) -> None:
    device = boot()
    with listening(tmp_path, "-u"):
        said = device.command("iperf -c 10.9.0.1 -u -b 0 -t 1.2 -i 0.5", timeout_s=40)
    check_series(said, "udp tx", 0.5)
    found = re.search(r"^iperf: udp tx \d+ bytes in [\d.]+ ms, ([\d.]+) Mbit/s", said, re.MULTILINE)
    assert found is not None
    assert float(found[1]) > 5


def test_parallel_udp_streams_have_a_session_each(boot: Boot, tmp_path: Path) -> None:
    device = boot()
    with listening(tmp_path, "-u"):
        said = device.command("iperf -c 10.9.0.1 -u -P 3 -b 1 -n 29400", timeout_s=40)
    assert len(re.findall(r"^iperf: server report: \d+/2\d lost", said, re.MULTILINE)) == 3
    assert "iperf: sum of 3 streams: udp tx 88200 bytes in " in said


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
    """The device's datagrams in that time; an echo service reflects them."""
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


def test_sessions_at_the_same_time_are_counted_apart(boot: Boot) -> None:
    device = serving(boot)
    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(3)
        ]
        for number in range(1, 5):
            for size, client in enumerate(clients, 1):
                client.sendto(datagram(number, length=100 * size), DEVICE)
        for size, client in enumerate(clients, 1):
            client.sendto(datagram(-5, length=100 * size), DEVICE)
            assert struct.unpack("!I", first_report(client)[24:28])[0] == 500 * size
            time.sleep(0.05)  # the device's rest between two reports
    for size in (1, 2, 3):
        device.console.expect(rf"^iperf: udp rx {500 * size} bytes in [^\n]* 0/5 lost")


def test_client_that_falls_silent_ends_its_session(boot: Boot) -> None:
    device = boot()
    device.command("iperf -s -u -o 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(datagram(1, length=100), DEVICE)
        device.console.expect(
            r"^error: iperf gave up on 10\.9\.0\.1: no data for 1 s", timeout_s=20
        )
        device.console.expect(r"^iperf: udp rx 100 bytes in .* 0/1 lost")


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


def test_server_reports_intervals_with_its_window_for_its_time(boot: Boot, tmp_path: Path) -> None:
    device = boot()
    device.command("iperf -s -t 4 -i 0.5 -w 2920")
    file = tmp_path / "wire.pcapng"
    device.console.skip()
    with capture.Capture("tap0", file):
        proc.run("iperf", "-c", DEVICE[0], "-t", "1.2", timeout_s=30)
        said = device.console.expect(r"(.*^iperf: rx \d+ bytes in [^\n]*\n)", timeout_s=20)[1]
    check_series(said.replace("\r", ""), "rx", 0.5)
    device.console.expect("^iperf: serving time is over", timeout_s=20)
    with pytest.raises(OSError):
        socket.create_connection(DEVICE, timeout=5)
    fields = ("-T", "fields", "-e", "tcp.window_size")
    offered = capture.tshark(
        file, "-Y", "ip.src == 10.9.0.2 && tcp.flags.syn == 0 && tcp.flags.reset == 0", *fields
    ).split()
    assert max(int(size) for size in offered[20:]) <= 2920


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
