# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Network links: TAPs to emulated devices, veth pairs between hosts."""

from __future__ import annotations

import contextlib
import fcntl
import ipaddress
import json
import os
import re
import struct
from collections.abc import Iterator, Sequence

from wyrmlab.base import proc
from wyrmlab.base.errors import MissingError, UsageError
from wyrmlab.network.host import HERE, Host
from wyrmlab.network.namespaces import TUN, TUN_REMEDY
from wyrmlab.network.wiring import Wiring, with_length

HOST_ADDRESSES = with_length(Wiring().host_outer)


def check_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,15}", name) or name in (".", ".."):
        raise UsageError(
            f"`{name}` cannot name a network interface or namespace:",
            remedy="use 1 to 15 letters, digits, dots, dashes or underscores.",
        )
    return name


def address_conflict(addresses: Sequence[str]) -> str | None:
    """An interface of this network whose addresses overlap with the ones given, or None."""
    wanted = [ipaddress.ip_interface(address).network for address in addresses]
    for link in json.loads(proc.run("ip", "-json", "address", "show").stdout):
        for entry in link.get("addr_info", []):
            text = f"{entry.get('local', '::')}/{entry.get('prefixlen', 128)}"
            network = ipaddress.ip_interface(text).network
            for other in wanted:
                if network.version == other.version and network.overlaps(other):
                    return f"{link['ifname']} has {text}"
    return None


class Tap(str):
    """The name of a TAP; for one made by `tap()` also the descriptor that the emulator inherits."""

    descriptor: int | None

    def __new__(cls, name: str, descriptor: int | None = None) -> Tap:
        made = super().__new__(cls, name)
        made.descriptor = descriptor
        return made

    @property
    def name(self) -> str:
        return str(self)


@contextlib.contextmanager
def tap(name: str, addresses: Sequence[str] = HOST_ADDRESSES) -> Iterator[Tap]:
    """A TAP that is up, with addresses. An existing one is used unchanged and kept.

    One made here is not persistent: the kernel removes it when this process and the emulator that
    inherits it have ended, even if they are killed.
    """
    check_name(name)
    if HERE.has_interface(name):
        _check_tap(name)
        yield Tap(name)
        return
    if conflict := address_conflict(addresses):
        raise MissingError(
            f"The addresses {' and '.join(addresses)} are in use: {conflict}.",
            remedy="Use a private network (--netns NAME), or name a TAP you made yourself.",
        )
    descriptor = _open_tap(name)
    try:
        for address in addresses:
            HERE.add_address(name, address)
        proc.run("ip", "link", "set", name, "up")
        yield Tap(name, descriptor)
    finally:
        os.close(descriptor)


def free_wiring() -> Wiring:
    """The first whose names and addresses are unused in this network."""
    for number in range(100):
        wiring = Wiring(number)
        names = (wiring.tap, wiring.interface)
        taken = with_length(wiring.host_outer) + with_length(wiring.host_inner)
        if not any(map(HERE.has_interface, names)) and address_conflict(taken) is None:
            return wiring
    raise MissingError("All 100 device links are in use.")


# From linux/if_tun.h.
_TUNSETIFF = 0x400454CA
_IFF_TAP, _IFF_NO_PI = 0x0002, 0x1000


def _open_tap(name: str) -> int:
    descriptor = -1
    try:
        descriptor = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        request = struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI)
        fcntl.ioctl(descriptor, _TUNSETIFF, request)
    except OSError as error:
        if descriptor >= 0:
            os.close(descriptor)
        remedy = "Run it as root or through sudo, or use a private network: --netns NAME."
        raise MissingError(
            f"The TAP {name} cannot be created: {error.strerror}.",
            remedy=f"{TUN_REMEDY.capitalize()}." if not TUN.exists() else remedy,
        ) from error
    return descriptor


def _check_tap(name: str) -> None:
    """Rejects an interface that is in use or is not a TAP."""
    shown = proc.run("ip", "-details", "link", "show", "dev", name).stdout
    if "tun type tap" not in shown:
        raise UsageError(f"{name} exists but is not a TAP.", remedy="Give another name to --tap.")
    # The carrier is up while a program is attached.
    if "LOWER_UP" in shown:
        raise MissingError(
            f"The TAP {name} is in use by another program.",
            remedy="End that program, or give another name to --tap.",
        )


def cable(
    one: Host,
    other: Host,
    names: tuple[str, str],
    addresses: tuple[tuple[str, ...], tuple[str, ...]],
) -> None:
    """A veth pair between two hosts, up and with addresses."""
    proc.run(
        *("ip", "link", "add", names[0], "netns", one.namespace, "type", "veth"),
        *("peer", "name", names[1], "netns", other.namespace),
    )
    for end, name, given in zip((one, other), names, addresses, strict=True):
        for address in given:
            end.add_address(name, address)
        end.ip(f"link set {name} up")
