# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Experiments: one module each, with its parameters in a TOML file of the same name. `catalog`
lists them; `bench` provides what they share."""
