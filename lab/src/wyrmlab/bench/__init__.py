# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Comparisons: exact counts of the cryptography core by core, and daemons side by side."""
