# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The record of a run: everything measured and how, as one JSON file that grows with the run.

The record is rewritten after every step, so an interrupted run keeps its results. Reports
and comparisons read records only.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import platform
import re
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wyrmlab.base import paths, proc
from wyrmlab.base.errors import UsageError, WyrmError

Value = bool | int | float | str
Outcome = Literal["running", "passed", "failed", "interrupted"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Project(_Part):
    version: str
    commit: str
    modified: bool = Field(description="The working tree differed from the commit.")


class Host(_Part):
    system: str
    kernel: str
    processor: str
    processors: int
    python: str


class DeviceUnderTest(_Part):
    board: str
    title: str
    emulated: bool
    emulator: str = ""
    icount_shift: int | None = Field(
        default=None, description="One instruction takes 2^shift ns of the device's clock."
    )
    firmware: str = Field(default="", description="The device's own description.")


class Step(_Part):
    name: str
    outcome: Outcome
    seconds: float
    detail: str = ""


class Sample(_Part):
    """One measured value. Samples that differ only in `round` belong to the same figure."""

    metric: str
    unit: str
    value: float
    path: str = Field(default="", description="plain, tunnel, or another variant compared")
    direction: str = Field(default="", description="rx: towards the device, tx: from it")
    x: float | str | None = Field(default=None, description="The swept parameter, or a row's name.")
    round: int = 1
    cell: str = Field(default="", description="The part of the run it was measured in.")


class Table(_Part):
    title: str
    columns: list[str]
    rows: list[list[str]]
    note: str = ""


class Chart(_Part):
    title: str
    kind: Literal["bars", "line"]
    unit: str
    labels: list[str] = Field(description="One per bar group, or the x values' name for a line.")
    series: dict[str, list[float]]
    note: str = ""


class Record(_Part):
    schema_version: Literal[1, 2] = 2
    name: str
    parameters: dict[str, Any] = {}
    clock: str = Field(default="", description="The clock that the figures were measured with.")
    question: str = Field(default="", description="The question the experiment answers.")
    setup: list[str] = Field(
        default=[], description="Machines, alternating with the links between them."
    )
    axis: str = Field(default="", description="The meaning of x if figures are points of curves.")
    samples: list[Sample] = []
    published: list[str] = Field(
        default=[], description="Items of published.toml to show beside its figures."
    )
    cells: list[str] = Field(default=[], description="Parts of the run that are complete.")
    started: datetime.datetime
    finished: datetime.datetime | None = None
    outcome: Outcome = "running"
    failure: str = ""
    command: list[str]
    project: Project
    host: Host
    device: DeviceUnderTest | None = None
    tools: dict[str, str] = {}
    results: dict[str, Value] = Field(
        default={}, description="Plain numbers and facts; the unit is in the name."
    )
    headline: dict[str, str] = Field(default={}, description="The main results, with units.")
    checks: dict[str, bool] = Field(default={}, description="Checks and their outcome.")
    tables: list[Table] = []
    charts: list[Chart] = []
    steps: list[Step] = []
    files: dict[str, str] = Field(default={}, description="Other files of the run.")


def under_way(folder: Path) -> bool:
    """Whether the run is in progress."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def load(file: Path) -> Record:
    try:
        return Record.model_validate_json(file.read_text())
    except FileNotFoundError as error:
        raise UsageError(f"Record {paths.shown(file)} not found.") from error
    except ValidationError as error:
        raise UsageError(
            f"{paths.shown(file)} is not a record of this version: {error.errors()[0]['msg']}."
        ) from error


class Run:
    """A run in progress: its folder `runs/DATE-NAME/` and its record, as a context manager.

    Leaving the context closes the record with the outcome; the exception, if any, propagates.
    """

    def __init__(self, name: str, *, resumed: Path | None = None) -> None:
        now = datetime.datetime.now(datetime.UTC)
        self.folder = resumed or _fresh_folder(f"{now:%Y-%m-%dT%H%M%S}-{name}")
        self.file = self.folder / "record.json"
        self._lock = -1
        self._cell = ""
        if resumed:
            self.record = load(self.file)
            self._begin_again()
            return
        self.record = Record(
            name=name,
            started=now,
            command=["./wyrm", *sys.argv[1:]],
            project=_project(),
            host=_host(),
        )

    def _begin_again(self) -> None:
        """Keeps the complete parts; the interrupted one will be measured again."""
        record = self.record
        record.samples = [sample for sample in record.samples if sample.cell in record.cells]
        record.steps = [step for step in record.steps if step.outcome == "passed"]
        record.outcome, record.failure, record.finished = "running", "", None
        record.checks = {name: held for name, held in record.checks.items() if held}

    def __enter__(self) -> Run:
        self._lock = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise UsageError(f"The run {self.folder.name} is still in progress.") from error
        self.save()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        self.record.finished = datetime.datetime.now(datetime.UTC)
        if error is None:
            self.record.outcome = "passed" if all(self.record.checks.values()) else "failed"
        elif isinstance(error, KeyboardInterrupt):
            self.record.outcome = "interrupted"
        else:
            self.record.outcome = "failed"
            self.record.failure = str(error) or type(error).__name__
        # A signal may arrive between the start of a step and its first line.
        for step in self.record.steps:
            if step.outcome == "running":
                step.outcome = self.record.outcome
        self.save()
        os.close(self._lock)

    def cells(self, names: Iterable[str]) -> Iterator[str]:
        """Yields the parts of the run that are not measured yet. A part is complete when the next
        is requested; an interrupted part is measured again when the run is resumed."""
        for name in names:
            if name in self.record.cells:
                continue
            self._cell = name
            yield name
            self._cell = ""
            self.record.cells.append(name)
            self.save()

    def sample(self, sample: Sample) -> None:
        sample.cell = self._cell
        self.record.samples.append(sample)
        self.save()

    def save(self) -> None:
        """Replaces the file atomically."""
        draft = self.file.with_suffix(".part")
        draft.write_text(self.record.model_dump_json(indent=2) + "\n")
        draft.replace(self.file)

    def keep(self, title: str, name: str) -> Path:
        """The path for another file of this run, listed in the record under `title`."""
        self.record.files[title] = name
        return self.folder / name

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Times a step and records its outcome; the body may fill in `detail`."""
        step = Step(name=name, outcome="running", seconds=0.0)
        begun = time.monotonic()
        try:
            self.record.steps.append(step)
            self.save()
            yield step
            step.outcome = "passed"
        except KeyboardInterrupt:
            step.outcome = "interrupted"
            raise
        except Exception as error:
            step.outcome = "failed"
            step.detail = str(error)
            raise
        finally:
            step.seconds = round(time.monotonic() - begun, 3)
            self.save()


def _fresh_folder(name: str) -> Path:
    for attempt in ("", *(f"-{number}" for number in range(2, 100))):
        folder = paths.RUNS / f"{name}{attempt}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise WyrmError(
                f"The folder {paths.shown(folder)} cannot be created: {error.strerror}.",
                remedy="Make runs/ writable.",
            ) from error
        return folder
    raise WyrmError(f"100 runs named {name} exist already.")


def _git(*args: str) -> str:
    try:
        done = proc.run("git", "-C", paths.ROOT, *args, check=False, timeout_s=20)
    except WyrmError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _project() -> Project:
    declared = re.search(
        r"project\(wyrmling VERSION ([0-9.]+)", (paths.ROOT / "CMakeLists.txt").read_text()
    )
    return Project(
        version=declared[1] if declared else "unknown",
        commit=_git("rev-parse", "HEAD") or "unknown",
        modified=bool(_git("status", "--porcelain")),
    )


def _host() -> Host:
    release = Path("/etc/os-release")
    names = (
        dict(line.split("=", 1) for line in release.read_text().splitlines() if "=" in line)
        if release.exists()
        else {}
    )
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return Host(
        system=names.get("PRETTY_NAME", platform.system()).strip('"'),
        kernel=platform.release(),
        processor=cpu[1] if cpu else platform.machine(),
        processors=os.cpu_count() or 1,
        python=platform.python_version(),
    )
