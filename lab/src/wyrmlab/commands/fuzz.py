# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`fuzz`: builds the fuzz targets with Clang and runs them; what they learn is kept in build/."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from wyrmlab.base import paths, proc
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.setup import build, host_setup

_SOURCES = paths.C_TESTS / "fuzz"
_FOLDER = paths.BUILD / "fuzz"
# To end by itself it needs no more than the input at hand, and that is stopped after this long.
_LONGEST_INPUT_S = 10


def targets() -> list[str]:
    return sorted(path.stem.removeprefix("fuzz_") for path in _SOURCES.glob("fuzz_*.c"))


def run(target: str | None, seconds: int) -> int:
    if target is not None and target not in targets():
        raise UsageError(
            f"There is no fuzz target `{target}`:", remedy=f"take one of {', '.join(targets())}."
        )
    for name in [target] if target else targets():
        print(f"{name}: {fuzz(name, seconds)} inputs in {seconds} s, nothing found", flush=True)
    return 0


def fuzz(name: str, seconds: int, *, inputs: int | None = None) -> int:
    """How many inputs it survived; a finding is an error that says how to see it again.

    With `inputs` so many, the same every time; else as many as there is time for, and what is
    learned stays for the next time.
    """
    host_setup.ensure("build", "firmware", "check")
    build.cmake("fuzz", target=f"fuzz_{name}")
    program = _FOLDER / "tests" / "c" / "fuzz" / f"fuzz_{name}"
    corpus = _FOLDER / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    words = _SOURCES / f"{name}.dict"
    command = [str(program), f"-max_total_time={seconds}", f"-timeout={_LONGEST_INPUT_S}"]
    command += ["-print_final_stats=1", f"-artifact_prefix={_FOLDER}/{name}-"]
    command += [f"-dict={words}"] if words.exists() else []
    command += [str(corpus)] if inputs is None else [f"-runs={inputs}", "-seed=1"]
    done = subprocess.run(
        proc.dying_with_us(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds + 120,
    )
    found = re.search(r"number_of_executed_units: (\d+)", done.stdout)
    if done.returncode != 0 or found is None:
        raise WyrmError(
            f"The fuzz target {name} found a defect.",
            remedy=_again(program, done.stdout),
            detail="\n".join(done.stdout.splitlines()[-60:]),
        )
    return int(found[1])


def _again(program: Path, said: str) -> str:
    written = re.search(r"Test unit written to (\S+)", said)
    if written is None:
        return "It left no input to reproduce it; see above."
    return f"To reproduce it: {paths.shown(program)} {paths.shown(Path(written[1]))}"
