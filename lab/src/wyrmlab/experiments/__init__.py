# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Experiments: each is a short story over a device, its console and its peers, with its parameters
in a TOML file of its own. `catalog` lists them, `bench` is what they are told with."""
