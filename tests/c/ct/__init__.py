# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Tests for leaks of secrets: traces, poisoned memory, stack residue, disassembled objects."""
