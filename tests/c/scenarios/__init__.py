# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Timer scenarios as data, played on the core in virtual time."""
