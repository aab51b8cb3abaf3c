/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Every verdict has a sentence of its own.
 */
#include "world.h"

#include <ctype.h>

TEST(every_verdict_has_its_own_sentence)
{
    const char *seen[64];
    unsigned n = 0;

    for (int status = WYRM_D_RANDOM; status <= WYRM_LOST; status++) {
        const char *text;

        if (status > WYRM_D_MALFORMED && status < WYRM_E_IMAGE)
            continue;
        text = wyrm_status_text((wyrm_status)status);
        assert_non_null(text);
        assert_string_not_equal(text, "unknown verdict");
        assert_true(isalpha((unsigned char)text[strlen(text) - 1])); /* no full stop */
        for (unsigned i = 0; i < n; i++)
            assert_string_not_equal(text, seen[i]);
        seen[n++] = text;
    }
    assert_int_equal(n, 36);
}

TEST(unknown_status_values_have_a_text)
{
    assert_string_equal(wyrm_status_text((wyrm_status)8), "unknown verdict");
    assert_string_equal(wyrm_status_text((wyrm_status)-13), "unknown verdict");
    assert_string_equal(wyrm_status_text((wyrm_status)-1000), "unknown verdict");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(every_verdict_has_its_own_sentence),
        RUN(unknown_status_values_have_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
