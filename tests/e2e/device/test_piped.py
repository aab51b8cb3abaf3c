# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Commands piped into `./wyrm device`: each is typed, waited for and answered."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from wyrmlab.base import paths

pytestmark = pytest.mark.netns

KEY = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
OTHER = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg="
CONF = (
    f"[Interface]\nPrivateKey = {KEY}\nAddress = 10.77.0.2/24\nListenPort = 4711\n"
    f"[Peer]\nPublicKey = {OTHER}\nAllowedIPs = 10.77.0.1/32\n"
)


def pipe(text: str, tmp_path: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [paths.ROOT / "wyrm", "device", "--tap", "tapp", "--flash", tmp_path / "flash"],
        input=text.encode(),
        capture_output=True,
        timeout=200,
    )


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stdout.decode().replace("\r", "")


def test_every_piped_command_is_answered_even_after_slow_ones(tmp_path: Path) -> None:
    commands = ["ping 10.9.0.1 -c 4 -i 0.5 -q", *(f"load 0.{digit}" for digit in range(1, 9))] * 3
    done = pipe("\n".join([*commands, "version"]), tmp_path)  # the last one without its line end
    out = said(done)
    assert done.returncode == 0, out + done.stderr.decode()
    assert out.count("ping: 4 sent, 4 received") == 3
    assert out.count(" % busy over ") == 24
    assert "board     " in out
    assert "unknown command" not in out


@pytest.mark.parametrize("end", [".\n", "\x04", ""])
def test_piped_configuration_ends_with_a_dot_ctrl_d_or_the_input(end: str, tmp_path: Path) -> None:
    more = "conf save\nwg up\nwg\n" if end else ""
    done = pipe(f"version\r\nconf paste\r\n{CONF}{end}{more}", tmp_path)
    out = said(done)
    assert done.returncode == 0, out + done.stderr.decode()
    assert "conf: 1 peer; 'wg up' uses it" in out
    assert ("listening port: 4711" in out) == bool(end)
    assert KEY not in out


def test_refused_piped_commands_make_the_exit_code_1(tmp_path: Path) -> None:
    done = pipe("version\nnonsense\nip 10.9.0.2/99\nload 0.1\n", tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1] == (
        "wyrm: The device refused 2 of 4 commands. Its `error:` lines say why."
    )
    assert " % busy over " in said(done)


def test_a_piped_ctrl_c_stops_a_running_command(tmp_path: Path) -> None:
    done = pipe("ping 10.9.0.1 -c 1000 -i 5\n\x03version\n", tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert "board     " in said(done)
