/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The functions under test. The same table serves the traces on emulated cores, the stack scan, and
 * the poisoned secrets on the host.
 */
#ifndef SUBJECTS_H
#define SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All secret input of one run: a key, then text or more keys. */
enum { SECRET_LEN = 128, SHIFT_MAX = 3 };

enum subject_kind {
    SUBJECT_PRIMITIVE,
    SUBJECT_HANDSHAKE, /* whole steps of a handshake: slow */
    SUBJECT_LEAK,      /* planted: must be found */
    SUBJECT_MISALIGNED /* planted: reads a word at an odd address */
};

struct subject {
    const char *name;
    enum subject_kind kind;
    void (*prepare)(const uint8_t secret[SECRET_LEN]); /* not watched */
    void (*run)(void);                                 /* watched */
    void (*publish)(void); /* publishes the public part of the result; may be NULL */
};

extern const struct subject subjects[];
extern const size_t subject_count;

/* Misalignment of all the subjects' buffers, in bytes. */
extern size_t subject_shift;

/* Provided by each runner: declares bytes public although they depend on secrets.
 */
void publish(const void *bytes, size_t len);

/* Planted: leaks.c. */
bool leak_early_exit(const uint8_t *a, const uint8_t *b, size_t len);
uint8_t leak_table(const uint8_t secret[32]);
uint32_t leak_division(uint32_t secret, uint32_t divisor);
uint32_t leak_wide_multiply(uint32_t secret, uint32_t factor);
void leak_on_stack(const uint8_t secret[32]);
uint32_t read_word_anywhere(const uint8_t *p);

#endif /* SUBJECTS_H */
