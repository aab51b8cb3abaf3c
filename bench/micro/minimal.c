/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The smallest image that calls one primitive, which the linker is told of, or nothing. The
 * difference of two such images is the code that the primitive brings along.
 */
#include "bench.h"
#include "board.h"

void chosen(void); /* --defsym=chosen=bench_NAME */

PRIMITIVE(nothing)
{
}

int main(void)
{
    chosen();
    return 0;
}
