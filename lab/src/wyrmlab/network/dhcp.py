# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A DHCP server for one device, whose replies may be made hostile by its arguments."""

from __future__ import annotations

import socket
import struct

import dpkt

from wyrmlab.network.datagrams import DatagramServer


class DhcpServer(DatagramServer):
    """Leases one address, with any netmask, on the TAP `interface` to any client."""

    def __init__(
        self,
        *,
        router: str,
        dns: str,
        address: str,
        netmask: str = "255.255.255.0",
        interface: str = "tap0",
    ) -> None:
        super().__init__("", 67)
        self.acknowledged = 0
        self._router, self._dns = socket.inet_aton(router), socket.inet_aton(dns)
        self._address, self._netmask = socket.inet_aton(address), socket.inet_aton(netmask)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())

    def handle(self, data: bytes, _sender: tuple[str, int]) -> None:
        request = dpkt.dhcp.DHCP(data)
        kind = dict(request.opts).get(dpkt.dhcp.DHCP_OPT_MSGTYPE)
        if kind == bytes([dpkt.dhcp.DHCPDISCOVER]):
            self._reply(request, dpkt.dhcp.DHCPOFFER)
        elif kind == bytes([dpkt.dhcp.DHCPREQUEST]):
            self._reply(request, dpkt.dhcp.DHCPACK)
            self.acknowledged += 1

    def _reply(self, request: dpkt.dhcp.DHCP, kind: int) -> None:
        options = [
            (dpkt.dhcp.DHCP_OPT_MSGTYPE, bytes([kind])),
            (dpkt.dhcp.DHCP_OPT_SERVER_ID, self._router),
            (dpkt.dhcp.DHCP_OPT_LEASE_SEC, struct.pack("!I", 3600)),
            (dpkt.dhcp.DHCP_OPT_NETMASK, self._netmask),
            (dpkt.dhcp.DHCP_OPT_ROUTER, self._router),
            (dpkt.dhcp.DHCP_OPT_DNS_SVRS, self._dns),
        ]
        reply = dpkt.dhcp.DHCP(
            op=dpkt.dhcp.DHCP_OP_REPLY,
            xid=request.xid,
            yiaddr=int.from_bytes(self._address, "big"),
            chaddr=request.chaddr,
            opts=options,
        )
        self.socket.sendto(bytes(reply), ("255.255.255.255", 68))
