# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""What every room uses: errors, paths, programs run with a timeout, Debian packages."""
