# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Runs only the README's commands, on a freshly installed Debian 12."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths

pytestmark = [pytest.mark.all, pytest.mark.timeout(5400)]

# The mounts are in a separate namespace, so they disappear with it and are invisible outside.
ENTER = """
set -eu
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t sysfs sysfs "$1/sys"
mount -t tmpfs tmpfs "$1/run"
mount -t tmpfs tmpfs "$1/tmp"
root=$1
shift
exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""
_PASSED_ON = re.compile(
    r"(?:(?:http|https|no|all)_proxy|SSL_CERT_FILE|PIP_(?!FIND_LINKS).*)$", re.I
)


class Bare:
    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, command: str, timeout_s: float = 2400) -> subprocess.CompletedProcess[str]:
        passed_on = [
            f"{name}={value}" for name, value in os.environ.items() if _PASSED_ON.match(name)
        ]
        wrapper = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh"]
        return subprocess.run(
            [*wrapper, str(self.root), *passed_on, "sh", "-c", f"cd /wyrmling && {command}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout_s,
        )


def readme_commands() -> list[str]:
    block = re.search(r"```sh\n(.*?)```", (paths.ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    return [line.partition("#")[0].strip() for line in block[1].splitlines()]


def mirror() -> str:
    """The mirror this machine uses for Debian."""
    folder = Path("/etc/apt/sources.list.d")
    files = [Path("/etc/apt/sources.list"), *folder.glob("*.sources"), *folder.glob("*.list")]
    text = "\n".join(path.read_text() for path in files if path.exists())
    found = re.search(r"^(?:URIs:|deb(?: \[.*\])?) +(\S+/debian)/?\s", text, re.MULTILINE)
    return found[1] if found else "http://deb.debian.org/debian"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bare]:
    if os.geteuid() != 0:
        pytest.skip("debootstrap and chroot need root")
    if not packages.which("debootstrap"):
        pytest.skip("debootstrap is missing: ./wyrm setup --all")
    root = tmp_path_factory.mktemp("bare") / "root"
    command = ["debootstrap", "--variant=minbase", "bookworm", str(root), mirror()]
    made = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    try:
        assert made.returncode == 0, made.stdout[-2000:]
        like_this_machine_on_the_network(root)
        clone = ["git", "clone", "--quiet", str(paths.ROOT), str(root / "wyrmling")]
        subprocess.run(clone, check=True, timeout=120)
        yield Bare(root)
    finally:
        shutil.rmtree(root)


def like_this_machine_on_the_network(root: Path) -> None:
    """The security suite as the installer would write it, and the way this machine gets out."""
    at = mirror()
    suites = f"URIs: {at}\nSuites: bookworm bookworm-updates\n"
    security = f"URIs: {at}-security\nSuites: bookworm-security\n"
    (root / "etc/apt/sources.list").unlink(missing_ok=True)
    (root / "etc/apt/sources.list.d/debian.sources").write_text(
        "\n".join(
            f"Types: deb\n{part}Components: main\n"
            "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
            for part in (suites, security)
        )
    )
    settings = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, timeout=30)
    acquire = [line for line in settings.stdout.splitlines() if line.startswith("Acquire")]
    (root / "etc/apt/apt.conf.d/00machine").write_text("\n".join(acquire) + "\n")
    for name in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{name}", root / "etc" / name)
    certificates = Path("/usr/local/share/ca-certificates")
    if certificates.is_dir():
        shutil.copytree(certificates, root / certificates.relative_to("/"), dirs_exist_ok=True)
    # Daemons of installed packages must not start in the chroot.
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)


def test_bare_debian_has_none_of_our_tools(bare: Bare) -> None:
    for program in ("python3", "gcc", "cmake", "qemu-system-arm", "cargo", "git", "ip"):
        assert bare.run(f"command -v {program}").returncode != 0


@pytest.mark.parametrize("number", range(2))
def test_commands_of_the_readme_suffice(bare: Bare, number: int) -> None:
    done = bare.run(readme_commands()[number])
    assert done.returncode == 0, done.stdout[-4000:]


def test_second_demo_takes_under_two_minutes(bare: Bare) -> None:
    started = time.monotonic()
    done = bare.run("./wyrm demo")
    assert done.returncode == 0, done.stdout[-4000:]
    assert time.monotonic() - started < 120


def test_setup_needs_the_network_only_once(bare: Bare) -> None:
    done = bare.run("unshare --net ./wyrm setup && unshare --net ./wyrm build lib")
    assert done.returncode == 0, done.stdout[-4000:]
    assert "all there" in done.stdout
