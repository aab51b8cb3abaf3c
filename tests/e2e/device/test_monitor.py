# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""What the device says of its own tasks, memory and load, and the demo on its console."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from wyrmlab.base.errors import WyrmError
from wyrmlab.boards import Board
from wyrmlab.boards.device import Device
from wyrmlab.peers.device_tunnel import HOST_INNER, DeviceTunnel

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]
MakePair = Callable[..., DeviceTunnel]

# --- monitor -------------------------------------------------------------------------------------


def test_snapshot_agrees_with_the_commands_that_show_its_parts(board: Board, boot: Boot) -> None:
    device = boot()
    (line,) = device.command("monitor json").splitlines()
    snapshot = json.loads(line)
    assert snapshot["monitor"] == 1
    assert snapshot["board"] == board.name
    tasks = {task["name"]: task for task in snapshot["tasks"]}
    assert {"idle", "tcpip", "shell", "eth"} <= set(tasks)
    assert tasks["shell"]["state"] == "running"
    for task in tasks.values():
        assert 0 < task["stack_free"] < task["stack_size"]
    shares = [task["boot_percent"] for task in tasks.values()]
    assert 99 <= sum(shares) <= 100
    memory = {row["name"]: row for row in snapshot["memory"]}
    assert memory["lwIP heap"]["unit"] == "bytes"
    assert memory["PBUF_POOL"]["unit"] == "elements"
    for name, total in re.findall(r"^(\S.*?)\s{2,}(\d+) ", device.command("heap"), re.MULTILINE):
        assert memory[name]["total"] == int(total)
        assert memory[name]["least_free"] <= memory[name]["free"] <= memory[name]["total"]


def test_snapshots_are_as_many_and_as_far_apart_as_asked(boot: Boot) -> None:
    lines = boot().command("monitor 0.5 3 json", timeout_s=30).splitlines()
    snapshots = [json.loads(line) for line in lines]
    # Never early; on a busy machine late.
    passed = [each["since_start_us"] / 1e6 for each in snapshots]
    assert len(passed) == 3
    assert all(at > 0.49 * number for number, at in enumerate(passed, 1))
    assert passed[-1] < 10
    for each in snapshots:
        since = sum(task["monitor_percent"] for task in each["tasks"])
        assert 98 <= since <= 100.5
    idle = [next(t for t in each["tasks"] if t["name"] == "idle") for each in snapshots]
    assert idle[0]["run_us"] < idle[1]["run_us"] < idle[2]["run_us"]


def test_monitor_prints_tables_until_ctrl_c(boot: Boot) -> None:
    device = boot()
    device.console.send_line("monitor 0.2")
    for _ in range(2):
        device.console.expect(r"^task +core +state +priority +stack-free .*?^memory ", timeout_s=20)
    device.console.send(b"\x03")
    device.console.expect("^wyrm> ", timeout_s=20)


@pytest.mark.parametrize("words", ["0.01", "x", "1 0", "1 2 3", "json 1"])
def test_monitor_refuses_what_it_cannot_do(boot: Boot, words: str) -> None:
    with pytest.raises(WyrmError, match=r"is not a number of|usage: monitor"):
        boot().command(f"monitor {words}")


# --- load ----------------------------------------------------------------------------------------


def test_windows_of_load_follow_each_other(boot: Boot) -> None:
    said = boot().command("load 0.3 3", timeout_s=30)
    windows = re.findall(
        r"^load: ([\d.]+) % busy over ([\d.]+) s, window (\d) of 3$", said, re.MULTILINE
    )
    assert [number for _, _, number in windows] == ["1", "2", "3"]
    assert sum(float(seconds) for _, seconds, _ in windows) == pytest.approx(0.9, abs=0.05)


def test_first_window_holds_the_start_of_the_tunnel(pair: MakePair) -> None:
    made = pair()
    made.bring_up_peer()
    made.device.configure(made.device_conf())
    said = made.device.command("load 1 3 up", timeout_s=60)
    assert re.search(r"^tunnel: started", said, re.MULTILINE)
    assert len(re.findall(r"^load: .* window \d of 3$", said, re.MULTILINE)) == 3
    assert said.index("tunnel: up, handshake took") < said.index("window 1 of 3")


# --- demo ----------------------------------------------------------------------------------------


def test_demo_goes_up_and_down_as_often_as_asked(pair: MakePair) -> None:
    made = pair()
    made.bring_up_peer()
    made.device.configure(made.device_conf())
    said = made.device.command(f"demo 3 {HOST_INNER[4]}", timeout_s=120)
    assert said.count("tunnel: started on port ") == 3
    assert said.count("tunnel: up, handshake took ") == 3
    assert said.count("demo: disconnected") == 3
    assert said.splitlines()[-1] == "demo: 3 rounds, 12 sent, 12 received"


def test_demo_without_a_configuration_or_an_answer_is_an_error(pair: MakePair) -> None:
    made = pair()
    with pytest.raises(WyrmError, match="there is no configuration"):
        made.device.command("demo 1 10.77.0.1")
    made.device.configure(made.device_conf())
    with pytest.raises(WyrmError, match=r"no reply from 10\.77\.0\.1"):
        made.device.command(f"demo 1 {HOST_INNER[4]}", timeout_s=60)
