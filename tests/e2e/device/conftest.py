# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Stories that run beside the other tests.

A rekey takes two minutes in which hardly anything happens. Each such story runs in a thread that
has a network of its own, begins with the first test here and is asked for its end by the last.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from wyrmlab import boards
from wyrmlab.base import proc
from wyrmlab.network import namespaces

Story = Callable[[Path, Path], object]
STORIES = pytest.StashKey[dict[str, "Future[object]"]]()
_CLONE_NEWNET = 0x40000000


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "story(tells=function, within_s=1000): its result is the fixture `told`"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Who asks for a story's end comes last."""
    items.sort(key=lambda item: item.get_closest_marker("story") is not None)


@pytest.fixture(scope="session", autouse=True)
def stories(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[object]]]:
    marks = [item.get_closest_marker("story") for item in request.session.items]
    wanted = {
        mark.kwargs["tells"].__name__: mark.kwargs["tells"] for mark in marks if mark is not None
    }
    if not wanted or not namespaces.inside():
        yield {}
        return
    firmware = boards.board("m7").firmware()
    with ThreadPoolExecutor(len(wanted), thread_name_prefix="story") as threads:
        yield {
            name: threads.submit(_in_own_network, story, firmware, tmp_path_factory.mktemp(name))
            for name, story in wanted.items()
        }


@pytest.fixture
def told(request: pytest.FixtureRequest, stories: dict[str, Future[object]]) -> object:
    """The result of the story in the test's mark; its exception is raised here."""
    mark = request.node.get_closest_marker("story")
    return stories[mark.kwargs["tells"].__name__].result(mark.kwargs.get("within_s", 1000))


def _in_own_network(story: Story, firmware: Path, folder: Path) -> object:
    # Children of this thread and devices it opens live in its network, all others where they were.
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "a thread gets no network of its own")
    proc.run("ip", "link", "set", "lo", "up")
    return story(firmware, folder)
