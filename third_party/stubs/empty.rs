// SPDX-FileCopyrightText: 2026 The Wyrmling authors
// SPDX-License-Identifier: MIT
//
// Every stand-in crate consists of this file: nothing here is ever compiled.
