# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device's console as a program sees it: send, expect with a timeout, a full transcript."""

from __future__ import annotations

import codecs
import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from wyrmlab.base.errors import TimedOutError, WyrmError

PROMPT = "wyrm> "
_TAIL = 1500


class Console:
    """Reads all the time, in a thread of its own: a device never waits for its reader.

    What arrives goes to the transcript file, to listeners, and to a buffer that `expect` consumes.
    """

    def __init__(self, connection: socket.socket, transcript: Path | None = None) -> None:
        self._connection = connection
        self._file = transcript.open("ab") if transcript else None
        self._changed = threading.Condition()
        self._text = ""
        self._read_to = 0
        self._closed = False
        self._listeners: list[Callable[[bytes], None]] = []
        self._thread = threading.Thread(target=self._receive, name="console", daemon=True)
        self._thread.start()

    @property
    def transcript(self) -> str:
        """All the device has said so far."""
        with self._changed:
            return self._text

    @property
    def closed(self) -> bool:
        with self._changed:
            return self._closed

    def listen(self, listener: Callable[[bytes], None]) -> None:
        """Also gives every chunk to the listener, from the reading thread; what is past first."""
        with self._changed:
            if self._text:
                listener(self._text.encode())
            self._listeners.append(listener)

    def send(self, data: bytes) -> None:
        try:
            self._connection.sendall(data)
        except OSError as error:
            raise WyrmError("The device has gone: its console is closed.") from error

    def send_line(self, line: str) -> None:
        self.send(line.encode() + b"\r")

    def expect(self, pattern: str, *, timeout_s: float = 60) -> re.Match[str]:
        """Waits for a regular expression (`^` and `$` are per line) in what has not been consumed
        yet, and consumes up to the end of the match.

        A panic of the firmware or the end of the device fails at once, with the last it said.
        """
        compiled = re.compile(pattern, re.MULTILINE | re.DOTALL)
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while True:
                if match := compiled.search(self._text, self._read_to):
                    self._read_to = match.end()
                    return match
                unread = self._text[self._read_to :]
                if (
                    re.search(r"^panic: .*\n(.*\n)+", unread, re.MULTILINE)
                    and "panic" not in pattern
                ):
                    self._changed.wait(1)
                    raise WyrmError("The firmware panicked.", detail=self._last_words())
                if self._closed:
                    raise WyrmError("The device ended.", detail=self._last_words())
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimedOutError(
                        f"The device did not say `{pattern}` within {timeout_s:g} s.",
                        detail=self._last_words(),
                    )
                self._changed.wait(left)

    def command(self, line: str, *, timeout_s: float = 60) -> str:
        """Types a command, waits for the next prompt, returns what it printed in between."""
        self.send_line(line)
        self.expect(re.escape(line) + r"\r*\n", timeout_s=timeout_s)
        found = self.expect(r"(.*?)^" + re.escape(PROMPT), timeout_s=timeout_s)
        return found[1].replace("\r", "").rstrip("\n")

    def skip(self) -> None:
        """Considers everything up to now as read."""
        with self._changed:
            self._read_to = len(self._text)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._connection.close()
        if self._file:
            self._file.close()

    def _receive(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            try:
                data = self._connection.recv(65536)
            except OSError:
                data = b""
            with self._changed:
                if self._file and data:
                    self._file.write(data)
                    self._file.flush()
                self._text += decoder.decode(data, final=not data)
                self._closed = not data
                listeners = list(self._listeners)
                self._changed.notify_all()
            for listener in listeners:
                listener(data)
            if not data:
                return

    def _last_words(self) -> str:
        return self._text[-_TAIL:].replace("\r", "")
