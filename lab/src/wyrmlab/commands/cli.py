# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The tree of commands, their options and their help, and nothing else. Each command imports its
modules when it runs, so that `--help` stays fast.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer
import typer.core

from wyrmlab.boards import DEFAULT, known
from wyrmlab.setup.build import Target

SETUP, RUN, LAB, CHECK = "Set up and build", "Run", "Experiments", "Check"


class _Group(typer.core.TyperGroup):
    """Without the `<bool>` that typer writes beside every option that takes no value."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _hide_bool(command.get_params(ctx))
        return command

    def get_params(self, ctx: Any) -> Any:
        return _hide_bool(super().get_params(ctx))


def _hide_bool(params: Any) -> Any:
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


app = typer.Typer(
    name="./wyrm",
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Wyrmling: WireGuard for microcontrollers, and the lab that measures it.",
    epilog="Exit codes: 0 done, 1 a check or run failed, 2 usage or configuration error,"
    " 3 something is missing, 130 interrupted. WYRM_DEBUG=1 shows tracebacks;"
    " WYRM_CACHE moves the cache.",
)

BoardOption = Annotated[
    str, typer.Option("--board", metavar="NAME", help=f"Board: {', '.join(known())}.")
]


@app.command(rich_help_panel=SETUP)
def doctor() -> None:
    """Check this machine and print how to install what is missing."""
    from wyrmlab.setup.doctor import examine

    raise typer.Exit(examine())


@app.command(rich_help_panel=SETUP)
def setup(
    all_of_it: Annotated[
        bool, typer.Option("--all", help="Also install what only the long tests need.")
    ] = False,
) -> None:
    """Install missing packages and fetch third-party source. Other commands do this when needed."""
    from wyrmlab.setup import host_setup

    host_setup.setup_and_report(all_of_it=all_of_it)


@app.command(rich_help_panel=SETUP)
def build(
    target: Annotated[Target, typer.Argument(help="What to build.")] = Target.FIRMWARE,
    board: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--board", metavar="NAME", help=f"Board: {', '.join(known())}. \\[default: {DEFAULT}]"
        ),
    ] = None,
    size: Annotated[
        bool, typer.Option("--size", help="Print the flash and RAM of each object.")
    ] = False,
) -> None:
    """Build firmware, library, tests, wyrmd or docs; the last line is the path of the product."""
    from wyrmlab.commands import build as command

    command.run(target, board, size=size)


@app.command(rich_help_panel=SETUP)
def clean(
    all_of_it: Annotated[
        bool, typer.Option("--all", help="Also remove runs/ and the cache.")
    ] = False,
) -> None:
    """Remove build/ and print the space freed."""
    from wyrmlab.commands.clean import clean as run_clean

    run_clean(all_of_it=all_of_it)


@app.command(rich_help_panel=RUN)
def demo(board: BoardOption = DEFAULT) -> None:
    """Boot a board, tunnel to wireguard-go, ping, measure with iperf, and check the captures."""
    from wyrmlab.commands.demo import run

    run(board)


@app.command(rich_help_panel=RUN)
def device(
    board: BoardOption = DEFAULT,
    conf: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE", help="A wg-quick file to save in flash; the tunnel starts with it."
        ),
    ] = None,
    tap: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME", help="TAP in this network, created if missing. \\[default: wyrm0]"
        ),
    ] = None,
    netns: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME", help="Use a private network with this name in `ip netns` instead."
        ),
    ] = None,
    icount_shift: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            metavar="N", min=0, max=10, help="Each instruction takes 2^N ns (3 is usual)."
        ),
    ] = None,
    flash: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE",
            help="File that emulates the flash chip. It is created if missing, and private to its"
            " owner because it contains keys. \\[default: one per board]",
        ),
    ] = None,
    console: Annotated[
        str, typer.Option(metavar="stdio|pty|socket:PATH", help="Where to connect the console.")
    ] = "stdio",
) -> None:
    """Boot a board on a TAP that other programs can use, and connect to its console."""
    from wyrmlab.commands import device as device_command

    device_command.run(
        device_command.Options(board, conf, tap, netns, icount_shift, flash, console)
    )


@app.command("list", rich_help_panel=LAB)
def list_() -> None:
    """List the experiments, what each answers, and how long it takes."""
    from wyrmlab.commands import run as command

    command.show_list()


@app.command(rich_help_panel=LAB)
def run(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|FILE...", help="Experiments, TOML files of parameters, `all`."
        ),
    ],
    board: BoardOption = DEFAULT,
    quick: Annotated[bool, typer.Option("--quick", help="Take fewer and shorter samples.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the last run if it was interrupted.")
    ] = False,
) -> None:
    """Run experiments; write a record of each, and a report of all of them."""
    from wyrmlab.commands import run as command

    command.run(command.Options(names, board, quick, resume))


@app.command(rich_help_panel=LAB)
def runs() -> None:
    """List the runs, the latest first."""
    from wyrmlab.commands import runs as command

    command.show_all()


_RunName = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="A run's folder or date, or an experiment for its latest run."
    ),
]


@app.command(rich_help_panel=LAB)
def show(name: _RunName) -> None:
    """Show the figures of a run."""
    from wyrmlab.commands import runs as command

    command.show(name)


@app.command(rich_help_panel=LAB)
def compare(one: _RunName, other: _RunName) -> None:
    """Compare two runs, figure by figure, with their spread."""
    from wyrmlab.commands import runs as command

    command.compare(one, other)


@app.command(rich_help_panel=LAB)
def export(
    form: Annotated[str, typer.Argument(metavar="csv|json|md")],
    names: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(metavar="RUN...", help="As for show. \\[default: the last]"),
    ] = None,
) -> None:
    """Print samples as csv or json, or tables as Markdown."""
    from wyrmlab.commands import runs as command

    command.export(command.form(form), names or [])


@app.command(rich_help_panel=LAB)
def report(
    names: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(metavar="RUN...", help="As for show. \\[default: each experiment's last]"),
    ] = None,
) -> None:
    """Write one page with tables and charts of all experiments."""
    from wyrmlab.commands import runs as command

    command.write_report(names or [])


_BRIDGE = """Let stock wg show and configure a device's tunnel, through the device's console.

Creates the socket that wg(8) connects to and forwards requests to the device, until Ctrl-C or \
until the socket is removed. wg show, showconf, set, setconf, addconf and syncconf work as on any \
interface; changes last until the device restarts. The device accepts private and preshared keys, \
but never reveals them; with a file without PrivateKey it keeps its key.

In two terminals, for example:

  ./wyrm device --console socket:/tmp/console

  ./wyrm bridge --console /tmp/console --address 10.77.0.2/24
"""


@app.command(rich_help_panel=RUN, help=_BRIDGE)
def bridge(
    console: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            help="The device's console: the path that `./wyrm device --console pty` or"
            " socket:PATH prints, or a serial port such as /dev/ttyUSB0.",
        ),
    ],
    interface: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the device's tunnel in wg.")
    ] = "wy0",
    place: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--socket",
            metavar="PATH",
            help="Create the socket here instead of at /var/run/wireguard/NAME.sock, the only"
            " place where wg finds it and where only root may write.",
        ),
    ] = None,
    addresses: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--address",
            metavar="ADDRESS/BITS",
            help="Start the device's tunnel, which must be down, with this address; may be"
            " repeated. (wg sets keys and peers, but no addresses.)",
        ),
    ] = None,
    baud: Annotated[
        int, typer.Option(metavar="N", help="Baud rate of a serial port, 8N1 without flow control.")
    ] = 115200,
) -> None:
    from wyrmlab.commands import bridge as command

    command.run(command.Options(console, interface, place, baud, addresses or []))


@app.command(rich_help_panel=RUN)
def monitor(
    board: BoardOption = DEFAULT,
    console: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="PATH",
            help="A running device's console: the path that `./wyrm device --console pty` or"
            " socket:PATH prints, or a serial port. Without it a board is booted.",
        ),
    ] = None,
    baud: Annotated[
        int, typer.Option(metavar="N", help="Speed of a serial port, 8N1 without flow control.")
    ] = 115200,
    every: Annotated[float, typer.Option(metavar="SECONDS", help="A snapshot's period.")] = 2,
    count: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(metavar="N", help="Snapshots. \\[default: until Ctrl-C]"),
    ] = None,
    record: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Append each snapshot to this file, a line of JSON."),
    ] = None,
) -> None:
    """Show a device's tasks and memory live, with charts of what each task takes."""
    from wyrmlab.commands import monitor as command

    command.run(command.Options(board, console, baud, every, count, record))


@app.command(rich_help_panel=RUN)
def genkey() -> None:
    """Generate a private key, like `wg genkey`."""
    from wyrmlab.commands import wg

    wg.run("genkey")


@app.command(rich_help_panel=RUN)
def pubkey() -> None:
    """Read a private key and print its public key, like `wg pubkey`."""
    from wyrmlab.commands import wg

    wg.run("pubkey")


@app.command(rich_help_panel=RUN)
def genpsk() -> None:
    """Generate a preshared key, like `wg genpsk`."""
    from wyrmlab.commands import wg

    wg.run("genpsk")


@app.command(rich_help_panel=CHECK)
def test(
    chosen: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("-k", metavar="EXPR", help="Only tests whose names match (as pytest's -k)."),
    ] = None,
    all_of_it: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also run the long tests: real rekeys, all cores and compilers, a bare Debian."
            " Fetches boringtun, which other tests then also use as a peer.",
        ),
    ] = False,
    soak: Annotated[
        bool,
        typer.Option(
            "--soak",
            help="Also run the soak, at most 60 minutes more: hundreds of simulated networks, a"
            " year of one, fuzzers, a whole day of a device, rekeys under load. Alone: -k soak.",
        ),
    ] = False,
) -> None:
    """Run the tests; the last line is `N passed, N failed`."""
    from wyrmlab.commands import test as testing

    raise typer.Exit(testing.run(chosen=chosen, all_of_it=all_of_it, soak=soak))


@app.command(rich_help_panel=CHECK)
def vectors(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="Folders with vector files (*.json).")
    ],
    all_of_it: Annotated[
        bool, typer.Option("--all", help="Also run a million iterations of X25519.")
    ] = False,
) -> None:
    """Run test vectors against every backend; the last line is `N passed, N failed`."""
    from wyrmlab.vectors import command

    raise typer.Exit(command.run(folders, long=all_of_it))


@app.command(rich_help_panel=CHECK)
def fuzz(
    target: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(metavar="TARGET", help="conf, input or uapi. \\[default: all]"),
    ] = None,
    seconds: Annotated[
        int, typer.Option(metavar="N", min=1, max=86400, help="Duration of each target.")
    ] = 60,
) -> None:
    """Fuzz the parsers and the protocol; the corpus grows from run to run."""
    from wyrmlab.commands import fuzz as fuzzing

    raise typer.Exit(fuzzing.run(target, seconds))


@app.command(rich_help_panel=CHECK)
def defects() -> None:
    """List known defects of other implementations and whether tests show them absent here."""
    from wyrmlab.commands.defects import run

    raise typer.Exit(run())


_FOOTPRINT = """Measure flash, RAM and stack of the library; fails if any has grown.

Counts an application for Cortex-M4 and M0 that only starts a tunnel, \
with and without link-time optimisation, beside the targets of bench/targets.toml.

./wyrm build --size lists the objects of one build.
"""


@app.command(rich_help_panel=CHECK, help=_FOOTPRINT)
def footprint(
    file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--json", metavar="FILE", help="Also write the sizes to this file."),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Record these sizes as the baseline.")
    ] = False,
) -> None:
    from wyrmlab.measure import sizes

    raise typer.Exit(sizes.run(file, accept=accept))


bench = typer.Typer(cls=_Group, no_args_is_help=True, help="Benchmarks of the cryptography.")
app.add_typer(bench, name="bench", rich_help_panel=CHECK)


@bench.command()
def crypto(
    cores: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--core",
            metavar="NAME",
            help="Only this core (m0, esp32, host ...); may be repeated. \\[default: all]",
        ),
    ] = None,
    profiles: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--profile",
            metavar="speed|small|c|smallest",
            help="Only this build; may be repeated. \\[default: all but smallest]",
        ),
    ] = None,
    file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--json", metavar="FILE", help="Also write the figures to this file."),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Record these figures as the baseline.")
    ] = False,
    against: Annotated[
        bool,
        typer.Option("--rivals", help="Also measure other libraries, on emulated cores."),
    ] = False,
) -> None:
    """Count instructions, code and stack of each primitive on each core; fails if one has grown."""
    from wyrmlab.measure import crypto as command

    raise typer.Exit(command.run(cores or [], profiles or [], file, accept=accept, against=against))
