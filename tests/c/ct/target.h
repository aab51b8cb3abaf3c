/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the programs of this folder need of the machine; boards/ implements it per architecture, and
 * for the host.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stdint.h>
#include <stdnoreturn.h>

#include "subjects.h"

/* What to run: put into RAM by the emulator before the start; on the host, standard input. */
struct order {
    uint32_t kinds;   /* bit k: subjects of kind k */
    uint32_t shift;   /* for subject_shift */
    uint32_t secrets; /* how many of the following there are */
    uint8_t secret[][SECRET_LEN];
};
const struct order *target_order(void);

void target_print(const char *text);
noreturn void target_exit(int status);

/* The addresses between which the plugin watches: marks.c. */
void target_begin(void);
void target_end(void);

#endif /* TARGET_H */
