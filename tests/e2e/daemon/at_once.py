# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Several things at the same time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def at_once(*jobs: Callable[[], None]) -> None:
    """Runs all in threads; the first error of any is raised once all have ended."""
    with ThreadPoolExecutor(len(jobs)) as threads:
        running = [threads.submit(job) for job in jobs]
    for one in running:
        one.result()
