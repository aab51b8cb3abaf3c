# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The tree of commands, their options and their help, and nothing else. Each imports what it needs
when it runs: starting stays quick.
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
    """Say what this machine has and lacks, and how to get what is missing."""
    from wyrmlab.setup.doctor import examine

    raise typer.Exit(examine())


@app.command(rich_help_panel=SETUP)
def setup(
    all_of_it: Annotated[
        bool, typer.Option("--all", help="Also what only the long tests need.")
    ] = False,
) -> None:
    """Install what is missing and fetch the third-party source. Done when needed."""
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
        bool, typer.Option("--size", help="Print where flash and RAM go, object by object.")
    ] = False,
) -> None:
    """Build the firmware, the library, the tests or wyrmd; the last line is the product's path."""
    from wyrmlab.commands import build as command

    command.run(target, board, size=size)


@app.command(rich_help_panel=SETUP)
def clean(
    all_of_it: Annotated[bool, typer.Option("--all", help="Also runs/ and the cache.")] = False,
) -> None:
    """Remove build/ and say what that frees."""
    from wyrmlab.commands.clean import clean as run_clean

    run_clean(all_of_it=all_of_it)


@app.command(rich_help_panel=RUN)
def demo(board: BoardOption = DEFAULT) -> None:
    """A board boots, shakes hands with wireguard-go, carries pings and iperf, and proves it."""
    from wyrmlab.commands.demo import run

    run(board)


@app.command(rich_help_panel=RUN)
def device(
    board: BoardOption = DEFAULT,
    conf: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="A wg-quick file: kept in flash, the tunnel goes up."),
    ] = None,
    tap: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME", help="TAP in this network, made if absent. \\[default: wyrm0]"
        ),
    ] = None,
    netns: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="A private network instead, known to `ip netns`."),
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
            help="The file that plays the flash chip; made if absent, for its owner alone: it"
            " holds keys. \\[default: one per board]",
        ),
    ] = None,
    console: Annotated[
        str, typer.Option(metavar="stdio|pty|socket:PATH", help="Where its console goes.")
    ] = "stdio",
) -> None:
    """Boot one board on a TAP that any program can use, with its console at hand."""
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
    quick: Annotated[bool, typer.Option("--quick", help="Shorter: less of everything.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Finish the last run if it broke off.")
    ] = False,
) -> None:
    """Run experiments; each leaves a record, and a report at the end shows all of them."""
    from wyrmlab.commands import run as command

    command.run(command.Options(names, board, quick, resume))


@app.command(rich_help_panel=LAB)
def runs() -> None:
    """List what was run, the last first."""
    from wyrmlab.commands import runs as command

    command.show_all()


_RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="Its folder, its date, or an experiment's last.")
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


_BRIDGE = """Let stock wg see and set a device's tunnel, through the device's console.

Makes the socket that wg(8) looks for and answers it out of the device, until Ctrl-C or until the \
socket is removed. wg show, showconf, set, setconf, addconf and syncconf work as on any interface; \
what they change lasts until the device restarts. Private and preshared keys go into the device \
and are never told; a file without PrivateKey leaves the device the key it has.

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
        str, typer.Option(metavar="NAME", help="What wg shall call the device's tunnel.")
    ] = "wy0",
    place: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--socket",
            metavar="PATH",
            help="Where to make the socket, instead of /var/run/wireguard/NAME.sock; wg looks"
            " nowhere else, but only root may write there.",
        ),
    ] = None,
    addresses: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--address",
            metavar="ADDRESS/BITS",
            help="Start the device's tunnel, which is down, with this address and nothing else;"
            " may be repeated. (wg sets keys and peers, but no addresses.)",
        ),
    ] = None,
    baud: Annotated[
        int, typer.Option(metavar="N", help="Speed of a serial port, 8N1 without flow control.")
    ] = 115200,
) -> None:
    from wyrmlab.commands import bridge as command

    command.run(command.Options(console, interface, place, baud, addresses or []))


@app.command(rich_help_panel=RUN)
def genkey() -> None:
    """Make a private key, as `wg genkey` does."""
    from wyrmlab.commands import wg

    wg.run("genkey")


@app.command(rich_help_panel=RUN)
def pubkey() -> None:
    """Read a private key, print its public key, as `wg pubkey` does."""
    from wyrmlab.commands import wg

    wg.run("pubkey")


@app.command(rich_help_panel=RUN)
def genpsk() -> None:
    """Make a preshared key, as `wg genpsk` does."""
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
            help="Also the long tests: real rekeys, all cores and compilers, a bare Debian."
            " Fetches boringtun, which other tests then use as a peer, too.",
        ),
    ] = False,
    soak: Annotated[
        bool,
        typer.Option(
            "--soak",
            help="Also the soak, at most 60 minutes more: hundreds of simulated networks, a year of"
            " one, fuzzers, a device's whole day, sessions renewed under load. Alone: -k soak.",
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
        bool, typer.Option("--all", help="Also the million-iteration X25519.")
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
        int, typer.Option(metavar="N", min=1, max=86400, help="How long each runs.")
    ] = 60,
) -> None:
    """Feed the parsers and the protocol with what nobody would send; learns from run to run."""
    from wyrmlab.commands import fuzz as fuzzing

    raise typer.Exit(fuzzing.run(target, seconds))


@app.command(rich_help_panel=CHECK)
def defects() -> None:
    """Ask of every mistake known from other implementations whether it happens here."""
    from wyrmlab.commands.defects import run

    raise typer.Exit(run())


_FOOTPRINT = """Flash, RAM and stack that the library takes of a device; fails if any has risen.

Counted for Cortex-M4 and M0 as an application gets it that starts a tunnel and does nothing else, \
of separate objects and with link-time optimisation, beside the targets of bench/targets.toml.

Where the bytes of one build go is what ./wyrm build --size shows.
"""


@app.command(rich_help_panel=CHECK, help=_FOOTPRINT)
def footprint(
    file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--json", metavar="FILE", help="Also write the sizes there."),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Make these sizes the baseline.")
    ] = False,
) -> None:
    from wyrmlab.measure import sizes

    raise typer.Exit(sizes.run(file, accept=accept))


bench = typer.Typer(cls=_Group, no_args_is_help=True, help="Measure, in one table each.")
app.add_typer(bench, name="bench", rich_help_panel=CHECK)


@bench.command()
def crypto(
    cores: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--core",
            metavar="NAME",
            help="This core only (m0, esp32, host ...); may be repeated. \\[default: all]",
        ),
    ] = None,
    profiles: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--profile",
            metavar="speed|small|c|smallest",
            help="This build only; may be repeated. \\[default: all but smallest]",
        ),
    ] = None,
    file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--json", metavar="FILE", help="Also write the figures there."),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Make these figures the baseline.")
    ] = False,
    against: Annotated[
        bool,
        typer.Option("--rivals", help="Also build and count other libraries, on emulated cores."),
    ] = False,
) -> None:
    """Instructions, code and stack of every primitive on every core; fails if one has risen."""
    from wyrmlab.measure import crypto as command

    raise typer.Exit(command.run(cores or [], profiles or [], file, accept=accept, against=against))


@bench.command()
def implementations(
    seconds: Annotated[
        int, typer.Option(metavar="N", min=1, max=600, help="Length of each transfer.")
    ] = 5,
    file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--json", metavar="FILE", help="Also write the figures there."),
    ] = None,
) -> None:
    """wyrmd beside other daemons for Linux: throughput, CPU time, handshakes, memory."""
    from wyrmlab.experiments import implementations

    implementations.run(seconds, file)
