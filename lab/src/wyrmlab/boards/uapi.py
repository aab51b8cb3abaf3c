# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""wg's own protocol, spoken with a device through its console (docs/console.md, `uapi`).

The device may vanish and come back. Nothing reaches it that its line editor could take for a key,
and no secret before it has said that it reads unseen; little of what it says is kept.
"""

from __future__ import annotations

import errno
import re
import time
from pathlib import Path

from wyrmlab.base.errors import TimedOutError, WyrmError
from wyrmlab.boards import line
from wyrmlab.boards.console import Console

LINE_MAX = 128  # as WYRM_UAPI_LINE_MAX
_PROMPT_S, _ANSWER_S, _STEP_S = 5.0, 15.0, 1.0
_REMEMBER = 1 << 18

_FACT = re.compile(r"^([a-z_]+)=([!-~]*)$", re.MULTILINE)
_BOOTED = r"^(?P<boot>(?:Wyrmling \S+ |ready: |panic: )[^\n]*)$"


class RefusedError(WyrmError):
    """What the client is told by number, and the user in words."""

    def __init__(self, number: int, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.number = number


class UapiDevice:
    """A device behind a console that somebody else keeps; opened when first needed, and again after
    it was lost."""

    def __init__(self, path: Path, baud: int = line.BAUD) -> None:
        self._path = path
        self._baud = baud
        self._console: Console | None = None
        self._handshakes: dict[str, int] = {}

    def open(self) -> Console:
        if self._console is not None and self._console.closed:
            self.close()
        if self._console is None:
            self._console = Console(line.opened(self._path, self._baud), remember=_REMEMBER)
        return self._console

    def close(self) -> None:
        if self._console is not None:
            self._console.close()
        self._console = None

    def command(self, text: str) -> str:
        """What the console prints to a command; one that says `error:` raises."""
        console = self.open()
        console.interrupt(_PROMPT_S, _STEP_S)
        said = console.command(text, timeout_s=_ANSWER_S)
        if found := re.search(r"^error: (.*)$", said, re.MULTILINE):
            raise WyrmError(f"The device refuses `{text}`: {found[1]}")
        return said

    def ask(self, request: list[bytes]) -> list[tuple[str, str]]:
        """The facts of the answer to the lines of a request, errno last. Raises RefusedError."""
        try:
            return self._with_absolute_times(self._ask(request))
        except RefusedError:
            raise
        except TimedOutError as error:
            said = f"The device at {self._path} did not answer in time."
            raise RefusedError(errno.ETIMEDOUT, said) from error
        except WyrmError as error:
            raise RefusedError(errno.ENODEV, error.message, error.remedy) from error

    def _ask(self, request: list[bytes]) -> list[tuple[str, str]]:
        console = self.open()
        console.interrupt(_PROMPT_S, _STEP_S)
        console.send_line("uapi")
        console.expect(r"uapi\r*\n", timeout_s=_PROMPT_S)
        found = self._expect(
            console, r"^Type a request[^\n]*\n|^(?P<error>error: [^\r\n]*)", _PROMPT_S
        )
        if found["error"]:
            raise RefusedError(
                errno.EOPNOTSUPP,
                f"The device at {self._path} does not know wg's protocol: {found['error']}.",
                remedy="Its firmware may be older than this bridge.",
            )
        console.send(b"".join(line + b"\n" for line in [*request, b""]))
        end = r"(?P<answer>.*?^errno=-?\d+\r*\n)\r*\n|^(?P<error>error: [^\r\n]*)"
        found = self._expect(console, end, _ANSWER_S)
        if found["error"]:
            raise RefusedError(errno.EINVAL, f"The device refuses the request: {found['error']}.")
        # Notices of the device have blanks, facts have none.
        return _FACT.findall(found["answer"].replace("\r", ""))

    def _expect(self, console: Console, pattern: str, timeout_s: float) -> re.Match[str]:
        found = console.expect(f"{_BOOTED}|{pattern}", timeout_s=timeout_s)
        if found["boot"]:
            raise RefusedError(
                errno.ECONNRESET,
                f"The device at {self._path} restarted in the middle of a request.",
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
