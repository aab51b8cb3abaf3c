# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Networks: private namespaces, TAPs and cables, captures, frames."""
