# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`bridge`: the socket that wg(8) looks for, answered by a device through its console.

The device speaks wg's own protocol (docs/console.md, `uapi`). The bridge finds the prompt, hands
over one request at a time, and makes absolute times of the ages that a device without a calendar
tells. Nothing reaches the console that its line editor could take for a key, and no secret before
the device has said that it reads unseen.
"""

from __future__ import annotations

import contextlib
import errno
import re
import select
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base.errors import MissingError, TimedOutError, UsageError, WyrmError
from wyrmlab.boards import terminal
from wyrmlab.boards.wire import Wire
from wyrmlab.network import links

SOCKETS = Path("/var/run/wireguard")
_CLIENTS = 16
_REQUEST_MAX = 64 * 1024
_LINE_MAX = 128  # as WYRM_UAPI_LINE_MAX
_PROMPT_S, _ANSWER_S, _STEP_S = 5.0, 15.0, 1.0
_LOOK_S = 1.0  # how soon a removed socket is noticed

_NO_KEY = b"=" + b"0" * 64
_OPERATION = re.compile(rb"(get|set)=1")
_LINE = re.compile(rb"[ -~]{1,%d}" % _LINE_MAX)
_FACT = re.compile(r"^([a-z_]+)=([!-~]*)$", re.MULTILINE)
_BOOTED = r"^(?P<boot>Wyrmling \S+ .*|ready: .*|panic: .*)$"


@dataclass(frozen=True)
class Options:
    console: str
    interface: str
    socket: Path | None
    baud: int
    addresses: list[str]


class RefusedError(WyrmError):
    """What the client is told by number, and the user in words."""

    def __init__(self, number: int, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.number = number


class Board:
    """A device behind its console."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._handshakes: dict[str, int] = {}

    def command(self, line: str) -> str:
        """What the console prints to a command; one that says `error:` raises."""
        self._begin(line)
        said = self._wire.expect(r"(?s)\A(.*)^wyrm> ", _ANSWER_S)[1]
        if found := re.search(r"^error: (.*)$", said, re.MULTILINE):
            raise WyrmError(f"The device refuses `{line}`: {found[1]}")
        return said

    def ask(self, request: list[bytes]) -> list[tuple[str, str]]:
        """The facts of the answer to the lines of a request, errno last. Raises RefusedError."""
        try:
            answer = self._ask(request)
        except TimedOutError as error:
            raise RefusedError(errno.ETIMEDOUT, error.message) from error
        except (MissingError, UsageError) as error:
            raise RefusedError(errno.ENODEV, error.message, error.remedy) from error
        return self._with_absolute_times(answer)

    def _ask(self, request: list[bytes]) -> list[tuple[str, str]]:
        self._begin("uapi")
        found = self._expect(r"^Type a request.*\n|^(?P<error>error: .*)\n", _PROMPT_S)
        if found["error"]:
            raise RefusedError(
                errno.EOPNOTSUPP,
                f"The device at {self._wire.path} does not know wg's protocol: {found['error']}.",
                remedy="Its firmware may be older than this bridge.",
            )
        self._wire.send(b"".join(line + b"\n" for line in [*request, b""]))
        end = r"(?s:\A(?P<answer>.*^errno=-?\d+\n)\n)|^(?P<error>error: .*)\n"
        found = self._expect(end, _ANSWER_S)
        if found["error"]:
            raise RefusedError(errno.EINVAL, f"The device refuses the request: {found['error']}.")
        # Notices of the device have blanks, facts have none.
        return _FACT.findall(found["answer"])

    def _begin(self, line: str) -> None:
        """From whatever the console is doing to a command that runs."""
        self._wire.open()
        self._wire.drain()
        self._wire.open()
        deadline = time.monotonic() + _PROMPT_S
        while True:
            self._wire.send(b"\x03")
            try:
                self._wire.expect(r"^wyrm> \Z", _STEP_S)
                break
            except TimedOutError:
                if time.monotonic() > deadline:
                    raise
        self._wire.send(line.encode() + b"\r")
        self._wire.expect(rf"^(wyrm> )?{re.escape(line)}\n", _PROMPT_S)

    def _expect(self, pattern: str, timeout_s: float) -> re.Match[str]:
        found = self._wire.expect(f"{pattern}|{_BOOTED}", timeout_s)
        if found["boot"]:
            raise RefusedError(
                errno.ECONNRESET,
                f"The device at {self._wire.path} restarted in the middle of a request.",
            )
        return found

    def _with_absolute_times(self, answer: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Ages become times. The same handshake keeps the time it was first told to be at, though
        ages are whole seconds and the line takes its time."""
        told: list[tuple[str, str]] = []
        peer, at = "", 0
        for key, value in answer:
            if key == "public_key":
                peer, at = value, 0
            if key == "handshake_age_sec":
                at = int(time.time()) - int(value)
                before = self._handshakes.get(peer, 0)
                at = before if abs(at - before) < 2 else at
                self._handshakes[peer] = at
                continue
            told.append((key, str(at) if key == "last_handshake_time_sec" else value))
        return told


class Bridge:
    """The socket, its clients, and the device that answers them, one request after the other."""

    def __init__(self, board: Board, wire: Wire, server: socket.socket) -> None:
        self._board = board
        self._wire = wire
        self._server = server
        self._path = Path(server.getsockname())
        self._ours = self._path.stat()
        self._clients: dict[socket.socket, bytes] = {}

    def serve(self) -> None:
        """Until the socket's file is removed, as by wg-quick down."""
        while terminal.is_same(self._path, self._ours):
            watched: list[socket.socket | int] = [self._server, *self._clients]
            if self._wire.descriptor >= 0:
                watched.append(self._wire.descriptor)
            for ready in select.select(watched, [], [], _LOOK_S)[0]:
                if ready is self._server:
                    self._accept()
                elif isinstance(ready, socket.socket):
                    self._hear(ready)
                elif ready == self._wire.descriptor:
                    self._wire.drain()

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
            if (ended or len(first) > _LINE_MAX) and not _OPERATION.fullmatch(first):
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
            facts = self._board.ask(request)
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
    wire = Wire(Path(options.console.removeprefix("socket:")).absolute(), options.baud)
    wire.open()
    board = Board(wire)
    if options.socket is None:
        _make_folder()
    elsewhere = "--interface NAME or --socket PATH"
    with terminal.listening(path, f"Give another one with {elsewhere}.") as server:
        bridge = Bridge(board, wire, server)
        _greet(board, options.addresses)
        print(f"socket: {path}", flush=True)
        if options.socket is None:
            say(f"Stock wg works on the device now, until Ctrl-C: try `wg show {name}`.")
        bridge.serve()
        say(f"{path} was removed, so the bridge ends.")


def say(sentence: str) -> None:
    print(f"wyrm: {sentence}", file=sys.stderr, flush=True)


def _greet(board: Board, addresses: list[str]) -> None:
    """Finds out whether a device is there that understands, and whether its tunnel runs."""
    number = int(dict(board.ask([b"get=1"]))["errno"])
    if number == errno.ENETDOWN and addresses:
        board.command(f"wg up {' '.join(addresses)}")
    elif number == errno.ENETDOWN:
        say(
            "The device's tunnel is down, so wg will say `Network is down`; start it with"
            " --address, or with `wg up` on its console."
        )
    elif addresses:
        raise UsageError(
            "The device's tunnel is up and has its addresses:",
            remedy="leave --address out, or type `wg down` on its console first.",
        )
    with contextlib.suppress(WyrmError):
        # wg makes it of the private key, which the device does not tell.
        if found := re.search(r"^public key: \S+$", board.command("pubkey"), re.MULTILINE):
            say(f"The device's {found[0]}")


def _make_folder() -> None:
    with contextlib.suppress(OSError):  # the socket says why
        SOCKETS.mkdir(mode=0o755)
        SOCKETS.chmod(0o755)
