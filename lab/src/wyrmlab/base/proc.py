# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Running other programs: always with a timeout, never with a traceback."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from wyrmlab.base.errors import MissingError, TimedOutError, WyrmError

Arg = str | Path


def find(program: str) -> Path:
    """The program's path, or one sentence naming the package that brings it."""
    # Debian keeps `ip` and others where an ordinary user's PATH may not look.
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    if found := shutil.which(program, path=path):
        return Path(found)
    from wyrmlab.base import packages

    package = packages.package_for_command(program)
    raise MissingError(
        f"The program `{program}` is missing.",
        remedy=f"Install it with: {packages.install_command([package or program])}",
    )


def run(
    *args: Arg,
    timeout_s: float = 60,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    check: bool = True,
    failure: str = "",
    remedy: str = "",
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end and returns what it said.

    With `check`, a non-zero exit becomes a WyrmError whose sentence is `failure` (or the command
    line) and whose detail is the program's own output. `env` adds to the environment.
    """
    command = [str(find(str(args[0]))) if "/" not in str(args[0]) else str(args[0])]
    command += [str(arg) for arg in args[1:]]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **env} if env else None,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as expired:
        raise TimedOutError(
            f"`{shlex.join(command)}` did not finish within {timeout_s:g} s.", remedy=remedy
        ) from expired
    except OSError as error:
        raise MissingError(f"`{command[0]}` could not be started: {error.strerror}.") from error
    if check and done.returncode != 0:
        raise WyrmError(
            failure or f"`{shlex.join(command)}` failed with exit code {done.returncode}.",
            remedy=remedy,
            detail=(done.stderr.strip() or done.stdout.strip()),
        )
    return done


def wait_until(
    condition: Callable[[], bool], *, timeout_s: float, what: str, interval_s: float = 0.02
) -> None:
    """Polls until the condition holds; `what` completes "Waited N s for ..."."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimedOutError(f"Waited {timeout_s:g} s in vain for {what}.")
        time.sleep(interval_s)


def eventually(condition: Callable[[], bool], what: str, timeout_s: float = 60) -> None:
    wait_until(condition, timeout_s=timeout_s, what=what, interval_s=0.05)


def quietly(command: list[str], env: dict[str, str], timeout_s: float = 60) -> str:
    """Runs a program that may leave a daemon behind: no pipe of ours stays open in it."""
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(
            command,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            timeout=timeout_s,
        )
        said.seek(0)
        text = said.read()
    if done.returncode != 0:
        raise WyrmError(f"`{command[0]}` failed with exit code {done.returncode}.", detail=text)
    return text


def descendants(pid: int) -> list[int]:
    """Its children, their children, and so on, as far as they run."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it may end while we look
            for child in task.read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


def dying_with_us(command: Sequence[str]) -> list[str]:
    """The same program under the same process id, killed by the kernel when we end, however we do.

    No preexec_fn: between fork and exec it would run our own Python, signal handlers included.
    """
    return [str(find("setpriv")), "--pdeathsig", "KILL", "--", *command]


_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def install_signal_handlers() -> None:
    """SIGTERM and SIGHUP end us as Ctrl-C does. While we clean up, further ones are ignored."""
    for number in (*_ENDS, signal.SIGALRM):
        signal.signal(number, _interrupted)
    sys.unraisablehook = _unraisable
    # Who started us may have kept them back until now.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)


def ignore_signals() -> None:
    """When there is nothing left to interrupt."""
    for number in (*_ENDS, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def _interrupted(_number: int, _frame: types.FrameType | None) -> None:
    for number in _ENDS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _unraisable(told: sys.UnraisableHookArgs) -> None:
    """What a finalizer raises Python only prints: an interruption is said again right after."""
    if told.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
    else:
        sys.__unraisablehook__(told)


class Service:
    """A program that runs beside us, its output in a log file, stopped on leaving the context.

    `stop_signal` is sent first, SIGKILL after `grace_s`. It never outlives this process.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[Arg],
        log: Path,
        *,
        stop_signal: signal.Signals = signal.SIGTERM,
        grace_s: float = 5,
        pass_fds: Sequence[int] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.log = log
        self._command = [str(find(str(command[0]))), *(str(arg) for arg in command[1:])]
        self._stop_signal = stop_signal
        self._grace_s = grace_s
        self._pass_fds = tuple(pass_fds)
        self._env = {**os.environ, **env} if env else None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                dying_with_us(self._command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=self._pass_fds,
                env=self._env,
                # Ctrl-C reaches us alone; we stop services in the right order.
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        if self._process is None:
            raise WyrmError(f"{self.name} has not been started.")
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.poll() if self._process else None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def output(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def wait_for(self, text: str, *, timeout_s: float) -> None:
        """Waits until the text appears in its output; fails at once if it ends before."""

        def seen() -> bool:
            if text in self.output():
                return True
            if not self.running:
                raise WyrmError(f"{self.name} ended early.", detail=self.output()[-2000:])
            return False

        wait_until(seen, timeout_s=timeout_s, what=f"`{text}` from {self.name}")

    def wait(self, timeout_s: float) -> int:
        if self._process is None:
            raise WyrmError(f"{self.name} has not been started.")
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired as expired:
            raise TimedOutError(f"{self.name} did not end within {timeout_s:g} s.") from expired

    def stop(self) -> None:
        """Stops it and waits for its end; nothing happens if it has ended already."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(self._stop_signal)
            try:
                self._process.wait(self._grace_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)
        self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
