/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * How many keyed hashes a message under load costs before it is answered or dropped. The linker
 * puts a counter in front of wyrm_blake2s (see tests/c/CMakeLists.txt); mac1 does not go through
 * it.
 */
#include "world.h"

#include "core/wyrm_cookie.h"

static unsigned hashes;

void __real_wyrm_blake2s(uint8_t *out, size_t out_len, const uint8_t *key, size_t key_len,
                         const void *in, size_t len);
void __wrap_wyrm_blake2s(uint8_t *out, size_t out_len, const uint8_t *key, size_t key_len,
                         const void *in, size_t len);

void __wrap_wyrm_blake2s(uint8_t *out, size_t out_len, const uint8_t *key, size_t key_len,
                         const void *in, size_t len)
{
    hashes++;
    __real_wyrm_blake2s(out, out_len, key, key_len, in, len);
}

/* What B, under load, makes of an initiation with the given first byte of mac2. */
static wyrm_status inject_with_mac2(struct world *w, uint8_t first)
{
    struct datagram initiation;

    w->node[B].dev.loaded_until = WYRM_TICK_NEVER;
    make_initiation(w, A, B, &initiation);
    initiation.data[INITIATION_MAC1 + MAC_LEN] = first;
    hashes = 0;
    return inject(w, B, &initiation, &w->node[A].address);
}

TEST(a_blank_mac2_costs_only_the_cookie_of_the_reply)
{
    struct world *w = world_make(2);

    assert_int_equal(inject_with_mac2(w, 0), WYRM_SEND);
    assert_int_equal(hashes, 1);
    world_free(w);
}

TEST(a_wrong_mac2_and_its_reply_share_one_cookie)
{
    struct world *w = world_make(2);

    assert_int_equal(inject_with_mac2(w, 1), WYRM_SEND);
    assert_int_equal(hashes, 2); /* the cookie, and mac2 under it */
    world_free(w);
}

TEST(a_blank_mac2_beyond_the_budget_of_replies_costs_nothing)
{
    struct world *w = world_make(2);
    wyrm_status status = WYRM_SEND;

    for (unsigned i = 0; i < 10000 && status == WYRM_SEND; i++) {
        status = inject_with_mac2(w, 0);
        w->on_wire = 0; /* nobody wants the replies */
    }
    assert_int_equal(status, WYRM_D_MAC2);
    assert_int_equal(hashes, 0);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_blank_mac2_costs_only_the_cookie_of_the_reply),
        RUN(a_wrong_mac2_and_its_reply_share_one_cookie),
        RUN(a_blank_mac2_beyond_the_budget_of_replies_costs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
