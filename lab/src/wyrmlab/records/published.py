# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Published figures by id, from published.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, model_validator

_FILE = Path(__file__).with_name("published.toml")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Series(_Part):
    path: str = ""
    direction: str = ""
    x: tuple[float | str, ...] = ()
    values: tuple[float, ...]

    def at(self, x: float | str | None) -> tuple[float, ...]:
        """All rounds, or the value at x."""
        if not self.x:
            return self.values if x is None else ()
        return tuple(value for at, value in zip(self.x, self.values, strict=True) if at == x)

    @model_validator(mode="after")
    def _one_value_for_each_x(self) -> Series:
        if self.x and len(self.x) != len(self.values):
            raise ValueError(f"{len(self.x)} x for {len(self.values)} values")
        return self


class Item(_Part):
    """Without a series: published as a picture only, so its numbers are not given."""

    source: str
    what: str
    metric: str
    unit: str
    series: tuple[Series, ...] = ()


@dataclass(frozen=True)
class Value:
    """The values of one source for one figure."""

    item: str
    source: str
    values: tuple[float, ...]

    def __str__(self) -> str:
        low, high = min(self.values), max(self.values)
        shown = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        return f"{shown} ({self.source})"


@cache
def items() -> Mapping[str, Item]:
    told = tomllib.loads(_FILE.read_text())
    return {name: Item.model_validate(item) for name, item in told.items()}


def not_given(ids: Iterable[str], metric: str) -> str:
    """A note on those of the items named that belong to a metric and have no numbers."""
    chosen = [item for name in ids if (item := items().get(name)) and item.metric == metric]
    lost = [f"{item.source}: {item.what}" for item in chosen if not item.series]
    return f"Published as a picture, numbers not given: {'; '.join(lost)}." if lost else ""


def curves(
    ids: Iterable[str], metric: str, path: str, direction: str
) -> Iterator[tuple[Item, Series]]:
    """The published series of these items for a measured curve."""
    for name in ids:
        item = items().get(name)
        if item is None or item.metric != metric:
            continue
        for series in item.series:
            if series.x and (series.path, series.direction) == (path, direction):
                yield item, series


def beside(
    ids: Iterable[str], metric: str, path: str, direction: str, x: float | str | None
) -> list[Value]:
    """The published values of these items for a measured figure."""
    found = []
    for name in ids:
        item = items().get(name)
        if item is None or item.metric != metric:
            continue
        for series in item.series:
            if (series.path, series.direction) != (path, direction):
                continue
            if values := series.at(x):
                found.append(Value(name, item.source, values))
    return found
