# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A UDP server in a thread."""

from __future__ import annotations

import abc
import contextlib
import socket
import threading
from typing import Self


class DatagramServer(abc.ABC):
    """Calls `handle` for each datagram received on `socket` while the context is open."""

    def __init__(self, address: str, port: int) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._bound = (address, port)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._serve)

    @abc.abstractmethod
    def handle(self, data: bytes, sender: tuple[str, int], /) -> None: ...

    def __enter__(self) -> Self:
        self.socket.bind(self._bound)
        self.socket.settimeout(0.1)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(10)
        self.socket.close()

    def _serve(self) -> None:
        while not self._end.is_set():
            with contextlib.suppress(TimeoutError):
                self.handle(*self.socket.recvfrom(2000))
