# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Exact counts: instructions, code and stack of the cryptography, core by core."""
