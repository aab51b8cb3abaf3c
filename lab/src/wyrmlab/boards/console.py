# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device's console as a program sees it: send, expect with a timeout, a full transcript."""

from __future__ import annotations

import codecs
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from wyrmlab.base.errors import TimedOutError, WyrmError
from wyrmlab.boards.line import Line, gone

PROMPT = "wyrm> "
_TAIL = 1500
_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ESCAPE_CUT = re.compile(r"\x1b(\[[0-9;]*)?\Z")
_PANIC = re.compile(r"^panic: .*\n(.*\n)+", re.MULTILINE)
_ATTEMPT_S = 1.0


class Console:
    """Reads all the time, in a thread of its own: a device never waits for its reader.

    What arrives goes to the transcript file and to listeners as it is, and without the escape
    sequences of its line editor to a text that `expect` consumes. `remember`: how many characters
    of that text stay, at least; all by default.
    """

    def __init__(
        self, line: Line, transcript: Path | None = None, *, remember: int | None = None
    ) -> None:
        self._line = line
        self._file = transcript.open("ab") if transcript else None
        self._remember = remember
        self._changed = threading.Condition()
        self._heard = bytearray()
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
            if self._heard:
                listener(bytes(self._heard))
            self._listeners.append(listener)

    def send(self, data: bytes) -> None:
        self._line.write(data)

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
                if _PANIC.search(self._text, self._read_to) and "panic" not in pattern:
                    self._changed.wait(1)
                    raise WyrmError("The firmware panicked.", detail=self._last_words())
                if self._closed:
                    raise gone(self._line.name, detail=self._last_words())
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

    def interrupt(self, timeout_s: float = 5, attempt_s: float = _ATTEMPT_S) -> None:
        """To an empty prompt, from whatever it was doing."""
        deadline = time.monotonic() + timeout_s
        while True:
            self.skip()
            self.send(b"\x03")
            try:
                self.expect(rf"^{re.escape(PROMPT)}\Z", timeout_s=attempt_s)
                return
            except TimedOutError:
                if time.monotonic() > deadline:
                    raise

    def skip(self) -> None:
        """Considers everything up to now as read."""
        with self._changed:
            self._read_to = len(self._text)

    def close(self) -> None:
        self._line.end()
        self._thread.join(5)
        self._line.close()
        if self._file:
            self._file.close()

    def _receive(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        cut = ""
        while True:
            data = self._line.read()
            arrived = cut + decoder.decode(data, final=not data)
            # A sequence cut in two is whole, and found, the next time.
            half = _ESCAPE_CUT.search(arrived) if data else None
            cut = half[0] if half else ""
            with self._changed:
                if self._file and data:
                    self._file.write(data)
                    self._file.flush()
                self._heard += data
                self._text += _ESCAPE.sub("", arrived[: len(arrived) - len(cut)])
                self._forget()
                self._closed = not data
                listeners = list(self._listeners)
                self._changed.notify_all()
            for listener in listeners:
                listener(data)
            if not data:
                return

    def _forget(self) -> None:
        if self._remember is None or len(self._text) <= 2 * self._remember:
            return
        lost = len(self._text) - self._remember
        self._text = self._text[lost:]
        self._read_to = max(0, self._read_to - lost)
        del self._heard[: -self._remember]

    def _last_words(self) -> str:
        return self._text[-_TAIL:].replace("\r", "")
