# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Setting up a machine: packages, third-party source, builds, doctor."""
