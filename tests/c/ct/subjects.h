/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The functions whose secrecy is tested. The same table serves the traces on the emulated cores,
 * the scan of the stack and the poisoning of secrets on the host.
 */
#ifndef SUBJECTS_H
#define SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything secret that one run depends on: a key, then text or more keys. */
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
    void (*publish)(void); /* names what of the result anyone may know; may be NULL */
};

extern const struct subject subjects[];
extern const size_t subject_count;

/* Bytes by which every buffer of the subjects is off its alignment. */
extern size_t subject_shift;

/* Whoever runs the subjects provides this: these bytes are public although they come from secrets.
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
