# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The documents agree with the tree and with one another."""

from __future__ import annotations

import json
import re
from pathlib import Path

from wyrmlab.base import paths

README = (paths.ROOT / "README.md").read_text()
PORTING = (paths.ROOT / "docs" / "porting.md").read_text()
SRC = paths.ROOT / "src"
LISTS = (SRC / "wyrm_sources.cmake").read_text()
ROLES = ("initiator", "responder")
EXAMPLE = paths.ROOT / "examples" / "freertos-lwip"


def block(text: str, language: str) -> str:
    found = re.search(
        rf"```{language}\n(.*?)```", text[text.index("## In your build") :], re.DOTALL
    )
    assert found is not None
    return found[1]


def test_the_documents_name_only_lists_and_definitions_that_exist() -> None:
    code = "".join(path.read_text() for path in SRC.rglob("*.[ch]"))
    text = README + PORTING
    for name in sorted(set(re.findall(r"\bWYRM_\w+_SRCS\b", text))):
        known = f"set({name}" in LISTS or re.fullmatch(
            "WYRM_CRYPTO_(LIBSODIUM|MBEDTLS|PSA)_SRCS", name
        )
        assert known, name
    for name in sorted(set(re.findall(r"\bWYRM_PORT_[A-Z]+\b", text))):
        assert re.search(rf"#if !?(defined\()?{name}\b", code), name
    for definition in ("WYRM_PORT_LWIP=1", "WYRM_PORT_FREERTOS=1"):
        assert definition in block(PORTING, "make")
    package = (paths.ROOT / "cmake" / "package.cmake").read_text()
    for name in re.findall(r"wyrmling::(\w+)", block(PORTING, "cmake")):
        assert f"wyrmling::{name}" in package


def test_every_option_that_the_ports_insist_on_is_documented() -> None:
    """What an #error of theirs asks for."""
    for file in (SRC / "port").rglob("*.c"):
        for demand in re.findall(r"#error[\s\\]+\"([^\"]*)\"", file.read_text()):
            for name in re.findall(r"\b(?:LWIP|INCLUDE|config)\w+", demand):
                if name != "LWIP_LOCK_HELD":
                    assert name in PORTING, name


def test_the_code_in_the_readme_is_part_of_the_example() -> None:
    shown = re.search(r"```c\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    code = "".join(path.read_text() for path in EXAMPLE.glob("*.[ch]"))
    names = set(re.findall(r"\b(?:wyrm|my)_\w+|\bWYRM_\w+|\bbring_up\b", shown[1]))
    assert len(names) > 5
    assert [name for name in sorted(names) if name not in code] == []


def test_the_example_checks_every_setter_and_handles_names_events_and_shutdown() -> None:
    tunnel = (EXAMPLE / "tunnel.c").read_text()
    for setter in ("set_psk", "set_endpoint", "set_keepalive", "set_private_key"):
        assert re.search(rf"status = wyrm_(peer_)?{setter}\(", tunnel), setter
    for part in (
        ".event = on_event",
        "names_start(",
        "wyrm_lwip_stop_locked(",
        "wyrm_worker_stop(",
    ):
        assert part in tunnel, part
    for file, name in (("flash.c", "my_flash"), ("random.c", "my_random")):
        assert name in (EXAMPLE / file).read_text()


def documents() -> list[Path]:
    root = paths.ROOT
    return [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.md")]


def test_links_between_documents_lead_to_files_and_headings() -> None:
    broken = []
    for document in documents():
        for file, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", document.read_text()):
            target = (document.parent / file).resolve() if file else document
            if not target.exists():
                broken.append(f"{document.name}: {file}")
            elif anchor and anchor not in headings(target):
                broken.append(f"{document.name}: {file}#{anchor}")
    assert broken == []


def headings(document: Path) -> set[str]:
    """As GitHub names them in links."""
    titles = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_index_lists_every_document() -> None:
    index = paths.ROOT / "docs" / "README.md"
    linked = {
        (index.parent / file).resolve()
        for file in re.findall(r"\]\((?!https?:)([^)#]*)", index.read_text())
    }
    pages = {page for page in (paths.ROOT / "docs").rglob("*.md") if page != index}
    assert pages - linked == set()


def test_architecture_names_files_and_functions_that_exist() -> None:
    text = (paths.ROOT / "ARCHITECTURE.md").read_text()
    questions = text[text.index("## Where is") :]
    missing = [
        name
        for name in re.findall(r"`((?:src|firmware|lab|docs|tools|tests)/[\w./]+)`", questions)
        if not (paths.ROOT / name).exists()
    ]
    for function, file in re.findall(r"`(\w+)` in `([\w./]+\.[ch])`", questions):
        if not re.search(rf"\b{function}\(", (paths.ROOT / file).read_text()):
            missing.append(f"{function} in {file}")
    assert missing == []


def test_the_pauses_of_a_main_loop_follow_from_the_counted_instructions() -> None:
    rows = json.loads((paths.ROOT / "bench" / "results" / "crypto.json").read_text())["rows"]
    cores = {"Cortex-M3": "m3", "Cortex-M0": "m0", "RV32IMC": "rv32imc"}
    cores |= {name: name.lower() for name in ("M7", "M33")} | {"Cortex-M4": "m4"}
    page = (paths.ROOT / "docs" / "start" / "lwip.md").read_text()
    table = re.findall(r"^\| (.+) \| (\d+) MHz \| (\d+) ms \| (\d+) ms \|$", page, re.MULTILINE)
    assert len(table) == 4
    for names, mhz, later, first in table:
        for name in names.split(", "):
            for shown, occasion in ((later, ""), (first, "_first")):
                counted = max(
                    row["instructions"]
                    for row in rows
                    if (row["core"], row["profile"]) == (cores[name], "small")
                    and row["primitive"] in {f"handshake_{role}{occasion}" for role in ROLES}
                )
                assert int(shown) == round(counted / 1000 / int(mhz)), (name, occasion)
