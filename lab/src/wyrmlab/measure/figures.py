# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Rows of figures, their targets, and the comparison with the committed baseline."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from wyrmlab.base import paths
from wyrmlab.base.errors import UsageError

TARGETS = paths.ROOT / "bench" / "targets.toml"
Model = TypeVar("Model", bound=BaseModel)
BASELINE = paths.ROOT / "bench" / "results" / "crypto.json"
# Figure and how far it may stray: the timers that count instructions are true to within one.
MEASURES = {"instructions": 1, "code_bytes": 0, "stack_bytes": 0}


class Row(BaseModel):
    """One primitive on one core. `target` and `rival` are instructions; null: there is none."""

    model_config = ConfigDict(extra="forbid")

    core: str
    profile: str
    primitive: str
    instructions: int | None  # null: compiled, but nothing here can run it
    code_bytes: int | None
    stack_bytes: int | None
    target: int | None = None
    rival: int | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.core, self.profile, self.primitive

    @property
    def met(self) -> bool | None:
        if self.target is None or self.instructions is None:
            return None
        return self.instructions <= self.target


class Goal(BaseModel):
    """The target and the best other implementation's figure, on some cores."""

    model_config = ConfigDict(extra="forbid")

    cores: list[str]
    primitives: list[str]
    target: int | None = None
    target_code_bytes: int | None = None
    rival: int | None = None
    rival_name: str = ""


class Goals:
    """Targets apply to the speed profile; the other profiles are only published."""

    def __init__(self, goals: Iterable[Goal]) -> None:
        self._by_place = {
            (core, primitive): goal
            for goal in goals
            for core in goal.cores
            for primitive in goal.primitives
        }

    def places(self) -> set[tuple[str, str]]:
        """Core and primitive of every goal."""
        return set(self._by_place)

    def of(self, core: str, profile: str, primitive: str) -> Goal | None:
        return self._by_place.get((core, primitive)) if profile == "speed" else None


def load_goals(file: Path = TARGETS) -> Goals:
    entries = tomllib.loads(file.read_text())["goal"]
    return Goals(Goal(**entry) for entry in entries)


class Baseline(BaseModel):
    """Counts hold for the tools they were made with, which may differ from core to core."""

    model_config = ConfigDict(extra="forbid")

    tools: dict[str, str] = {}
    rows: list[Row] = []


def load(model: type[Model], file: Path) -> Model:
    """Reads a baseline; an empty one if there is no file."""
    if not file.exists():
        return model()
    try:
        return model.model_validate_json(file.read_text())
    except ValidationError as error:
        raise UsageError(
            f"{paths.shown(file)} is not a valid baseline: {error.errors()[0]['msg']}.",
            remedy="Restore it with git, or record a new one with --accept.",
        ) from error


def load_baseline(file: Path = BASELINE) -> Baseline:
    return load(Baseline, file)


def merged(old: Baseline, tools: Mapping[str, str], rows: Sequence[Row]) -> Baseline:
    """The old baseline with the rows measured now replaced."""
    anew = {(row.core, row.profile) for row in rows}
    kept = [row for row in old.rows if (row.core, row.profile) not in anew]
    return Baseline(tools={**old.tools, **tools}, rows=[*kept, *rows])


def as_json(rows: Sequence[Row]) -> str:
    """A list of objects, one to a line: differences between versions can be read."""
    lines = ",\n".join(json.dumps(row.model_dump()) for row in rows)
    return f"[\n{lines}\n]\n"


def save_baseline(baseline: Baseline, file: Path = BASELINE) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    tools = json.dumps(dict(sorted(baseline.tools.items())), indent=1)
    rows = as_json(sorted(baseline.rows, key=lambda row: row.key)).rstrip()
    file.write_text(f'{{"tools": {tools},\n"rows": {rows}}}\n')


def check_place(file: Path | None) -> None:
    """Checked before the measurement, which takes long."""
    if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
        raise UsageError(
            f"{paths.shown(file)} cannot be written.",
            remedy="Name a file in an existing folder.",
        )


def rows_from_json(text: str) -> list[Row]:
    return TypeAdapter(list[Row]).validate_json(text)


@dataclass
class Comparison:
    risen: list[str] = field(default_factory=list)
    fallen: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    other_tools: list[str] = field(default_factory=list)


def compare(baseline: Baseline, tools: Mapping[str, str], rows: Sequence[Row]) -> Comparison:
    """Every real growth counts; cores built with other tools are skipped."""
    found = Comparison()
    comparable = {
        core for core, with_what in tools.items() if baseline.tools.get(core) == with_what
    }
    for core, with_what in tools.items():
        if core not in comparable and core in baseline.tools:
            found.other_tools.append(
                f"{core}: the baseline was made with {baseline.tools[core]}; this is {with_what}"
            )
    before = {row.key: row for row in baseline.rows}
    for row in rows:
        old = before.get(row.key)
        name = " ".join(row.key)
        if old is None:
            found.new.append(name)
        elif row.core in comparable:
            for measure, slack in MEASURES.items():
                was, now = getattr(old, measure), getattr(row, measure)
                if was is None or now is None or abs(was - now) <= slack:
                    continue
                where = found.risen if now > was else found.fallen
                where.append(f"{name}: {measure} {was:,} -> {now:,}")
    return found
