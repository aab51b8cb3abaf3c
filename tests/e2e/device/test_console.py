# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The device's console: configuration, keys, help, refusals, hidden secrets."""

from __future__ import annotations

import random
import re
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from wyrmlab import boards
from wyrmlab.base import paths, proc
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.boards.device import Device
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.commands import device as device_command
from wyrmlab.network import links
from wyrmlab.network.host import HERE
from wyrmlab.peers import wireguard
from wyrmlab.peers.device_tunnel import DeviceTunnel
from wyrmlab.peers.wireguard import wireguard_go

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]
MakePair = Callable[..., DeviceTunnel]

KEY = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
OTHER = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg="
SECRET = "FpCyhws9cxwWoV4xELtfJvjJN+zQVRPISllRWgeopVE="
OWN = "HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw="  # the public key of KEY
MANY = ", ".join(f"10.88.{number}.0/24" for number in range(17))
GOOD = (
    f"[Interface]\nPrivateKey = {KEY}\nAddress = 10.77.0.2/24\nListenPort = 51820\n"
    f"[Peer]\nPublicKey = {OTHER}\nPresharedKey = {SECRET}\nAllowedIPs = 10.77.0.1/32\n"
    "Endpoint = 10.9.0.1:51820\n"
)


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


# What is wrong, the text, and the line number and words to expect (one sentence, with a remedy).
BAD = {
    "short key": (changed(KEY, KEY[:-3]), 2, "must be 44"),
    "no base64": (changed(OTHER, "*" * 43 + "="), 6, "some are wrong"),
    "zero key": (changed(OTHER, "A" * 43 + "="), 6, "is all zeros, which is not a valid key"),
    "wrong psk": (changed(SECRET, "secret"), 7, "wg genpsk"),
    "port 0": (changed("10.9.0.1:51820", "10.9.0.1:0"), 9, "Endpoint must look like"),
    "port 70000": (changed("ListenPort = 51820", "ListenPort = 70000"), 4, "65535"),
    "no port": (changed("10.9.0.1:51820", "10.9.0.1"), 9, "Endpoint must look like"),
    "prefix 33": (changed("10.77.0.1/32", "10.77.0.1/33"), 8, "prefix length must be 0 to 32"),
    "no address": (changed("10.77.0.2/24", "10.77.0.256/24"), 3, "10.0.0.2/24"),
    "unknown option": (changed("ListenPort", "ListenPrt"), 4, "is not a setting of [Interface]"),
    "wrong section": (changed("[Peer]", "[Pear]"), 5, "no such section"),
    "truncated in a key": (GOOD[: GOOD.index("PresharedKey")] + "PresharedKey = FpCy\n", 7, "44"),
    "truncated in a name": (GOOD[: GOOD.index("Endpoint")] + "Endp\n", 9, "text complete?"),
    "truncated after a section": (GOOD[: GOOD.index("PublicKey")], 5, "text complete?"),
    "empty": ("", 1, "text complete?"),
    "only the peer": (GOOD[GOOD.index("[Peer]") :], 5, "no [Interface]"),
    "five peers": (GOOD + f"[Peer]\nPublicKey = {OTHER}\n" * 4, None, ""),
    "17 allowed": (changed("10.77.0.1/32", MANY), 8, "too many AllowedIPs: this device takes 16"),
    "two IPv4": (changed("10.77.0.2/24", "10.77.0.2/24, 10.0.0.1/8"), 3, "takes 1 of IPv4 and 3"),
    "four IPv6": (changed("10.77.0.2/24", "fd::1, fd::2, fd::3, fd::4"), 3, "too many addresses"),
    "itself": (changed(OTHER, OWN), 5, "has the public key of this device itself"),
    "HTML": ("<!DOCTYPE html>\n<html>404</html>\n", 1, "[Interface]"),
}


def test_secrets_are_never_printed(boot: Boot, tmp_path: Path) -> None:
    device = boot(flash=tmp_path / "flash")
    device.configure(GOOD)
    shown = device.command("conf show")
    assert "PrivateKey = (hidden)" in shown
    assert "PresharedKey = (hidden)" in shown
    assert f"PublicKey = {OTHER}" in shown
    assert "Endpoint = 10.9.0.1:51820" in shown
    device.command("wg up")
    assert "preshared key: (hidden)" in device.command("wg")
    device.command("pubkey")
    device.reboot()
    device.command("conf")
    device.console.send_line("conf paste")
    device.console.expect("Ctrl-D")
    device.console.send(GOOD.encode() + b"\x03")
    device.console.expect("cancelled; nothing has changed")
    assert not [secret for secret in (KEY, SECRET) if secret in device.console.transcript]


@pytest.mark.every_board
def test_saved_configuration_outlives_a_reboot_and_a_cleared_one_does_not(
    boot: Boot, tmp_path: Path
) -> None:
    device = boot(flash=tmp_path / "flash")
    device.configure(GOOD)
    device.reboot()
    shown = device.command("conf show")
    assert f"PublicKey = {OTHER}" in shown
    assert "# saved" in shown
    assert "10.77.0.1/32" in device.command("wg")
    device.command("conf clear")
    device.reboot()
    with pytest.raises(WyrmError, match="there is no configuration"):
        device.command("conf show")
    assert KEY.encode() not in (tmp_path / "flash").read_bytes()
    assert SECRET.encode() not in (tmp_path / "flash").read_bytes()


def test_pubkey_prints_the_key_of_the_running_tunnel(boot: Boot, tmp_path: Path) -> None:
    device = boot(flash=tmp_path / "flash")
    device.configure(GOOD)
    device.command("wg up")
    said = device.command("conf clear")
    assert "conf: cleared\nnote: the tunnel continues" in said
    assert f"public key: {OWN}" in device.command("wg")
    noted = f"public key: {OWN}\nnote: only the running tunnel has this key"
    assert device.command("pubkey").startswith(noted)
    made = re.search(r"^public key: (\S{44})$", device.command("genkey"), re.MULTILINE)
    assert made is not None
    said = device.command("pubkey")
    assert said.startswith(f"public key: {OWN}\nnote: the next 'wg up' will use another key")
    assert made[1] in said
    device.command("wg down")
    assert device.command("pubkey") == f"public key: {made[1]}"


def test_a_prefix_given_to_two_peers_is_noted(boot: Boot) -> None:
    device = boot()
    second = f"[Peer]\nPublicKey = {SECRET}\nAllowedIPs = 10.77.0.1/32\n"
    said = paste(device, GOOD + second)
    assert said.startswith("note: line 12: item 1 of AllowedIPs is given to the [Peer] at line 5")
    device.command("wg up")
    first, second = device.command("wg").split("\npeer: ")[1:]
    assert "allowed ips: (none)" in first
    assert "allowed ips: 10.77.0.1/32" in second


def test_configuration_that_was_not_saved_is_gone_after_a_reboot(
    boot: Boot, tmp_path: Path
) -> None:
    device = boot(flash=tmp_path / "flash")
    device.configure(GOOD)
    paste(device, GOOD.replace("10.77.0.1/32", "10.88.0.0/16"))
    assert "not saved" in device.command("conf")
    device.reboot()
    assert "10.77.0.1/32" in device.command("conf")


def paste(device: Device, text: str) -> str:
    """Pastes like a person; returns the device's output."""
    device.console.skip()
    device.console.send_line("conf paste")
    device.console.expect(r"^Paste the file[^\r\n]*\r*\n")
    end = ".\n" if text.endswith("\n") or not text else "\n.\n"
    device.console.send((text + end).encode())
    return device.console.expect("(.*?)^wyrm> ")[1].replace("\r", "").strip()


def test_bad_configuration_gets_one_sentence_and_changes_nothing(
    boot: Boot, tmp_path: Path
) -> None:
    device = boot(flash=tmp_path / "flash")
    device.configure(GOOD)
    device.command("wg up")
    conf, wg = device.command("conf"), wg_without_counters(device)
    for what, (text, line, words) in BAD.items():
        said = paste(device, text)
        sentences = [each for each in said.splitlines() if not each.startswith("note: ")]
        assert len(sentences) == 1, (what, said)
        assert sentences[0].startswith(f"error: line {line}: " if line else "error: line "), what
        assert words in sentences[0], (what, said)
        assert device.command("conf") == conf, what
        assert wg_without_counters(device) == wg, what
    device.reboot()
    assert device.command("conf") == conf


def wg_without_counters(device: Device) -> str:
    return re.sub(r"^  transfer: .*\n?", "", device.command("wg") + "\n", flags=re.MULTILINE)


@pytest.mark.parametrize("what", BAD)
def test_the_host_prints_the_same_error_before_booting(what: str, tmp_path: Path) -> None:
    text, line, words = BAD[what]
    file = tmp_path / "bad.conf"
    file.write_text(text)
    with pytest.raises(UsageError) as refused:
        device_command.checked(file, own_key=False)
    assert str(refused.value).startswith(f"{file}: line {line or ''}")
    assert words in str(refused.value)


def test_device_command_refuses_a_bad_configuration_with_exit_code_2(tmp_path: Path) -> None:
    file = tmp_path / "bad.conf"
    file.write_text(BAD["prefix 33"][0])
    for path, words in ((file, "line 8: "), (tmp_path / "none", "cannot be read")):
        done = wyrm("device", "--conf", str(path), "--tap", "tapx", "--flash", "/dev/null")
        assert done.returncode == 2
        assert words in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    file.write_bytes(b"\xff\xfe\x00binary")
    assert "is not a text file" in wyrm("device", "--conf", str(file)).stderr


def test_device_command_pastes_a_valid_configuration_and_starts_the_tunnel(tmp_path: Path) -> None:
    keys = wireguard.make_keys()
    file = tmp_path / "good.conf"
    file.write_text(changed(OTHER, keys.public))
    peer_conf = (
        f"[Interface]\nPrivateKey = {keys.private}\nListenPort = 51820\n"
        f"[Peer]\nPublicKey = {public(KEY)}\nPresharedKey = {SECRET}\nAllowedIPs = 10.77.0.2/32\n"
    )
    command = [str(paths.ROOT / "wyrm"), "device", "--conf", str(file), "--tap", "tapg"]
    command += ["--flash", str(tmp_path / "flash"), "--console", "pty"]
    with (
        wireguard_go("wg0", tmp_path / "wg.log") as peer,
        proc.Service("device", command, tmp_path / "device.log") as running,
    ):
        peer.configure(peer_conf)
        peer.up("10.77.0.1/24")
        running.wait_for("console: ", timeout_s=900)
        peer.wait_handshake(timeout_s=30)
        assert HERE.ping("10.77.0.2", count=3).received >= 2
        assert KEY not in running.output()


def public(private: str) -> str:
    return proc.run("wg", "pubkey", stdin=private + "\n").stdout.strip()


def wyrm(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [paths.ROOT / "wyrm", *args],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=1000,
    )


def test_limits_the_host_knows_are_those_of_the_firmware() -> None:
    tunnel = (paths.ROOT / "firmware/app/tunnel_device.h").read_text()
    conf = (paths.ROOT / "firmware/app/conf.c").read_text()

    def number(name: str, text: str) -> int:
        found = re.search(rf"#define {name} +(\d+)", text)
        assert found is not None
        return int(found[1])

    assert number("TUNNEL_PEERS", tunnel) == device_command.PEERS
    assert number("TUNNEL_ROUTES", tunnel) == device_command.ALLOWED
    assert number("TUNNEL_IPV4", tunnel) == device_command.IPV4
    options = (paths.ROOT / "firmware/config/lwipopts.h").read_text()
    assert number("LWIP_IPV6_NUM_ADDRESSES", options) - 1 == device_command.IPV6
    assert number("TEXT_MAX", conf) == device_command.CONF_MAX


@pytest.mark.parametrize("extra", [0, 1])
def test_longest_text_is_taken_and_a_longer_one_refused_whole(boot: Boot, extra: int) -> None:
    device = boot()
    filler = device_command.CONF_MAX + extra - len(GOOD) - len("#\n")
    said = paste(device, f"#{'x' * filler}\n{GOOD}"[:-1])
    if extra:
        assert said == "error: the text is longer than 4096 bytes; nothing has changed"
    else:
        assert said.startswith("conf: 1 peer")
    assert device.command("version")


def test_text_that_is_far_too_long_is_not_executed_as_commands(boot: Boot) -> None:
    device = boot()
    said = paste(device, GOOD * 40)
    assert said == "error: the text is longer than 4096 bytes; nothing has changed"
    device.command("version")
    assert KEY not in device.console.transcript
    assert "unknown command" not in device.console.transcript


def test_binary_garbage_is_refused(boot: Boot) -> None:
    device = boot()
    # Without what ends a paste: Ctrl-C, Ctrl-D, line ends.
    letters = bytes(set(range(256)) - {3, 4, 10, 13})
    garbage = bytes(random.Random(1).choices(letters, k=1000))
    device.console.send_line("conf paste")
    device.console.expect(r"^Paste the file[^\r\n]*\r*\n")
    device.console.send(garbage + b"\n.\n")
    device.console.expect(r"^error: line 1: [^\r\n]*\r\n")
    device.console.expect("^wyrm> ")
    assert device.command("version")


def test_garbage_at_the_prompt_does_not_break_the_console(boot: Boot) -> None:
    device = boot()
    garbage = bytes(random.Random(2).choices(bytes(range(256)), k=4000))
    device.console.send(garbage + b"\x03")
    device.console.send(b"\x1b[Z\x03\r")
    proc.wait_until(lambda: answers(device), timeout_s=60, what="an answer after garbage")


def answers(device: Device) -> bool:
    device.console.skip()
    return "board" in device.console.command("version", timeout_s=60)


# --- Keys ----------------------------------------------------------------------------------------


def test_a_key_generated_on_the_device_is_used_by_a_configuration_without_one(
    pair: MakePair,
) -> None:
    made = pair()
    shown = re.search(r"^public key: (\S{44})$", made.device.command("genkey"), re.MULTILINE)
    assert shown is not None
    made.keys = wireguard.KeyPair("", shown[1])
    made.bring_up_peer()
    made.device.configure(made.device_conf().replace("PrivateKey = \n", ""))
    made.device.command("wg up")
    made.wait_up()
    assert f"public key: {shown[1]}" in made.device.command("pubkey")
    made.device.reboot()
    made.wait_up()


def test_two_generated_keys_differ(boot: Boot) -> None:
    device = boot()
    made = [device.command(command) for command in ("genkey", "genkey", "genpsk", "genpsk")]
    keys = [re.findall(r"\S{43}=", text)[0] for text in made]
    assert len(set(keys)) == 4


def test_without_configuration_or_key_wg_prints_the_remedy(boot: Boot) -> None:
    device = boot()
    for command, words in (
        ("wg up", "'conf paste'"),
        ("wg", "'wg up'"),
        ("conf show", "'conf paste'"),
        ("pubkey", "'genkey'"),
    ):
        with pytest.raises(WyrmError, match=words):
            device.command(command)
    assert "line 1: [Interface] has no PrivateKey" in paste(device, GOOD.replace("PrivateKey", "#"))


# --- Help and refusals ---------------------------------------------------------------------------


def commands(device: Device) -> list[str]:
    return re.findall(r"^  (\w+) ", device.command("help"), re.MULTILINE)


def test_help_explains_every_command(boot: Boot) -> None:
    device = boot()
    listed = commands(device)
    table = re.search(r"const struct command commands\[\] = \{(.*?)\n\};", source(), re.S)
    assert table is not None
    assert sorted(listed) == sorted(re.findall(r'^    \{"(\w+)"', table[1], re.MULTILINE))
    manual = (paths.ROOT / "docs/console.md").read_text()
    for name in listed:
        first, *explained = device.command(f"help {name}").splitlines()
        assert first.split()[0] == name
        assert explained
        assert f"`{name}" in manual


def source() -> str:
    return (paths.ROOT / "firmware/app/commands.c").read_text()


def test_wrong_arguments_print_the_usage(boot: Boot) -> None:
    device = boot()
    for name in commands(device):
        with pytest.raises(WyrmError, match=r"refuses `"):
            device.command(f"{name} --no-such-thing 1 2 3 4 5", timeout_s=30)


@pytest.mark.parametrize("line", ["", "   ", "\t", "x" * 500, "wg " + "a " * 100])
def test_odd_lines_do_no_harm(boot: Boot, line: str) -> None:
    device = boot()
    device.console.send_line(line)
    assert "board" in device.command("version")


def test_ctrl_c_ends_a_running_command(boot: Boot) -> None:
    device = boot()
    for lasting in ("ping 10.9.0.99 -c 1000", "load 3600", "iperf -c 10.9.0.99"):
        device.console.send_line(lasting)
        device.console.expect(re.escape(lasting))
        with pytest.raises(WyrmError):
            device.console.expect("^wyrm> ", timeout_s=0.5)
        device.console.send(b"\x03")
        device.console.expect("^wyrm> ")
    assert answers(device)


# --- Faults --------------------------------------------------------------------------------------


# By emulator: the number of the program counter in the debugger's protocol, and parts of the report
# of a jump to an address without code.
JUMPS = {
    "qemu-system-arm": ("f", r"^panic: \w+Fault", r" cfsr \w{8}"),
    "qemu-system-riscv32": ("20", r"^panic: instruction access fault", r" mcause 00000001"),
    "qemu-system-xtensa": (
        "0",
        r"^panic: (illegal instruction|instruction fetch error)",
        r" cause ",
    ),
}


@pytest.mark.every_board
def test_fault_prints_registers_and_task_and_ends_the_emulator(
    board: boards.Board, firmware: Path, tmp_path: Path
) -> None:
    number, *words = JUMPS[board.emulator.program]
    port = tmp_path / "gdb"
    options = ["-gdb", f"unix:{port},server=on,wait=off"]
    with links.tap("tap0") as tap:
        device = EmulatedDevice(board, firmware, tap=tap, log_dir=tmp_path, qemu_options=options)
        with device:
            device.wait_ready()
            with socket.socket(socket.AF_UNIX) as debugger:
                debugger.connect(str(port))
                debugger.settimeout(60)
                ask(debugger, "qXfer:features:read:target.xml:0,ffb")
                if ask(debugger, f"P{number}=00000070") == "":
                    every = ask(debugger, "g")  # it is handed all registers or none
                    assert ask(debugger, f"G00000070{every[8:]}") == "OK"
                debugger.sendall(gdb_packet("c"))
                device.console.expect(r"^panic: [^\r\n]+\r*\n", timeout_s=60)
            proc.wait_until(lambda: device.console.closed, timeout_s=60, what="QEMU's end")
    said = device.console.transcript
    for part in (*words, r"^panic: task \w+", r"^  pc +70000000 "):
        assert re.search(part, said, re.MULTILINE), said


def ask(debugger: socket.socket, text: str) -> str:
    """Sends a command of the debugger's protocol and returns the answer."""
    debugger.sendall(gdb_packet(text))
    said = b""
    while not (found := re.search(rb"\$(?!T)([^#]*)#..", said)):
        said += debugger.recv(4096)
    return found[1].decode()


def gdb_packet(text: str) -> bytes:
    return f"+${text}#{sum(text.encode()) % 256:02x}".encode()


@pytest.mark.every_board
def test_board_without_a_host_or_a_network_boots_and_says_it_has_no_entropy(
    board: boards.Board, firmware: Path, tmp_path: Path
) -> None:
    serial = tmp_path / "serial"
    given = board.emulator.command_line(firmware, tap="tap", mac="", arguments="")
    left_out = {"-semihosting-config", "-semihosting", "-nic", "-netdev", "-device"}
    command = [
        word
        for before, word in zip(["", *given], given, strict=False)
        if not {before, word} & left_out
    ]
    command += ["-display", "none", "-monitor", "none", "-nic", "none", "-serial", f"file:{serial}"]
    if board.emulator.flash:
        command += board.emulator.flash.volatile
    with proc.Service("QEMU", command, tmp_path / "qemu.log"):
        proc.wait_until(
            lambda: serial.exists() and "ready: " in serial.read_text(errors="replace"),
            timeout_s=60,
            what="the boot",
        )
    assert "random: the board has no entropy" in serial.read_text(errors="replace")
