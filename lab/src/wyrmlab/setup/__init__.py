# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Bringing a machine to where all else works: packages, third-party source, builds, doctor."""
