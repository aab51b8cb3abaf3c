/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The anti-replay window in ten sizes. W is the window: a counter W below the greatest one is the
 * last that may still arrive.
 */
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "core/wyrm_replay.h"

#include "node.h"

enum { WORDS_MAX = 256 };
static const unsigned sizes[] = {2, 3, 4, 5, 8, 16, 32, 64, 128, WORDS_MAX};

struct window {
    uint64_t next;
    uint32_t ring[WORDS_MAX];
    unsigned words;
    uint64_t w; /* W */
};

static struct window *fresh(unsigned words)
{
    static struct window window;

    memset(&window, 0, sizeof(window));
    window.words = words;
    window.w = (words - 1) * UINT64_C(32);
    return &window;
}

static bool accepts(struct window *window, uint64_t counter)
{
    return wyrm_replay_accept(&window->next, window->ring, window->words, counter);
}

#define FOR_EACH_WINDOW(window)                                                                    \
    for (unsigned size_ = 0; size_ < sizeof(sizes) / sizeof(sizes[0]); size_++)                    \
        for (struct window *window = fresh(sizes[size_]); window != NULL; window = NULL)

TEST(each_counter_is_accepted_once)
{
    FOR_EACH_WINDOW(window)
    {
        assert_true(accepts(window, 0));
        assert_true(accepts(window, 1));
        assert_false(accepts(window, 1));
        assert_false(accepts(window, 0));
    }
}

TEST(neighbours_may_arrive_in_reverse)
{
    FOR_EACH_WINDOW(window)
    {
        assert_true(accepts(window, 9));
        assert_true(accepts(window, 8));
        assert_true(accepts(window, 7));
        assert_false(accepts(window, 7));
        assert_false(accepts(window, 8));
    }
}

TEST(a_jump_keeps_counters_that_are_still_in_the_window)
{
    FOR_EACH_WINDOW(window)
    {
        for (uint64_t c = 0; c < 2; c++)
            assert_true(accepts(window, c));
        assert_true(accepts(window, window->w + 1));
        assert_true(accepts(window, window->w));
        assert_false(accepts(window, window->w));
        assert_true(accepts(window, window->w - 1));
        assert_false(accepts(window, 1)); /* was seen */
        assert_true(accepts(window, 2));
        assert_false(accepts(window, 2));
        assert_true(accepts(window, window->w + 17));
        assert_false(accepts(window, 3)); /* too old now */
        assert_false(accepts(window, window->w + 17));
    }
}

TEST(the_edge_of_the_window_is_exact)
{
    FOR_EACH_WINDOW(window)
    {
        uint64_t top = 4 * (window->w + 1);

        assert_true(accepts(window, top));
        assert_true(accepts(window, top - window->w));
        assert_false(accepts(window, top - window->w - 1));
        assert_false(accepts(window, top - window->w - 2));
        assert_true(accepts(window, top - window->w + 1));
        assert_false(accepts(window, top - window->w));
        assert_false(accepts(window, 10));
        assert_false(accepts(window, 0));
    }
}

TEST(counters_end_where_the_paper_ends_them)
{
    FOR_EACH_WINDOW(window)
    {
        assert_false(accepts(window, WYRM_REJECT_AFTER_MESSAGES));
        assert_int_equal(window->next, 0);
        assert_true(accepts(window, WYRM_REJECT_AFTER_MESSAGES - 1));
        assert_false(accepts(window, WYRM_REJECT_AFTER_MESSAGES));
        assert_false(accepts(window, WYRM_REJECT_AFTER_MESSAGES - 1));
        assert_true(accepts(window, WYRM_REJECT_AFTER_MESSAGES - 2));
        assert_false(accepts(window, WYRM_REJECT_AFTER_MESSAGES + 1));
        assert_false(accepts(window, WYRM_REJECT_AFTER_MESSAGES + 2));
        assert_false(accepts(window, UINT64_MAX));
        assert_false(accepts(window, WYRM_REJECT_AFTER_MESSAGES - 2));
        assert_true(accepts(window, WYRM_REJECT_AFTER_MESSAGES - 3));
        assert_false(accepts(window, 0));
    }
}

TEST(a_sweep_of_the_whole_window_still_accepts_counter_zero)
{
    FOR_EACH_WINDOW(window)
    {
        for (uint64_t c = 1; c <= window->w; c++)
            assert_true(accepts(window, c));
        assert_true(accepts(window, 0));
        assert_false(accepts(window, 0));
    }
}

TEST(a_sweep_beyond_the_window_drops_counter_zero)
{
    FOR_EACH_WINDOW(window)
    {
        for (uint64_t c = 1; c <= window->w + 1; c++)
            assert_true(accepts(window, c));
        assert_false(accepts(window, 0));
    }
}

TEST(a_full_reverse_sweep_is_accepted)
{
    FOR_EACH_WINDOW(window)
    {
        for (uint64_t c = window->w + 1; c-- > 0;)
            assert_true(accepts(window, c));
        for (uint64_t c = window->w + 1; c-- > 0;)
            assert_false(accepts(window, c));
    }
}

TEST(a_reverse_sweep_one_longer_loses_its_last)
{
    FOR_EACH_WINDOW(window)
    {
        for (uint64_t c = window->w + 1; c > 0; c--)
            assert_true(accepts(window, c));
        assert_false(accepts(window, 0));
    }
}

TEST(a_step_forward_after_a_reverse_sweep_is_accepted)
{
    FOR_EACH_WINDOW(window)
    {
        for (uint64_t c = window->w; c > 1; c--)
            assert_true(accepts(window, c));
        assert_true(accepts(window, window->w + 1));
        assert_false(accepts(window, 0));
        assert_true(accepts(window, 1));
    }
}

/* A 32-bit difference would take this for a fresh counter (see defects of other ports). */
TEST(a_counter_far_below_by_a_multiple_of_two_to_the_32_is_old)
{
    FOR_EACH_WINDOW(window)
    {
        uint64_t top = UINT64_C(5) << 32;

        assert_true(accepts(window, top));
        for (unsigned k = 1; k <= 5; k++)
            assert_false(accepts(window, top - ((uint64_t)k << 32) + 3));
    }
}

TEST(a_refused_counter_changes_nothing)
{
    FOR_EACH_WINDOW(window)
    {
        struct window before;

        assert_true(accepts(window, 3 * window->w));
        before = *window;
        assert_false(accepts(window, 3 * window->w));
        assert_false(accepts(window, 1));
        assert_false(accepts(window, UINT64_MAX));
        assert_memory_equal(&before, window, sizeof(before));
    }
}

/* The model remembers every counter ever seen. */
TEST(it_agrees_with_a_slow_model)
{
    enum { RANGE = 40000, STEPS = 60000 };
    uint8_t *seen = malloc(RANGE);
    uint64_t random = 42;

    FOR_EACH_WINDOW(window)
    {
        uint64_t top = 0, counter;
        bool any = false;

        memset(seen, 0, RANGE);
        for (unsigned i = 0; i < STEPS; i++) {
            uint64_t reach = 2 * window->w + 40, base = top > window->w ? top - window->w - 8 : 0;
            bool expected;

            counter = base + test_random(&random) % (i % 50 == 0 ? reach * 2 : reach);
            if (counter >= RANGE)
                break;
            expected = !seen[counter] && (!any || counter > top || top - counter <= window->w);
            assert_int_equal(accepts(window, counter), expected);
            if (expected) {
                seen[counter] = 1;
                if (!any || counter > top)
                    top = counter;
                any = true;
            }
        }
    }
    free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(each_counter_is_accepted_once),
        RUN(neighbours_may_arrive_in_reverse),
        RUN(a_jump_keeps_counters_that_are_still_in_the_window),
        RUN(the_edge_of_the_window_is_exact),
        RUN(counters_end_where_the_paper_ends_them),
        RUN(a_sweep_of_the_whole_window_still_accepts_counter_zero),
        RUN(a_sweep_beyond_the_window_drops_counter_zero),
        RUN(a_full_reverse_sweep_is_accepted),
        RUN(a_reverse_sweep_one_longer_loses_its_last),
        RUN(a_step_forward_after_a_reverse_sweep_is_accepted),
        RUN(a_counter_far_below_by_a_multiple_of_two_to_the_32_is_old),
        RUN(a_refused_counter_changes_nothing),
        RUN(it_agrees_with_a_slow_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
