# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device's console handed to a person or a program: terminal, pseudo-terminal or unix socket."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import select
import socket
import sys
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path

from wyrmlab.base.errors import MissingError, TimedOutError, UsageError, WyrmError
from wyrmlab.boards.console import PROMPT, Console

ESCAPE = b"\x01"
ESCAPE_HELP = "Ctrl-A x quits, Ctrl-A Ctrl-A sends a Ctrl-A"
_STEP_S = 0.2
_CTRL_C, _CTRL_D = 3, 4
# What commands say that read lines themselves; what no device says.
_READS, _NEVER = r"(?:Paste the file|Type a request)[^\n]*\n", r"(?!)"


def on_stdio(console: Console) -> None:
    """Until Ctrl-A x, the device's end, or the end of piped input and of the answers to it.

    A terminal's keys go to the device as they come. Of piped input each line waits until the device
    is ready for it, as lines that come faster than a device reads are lost.
    """
    output = sys.stdout.fileno()
    heard = [time.monotonic()]

    def show(data: bytes) -> None:
        heard[0] = time.monotonic()
        _write_all(output, data)

    console.listen(show)
    if sys.stdin.isatty():
        with _raw(sys.stdin.fileno()):
            _pump_terminal(console)
        print()
        return
    typist = _Typist(console, sys.stdin.fileno())
    typist.type_all()
    while not console.closed and time.monotonic() < heard[0] + 1:
        time.sleep(_STEP_S)
    if typist.refused:
        raise WyrmError(
            f"The device refused {typist.refused} of {typist.typed} commands.",
            remedy="Its `error:` lines say why.",
        )


class _Typist:
    """Types piped lines into a console that shows its prompt: one at a time, or, after a command
    that reads lines itself, all up to their end. Ctrl-C as the next character is never kept
    waiting."""

    def __init__(self, console: Console, source: int) -> None:
        self.typed = self.refused = 0
        self._console = console
        self._source = source
        self._ahead = b""
        self._ended = False

    def type_all(self) -> None:
        while (line := self._line()) is not None:
            if not line.strip():
                continue
            self.typed += 1
            self._console.skip()
            before = len(self._console.transcript)
            self._console.send(line + b"\r")
            if reader := self._wait(_READS):
                self._type_text(reader)
                self._wait(_NEVER)
            said = self._console.transcript[before:]
            self.refused += bool(re.search(r"^error: ", said, re.MULTILINE))

    def _type_text(self, reader: str) -> None:
        paste = reader.startswith("Paste")
        while (line := self._line()) is not None:
            self._console.send(line + b"\n")
            if line == (b"." if paste else b"") or {_CTRL_C, _CTRL_D} & set(line):
                return
        # The end of the input ends a file; half a request is given up.
        self._console.send(bytes([_CTRL_D if paste else _CTRL_C]))

    def _wait(self, also: str) -> str | None:
        """For the prompt, or for `also`, which is then returned: as long as the command takes."""
        pattern = rf"^(?:({also})|{re.escape(PROMPT)}\Z)"
        while True:
            with contextlib.suppress(TimedOutError):
                return self._console.expect(pattern, timeout_s=_STEP_S)[1]
            if not self._ended and select.select([self._source], [], [], 0)[0]:
                self._read()
            if self._ahead[:1] == bytes([_CTRL_C]):
                self._ahead = self._ahead[1:]
                self._console.send(bytes([_CTRL_C]))

    def _line(self) -> bytes | None:
        """The next line without its end; the last one may lack it. None: there is none, or nobody
        to type it to."""
        while not (found := re.match(rb"([^\r\n]*)(\r\n|\n|\r(?!\Z))", self._ahead)):
            if self._ended:
                line, self._ahead = self._ahead.rstrip(b"\r"), b""
                return line or None
            while not select.select([self._source], [], [], _STEP_S)[0]:
                if self._console.closed:
                    return None
                if self._ahead.endswith(b"\r"):
                    line, self._ahead = self._ahead.split(b"\r", 1)
                    return line
            self._read()
        self._ahead = self._ahead[found.end() :]
        return found[1]

    def _read(self) -> None:
        data = os.read(self._source, 4096)
        self._ended = not data
        self._ahead += data


def _pump_terminal(console: Console) -> None:
    escaped = False
    while not console.closed:
        if not select.select([sys.stdin], [], [], _STEP_S)[0]:
            continue
        for byte in os.read(sys.stdin.fileno(), 4096):
            key = bytes([byte])
            if escaped and key in b"xX":
                return
            if escaped or key != ESCAPE:
                console.send(key)
                escaped = False
            else:
                escaped = True


@contextlib.contextmanager
def _raw(descriptor: int) -> Iterator[None]:
    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor)
    # Raw mode would also stop our own messages from returning the carriage.
    now = termios.tcgetattr(descriptor)
    now[1] |= termios.OPOST
    termios.tcsetattr(descriptor, termios.TCSANOW, now)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def on_pty(console: Console, describe: str) -> None:
    """Until Ctrl-C or the device's end; `describe` is printed with {path} filled in."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    print(describe.format(path=os.ttyname(slave)), flush=True)
    # Nobody may be reading yet: what does not fit is dropped, as on a serial line.
    console.listen(lambda data: _write_what_fits(master, data))
    while not console.closed:
        if select.select([master], [], [], _STEP_S)[0]:
            console.send(os.read(master, 4096))


def on_socket(console: Console, path: Path, describe: str) -> None:
    """Serves one client after the other at a unix socket, until Ctrl-C or the device's end."""
    clients: list[socket.socket] = []

    def forward(data: bytes) -> None:
        for client in list(clients):
            with contextlib.suppress(OSError):
                client.sendall(data)

    with listening(path) as server, contextlib.ExitStack() as at_the_end:
        at_the_end.callback(lambda: _close_all(clients))
        print(describe.format(path=path), flush=True)
        console.listen(forward)
        while not console.closed:
            for ready in select.select([server, *clients], [], [], _STEP_S)[0]:
                if ready is server:
                    client, _ = server.accept()
                    _close_all(clients)
                    client.settimeout(5)
                    clients[:] = [client]
                    continue
                if ready not in clients:
                    continue  # closed just now, for the next one
                data = _receive(ready)
                if data:
                    console.send(data)
                else:
                    clients.remove(ready)
                    ready.close()


def _close_all(clients: list[socket.socket]) -> None:
    for client in clients:
        client.close()


def _receive(client: socket.socket) -> bytes:
    try:
        return client.recv(4096)
    except OSError:
        return b""


@contextlib.contextmanager
def listening(path: Path, remedy: str = "Give another path.") -> Iterator[socket.socket]:
    """A unix socket for this user alone. One that nobody serves any more is replaced; at the end
    it is removed, unless it is no longer ours."""
    server = socket.socket(socket.AF_UNIX)
    if path.is_socket() and _abandoned(path):
        path.unlink()
    mask = os.umask(0o177)
    try:
        server.bind(str(path))
        bound = path.stat()
    except OSError as error:
        server.close()
        reason = error.strerror or str(error)
        if path.is_socket():
            raise MissingError(
                f"The socket {path} is in use by another program.", remedy=remedy
            ) from error
        raise UsageError(
            f"The socket {path} cannot be created: {reason}.", remedy=remedy
        ) from error
    finally:
        os.umask(mask)
    try:
        server.listen(16)
        yield server
    finally:
        server.close()
        if is_same(path, bound):
            path.unlink()


def is_same(path: Path, before: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), before)
    except OSError:
        return False


def _abandoned(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(2)
        return probe.connect_ex(str(path)) == errno.ECONNREFUSED


def _write_all(descriptor: int, data: bytes) -> None:
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(descriptor, data) :]


def _write_what_fits(descriptor: int, data: bytes) -> None:
    with contextlib.suppress(OSError):
        os.write(descriptor, data)


def socket_path(path: Path) -> Path:
    if len(os.fsencode(path.absolute())) > 107:
        raise UsageError(f"The socket path {path.absolute()} is longer than 107 bytes.")
    return path.absolute()


def parse_place(text: str) -> tuple[str, Path | None]:
    """`stdio`, `pty` or `socket:PATH`, as given to --console."""
    kind, _, rest = text.partition(":")
    if kind == "socket" and rest:
        return kind, socket_path(Path(rest))
    if text in ("stdio", "pty"):
        return text, None
    raise UsageError(f"--console {text} is unknown:", remedy="give stdio, pty or socket:PATH.")


def serve(console: Console, place: str, describe: str) -> None:
    """Hands the console to where `--console` says, for as long as that lasts."""
    kind, path = parse_place(place)
    if kind == "stdio":
        on_stdio(console)
    elif kind == "pty":
        on_pty(console, describe)
    elif path is not None:
        on_socket(console, path, describe)
    if console.closed:
        raise WyrmError("The device ended.", detail=console.transcript[-500:])
