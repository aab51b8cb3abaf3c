# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Secrets stay secret: traces on emulated cores, poisoned memory, wiped stacks, checked objects."""
