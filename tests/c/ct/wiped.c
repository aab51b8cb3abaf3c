/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Searches the stack for residue of each subject: a word that differs between two secrets depends
 * on them, unless the published bytes contain it. Prints a line per word: subject, bytes below the
 * caller's frame, the word for each of the two secrets.
 */
#include "residue.h"
#include "target.h"

#include <stdbool.h>
#include <string.h>

enum { PUBLIC_BYTES = 2048 };

/* One run: its secret, its residue on the stack, and its published bytes. */
struct run {
    uint8_t secret[SECRET_LEN];
    uint32_t left[RESIDUE_WORDS];
    size_t len;
    uint8_t known[PUBLIC_BYTES];
};

/* Every run uses the same memory, and the loop counter is kept out of registers: a function saves
 * its caller's registers on the stack, and only the secret may differ between two runs. */
static struct run now, before;
static volatile size_t subject, number;

void publish(const void *bytes, size_t len)
{
    if (len > sizeof(now.known) - now.len)
        target_exit(2);
    memcpy(now.known + now.len, bytes, len);
    now.len += len;
}

static bool is_public(const struct run *run, uint32_t word)
{
    for (size_t i = 0; i + sizeof(word) <= run->len; i++)
        if (memcmp(run->known + i, &word, sizeof(word)) == 0)
            return true;
    return false;
}

static void print_hex(uint32_t word)
{
    char text[10] = " ";

    for (unsigned i = 0; i < 8; i++)
        text[i + 1] = "0123456789abcdef"[word >> (28 - 4 * i) & 15];
    text[9] = '\0';
    target_print(text);
}

__attribute__((noinline)) static void capture(void)
{
    now.len = 0;
    subjects[subject].prepare(now.secret);
    residue_capture(subjects[subject].run, now.left);
    if (subjects[subject].publish)
        subjects[subject].publish();
}

static void compare(const char *name, const struct run *a, const struct run *b)
{
    for (unsigned i = 0; i < RESIDUE_WORDS; i++) {
        if (a->left[i] == b->left[i] || (is_public(a, a->left[i]) && is_public(b, b->left[i])))
            continue;
        target_print(name);
        print_hex(4 * (i + 1));
        print_hex(a->left[i]);
        print_hex(b->left[i]);
        target_print("\n");
    }
}

__attribute__((noinline)) static void next_secret(void)
{
    before = now;
    memcpy(now.secret, target_order()->secret[number], sizeof(now.secret));
}

int main(void)
{
    const struct order *order = target_order();

    subject_shift = order->shift;
    for (subject = 0; subject < subject_count; subject++) {
        if (!(order->kinds >> subjects[subject].kind & 1))
            continue;
        for (number = 0; number < order->secrets; number++) {
            next_secret();
            capture();
            if (number == 0) /* again: first calls may bind symbols */
                capture();
            else
                compare(subjects[subject].name, &before, &now);
        }
    }
    return 0;
}
