# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Sends initiations with a valid first MAC and counts what comes back, by kind.

flood.py PUBLIC_KEY ADDRESS PORT SECONDS prints: sent, cookie replies, responses, anything else.
"""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import sys
import time


def initiation(key: bytes) -> bytes:
    body = b"\x01\0\0\0" + os.urandom(112)
    mac = hashlib.blake2s(body, key=key, digest_size=16).digest()
    return body + mac + bytes(16)


def main() -> None:
    public, address, port, seconds = sys.argv[1:]
    key = hashlib.blake2s(b"mac1----" + base64.b64decode(public)).digest()
    wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    wire.connect((address, int(port)))
    wire.setblocking(False)
    sent = cookies = responses = other = 0

    def read() -> None:
        nonlocal cookies, responses, other
        while True:
            try:
                answer = wire.recv(2048)
            except BlockingIOError:
                return
            if answer[0] == 3 and len(answer) == 64:
                cookies += 1
            elif answer[0] == 2:
                responses += 1
            else:
                other += 1

    prepared = [initiation(key) for _ in range(512)]
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        for message in prepared:
            try:
                wire.send(message)
                sent += 1
            except BlockingIOError:
                time.sleep(0.001)
        read()
    time.sleep(0.5)
    read()
    print(sent, cookies, responses, other)


main()
