# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The console of a device that somebody else runs: at a unix socket, a pseudo-terminal or a serial
port. It may vanish and come back; nothing of what it says is kept."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import select
import socket
import termios
import time
import tty
from pathlib import Path

from wyrmlab.base.errors import MissingError, TimedOutError, UsageError

BAUD = 115200
_ESCAPES = re.compile(r"\r|\x1b\[[0-9;]*[A-Za-z]")
_KEPT = 1 << 20


class LostError(MissingError):
    """The console is closed, or cannot be opened."""


class Wire:
    """Opened when first needed, and again after it was lost."""

    def __init__(self, path: Path, baud: int = BAUD) -> None:
        self.path = path
        self._speed = getattr(termios, f"B{baud}", None)
        if self._speed is None:
            raise UsageError(f"--baud {baud} is no speed of a serial line:", remedy="115200 is.")
        self._descriptor = -1
        self._text = ""

    @property
    def descriptor(self) -> int:
        """-1 while it is closed."""
        return self._descriptor

    def open(self) -> None:
        if self._descriptor >= 0:
            return
        self._text = ""
        try:
            if self.path.is_socket():
                self._descriptor = self._connect()
            else:
                self._descriptor = self._open_terminal()
        except FileNotFoundError as error:
            raise LostError(
                f"There is no console at {self.path}.", remedy="Is the device running, or plugged?"
            ) from error
        except (ConnectionRefusedError, TimeoutError) as error:
            raise LostError(f"Nobody serves the console at {self.path} any more.") from error
        except OSError as error:
            raise LostError(
                f"The console {self.path} cannot be opened: {error.strerror}."
            ) from error

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def drain(self) -> None:
        """Throws away what has come; notices the end."""
        self._text = ""
        with contextlib.suppress(LostError):
            while self._descriptor >= 0 and select.select([self._descriptor], [], [], 0)[0]:
                self._read()
        self._text = ""

    def send(self, data: bytes, timeout_s: float = 5) -> None:
        deadline = time.monotonic() + timeout_s
        while data:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [self._descriptor], [], left)[1]:
                raise TimedOutError(f"The console {self.path} takes no input.")
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._lost() from error

    def expect(self, pattern: str, timeout_s: float) -> re.Match[str]:
        """Waits for a regular expression (`^` and `$` are per line) in what has come, and
        forgets everything up to the end of the match."""
        compiled = re.compile(pattern, re.MULTILINE)
        deadline = time.monotonic() + timeout_s
        while True:
            if match := compiled.search(self._text):
                self._text = self._text[match.end() :]
                return match
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._descriptor], [], [], left)[0]:
                raise TimedOutError(f"The device at {self.path} did not answer in time.")
            self._read()

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            raise self._lost()
        # A sequence cut in two is whole, and found, the next time.
        text = self._text + data.decode("ascii", "replace")
        self._text = _ESCAPES.sub("", text)[-_KEPT:]

    def _lost(self) -> LostError:
        self.close()
        return LostError(f"The device at {self.path} has gone: its console is closed.")

    def _connect(self) -> int:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(self.path))
            connection.setblocking(False)
            return connection.detach()

    def _open_terminal(self) -> int:
        descriptor = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not os.isatty(descriptor):
                raise UsageError(f"{self.path} is no socket and no terminal:", remedy=_REMEDY)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._make_raw(descriptor)
        except BaseException as error:
            os.close(descriptor)
            if isinstance(error, OSError) and error.errno == errno.EAGAIN:
                raise MissingError(
                    f"The console {self.path} is in use by another program.",
                    remedy="End that program first.",
                ) from error
            raise
        return descriptor

    def _make_raw(self, descriptor: int) -> None:
        tty.setraw(descriptor)
        settings = termios.tcgetattr(descriptor)
        settings[2] |= termios.CLOCAL | termios.CREAD
        # Hanging up at the end would reset boards that hang their reset on DTR.
        settings[2] &= ~(termios.HUPCL | termios.CRTSCTS | termios.CSTOPB)
        settings[4] = settings[5] = self._speed
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)


_REMEDY = "give the path that `./wyrm device --console pty` or socket:PATH prints, or a serial port"
