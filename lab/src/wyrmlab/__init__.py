# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The lab of Wyrmling: sets up, builds, runs and measures it."""

__version__ = "0.1.0"
