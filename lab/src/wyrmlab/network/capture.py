# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Captures packets with dumpcap and reads them with tshark."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from wyrmlab.base import proc
from wyrmlab.network.host import HERE, Host


class Capture:
    """Records an interface's packets into a file while the context is open."""

    def __init__(self, interface: str, file: Path, *, only: str = "", host: Host = HERE) -> None:
        self.file = file
        chosen = ["-f", only] if only else []
        command = ["dumpcap", "-q", "-i", interface, "-w", str(file), *chosen]
        log = file.with_suffix(".log")
        self._service = host.service("dumpcap", *command, log=log, stop_signal=signal.SIGINT)

    def __enter__(self) -> Capture:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._service.start()
        self._service.wait_for("File:", timeout_s=60)
        return self

    def __exit__(self, *_: object) -> None:
        # The kernel delivers packets in blocks, up to a quarter of a second late; wait for those.
        time.sleep(0.8)
        self._service.stop()
        if self.file.exists():
            self.file.chmod(0o644)


def tshark(file: Path, *args: str, timeout_s: float = 120) -> str:
    """The output of tshark for a capture file."""
    return proc.run("tshark", "-n", "-r", file, *args, timeout_s=timeout_s).stdout
