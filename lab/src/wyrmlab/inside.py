# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`python -m wyrmlab.inside MODULE args...`: runs a module in the namespaces just made for it."""

from __future__ import annotations

import runpy
import sys

from wyrmlab import net

if __name__ == "__main__":
    net.enter()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
