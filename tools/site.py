#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Gathers the sources of the documentation site: docs/ and an API reference made from the headers.

    site.py FOLDER

Writes FOLDER/docs and FOLDER/mkdocs.yml for `mkdocs build --strict`. Links that lead out of docs/
become the name of the file, since the site does not contain it. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SRC = ROOT / "src"

# What programs include, in the order of the reference, and what each is for.
HEADERS = {
    "wyrm.h": "The protocol core",
    "wyrm_lwip.h": "A tunnel as a network interface of lwIP",
    "wyrm_tunnel.h": "A complete tunnel on lwIP",
    "wyrm_freertos.h": "FreeRTOS: the worker task",
    "WyrmlingWireGuard.h": "Arduino: the class WireGuard",
    "wyrm_esp.h": "ESP-IDF",
    "wyrm_text.h": "Keys, addresses and wg-quick files as text",
    "wyrm_store.h": "Timestamps in flash",
    "wyrm_sleep.h": "Sessions that outlast deep sleep",
    "wyrm_clock.h": "32-bit clocks made 64-bit",
    "wyrm_uapi.h": "The configuration protocol of wg(8)",
    "wyrm_crypto.h": "The primitives",
    "wyrm_span.h": "Scattered memory",
}
# Included by those above, or configuration.
INNER = {"wyrm_config.h", "wyrm_storage.h", "wyrm_kconfig.h", "wyrm_arduino.h"}
INNER |= {"wyrm_lwip_hooks.h", "wyrm_lwip_lock.h"}
LICENCE = """<!-- SPDX-FileCopyrightText: 2026 The Wyrmling authors
     SPDX-License-Identifier: MIT -->
"""

_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
_SECTION = re.compile(r"/\* -{3,} (.+?) -* ?\*/")
_WORD = re.compile(
    r"(\.*\b(?:wyrm_\w+(?:->\w+|\.\w+)*(?:\(\))?|[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\(\))?)(?:\.{3})?)"
    r"|([<>*_|])"
)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


@dataclass
class Item:
    """A declaration, or several that share a comment."""

    comment: str
    code: str

    @property
    def names(self) -> list[str]:
        """What it declares, by which a reader looks for it."""
        code = _COMMENT.sub("", self.code)
        found = re.findall(r"^#define (WYRM_\w+)", code, re.MULTILINE)
        if found:
            return found
        if tagged := re.match(r"(?:typedef )?(?:struct|enum|class) (\w+)[^;({]*\{", code):
            return [tagged[1]]
        flat = re.sub(r"\{.*\}", ";", code, flags=re.DOTALL)
        found = re.findall(r"\b(wyrm_\w+)\(", flat)
        return found or re.findall(r"typedef .*?(\w+);", flat)


def plain(comment: str) -> str:
    """The text of a comment, without its frame; indented lines stay code."""
    lines = [re.sub(r"^\s*\*? ?", "", line, count=1) for line in comment.strip().split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip()


def body(text: str) -> str:
    """What stands between the guards of a header."""
    text = re.sub(r"\n#ifdef __cplusplus\n(extern \"C\" \{|\})\n#endif\n", "\n", text)
    start = re.search(r"#define \w+_H\n", text)
    assert start is not None
    return text[start.end() : text.rindex("#endif")]


def blocks(code: str) -> Iterator[str]:
    """Pieces between blank lines; a blank line within braces or a comment does not count."""
    piece: list[str] = []
    for line in [*code.split("\n"), ""]:
        text = "\n".join(piece)
        bare = _COMMENT.sub("", text)
        inside = bare.count("{") > bare.count("}") or bare.count("/*") > 0
        if line.strip() == "" and not inside:
            if text.strip():
                yield text
            piece = []
        else:
            piece.append(line)


def items(block: str) -> Iterator[Item]:
    """Cuts a block where a comment begins at the left edge."""
    comment, code = "", ""
    for part in re.split(r"^(/\*.*?\*/)\n?", block, flags=re.DOTALL | re.MULTILINE):
        if part.startswith("/*"):
            if code.strip():
                yield Item(comment, code.strip("\n"))
            comment, code = plain(part[2:-2]), ""
        elif part.strip():
            code += part
    if code.strip():
        yield Item(comment, code.strip("\n"))
    elif comment:
        yield Item(comment, "")


def is_shown(item: Item) -> bool:
    """Not: includes, preprocessor conditions alone, what is marked private."""
    lines = [line for line in item.code.split("\n") if line.strip()]
    if not lines:
        return bool(item.comment) and not item.comment.startswith("options.toml")
    return not all(
        re.match(r"#(include|if|ifdef|ifndef|else|elif|endif|error|undef)", line) for line in lines
    )


def hidden_members(item: Item) -> str:
    """A structure whose comment calls its members private is shown without them."""
    if "embers are private" in item.comment:
        return re.sub(r"\{.*\}", "{ /* private */ }", item.code, flags=re.DOTALL)
    if item.code.startswith("class "):
        return re.sub(r"\n\s*private:.*", "\n};", item.code, flags=re.DOTALL)
    return item.code


def reference(header: Path, title: str) -> str:
    text = header.read_text()
    intro = _COMMENT.search(text)
    assert intro is not None
    introduction = re.sub(r"SPDX-[^\n]*\n?", "", plain(intro[1])).strip()
    lines = [LICENCE, f"# {header.name}: {title.lower() if title[1].islower() else title}", ""]
    lines += [*prose(introduction), ""]
    for block in blocks(body(text)):
        if section := _SECTION.fullmatch(block.split("\n")[0].strip()):
            lines += [f"## {section[1]}", ""]
            block = block.partition("\n")[2]
        for item in items(block):
            if not is_shown(item):
                continue
            if names := item.names:
                shown = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
                lines += [f"### {shown}", ""]
            if item.comment:
                lines += [*prose(item.comment), ""]
            if item.code:
                lines += [
                    "```cpp" if "class " in item.code else "```c",
                    hidden_members(item),
                    "```",
                    "",
                ]
    return "\n".join(lines)


def prose(text: str) -> list[str]:
    """A comment as Markdown: its indented lines are code, its angle brackets and stars literal."""
    lines = []
    for line in text.split("\n"):
        code = line.startswith("    ")
        lines.append(line if code else _WORD.sub(literal, line))
    return lines


def literal(word: re.Match[str]) -> str:
    """Identifiers and file names as code, other punctuation of Markdown as itself."""
    if word[1]:
        return f"`{word[1]}`"
    return f"\\{word[2]}"


def headers() -> dict[str, str]:
    """Those that are here, with their titles; new ones last, until someone gives them a place."""
    here = {path.name for path in SRC.glob("*.h")} - INNER
    named = {name: title for name, title in HEADERS.items() if name in here}
    return named | dict.fromkeys(sorted(here - named.keys()), "Further functions")


def within_site(text: str, page: Path) -> str:
    """Links of a page, where they lead out of docs/, become the name of the file."""

    def replace(match: re.Match[str]) -> str:
        label, target = match[1], match[2]
        if re.match(r"(https?:|mailto:|#)", target):
            return match[0]
        path = (page.parent / target.partition("#")[0]).resolve()
        if path.is_relative_to(DOCS) or path.is_relative_to(DOCS / "api"):
            return match[0]
        if not path.exists():
            raise SystemExit(f"{page.relative_to(ROOT)}: there is no {target}")
        name = path.relative_to(ROOT).as_posix()
        return label if name in label else f"{label} (`{name}`)"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _LINK.sub(replace, part) for part in parts)


def gather(folder: Path) -> None:
    target = folder / "docs"
    shutil.rmtree(target, ignore_errors=True)
    for page in sorted(DOCS.rglob("*")):
        place = target / page.relative_to(DOCS)
        if page.suffix == ".md":
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(within_site(page.read_text(), page))
    (target / "api").mkdir(exist_ok=True)
    listed = [LICENCE, "# Reference", "", "| header | what it is |", "|---|---|"]
    for name, title in headers().items():
        page = f"{name.removesuffix('.h')}.md"
        (target / "api" / page).write_text(reference(SRC / name, title))
        listed.append(f"| [{name}]({page}) | {title} |")
    (target / "api" / "index.md").write_text("\n".join([*listed, ""]))
    menu = re.sub(
        r"^  - (\w+): (\w+)/$",
        lambda found: listing(found[1], target / found[2]),
        (DOCS / "mkdocs.yml").read_text(),
        flags=re.MULTILINE,
    )
    pages = {page.relative_to(target).as_posix() for page in target.rglob("*.md")}
    rest = sorted(page for page in pages if page not in menu)
    if rest:
        menu += "\n".join(["  - More:", *(f"      - {page}" for page in rest), ""])
    (folder / "mkdocs.yml").write_text(menu)


def listing(title: str, folder: Path) -> str:
    """A part of the menu with every page of a folder, the index first."""
    pages = sorted(folder.glob("*.md"), key=lambda page: (page.stem != "index", page.name))
    return "\n".join([f"  - {title}:", *(f"      - {folder.name}/{page.name}" for page in pages)])


def main() -> int:
    parser = argparse.ArgumentParser(description="Gathers the sources of the documentation site.")
    parser.add_argument("folder", type=Path)
    gather(parser.parse_args().folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
