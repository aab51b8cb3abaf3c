# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Runs every vector file under some folders against every backend, and says what came of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wyrmlab.base import paths
from wyrmlab.base.errors import FAILED, UsageError
from wyrmlab.vectors import forms, transcripts
from wyrmlab.vectors.backend import Backend
from wyrmlab.vectors.case import Case, Context, Mismatch, Skipped
from wyrmlab.vectors.forms import VectorFile

_SHOWN_PER_FILE = 10
_SKIPPED_FOLDER = "scenarios"  # for the simulator, not for us


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """What failed: case and reason, with the backends where it did."""
    skips: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def run(found: Sequence[Path], backends: Sequence[Backend], *, long: bool = False) -> int:
    """Prints one line per file and the sum; returns the exit code."""
    files = [forms.read(path) for path in found]
    library = Transcripts(files)
    contexts = [Context(backend, long=long) for backend in backends]
    print(f"backends: {', '.join(backend.name for backend in backends)}")

    total = Tally()
    for file in files:
        for context in contexts:
            context.transcripts = library.near(file.path)
        tally = run_file(file, contexts)
        total.add(tally)
        _show(file, tally, contexts)
    print(total)
    return FAILED if total.failed else 0


def find(folders: Sequence[Path]) -> list[Path]:
    """The vector files under the folders, each once."""
    found: dict[Path, None] = {}
    for folder in folders:
        if not folder.exists():
            raise UsageError(f"There is no folder {folder}.")
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder:", remedy="give the one it lies in.")
        for path in _walk(folder):
            found.setdefault(path.resolve(), None)
    if not found:
        names = ", ".join(map(str, folders))
        raise UsageError(f"There are no vector files (*.json) under {names}.")
    return list(found)


def _walk(top: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name != _SKIPPED_FOLDER)
        if Path(folder).resolve().name != _SKIPPED_FOLDER:
            yield from (Path(folder) / name for name in sorted(names) if name.endswith(".json"))


class Transcripts:
    """The handshake transcripts of all files, which negative cases name by id."""

    def __init__(self, files: Sequence[VectorFile]) -> None:
        self._found: list[tuple[Path, str, Case]] = [
            (file.path, case.text("id"), case)
            for file in files
            for form, case in file.cases
            if form in transcripts.FORMS and isinstance(case.fields.get("id"), str)
        ]

    def near(self, path: Path) -> dict[str, Case]:
        """By id; of several with one id that whose file lies nearest to `path`."""

        def distance(entry: tuple[Path, str, Case]) -> int:
            shared = os.path.commonpath([entry[0].parent, path.parent])
            return -len(Path(shared).parts)

        nearest: dict[str, Case] = {}
        for _, name, case in sorted(self._found, key=distance):
            nearest.setdefault(name, case)
        return nearest


def run_file(file: VectorFile, contexts: Sequence[Context]) -> Tally:
    tally = Tally()
    if file.trouble:
        tally.failed = 1
        tally.failures["the file", file.trouble] = []
        return tally
    for context in contexts:
        for form, case in file.cases:
            try:
                if form is None:
                    raise Mismatch("a case of unknown form: " + _keys(case))
                form.run(context, case)
            except Mismatch as finding:
                tally.failed += 1
                _note(tally.failures, case, str(finding), context)
            except Skipped as reason:
                tally.skipped += 1
                _note(tally.skips, case, str(reason), context)
            except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
                # A field of a shape that no form foresaw: the file's fault, and no reason to die.
                tally.failed += 1
                _note(tally.failures, case, f"cannot be run: {error!r}", context)
            else:
                tally.passed += 1
    return tally


def _note(
    notes: dict[tuple[str, str], list[str]], case: Case, reason: str, context: Context
) -> None:
    notes.setdefault((case.id, reason), []).append(context.backend.name)


def _keys(case: Case) -> str:
    keys = sorted(case.fields)
    return ", ".join(keys[:8]) + (", ..." if len(keys) > 8 else "") if keys else "no object"


def _show(file: VectorFile, tally: Tally, contexts: Sequence[Context]) -> None:
    names = [context.backend.name for context in contexts]
    print(f"{paths.shown(file.path)}: {file.kind} [{' '.join(names)}]: {tally}", flush=True)
    for word, notes in (("failed", tally.failures), ("skipped", tally.skips)):
        for (where, reason), backends in list(notes.items())[:_SHOWN_PER_FILE]:
            only = f" [{' '.join(backends)}]" if backends and backends != names else ""
            print(f"    {word}: {where}{only}: {reason}")
        if len(notes) > _SHOWN_PER_FILE:
            print(f"    and {len(notes) - _SHOWN_PER_FILE} more {word}")
