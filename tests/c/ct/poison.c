/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Runs every subject under valgrind with its secret marked as undefined: valgrind then reports
 * every branch and every address that depends on it.
 */
#include "target.h"

#include "wyrm_crypto.h"

#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

void publish(const void *bytes, size_t len)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(bytes, len);
}

/* Whether a tag is correct or a shared secret zero is public: the linker wraps the two functions
 * that decide (--wrap). */
bool __real_wyrm_ct_equal(const void *a, const void *b, size_t len);
bool __wrap_wyrm_ct_equal(const void *a, const void *b, size_t len);
bool __real_wyrm_ct_is_zero(const void *a, size_t len);
bool __wrap_wyrm_ct_is_zero(const void *a, size_t len);

bool __wrap_wyrm_ct_equal(const void *a, const void *b, size_t len)
{
    bool equal = __real_wyrm_ct_equal(a, b, len);

    publish(&equal, sizeof(equal));
    return equal;
}

bool __wrap_wyrm_ct_is_zero(const void *a, size_t len)
{
    bool zero = __real_wyrm_ct_is_zero(a, len);

    publish(&zero, sizeof(zero));
    return zero;
}

int main(void)
{
    const struct order *order = target_order();
    uint8_t secret[SECRET_LEN];

    if (!RUNNING_ON_VALGRIND) {
        fputs("run this under valgrind\n", stderr);
        return 2;
    }
    subject_shift = order->shift;
    for (size_t s = 0; s < subject_count; s++) {
        const struct subject *subject = &subjects[s];

        if (!(order->kinds >> subject->kind & 1))
            continue;
        memcpy(secret, order->secret[0], sizeof(secret));
        (void)VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof(secret));
        /* In valgrind's report, this line precedes all findings from here on. */
        VALGRIND_PRINTF("subject %s\n", subject->name);
        subject->prepare(secret);
        subject->run();
    }
    return 0;
}
