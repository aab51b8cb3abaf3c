# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# The warnings our own code must be free of; third-party code is built without them.
set(WYRM_WARNINGS
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
  -Wundef -Werror)
