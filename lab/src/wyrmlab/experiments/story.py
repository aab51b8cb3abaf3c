# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The steps of the demo: a board boots, connects to wireguard-go, carries pings and iperf. Captures
prove that only WireGuard leaves the device."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from rich.console import Console as Terminal

from wyrmlab import boards
from wyrmlab.base import proc
from wyrmlab.boards import readings
from wyrmlab.boards.device import Device
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.experiments import proof, story_tables, traffic
from wyrmlab.measure import footprint
from wyrmlab.network import capture, links
from wyrmlab.network.host import HERE
from wyrmlab.peers.device_tunnel import (
    DEVICE_INNER,
    DEVICE_OUTER,
    HOST_INNER,
    HOST_OUTER,
    DeviceTunnel,
)
from wyrmlab.peers.wireguard import make_psk, wireguard_go
from wyrmlab.records.record import DeviceUnderTest, Record, Run

PINGS = 10

PLAIN_BYTES, TUNNEL_BYTES = 32 << 20, 8 << 20


@dataclass
class Story:
    keeper: Run
    board: boards.Board
    tap: links.Tap
    terminal: Terminal
    sizes: footprint.Footprint

    @property
    def clock_note(self) -> str:
        return f"Mbit/s on the device's clock: {self.board.emulator.clock_note}."

    @property
    def record(self) -> Record:
        return self.keeper.record

    def tell(self, firmware: Path) -> None:
        self.record.tools = _tool_versions(self.board.emulator.program)
        folder = self.keeper.folder
        self.keeper.keep("The device's console", "console.log")
        device = EmulatedDevice(
            self.board,
            firmware,
            tap=self.tap,
            log_dir=folder,
            flash=folder / "flash.bin",
            icount_shift=self.board.emulator.icount_shift,
        )
        try:
            with device, wireguard_go("wg0", folder / "wireguard-go.log") as peer:
                tunnel = DeviceTunnel(device, peer, psk=make_psk())
                self.boot(device)
                self.plain(device)
                self.configure(tunnel)
                self.prove(tunnel)
                self.through_tunnel(device)
                self.reboot(device)
                self.look_inside(device)
        finally:
            # 16 MB that contain the run's keys.
            (folder / "flash.bin").unlink(missing_ok=True)
        self.tables()

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[list[str]]:
        """Shows a step while it runs; prints what the body appended when it ends."""
        said: list[str] = []
        with self.terminal.status(f"{title} ..."), self.keeper.step(title) as step:
            yield said
            step.detail = "; ".join(said)
        told = f"[green]✓[/] {title}" + (f": {'; '.join(said)}" if said else "")
        # Whole lines, for logs.
        self.terminal.print(told, soft_wrap=not self.terminal.is_terminal)

    # --- Steps ---

    def boot(self, device: Device) -> None:
        with self.step(f"{self.board.title} boots") as said:
            ready = device.wait_ready()
            said.append(ready)
            found = re.search(r"in ([\d.]+) ms", ready)
            self.record.results["boot_ms"] = float(found[1]) if found else 0.0
            self.record.device = DeviceUnderTest(
                board=self.board.name,
                title=self.board.title,
                emulated=True,
                emulator=self.record.tools["QEMU"],
                icount_shift=self.board.emulator.icount_shift,
                firmware=readings.version(device.command("version")),
            )

    def plain(self, device: Device) -> None:
        with self.step("Ping without the tunnel") as said:
            self.ping("plain", DEVICE_OUTER[4], said)
        with self.step("iperf towards the device, without the tunnel") as said:
            self.receive(device, "plain", DEVICE_OUTER[4], PLAIN_BYTES, said)
        with self.step("iperf from the device, without the tunnel") as said:
            self.send(device, "plain", HOST_OUTER[4], PLAIN_BYTES, said)

    def configure(self, tunnel: DeviceTunnel) -> None:
        with self.step("Exchange keys between wireguard-go and the device"):
            tunnel.bring_up_peer()
            tunnel.device.configure(tunnel.device_conf(peer="PersistentKeepalive = 25"))

    def prove(self, tunnel: DeviceTunnel) -> None:
        """Captures both sides of the tunnel, beginning before the first handshake, and compares
        them."""
        outside = self.keeper.keep("Capture outside the tunnel", "outside.pcapng")
        inside = self.keeper.keep("Capture inside the tunnel", "inside.pcapng")
        device = tunnel.device
        with (
            capture.Capture(self.tap.name, outside),
            capture.Capture(tunnel.peer.interface, inside),
        ):
            with self.step("The device opens the tunnel") as said:
                device.command("wg up")
                took = device.console.expect(
                    r"^tunnel: up, handshake took ([\d.]+) ms", timeout_s=30
                )
                self.record.results["handshake_ms"] = float(took[1])
                said.append(f"handshake in {took[1]} ms (device clock)")
            with self.step("Ping through the tunnel, IPv4 and IPv6") as said:
                self.ping("tunnel", DEVICE_INNER[4], said)
                self.ping("tunnel6", DEVICE_INNER[6], said)
        with self.step("What the captures show") as said:
            self.examine(tunnel, outside, inside, said)

    def through_tunnel(self, device: Device) -> None:
        with self.step("iperf towards the device, through the tunnel") as said:
            self.receive(device, "tunnel", DEVICE_INNER[4], TUNNEL_BYTES, said)
        with self.step("iperf from the device, through the tunnel") as said:
            self.send(device, "tunnel", HOST_INNER[4], TUNNEL_BYTES, said)

    def reboot(self, device: Device) -> None:
        with self.step("The device reboots, without a clock, and comes back") as said:
            device.reboot()
            took = device.console.expect(r"^tunnel: up, handshake took ([\d.]+) ms", timeout_s=40)
            # wireguard-go uses the new session from the device's first packet on, slightly later.
            proc.wait_until(
                lambda: HERE.ping(DEVICE_INNER[4], count=1, wait_s=1).received == 1,
                timeout_s=10,
                what="the first ping after the reboot",
            )
            answered = HERE.ping(DEVICE_INNER[4], count=3)
            said.append(f"handshake in {took[1]} ms")
            self.record.checks["after a reboot without a clock the tunnel comes back"] = (
                answered.received == answered.sent
            )

    def look_inside(self, device: Device) -> None:
        with self.step("Tasks, memory, counters"):
            tasks = readings.tasks(device.command("tasks"))
            memory = readings.memory(device.command("heap"))
            (self.keeper.keep("The device's drop counters", "stats.txt")).write_text(
                device.command("stats") + "\n"
            )
        for task in tasks:
            self.record.results[f"stack_{_plain(task.name)}_bytes"] = task.stack_used
        self.record.tables.append(story_tables.stacks(tasks))
        heaps = [pool for pool in memory if pool.name.endswith("heap")]
        for pool in heaps:
            self.record.results[f"{_plain(pool.name)}_most_bytes"] = pool.most
        self.record.tables.append(story_tables.heaps(heaps))

    # --- Measuring ---

    def ping(self, name: str, address: str, said: list[str]) -> None:
        pings = HERE.ping(address, count=PINGS, interval_s=0.05, pattern=proof.PATTERN.hex())
        results = self.record.results
        results[f"ping_{name}_loss_percent"] = pings.loss_percent
        # The worst of all pings of the demo.
        results["ping_loss_percent"] = max(
            float(results.get("ping_loss_percent", 0.0)), pings.loss_percent
        )
        if pings.rtt_ms:
            results[f"ping_{name}_min_ms"] = min(pings.rtt_ms)
            results[f"ping_{name}_avg_ms"] = round(mean(pings.rtt_ms), 3)
            results[f"ping_{name}_max_ms"] = max(pings.rtt_ms)
            said.append(
                f"{pings.received} of {pings.sent} from {address},"
                f" {min(pings.rtt_ms):.2f} to {max(pings.rtt_ms):.2f} ms"
            )
        self.record.checks[f"every ping to {address} was answered"] = pings.loss_percent == 0

    def receive(self, device: Device, name: str, address: str, size: int, said: list[str]) -> None:
        log = self.keeper.folder / f"iperf-rx-{name}.log"
        self.note(f"tcp_rx_{name}", traffic.receive(device, address, size, log, load=True), said)

    def send(self, device: Device, name: str, address: str, size: int, said: list[str]) -> None:
        log = self.keeper.folder / f"iperf-tx-{name}.log"
        self.note(f"tcp_tx_{name}", traffic.send(device, address, size, log), said)

    def note(self, name: str, figures: traffic.Figures, said: list[str]) -> None:
        self.record.results[f"{name}_mbit_s"] = figures.mbit_s
        said.append(f"{figures.mbit_s:.1f} Mbit/s (device clock)")
        if figures.busy_percent is not None:
            self.record.results[f"{name}_cpu_load_percent"] = figures.busy_percent
            said.append(f"CPU {figures.busy_percent:.0f} % busy")

    def examine(self, tunnel: DeviceTunnel, outside: Path, inside: Path, said: list[str]) -> None:
        """The proof: only WireGuard outside, the pings inside, and both are the same pings."""
        keylog = self.keeper.keep("Session keys of this run, for Wireshark", "keys.log")
        keylog.write_text(proof.session_keys(tunnel))
        found = proof.examine(outside, inside, keylog, pings=2 * PINGS)
        seen, results = found.outside, self.record.results
        self.record.tables.append(story_tables.messages(seen))
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(seen.messages.items()))
        said.append(f"outside: {kinds}")
        results["capture_plaintext_found"] = seen.plaintext_found
        for kind in ("initiation", "response", "data"):
            results[f"capture_{kind}_messages"] = seen.messages[kind]
        self.record.checks.update(found.checks)
        said.append(f"decrypted: {found.decrypted} of {found.inside} ping packets")

    # --- Summary ---

    def tables(self) -> None:
        results = self.record.results
        for direction in story_tables.DIRECTIONS:
            without = float(results[f"tcp_{direction}_plain_mbit_s"])
            within = float(results[f"tcp_{direction}_tunnel_mbit_s"])
            results[f"tcp_{direction}_ratio"] = round(within / without, 3)
        figures, chart = story_tables.throughput(results, self.clock_note)
        self.record.charts.append(chart)
        self.record.tables[:0] = [story_tables.times(results), figures]
        self.add_sizes()
        self.record.tables.append(story_tables.sizes(self.sizes))
        towards, back = results["tcp_rx_tunnel_mbit_s"], results["tcp_tx_tunnel_mbit_s"]
        self.record.headline = {
            "TCP towards the device, through the tunnel": f"{towards:.1f} Mbit/s",
            "TCP from the device, through the tunnel": f"{back:.1f} Mbit/s",
            "handshake, both ways": f"{results['handshake_ms']:.1f} ms",
            "library in flash, built with -O2": f"{results['flash_library_bytes']:,} B",
            "RAM per peer": f"{results['sizeof_wyrm_peer_bytes']:,} B",
        }

    def add_sizes(self) -> None:
        results = self.record.results
        whole, library = self.sizes.total(), self.sizes.total(footprint.LIBRARY)
        results["flash_bytes"], results["ram_bytes"] = whole.flash, whole.ram
        results["flash_library_bytes"] = library.flash
        for name, count in self.sizes.structures.items():
            results[f"sizeof_{name}_bytes"] = count


def _plain(name: str) -> str:
    """A name as part of a result's name."""
    return re.sub(r"\W+", "_", name.strip().lower())


def _tool_versions(emulator: str) -> dict[str, str]:
    """The first line of each program's version output."""
    commands = {
        "QEMU": (emulator, "--version"),
        "wireguard-go": ("wireguard-go", "--version"),
        "wg": ("wg", "--version"),
        "iperf": ("iperf", "--version"),
        "tshark": ("tshark", "--version"),
        "compiler": ("arm-none-eabi-gcc", "--version"),
    }
    said = {}
    for name, command in commands.items():
        done = proc.run(*command, check=False, timeout_s=20)
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        said[name] = next((line for line in lines if "Running as" not in line), "unknown").strip()
    return said
