# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`python -m wyrmlab`, which is what ./wyrm starts."""

import signal

if __name__ == "__main__":
    # While all is imported Ctrl-C ends us without words; main() then gives it some.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    from wyrmlab.commands.entry import main

    main()
