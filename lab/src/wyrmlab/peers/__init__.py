# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""WireGuard daemons on Linux, worlds with two ends, and floods of initiations."""
