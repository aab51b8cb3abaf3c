# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""All experiments by name, and the parameters of a run of one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wyrmlab.base import paths
from wyrmlab.base.errors import UsageError
from wyrmlab.experiments import (
    capture_proof,
    demo_cycle,
    handshake_latency,
    heap_over_time,
    implementations,
    object_sizes,
    packet_sweep,
    task_monitor,
    tcpip_baseline,
    tunnel_throughput,
    wg_tools,
    window_sweep,
)
from wyrmlab.experiments.bench import Experiment, Parameters

EXPERIMENTS: Mapping[str, Experiment] = {
    one.name: one
    for one in (
        demo_cycle.EXPERIMENT,
        capture_proof.EXPERIMENT,
        handshake_latency.EXPERIMENT,
        tunnel_throughput.EXPERIMENT,
        tcpip_baseline.EXPERIMENT,
        packet_sweep.EXPERIMENT,
        window_sweep.EXPERIMENT,
        heap_over_time.EXPERIMENT,
        task_monitor.EXPERIMENT,
        object_sizes.EXPERIMENT,
        wg_tools.EXPERIMENT,
        implementations.EXPERIMENT,
    )
}


def experiment(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise UsageError(
            f"Unknown experiment `{name}`.", remedy=f"Choose one of: {', '.join(EXPERIMENTS)}."
        )
    return EXPERIMENTS[name]


def chosen(names: list[str], *, quick: bool) -> list[tuple[Experiment, Parameters]]:
    """Resolves names and TOML files; `all` is every experiment."""
    wanted: list[tuple[Experiment, Parameters]] = []
    for name in names:
        if name == "all":
            wanted += [(one, parameters(one.file, quick=quick)[1]) for one in EXPERIMENTS.values()]
        elif name.endswith(".toml"):
            wanted.append(parameters(Path(name), quick=quick))
        else:
            wanted.append(parameters(experiment(name).file, quick=quick))
    return wanted


def parameters(file: Path, *, quick: bool) -> tuple[Experiment, Parameters]:
    """Reads a TOML file; unset parameters keep the experiment's defaults."""
    told = _read(file)
    one = experiment(str(told.pop("experiment", "")))
    given = _read(one.file)
    given.pop("experiment")
    short = {**given.pop("quick", {}), **told.pop("quick", {})}
    values = {**given, **told, **(short if quick else {})}
    try:
        return one, one.parameters.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{paths.shown(file)}: {name}: {first['msg']}.") from error


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text())
    except OSError as error:
        raise UsageError(f"{paths.shown(file)} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{paths.shown(file)}: {error}.") from error
