# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Runs the vectors in data/ on every backend, and tests that the runner detects every failure."""

from __future__ import annotations

import copy
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from wyrmlab.base import paths
from wyrmlab.setup import build
from wyrmlab.vectors import command, forms, runner
from wyrmlab.vectors.backend import Backend
from wyrmlab.vectors.case import Case, Context, Form, Mismatch, Skipped
from wyrmlab.vectors.noise import Handshake, Keys, Protocol

DATA = Path(__file__).parent / "data"
FILES = [path.relative_to(DATA).as_posix() for path in sorted(DATA.glob("*/*.json"))]
RUN = [name for name in FILES if not name.startswith("scenarios/")]

# What a case says for people only: another text there changes nothing. A timestamp or source is
# not among them: those are used.
PROSE = {"ref", "id", "note", "cause", "comment", "origin", "flags", "tcId", "source", "sequence"}


@pytest.fixture(scope="session")
def backends() -> list[Backend]:
    return command.backends()


@pytest.fixture(scope="session")
def known() -> dict[str, Case]:
    return runner.Transcripts([forms.read(DATA / name) for name in RUN]).near(DATA)


def host(backends: list[Backend]) -> Backend:
    return next(backend for backend in backends if backend.name == "host")


@pytest.mark.timeout(1200)  # with --all, a million iterations of X25519
@pytest.mark.parametrize("name", RUN)
def test_vectors_pass_on_every_backend(
    name: str, backends: list[Backend], known: dict[str, Case], pytestconfig: pytest.Config
) -> None:
    long = bool(pytestconfig.getoption("--all"))
    contexts = [Context(backend, long=long, transcripts=known) for backend in backends]
    file = forms.read(DATA / name)
    tally = runner.run_file(file, contexts)
    assert tally.failures == {}
    assert tally.passed + tally.skipped == len(backends) * len(file.cases)
    # Only the million-iteration X25519 may be left out.
    assert {where for where, _ in tally.skips} <= {"RFC7748 5.2 iterated 1000000 (tests[4])"}


def test_every_backend_is_there(backends: list[Backend]) -> None:
    own = ["host", "mul32", "mul16", "small16", "small32"]
    if platform.machine() == "x86_64":
        own += ["wyrmd", "wyrmd_avx2"]
    assert [backend.name for backend in backends] == [*own, "libsodium", "mbedtls", "psa"]


@pytest.mark.timeout(1200)
def test_vectors_pass_under_the_sanitizers() -> None:
    """Runs the vectors once more under the sanitizers."""
    runtime = subprocess.run(
        ["clang", f"-print-file-name=libclang_rt.asan-{platform.machine()}.so"],
        capture_output=True,
        text=True,
        timeout=600,
    ).stdout.strip()
    if not Path(runtime).is_absolute():
        pytest.skip("clang's shared sanitizer runtime is not installed")
    build.cmake("host-clang", target="wyrm_vectors")
    script = (
        "import sys, pathlib; from wyrmlab.vectors import command, runner;"
        f"files = runner.find([pathlib.Path({str(DATA)!r})]);"
        "sys.exit(runner.run(files, command.backends('host-clang')))"
    )
    checked = {"LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        env={**os.environ, **checked},
        capture_output=True,
        text=True,
        timeout=1100,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


# ---- The runner must notice any wrong value


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths to all strings, numbers and booleans in a case, except prose and very long lists."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in PROSE:
                yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value[:12]):
            yield from leaves(item, (*path, at))
    else:
        yield path


def spoil(value: Any) -> Any:
    """Another value of the same shape."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value ^ 1
    if value.isdigit() and len(value) % 2:
        return str(int(value) ^ 1)
    if value and set(value) <= set("0123456789abcdef"):
        return value[:-1] + ("0" if value[-1] != "0" else "1")
    return "00" if value == "" else value + "?"


def spoiled(fields: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    changed = copy.deepcopy(fields)
    *way, last = path
    place: Any = changed
    for step in way:
        place = place[step]
    place[last] = spoil(place[last])
    return changed


def passes(context: Context, form: Form, case: Case) -> bool:
    try:
        form.run(context, case)
    except (Mismatch, ValueError):
        return False
    except Skipped:
        return True
    return True


def samples(name: str) -> list[tuple[Form, Case]]:
    """The last case of each form and kind in a file: small, and with something in every field."""
    found: dict[object, tuple[Form, Case]] = {}
    for form, case in forms.read(DATA / name).cases:
        assert form is not None
        if case.fields.get("iterations", 0) < 10_000:
            found[form.name, case.fields.get("kind"), case.fields.get("result")] = (form, case)
    return list(found.values())


# Fields that may have another value without the case being wrong, by the protocol or because they
# only describe.
FREE = {
    # Five bits of a scalar are clamped, one of a point is ignored: the spoiled ones may be those.
    # What is invalid stays so.
    "wycheproof/x25519_test.json": {"public", "private", "nonce_len"},
    "rfc/rfc7748_x25519.json": {"scalar", "u"},
    "wycheproof/chacha20_poly1305_test.json": {"key", "iv", "aad", "msg", "ct", "tag", "nonce_len"},
    "wycheproof/xchacha20_poly1305_test.json": {
        "key",
        "iv",
        "aad",
        "msg",
        "ct",
        "tag",
        "nonce_len",
    },
    # The keys of an AEAD case show its kind.
    "rfc/rfc8439_chacha20_poly1305.json": {"kind"},
    "rfc/xchacha20_poly1305.json": {"kind"},
    # Many schedules give the same verdicts.
    "wireguard/wg_replay_window.json": {"counters", "window", "kind"},
    "wireguard/wg_transcripts.json": {"kind"},
}


@pytest.mark.parametrize("name", [name for name in RUN if "negative" not in name])
def test_a_wrong_value_anywhere_fails(
    name: str, backends: list[Backend], known: dict[str, Case]
) -> None:
    context = Context(host(backends), transcripts=known)
    free = FREE.get(name, set())
    unnoticed = []
    for form, case in samples(name):
        assert passes(context, form, case)
        for path in leaves(case.fields):
            fields = spoiled(dict(case.fields), path)
            is_free = path[0] in free or path[-1] in free
            now = form if "wycheproof" in name else forms.recognise(fields)
            if not is_free and now and passes(context, now, Case(case.id, fields)):
                unnoticed.append((case.id, path))
    assert unnoticed == []


def negative(**fields: str) -> tuple[Form, Case]:
    """A refused initiation with some fields changed."""
    file = forms.read(DATA / "wireguard/wg_negative.json")
    form, case = next(
        (form, case) for form, case in file.cases if case.fields["reject_stage"] == "aead_static"
    )
    assert form is not None
    return form, Case(case.id, {**case.fields, **fields})


@pytest.mark.parametrize(
    "fields",
    [
        {"reject_stage": "aead_timestamp"},
        {"reject_stage": "mac1"},
        {"reject_stage": "none", "expect": "accept"},
        {"reject_stage": "sunspots"},
        {"expect": "shrug"},
        {"expect": "drop inner; session stays up, counter is consumed"},
        {"expect": "under load: no handshake work, send a cookie reply; not under load: accept"},
        {"base": "nobody"},
        {"target": "initiator"},
        {"target": "bystander"},
        {"precondition": "the moon is full"},
        {"message": "zz"},
    ],
    ids=str,
)
def test_a_negative_case_with_another_expectation_fails(
    fields: dict[str, str], backends: list[Backend], known: dict[str, Case]
) -> None:
    context = Context(host(backends), transcripts=known)
    assert passes(context, *negative())
    assert not passes(context, *negative(**fields))


def test_every_valid_message_fails_as_a_negative(
    backends: list[Backend], known: dict[str, Case]
) -> None:
    """The messages of the transcripts themselves are not refused."""
    context = Context(host(backends), transcripts=known)
    for name, transcript in list(known.items())[:3]:
        for target, message, stage in (
            ("responder", transcript.fields["initiation"], "aead_static"),
            ("initiator", transcript.fields["response"], "aead_empty"),
            ("responder", transcript.fields["data"][0]["packet"], "aead_data"),
        ):
            changes = {"base": name, "target": target, "message": message, "reject_stage": stage}
            assert not passes(context, *negative(**changes))


@pytest.mark.parametrize(
    ("broken", "name"),
    [
        ("wyrm_x25519", "rfc/rfc7748_x25519.json"),
        ("wyrm_aead_open", "rfc/chacha20_poly1305_length_sweep.json"),
        ("wyrm_aead_open", "wireguard/wg_transcripts.json"),
        ("vec_input", "wireguard/wg_transcripts.json"),
        ("vec_job_commit", "wireguard/wg_transcripts.json"),
        ("vec_input", "wireguard/recorded_wireguard_go.json"),
    ],
)
def test_a_wrong_verdict_of_the_library_fails(
    broken: str, name: str, backends: list[Backend], known: dict[str, Case]
) -> None:
    context = Context(Saboteur(host(backends), broken), transcripts=known)
    assert not all(passes(context, form, case) for form, case in samples(name))


class Saboteur(Backend):
    """A backend with one function that returns the wrong verdict."""

    def __init__(self, backend: Backend, broken: str) -> None:
        self.name = backend.name
        self.lib = Library(backend.lib, broken)  # type: ignore[assignment]


class Library:
    def __init__(self, lib: Any, broken: str) -> None:
        self._lib = lib
        self._broken = broken

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(self._lib, name)
        if name != self._broken:
            return function
        if name.startswith("wyrm_"):
            return lambda *arguments: not function(*arguments)
        return lambda *arguments: function(*arguments) and 0


# ---- Files and the command


def wyrm(*args: str | Path) -> subprocess.CompletedProcess[str]:
    command_line = [str(paths.ROOT / "wyrm"), "vectors", *map(str, args)]
    return subprocess.run(command_line, capture_output=True, text=True, timeout=1000)


def write(folder: Path, name: str, document: object) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))


GOOD = {
    "key": "",
    "in": "",
    "out": "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9",
}


def test_the_command_passes_and_counts(backends: list[Backend]) -> None:
    done = wyrm(DATA / "blake2", DATA / "scenarios", DATA / "hash")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{len(backends) * (512 + 120 + 163 + 40)} passed, 0 failed"
    assert sum(".json: " in line for line in lines) == 4


def test_files_without_vectors_fail(tmp_path: Path, backends: list[Backend]) -> None:
    write(tmp_path, "a/good.json", {"tests": [GOOD]})
    write(tmp_path, "a/list.json", [GOOD])
    write(tmp_path, "a/empty.json", {"tests": []})
    write(tmp_path, "a/torn.json", '{"tests": [')
    write(tmp_path, "b/strange.json", {"tests": [{"colour": "blue"}, 7]})
    write(tmp_path, "b/wrong.json", {"tests": [{**GOOD, "in": "00"}]})
    write(tmp_path, "b/hexless.json", {"tests": [{**GOOD, "in": "0g"}]})
    write(tmp_path, "b/scenarios/ignored.json", "not even JSON")
    write(tmp_path, "b/notes.txt", "not read")
    done = wyrm(tmp_path)
    n = len(backends)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"{n} passed, {3 + 4 * n} failed"
    for word in ("unknown form: colour", "is not JSON: line 1", "no test cases", "is not hex"):
        assert word in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_many_failures_are_reported_in_few_lines(tmp_path: Path, backends: list[Backend]) -> None:
    write(tmp_path, "wrong.json", {"tests": [{**GOOD, "in": f"{n:04x}"} for n in range(300)]})
    done = wyrm(tmp_path)
    assert done.stdout.splitlines()[-1] == f"0 passed, {300 * len(backends)} failed"
    assert len(done.stdout.splitlines()) < 20


def test_a_macro_base_in_another_folder_is_found(tmp_path: Path, backends: list[Backend]) -> None:
    transcripts = json.loads((DATA / "wireguard/wg_transcripts.json").read_text())
    negatives = json.loads((DATA / "wireguard/wg_negative.json").read_text())
    base = transcripts["tests"][0]
    cases = [case for case in negatives["tests"] if case["base"] == base["id"]][:5]
    write(tmp_path, "a/neg.json", {"tests": cases})
    write(tmp_path, "z/hs.json", {"tests": [base]})
    done = wyrm(tmp_path / "a", tmp_path / "z")
    assert done.stdout.splitlines()[-1] == f"{6 * len(backends)} passed, 0 failed"
    alone = wyrm(tmp_path / "a")
    assert alone.returncode == 1
    assert "its base wg-000 is in none of the folders given" in alone.stdout


def test_the_nearer_of_two_macro_bases_with_one_name_counts(
    tmp_path: Path, backends: list[Backend]
) -> None:
    transcripts = json.loads((DATA / "wireguard/wg_transcripts.json").read_text())["tests"]
    negatives = json.loads((DATA / "wireguard/wg_negative.json").read_text())["tests"]
    for folder, at in (("a", 0), ("b", 1)):
        base = {**transcripts[at], "id": "base"}
        case = next(
            case
            for case in negatives
            if case["base"] == transcripts[at]["id"] and case["reject_stage"] == "aead_timestamp"
        )
        write(tmp_path, f"{folder}/hs.json", {"tests": [base]})
        write(tmp_path, f"{folder}/neg.json", {"tests": [{**case, "base": "base"}]})
    assert wyrm(tmp_path).stdout.splitlines()[-1] == f"{4 * len(backends)} passed, 0 failed"


@pytest.mark.parametrize("what", ["missing", "file", "empty"])
def test_a_folder_without_vectors_is_a_usage_error(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "x"
    if what == "file":
        folder.write_text("")
    if what == "empty":
        folder.mkdir()
    done = wyrm(folder)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


# ---- Noise patterns


@pytest.mark.parametrize("pattern", ["N", "NN", "XX", "KK", "X1X1", "IKpsk0+psk2", "XXpsk3"])
def test_any_noise_pattern_runs(pattern: str, backends: list[Backend]) -> None:
    """A case made by the model passes, and fails with another payload."""
    backend = host(backends)
    protocol = Protocol.parse(f"Noise_{pattern}_25519_ChaChaPoly_BLAKE2s")
    form, case = made_by_model(backend, protocol)
    form.run(Context(backend), case)
    wrong = Case(case.id, spoiled(dict(case.fields), ("messages", -1, "payload")))
    assert not passes(Context(backend), form, wrong)


def made_by_model(backend: Backend, protocol: Protocol) -> tuple[Form, Case]:
    private = {"is": b"\1" * 32, "ie": b"\2" * 32, "rs": b"\3" * 32, "re": b"\4" * 32}
    public = {name: backend.x25519_base(key) for name, key in private.items()}
    psks = (b"\5" * 32,) * sum(message.count("psk") for message in protocol.messages)
    sides = [
        Handshake(
            backend,
            protocol,
            initiator=us == "i",
            keys=Keys(private[us + "s"], private[us + "e"], public[them + "s"], psks=psks),
            prologue=b"before",
        )
        for us, them in ("ir", "ri")
    ]
    messages = []
    for at in range(len(protocol.messages)):
        payload = bytes([at]) * 9
        text = sides[at % 2].write(payload)
        assert sides[1 - at % 2].read(text) == payload
        messages.append({"payload": payload.hex(), "ciphertext": text.hex()})
    fields = {
        "protocol_name": protocol.name,
        "init_prologue": b"before".hex(),
        "resp_prologue": b"before".hex(),
        "init_static": private["is"].hex(),
        "init_ephemeral": private["ie"].hex(),
        "resp_static": private["rs"].hex(),
        "resp_ephemeral": private["re"].hex(),
        "init_psks": [psk.hex() for psk in psks],
        "resp_psks": [psk.hex() for psk in psks],
        "handshake_hash": sides[0].symmetric.h.hex(),
        "messages": messages,
    }
    form = forms.recognise(fields)
    assert form is not None
    return form, Case(protocol.name, fields)


def test_an_unknown_primitive_is_skipped_and_invalid_input_is_an_error() -> None:
    with pytest.raises(Skipped):
        Protocol.parse("Noise_NN_448_AESGCM_SHA256")
    with pytest.raises(Mismatch):
        Protocol.parse("Nuisance")
