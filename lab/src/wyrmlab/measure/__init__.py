# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Sizes, stacks and instruction counts of builds, and the baselines they are compared with."""
