# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""pytest plugin: every function of every cmocka executable is one test.

Each test_NAME.c in the folders of tests/c named below is compiled to an executable in each host
preset. It runs once per preset, before its first test; its XML report has the results of all.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from wyrmlab.base import paths
from wyrmlab.setup.build import TEST_PRESETS

ROOMS = ("unit", "port", "firmware", "daemon")
TIMEOUT_S = 600
_ARRAY = re.compile(r"\bCMUnitTest\s+\w+\s*\[\s*\]\s*=\s*\{(.*?)\}\s*;", re.DOTALL)
_ENTRY = re.compile(r'\{\s*((?:"[^"]*"\s*)+),')


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    ours = file_path.parent.parent == paths.C_TESTS and file_path.parent.name in ROOMS
    if ours and file_path.suffix == ".c" and file_path.name.startswith("test_"):
        collector: pytest.Collector = CFile.from_parent(parent, path=file_path)
        return collector
    return None


def functions_in(source: Path) -> list[str]:
    """The names in the source's tables of tests, as the preprocessor leaves them.

    Macros and included files are thereby dealt with; the compiler's own arguments are used.
    """
    database = paths.BUILD / TEST_PRESETS[0] / "compile_commands.json"
    entries = json.loads(database.read_text()) if database.exists() else []
    entry = next((entry for entry in entries if Path(entry["file"]) == source), None)
    if entry is None:
        raise pytest.Collector.CollectError(f"{source.name} is not built: ./wyrm build tests")
    command = [*_preprocessing(shlex.split(entry["command"])), "-E", "-P"]
    done = subprocess.run(
        command, cwd=entry["directory"], capture_output=True, text=True, timeout=60
    )
    if done.returncode != 0:
        raise pytest.Collector.CollectError(done.stderr)
    return [
        "".join(re.findall(r'"([^"]*)"', names))
        for table in _ARRAY.findall(done.stdout)
        for names in _ENTRY.findall(table)
    ]


def _preprocessing(command: list[str]) -> Iterator[str]:
    """The compile command without the options that write files."""
    words = iter(command)
    for word in words:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(words, None)
        elif word not in ("-c", "-MD", "-MMD"):
            yield word


@dataclass(frozen=True)
class Outcome:
    failure: str = ""
    skipped: bool = False


class Executable:
    """One built test program; runs at most once."""

    def __init__(self, preset: str, name: str) -> None:
        self._preset = preset
        self._name = name
        self._outcomes: dict[str, Outcome] | None = None
        self._ending = ""

    def outcome(self, function: str) -> Outcome:
        outcomes = self._run()
        if function in outcomes:
            return outcomes[function]
        return Outcome(failure=self._ending or f"{self._name} ran, but not this function")

    def unlisted(self, known: list[str]) -> list[str]:
        return [name for name in self._run() if name not in known]

    def ending(self) -> str:
        """The reason why the program failed as a whole, or an empty text."""
        failed = any(outcome.failure for outcome in self._run().values())
        return "" if failed else self._ending

    def _run(self) -> dict[str, Outcome]:
        if self._outcomes is None:
            with tempfile.TemporaryDirectory(prefix="wyrm-cmocka-") as folder:
                self._ending = self._execute(Path(folder))
                self._outcomes = dict(_reported(Path(folder)))
        return self._outcomes

    def _execute(self, folder: Path) -> str:
        found = [
            path
            for path in (paths.BUILD / self._preset / "tests" / "c").rglob(self._name)
            if path.is_file() and os.access(path, os.X_OK)
        ]
        if len(found) != 1:
            return f"{self._name} is not built for {self._preset}; run: ./wyrm build tests"
        environment = {
            **os.environ,
            "CMOCKA_MESSAGE_OUTPUT": "XML",
            "CMOCKA_XML_FILE": str(folder / "%g.xml"),
        }
        try:
            done = subprocess.run(
                [found[0]],
                cwd=paths.ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=TIMEOUT_S,
            )
        except subprocess.TimeoutExpired:
            return f"{self._name} did not end within {TIMEOUT_S} s"
        if done.returncode == 0:
            return ""
        said = done.stdout[-6000:]
        if done.returncode < 0:
            return f"{self._name} was ended by {signal.Signals(-done.returncode).name}\n{said}"
        return f"{self._name} ended with exit code {done.returncode}\n{said}"


def _reported(folder: Path) -> Iterator[tuple[str, Outcome]]:
    for file in sorted(folder.glob("*.xml")):
        # Failure texts may hold bytes XML does not allow.
        text = re.sub(r"[^\t\n\x20-\uffff]", "?", file.read_text(errors="replace"))
        for case in ElementTree.fromstring(text).iter("testcase"):
            failure = "\n".join(
                node.text or "failed" for node in case if node.tag in ("failure", "error")
            )
            yield case.get("name", ""), Outcome(failure, case.find("skipped") is not None)


class CFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        names = functions_in(self.path)
        for preset in TEST_PRESETS:
            executable = Executable(preset, self.path.stem)
            for name in names:
                yield CFunction.from_parent(
                    self, name=f"{name}[{preset}]", executable=executable, c_function=name
                )
            yield WholeProgram.from_parent(
                self, name=f"whole_program[{preset}]", executable=executable, known=names
            )


class CItem(pytest.Item):
    def __init__(self, *, executable: Executable, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.executable = executable
        # One function's share of time is unknown until all have run: the program has the timeout.
        self.add_marker(pytest.mark.timeout(TIMEOUT_S + 60))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: object) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


class CFunction(CItem):
    """One test function under one compiler."""

    def __init__(self, *, c_function: str, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.c_function = c_function

    def runtest(self) -> None:
        outcome = self.executable.outcome(self.c_function)
        if outcome.failure:
            raise AssertionError(outcome.failure)
        if outcome.skipped:
            pytest.skip("skips itself")


class WholeProgram(CItem):
    """The program exited without error (sanitizers report at exit) and ran only listed tests."""

    def __init__(self, *, known: list[str], **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.known = known

    def runtest(self) -> None:
        if ending := self.executable.ending():
            raise AssertionError(ending)
        if unlisted := self.executable.unlisted(self.known):
            raise AssertionError(f"ran, but not seen in the source: {', '.join(unlisted)}")
