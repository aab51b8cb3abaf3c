# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`bridge`: the socket that wg(8) connects to, served by a device through its console.

The bridge forwards one request at a time, and rejects invalid ones before the device sees them.
"""

from __future__ import annotations

import contextlib
import errno
import re
import select
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.boards import terminal
from wyrmlab.boards.uapi import LINE_MAX, RefusedError, UapiDevice
from wyrmlab.network import links

SOCKETS = Path("/var/run/wireguard")
_CLIENTS = 16
_REQUEST_MAX = 64 * 1024
_LOOK_S = 1.0  # how soon a removed socket is noticed

_NO_KEY = b"=" + b"0" * 64
_OPERATION = re.compile(rb"(get|set)=1")
_LINE = re.compile(rb"[ -~]{1,%d}" % LINE_MAX)


@dataclass(frozen=True)
class Options:
    console: str
    interface: str
    socket: Path | None
    baud: int
    addresses: list[str]


class Bridge:
    """The socket, its clients, and the device that answers them, one request after the other."""

    def __init__(self, device: UapiDevice, server: socket.socket) -> None:
        self._device = device
        self._server = server
        self._path = Path(server.getsockname())
        self._ours = self._path.stat()
        self._clients: dict[socket.socket, bytes] = {}

    def serve(self) -> None:
        """Until the socket's file is removed, as by wg-quick down."""
        while terminal.is_same(self._path, self._ours):
            for ready in select.select([self._server, *self._clients], [], [], _LOOK_S)[0]:
                if ready is self._server:
                    self._accept()
                else:
                    self._hear(ready)

    def _accept(self) -> None:
        client, _ = self._server.accept()
        client.settimeout(5)
        if len(self._clients) == _CLIENTS:
            self._hang_up(next(iter(self._clients)))
        self._clients[client] = b""

    def _hang_up(self, client: socket.socket) -> None:
        self._clients.pop(client, None)
        client.close()

    def _hear(self, client: socket.socket) -> None:
        if client not in self._clients:
            return
        with contextlib.suppress(OSError):
            if data := client.recv(65536):
                self._clients[client] += data
                if self._answer_all(client):
                    return
        self._hang_up(client)

    def _answer_all(self, client: socket.socket) -> bool:
        """Whether the client may go on; what is no request gets no answer."""
        while self._clients[client]:
            first, ended, _ = self._clients[client].partition(b"\n")
            if (ended or len(first) > LINE_MAX) and not _OPERATION.fullmatch(first):
                return False
            request, ended, rest = self._clients[client].partition(b"\n\n")
            if not ended:
                return len(request) < _REQUEST_MAX
            self._clients[client] = rest
            client.sendall(self._answer(request.split(b"\n")))
        return True

    def _answer(self, request: list[bytes]) -> bytes:
        # wg wants the number negative after `set` and positive after `get`.
        sign = "-" if request[0] == b"set=1" else ""
        if not all(_LINE.fullmatch(line) for line in request):
            return f"errno={sign}{errno.EINVAL}\n\n".encode()
        if is_file_without_key(request):
            request = without_removals(request)
        try:
            facts = self._device.ask(request)
        except RefusedError as error:
            say(str(error))
            facts = [("errno", f"{sign}{error.number}")]
        return "".join(f"{key}={value}\n" for key, value in facts).encode() + b"\n"


def is_file_without_key(request: list[bytes]) -> bool:
    """Whether wg makes this request of a file that has no PrivateKey, as `showconf` prints it of a
    device that never tells its keys. Of a whole file wg sends port and mark, too."""
    interface = [line.partition(b"=") for line in _interface_lines(request)]
    named = {key for key, _, _ in interface}
    return b"private_key" + _NO_KEY in request and {b"listen_port", b"fwmark"} <= named


def without_removals(request: list[bytes]) -> list[bytes]:
    """The request that leaves alone all keys which the file does not name, and a warning."""
    lost = (
        " The preshared keys of its peers are gone, as setconf makes all peers anew."
        if b"replace_peers=true" in request
        else " The preshared keys that it lacks stay, too."
    )
    say(
        "The file has no PrivateKey (showconf cannot print what the device never tells), so the"
        f" device keeps the key it has.{lost}"
        " `wg set` with /dev/null as the file of a key removes that key."
    )
    return [
        line
        for line in request
        if line not in (b"private_key" + _NO_KEY, b"preshared_key" + _NO_KEY)
    ]


def _interface_lines(request: list[bytes]) -> list[bytes]:
    peers = (i for i, line in enumerate(request) if line.startswith(b"public_key="))
    return request[: next(peers, len(request))]


def run(options: Options) -> None:
    name = links.check_name(options.interface)
    path = terminal.socket_path(options.socket or SOCKETS / f"{name}.sock")
    console = Path(options.console.removeprefix("socket:")).absolute()
    device = UapiDevice(console, options.baud)
    device.open()
    if options.socket is None:
        _make_folder()
    elsewhere = "--interface NAME or --socket PATH"
    with (
        contextlib.closing(device),
        terminal.listening(path, f"Give another one with {elsewhere}.") as server,
    ):
        bridge = Bridge(device, server)
        _greet(device, options.addresses)
        print(f"socket: {path}", flush=True)
        if options.socket is None:
            say(f"Stock wg works on the device now, until Ctrl-C: try `wg show {name}`.")
        bridge.serve()
        say(f"{path} was removed, so the bridge ends.")


def say(sentence: str) -> None:
    print(f"wyrm: {sentence}", file=sys.stderr, flush=True)


def _greet(device: UapiDevice, addresses: list[str]) -> None:
    """Finds out whether a device is there that understands, and whether its tunnel runs."""
    number = int(dict(device.ask([b"get=1"]))["errno"])
    if number == errno.ENETDOWN and addresses:
        device.command(f"wg up {' '.join(addresses)}")
    elif number == errno.ENETDOWN:
        say(
            "The device's tunnel is down, so wg prints `Network is down`; start it with"
            " --address, or with `wg up` on its console."
        )
    elif addresses:
        raise UsageError(
            "The device's tunnel is up and has its addresses:",
            remedy="leave --address out, or type `wg down` on its console first.",
        )
    with contextlib.suppress(WyrmError):
        # wg makes it of the private key, which the device does not tell.
        if found := re.search(r"^public key: \S+$", device.command("pubkey"), re.MULTILINE):
            say(f"The device's {found[0]}")


def _make_folder() -> None:
    with contextlib.suppress(OSError):  # the socket says why
        SOCKETS.mkdir(mode=0o755)
        SOCKETS.chmod(0o755)
