# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`python -m wyrmlab.network.inside MODULE args...` runs a module in private namespaces.

Started outside of them, it creates them and restarts itself inside.
"""

from __future__ import annotations

import os
import runpy
import sys

from wyrmlab.base.proc import install_signal_handlers
from wyrmlab.network import namespaces

if __name__ == "__main__":
    if namespaces.inside() or namespaces.GATE in os.environ:
        install_signal_handlers()
        namespaces.enter()
        sys.argv = sys.argv[1:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        code = namespaces.run_inside(*sys.argv[1:])
        namespaces.give_back()
        sys.exit(code)
