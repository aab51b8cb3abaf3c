/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Runs every subject on every secret of the order, between markers. Says on one line per subject
 * what it is about to do: its name and the number of runs.
 */
#include "target.h"

#include <stddef.h>

void publish(const void *bytes, size_t len)
{
    (void)bytes;
    (void)len;
}

static void print_number(uint32_t number)
{
    char digits[12];
    unsigned at = sizeof(digits) - 1;

    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    target_print(digits + at);
}

static void run(const struct subject *subject, const struct order *order)
{
    target_print(subject->name);
    target_print(" ");
    print_number(order->secrets);
    target_print("\n");
    for (uint32_t i = 0; i < order->secrets; i++) {
        subject->prepare(order->secret[i]);
        target_begin();
        subject->run();
        target_end();
    }
}

int main(void)
{
    const struct order *order = target_order();

    subject_shift = order->shift;
    for (size_t i = 0; i < subject_count; i++)
        if (order->kinds >> subjects[i].kind & 1)
            run(&subjects[i], order);
    return 0;
}
