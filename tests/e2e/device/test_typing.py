# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Typing at the console: overlong lines, ends of texts, typing ahead."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from wyrmlab.boards.device import Device

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]

KEY = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
OTHER = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg="
CONF = (
    f"[Interface]\nPrivateKey = {KEY}\nAddress = 10.77.0.2/24\n"
    f"[Peer]\nPublicKey = {OTHER}\nAllowedIPs = 10.77.0.1/32"
)


def typed(device: Device, data: bytes) -> str:
    """What the device prints to what was typed, up to its next prompt."""
    device.console.skip()
    device.console.send(data)
    device.console.expect(r"\r*\n")
    return device.console.expect("(.*?)^wyrm> ")[1].replace("\r", "")


# --- Lines ---------------------------------------------------------------------------------------


def test_longest_line_is_executed_and_a_longer_one_is_refused(boot: Boot) -> None:
    device = boot()
    assert "board" in typed(device, b"version".ljust(255) + b"\r")
    for length in (256, 2000):
        said = typed(device, b"version".ljust(length) + b"\r")
        assert said == "error: the line is longer than 255 characters and was not executed\n"
    assert "board" in device.command("version")


@pytest.mark.parametrize("line", ["version\t", "ver\tsion", "\u00fcversion", "version \u2013"])
def test_line_with_tabs_or_utf_8_is_refused(boot: Boot, line: str) -> None:
    device = boot()
    said = typed(device, line.encode() + b"\r")
    assert said.startswith("error: the line has a tab or another character that is not printable")
    assert len(said.splitlines()) == 1
    assert "board" in device.command("version")


def test_erased_tab_or_umlaut_leaves_a_line_that_is_executed(boot: Boot) -> None:
    device = boot()
    assert "board" in typed(device, b"ver\t\xc3\xbc\b\b\bsion\r")
    device.console.send(b"x" * 300 + b"\x15version\r")
    device.console.expect(r"version\r*\n.*?^board .*?^wyrm> ")


def test_line_with_too_many_words_is_refused(boot: Boot) -> None:
    device = boot()
    assert "ping: 1 sent" in typed(device, b"ping" + b" -q" * 12 + b" -c 1 10.9.0.1\r")
    said = typed(device, b"ping" + b" -q" * 12 + b" -c 1 10.9.0.1 -q\r")
    assert said == "error: the line has more than 16 words and was not executed\n"


# --- Ends of texts -------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n\x04", "\x04"])
def test_ctrl_d_ends_a_pasted_text_with_or_without_a_last_line_end(boot: Boot, end: str) -> None:
    device = boot()
    device.console.send_line("conf paste")
    device.console.expect("^Paste the file[^\r\n]*\r*\n")
    device.console.send((CONF + end).encode())
    said = device.console.expect("(.*?)^wyrm> ")[1]
    assert said.startswith("conf: 1 peer;")
    assert re.search(r"^AllowedIPs = 10\.77\.0\.1/32$", device.command("conf"), re.MULTILINE)


def test_ctrl_d_ends_a_text_that_is_too_long(boot: Boot) -> None:
    device = boot()
    device.console.send_line("conf paste")
    device.console.expect("^Paste the file[^\r\n]*\r*\n")
    device.console.send(b"x" * 5000 + b"\x04")
    said = device.console.expect("(.*?)^wyrm> ")[1]
    assert said.startswith("error: the text is longer than 4096 bytes")
    assert "board" in device.command("version")


def test_ctrl_d_cancels_a_uapi_request(boot: Boot) -> None:
    device = boot()
    device.console.send_line("uapi")
    device.console.expect("^Type a request[^\r\n]*\r*\n")
    device.console.send(b"get=1\n\x04")
    assert "cancelled; nothing has changed" in device.console.expect("(.*?)^wyrm> ")[1]


# --- Typing ahead --------------------------------------------------------------------------------


def start(device: Device, lasting: str) -> None:
    device.console.skip()
    device.console.send_line(lasting)
    device.console.expect(re.escape(lasting) + r"\r*\n")


@pytest.mark.every_board
def test_ctrl_c_is_detected_after_any_number_of_typed_characters(boot: Boot) -> None:
    device = boot()
    for count in (1000, 1200, 5000):
        start(device, "load 3600")
        device.console.send(b"x" * count + b"\x03")
        said = device.console.expect(r"(.*?)^wyrm> \^C\r*\n")[1]
        assert "load: " in said
        lost = f"error: {count} characters typed ahead did not fit and were dropped"
        assert (lost in said) == (count > 1024)
        assert "board" in device.command("version")


def test_input_after_ctrl_c_is_kept(boot: Boot) -> None:
    device = boot()
    start(device, "load 3600")
    device.console.send(b"x" * 1200 + b"\x03version\r")
    assert "board" in device.console.expect(r"wyrm> version\r*\n(.*?)^wyrm> ")[1]


def test_commands_typed_ahead_are_executed_when_they_fit(boot: Boot) -> None:
    device = boot()
    start(device, "load 1")
    device.console.send(b"version\rheap\r")
    device.console.expect("wyrm> version.*?wyrm> heap.*?^wyrm> ")
    assert "error" not in device.console.transcript


@pytest.mark.every_board
def test_typed_ahead_commands_that_do_not_fit_are_not_executed(boot: Boot) -> None:
    device = boot()
    start(device, "load 3")
    device.console.send(b"genkey\r" * 200 + b"gen")
    said = device.console.expect("(.*?)^wyrm> ")[1]
    assert "error: 1403 characters typed ahead did not fit and were dropped" in said
    said = typed(device, b"key\r")
    assert said == "error: the beginning of this line was dropped, so it was not executed\n"
    assert "public key" not in device.console.transcript
    assert "board" in device.command("version")


def test_ctrl_c_is_detected_within_an_escape_sequence(boot: Boot) -> None:
    device = boot()
    for begun in (b"\x1b", b"\x1b[", b"\x1b[1"):
        device.console.send(b"genkey" + begun + b"\x03")
        device.console.expect(r"\^C\r*\n.*?^wyrm> ")
    assert "board" in device.command("version")


# --- Refusals ------------------------------------------------------------------------------------


def test_wrong_arguments_are_named_or_get_a_usage_line(boot: Boot) -> None:
    device = boot()
    assert typed(device, b"version --no such\r") == "error: usage: version\n"
    said = typed(device, b"load --no such\r")
    assert said == "error: '--no' is not a number of seconds from 0.1 to 3600\n"
