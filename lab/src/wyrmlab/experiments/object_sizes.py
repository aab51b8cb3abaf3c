# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Flash and RAM use of each build's image and of the library's parts by role, beside the objects of
the library that the thesis used."""

from __future__ import annotations

from collections import defaultdict

from wyrmlab.experiments.bench import Bench, Experiment, Parameters
from wyrmlab.measure import footprint

# The first entry that occurs in an object's path determines its role.
_ROLES = (
    ("chacha20poly1305", "aead"),
    ("wyrm_aead", "aead"),
    ("chacha", "chacha20"),
    ("poly1305", "poly1305"),
    ("blake2s", "blake2s"),
    ("x25519", "x25519"),
    ("src/crypto/", "other cryptography"),
)
_GROUPS = {
    "core": "protocol",
    "lwIP port": "netif",
    "FreeRTOS glue": "platform",
    "store and text": "configuration, store, UAPI",
}
_BUILDS = {"plain": "plain", "": "tunnel", "small": "tunnel, -Os and LTO"}


class ObjectSizes(Parameters):
    pass


def tell(bench: Bench, _: ObjectSizes) -> None:
    for build in bench.cells(_BUILDS.values()):
        variant = next(name for name, title in _BUILDS.items() if title == build)
        sizes = footprint.measure(bench.firmware(variant))
        whole = sizes.total()
        bench.sample("image_flash_kb", whole.flash / 1024, "KB", path=build)
        bench.sample("image_ram_kb", whole.ram / 1024, "KB", path=build)
        if build == "tunnel":
            _tell_roles(bench, sizes)


def _tell_roles(bench: Bench, sizes: footprint.Footprint) -> None:
    roles: dict[str, footprint.Size] = defaultdict(footprint.Size)
    for name, size in sizes.objects.items():
        if role := _role(name):
            roles[role] += size
    for role, size in sorted(roles.items(), key=lambda item: -item[1].flash):
        bench.sample("flash_bytes", size.flash, "B", path="tunnel", x=role)
    for structure, number in sizes.structures.items():
        bench.sample("structure_bytes", number, "B", x=structure)


def _role(name: str) -> str:
    group = footprint.group_of(name)
    if group == "crypto":
        return next(role for part, role in _ROLES if part in name)
    return _GROUPS.get(group, "")


EXPERIMENT = Experiment(
    name="object-sizes",
    answers="How much flash and RAM does each build and each part use?",
    clock="none",
    quick_minutes=0.1,
    minutes=0.1,
    parameters=ObjectSizes,
    tell=tell,
    items=("A14", "A16", "B16", "B17"),
    variants=tuple(_BUILDS),
)
