# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Reads a vector file: what its cases are is told by their keys, never by the file's name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wyrmlab.vectors import (
    ciphers,
    curve,
    hashes,
    negatives,
    noise_vectors,
    recorded,
    replay,
    transcripts,
    wycheproof,
)
from wyrmlab.vectors.case import Case, Form

# Forms with more keys come first, so that the closest one is found.
_FORMS = sorted(
    (
        *hashes.FORMS,
        *ciphers.FORMS,
        *curve.FORMS,
        *noise_vectors.FORMS,
        *replay.FORMS,
        *transcripts.FORMS,
        *negatives.FORMS,
        *recorded.FORMS,
    ),
    key=lambda form: (form.kind is None, -len(form.keys)),
)


@dataclass
class VectorFile:
    path: Path
    cases: list[tuple[Form | None, Case]] = field(default_factory=list)
    """Each case with its form; None: of no known form."""
    trouble: str = ""
    """Why the file as a whole cannot be run."""

    @property
    def kind(self) -> str:
        names = dict.fromkeys(form.name for form, _ in self.cases if form)
        return ", ".join(names) or "unknown"


def recognise(fields: dict[str, Any]) -> Form | None:
    return next((form for form in _FORMS if form.matches(fields)), None)


def read(path: Path) -> VectorFile:
    found = VectorFile(path)
    try:
        document = json.loads(path.read_bytes().decode())
    except OSError as error:
        found.trouble = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        found.trouble = "is not UTF-8 text"
    except json.JSONDecodeError as error:
        found.trouble = f"is not JSON: line {error.lineno}: {error.msg}"
    except (RecursionError, ValueError) as error:
        found.trouble = f"is not JSON that can be read: {error}"
    else:
        found.cases = list(_cases(document))
        if not found.cases:
            found.trouble = "holds no test cases of a known form"
    return found


def _cases(document: object) -> Iterator[tuple[Form | None, Case]]:
    if not isinstance(document, dict):
        return
    if isinstance(document.get("testGroups"), list):
        yield from wycheproof.cases(document)
    for key in ("tests", "vectors"):
        items = document.get(key)
        for at, fields in enumerate(items if isinstance(items, list) else ()):
            if not isinstance(fields, dict):
                yield None, Case(f"{key}[{at}]", {})
                continue
            yield recognise(fields), Case(_label(key, at, fields), fields)


def _label(key: str, at: int, fields: dict[str, Any]) -> str:
    """The case's own name if it has one, else its place."""
    named = fields.get("id") or fields.get("ref") or fields.get("protocol_name")
    return f"{named} ({key}[{at}])" if isinstance(named, str) else f"{key}[{at}]"
