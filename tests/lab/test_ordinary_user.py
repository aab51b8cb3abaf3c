# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The whole demo as a user without any privileges, in a clone of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.network import namespaces

NOBODY = "65534"

pytestmark = [
    pytest.mark.all,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else"),
    pytest.mark.skipif(not packages.which("setpriv"), reason="setpriv is missing"),
]

# In a mount namespace of its own the user may open /dev/net/tun, or may not.
AS_USER = """
set -eu
mknod -m "$1" "$2/tun" c 10 200
mount --bind "$2/tun" /dev/net/tun
cd "$2/wyrmling"
home=$2/home cache=$2/cache
shift 2
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
    env HOME="$home" WYRM_CACHE="$cache" "$@"
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def as_user() -> Iterator[Run]:
    """Runs a command in the clone; the cache is a copy, its Python one that anybody may run."""
    # Every folder above must be open to that user.
    with tempfile.TemporaryDirectory(prefix="wyrm-user-", dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield prepared(Path(name))


def prepared(folder: Path) -> Run:
    python = Path("/usr/bin/python3")
    if not python.exists() or "3.11" not in version(python):
        pytest.skip("needs the system's own Python 3.11")
    shutil.copytree(paths.cache(), folder / "cache", symlinks=True)
    for link in (folder / "cache").glob("venv/*/bin/python*"):
        link.unlink()
        link.symlink_to(python)
    for settings in (folder / "cache").glob("venv/*/pyvenv.cfg"):
        settings.write_text(re.sub(r"(?m)^home = .*", "home = /usr/bin", settings.read_text()))
    clone = ["git", "clone", "--quiet", str(paths.ROOT), str(folder / "wyrmling")]
    subprocess.run(clone, check=True, timeout=120)
    (folder / "home").mkdir()
    for path in ("cache", "home", "wyrmling"):
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", folder / path], check=True)

    def run(*command: str, tun_mode: str = "666") -> subprocess.CompletedProcess[str]:
        (folder / "tun").unlink(missing_ok=True)
        wrapper = ["unshare", "--mount", "sh", "-c", AS_USER, "sh", tun_mode, str(folder)]
        return subprocess.run(
            [*wrapper, *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )

    return run


def version(python: Path) -> str:
    return subprocess.run([python, "--version"], capture_output=True, text=True).stdout


def test_demo_runs_without_any_privileges(as_user: Run) -> None:
    possible = as_user("unshare", "--user", "--map-root-user", "--net", "true")
    if possible.returncode != 0:
        pytest.skip("this machine does not let users make namespaces")
    done = as_user("./wyrm", "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "record: runs/" in done.stdout


def test_without_access_to_the_tun_device_the_error_names_the_remedy(as_user: Run) -> None:
    done = as_user("./wyrm", "demo", tun_mode="600")
    assert done.returncode == 3
    assert "Private network namespaces cannot be created here" in done.stderr
    assert str(namespaces.TUN) in done.stderr
    assert "Traceback" not in done.stderr
