# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`python -m wyrmlab`, which is what ./wyrm starts."""

from wyrmlab.cli import main

if __name__ == "__main__":
    main()
