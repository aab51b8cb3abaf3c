# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The command line: the tree of commands in `cli`, and one module per command."""
