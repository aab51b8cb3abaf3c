# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Published and generated test vectors, run against every compiled backend of the library.

`runner` reads the files, `forms` recognises what a case is by its keys, one module per family
(`hashes`, `ciphers`, `curve`, `wycheproof`, ..., `transcripts`, `negatives`) runs it. The library
is reached through `backend` (primitives) and `device` (the protocol core).
"""
