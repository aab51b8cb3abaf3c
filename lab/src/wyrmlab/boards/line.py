# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""What carries a console's bytes: a socket pair to an emulator, a unix socket that somebody serves,
a pseudo-terminal, or a serial port. All of them are one file descriptor."""

from __future__ import annotations

import errno
import fcntl
import os
import select
import socket
import termios
import time
import tty
from pathlib import Path

from wyrmlab.base.errors import MissingError, TimedOutError, UsageError, WyrmError

BAUD = 115200
_STEP_S = 0.2
_REMEDY = "give the path that `./wyrm device --console pty` or socket:PATH prints, or a serial port"


class Line:
    """An open line; `name` is for messages. Reading and writing may happen in different threads."""

    def __init__(self, descriptor: int, name: str) -> None:
        self.name = name
        self._descriptor = descriptor
        self._ended = False
        os.set_blocking(descriptor, False)

    def read(self) -> bytes:
        """Waits for what comes next; nothing is the end."""
        while not self._ended:
            if not select.select([self._descriptor], [], [], _STEP_S)[0]:
                continue
            try:
                return os.read(self._descriptor, 65536)
            except BlockingIOError:
                continue
            except OSError:
                break
        return b""

    def write(self, data: bytes, timeout_s: float = 30) -> None:
        deadline = time.monotonic() + timeout_s
        while data:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [self._descriptor], [], left)[1]:
                raise TimedOutError(f"The console {self.name} takes no input.")
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise gone(self.name) from error

    def end(self) -> None:
        """Ends a `read` that waits."""
        self._ended = True

    def close(self) -> None:
        """When nobody reads or writes any more; a second time does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def gone(name: str, detail: str = "") -> WyrmError:
    return WyrmError(f"The device at {name} has gone: its console is closed.", detail=detail)


def speed(baud: int) -> int:
    """The number that termios has for it."""
    found = getattr(termios, f"B{baud}", None)
    if not isinstance(found, int):
        raise UsageError(f"--baud {baud} is no speed of a serial line:", remedy="115200 is.")
    return found


def opened(path: Path, baud: int = BAUD) -> Line:
    """A line to a console that somebody else keeps: nobody but us uses it until it is closed."""
    rate = speed(baud)
    try:
        return Line(_connect(path) if path.is_socket() else _open_terminal(path, rate), str(path))
    except FileNotFoundError as error:
        raise MissingError(
            f"There is no console at {path}.", remedy="Is the device running, or plugged?"
        ) from error
    except (ConnectionRefusedError, TimeoutError) as error:
        raise MissingError(f"Nobody serves the console at {path} any more.") from error
    except OSError as error:
        raise MissingError(f"The console {path} cannot be opened: {error.strerror}.") from error


def _connect(path: Path) -> int:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(str(path))
        return connection.detach()


def _open_terminal(path: Path, rate: int) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not os.isatty(descriptor):
            raise UsageError(f"{path} is no socket and no terminal:", remedy=_REMEDY)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _make_raw(descriptor, rate)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, OSError) and error.errno == errno.EAGAIN:
            raise MissingError(
                f"The console {path} is in use by another program.",
                remedy="End that program first.",
            ) from error
        raise
    return descriptor


def _make_raw(descriptor: int, rate: int) -> None:
    tty.setraw(descriptor)
    settings = termios.tcgetattr(descriptor)
    settings[2] |= termios.CLOCAL | termios.CREAD
    # Hanging up at the end would reset boards that hang their reset on DTR.
    settings[2] &= ~(termios.HUPCL | termios.CRTSCTS | termios.CSTOPB)
    settings[4] = settings[5] = rate
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)
