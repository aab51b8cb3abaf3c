# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`device`: one board on a TAP, its console in the user's hands."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from wyrmlab import boards
from wyrmlab.base import proc
from wyrmlab.base.errors import UsageError
from wyrmlab.boards import chip, terminal
from wyrmlab.boards.device import DEVICE_ADDRESSES
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.network import links, namespaces
from wyrmlab.setup import build, host_setup

DEFAULT_TAP = "wyrm0"

# What the firmware takes: firmware/app/tunnel.h and conf.c.
PEERS, ALLOWED, IPV4, IPV6, CONF_MAX = 4, 16, 1, 3, 4096


@dataclass(frozen=True)
class Options:
    board: str
    conf: Path | None
    tap: str | None
    netns: str | None
    icount_shift: int | None
    flash: Path | None
    console: str


def run(options: Options) -> None:
    terminal.parse_place(options.console)
    board = boards.board(options.board)
    if options.tap and options.netns:
        raise UsageError("--tap and --netns exclude each other:", remedy="give one of them.")
    for name in (options.tap, options.netns):
        if name:
            links.check_name(name)
    flash = options.flash or chip.default_file(board)
    chip.check_folder(flash)
    conf = checked(options.conf, own_key=flash.exists()) if options.conf else None
    host_setup.ensure("build", "firmware", "net", names=[board.emulator.package])
    firmware = build.firmware(board.name)

    if options.netns:
        namespaces.enter(options.netns)
    else:
        namespaces.need_admin(options.tap or DEFAULT_TAP)
    interactive = options.console == "stdio" and sys.stdin.isatty()
    with (
        tempfile.TemporaryDirectory(prefix="wyrm-device-") as folder,
        links.tap(options.tap or DEFAULT_TAP) as tap,
        EmulatedDevice(
            board,
            firmware,
            tap=tap,
            log_dir=Path(folder),
            flash=flash,
            icount_shift=options.icount_shift,
            args={} if interactive else {"term": "plain"},
        ) as device,
    ):
        host_setup.say(_how_to_reach(tap, options.netns, interactive))
        device.wait_ready()
        if conf is not None:
            print(device.configure(conf), end="", file=sys.stderr)
            device.command("wg up")
        terminal.serve(device.console, options.console, "console: {path}")


def checked(path: Path, *, own_key: bool) -> str:
    """The configuration if the device will take it; else what the device would say, before it
    boots. `own_key`: it may have a private key of its own, so that the file needs none."""
    text = _read(path)
    if len(text.encode()) > CONF_MAX:
        raise UsageError(f"{path}: the text is longer than {CONF_MAX} bytes; nothing has changed.")
    limits = ["--peers", str(PEERS), "--allowed", str(ALLOWED), "--no-fwmark"]
    limits += ["--ipv4", str(IPV4), "--ipv6", str(IPV6)]
    limits += ["--own-key"] if own_key else []
    checked = proc.run(build.conf_check(), *limits, path, check=False)
    if checked.returncode != 0:
        raise UsageError(checked.stderr.strip().splitlines()[-1])
    return text


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not a text file. Name a wg-quick file.") from error


def _how_to_reach(tap: str, netns: str | None, interactive: bool) -> str:
    address, address6 = DEVICE_ADDRESSES
    way = ""
    if netns is not None and namespaces.has_name():
        way = f"ip netns exec {netns} "
    elif netns is not None:
        way = f"nsenter --preserve-credentials -U -n -t {namespaces.outer_pid()} "
    lines = [
        f"The device is at {address} and {address6} (unless its console says otherwise),",
        f"this side of {tap} at {' and '.join(links.HOST_ADDRESSES)}. From another terminal:",
        f"  {way}ping {address}",
    ]
    if interactive:
        lines.append(f"On this console {terminal.ESCAPE_HELP}.")
    return "\n".join(lines)
