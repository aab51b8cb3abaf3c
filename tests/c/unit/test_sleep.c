/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Deep sleep: sessions continue after it, and no counter is used twice whatever happens to the
 * image.
 */
#include "world.h"

#include "wyrm_sleep.h"

static uint8_t image[WYRM_IMAGE_SIZE(NODE_PEERS, NODE_ROUTES)];
static uint8_t kept[sizeof(image)];

/* Bytes of the image, from its header. WYRM_IMAGE_SIZE includes the padding of structures. */
static size_t image_len(void)
{
    return wyrm_load_le32(image + 4);
}

/* The reset that ends a sleep: RAM is lost, and the device starts without key and peers. */
static void boot(struct world *w, unsigned n)
{
    struct node *node = &w->node[n];
    uint64_t random = node->random_state, label = node->label;

    node_boot(node, n, 1);
    (void)wyrm_init(&node->dev, &node->pools, &node->io);
    node->random_state = random;
    node->label = label;
}

static wyrm_status suspend(struct world *w, unsigned n)
{
    return wyrm_suspend(&w->node[n].dev, w->now, image, sizeof(image));
}

static wyrm_status resume(struct world *w, unsigned n, wyrm_ms slept)
{
    return wyrm_resume(&w->node[n].dev, w->now, slept, image, sizeof(image));
}

static wyrm_status deep_sleep(struct world *w, unsigned n, wyrm_ms span)
{
    assert_int_equal(suspend(w, n), WYRM_OK);
    boot(w, n);
    sleep_through(w, span);
    return resume(w, n, span);
}

static bool image_is_wiped(void)
{
    return wyrm_ct_is_zero(image, sizeof(image));
}

static bool image_contains(const uint8_t secret[WYRM_KEY_LEN])
{
    for (size_t i = 0; i + WYRM_KEY_LEN <= sizeof(image); i++)
        if (memcmp(image + i, secret, WYRM_KEY_LEN) == 0)
            return true;
    return false;
}

/* A and B with a session that A initiated. */
static struct world *pair(void)
{
    struct world *w = world_make(2);

    handshake(w, A, B);
    return w;
}

/* A sends one packet, which reaches B. */
static void report(struct world *w)
{
    w->delivered = 0;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 1);
}

/* ---- Sessions continue ------------------------------------------------------ */

TEST(a_hundred_sleeps_share_one_session_and_send_one_packet_each)
{
    struct world *w = pair();
    uint64_t last = 0;

    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(deep_sleep(w, A, 1000), WYRM_READY);
        settle(w, A);
        report(w);
        uint64_t counter = wyrm_load_le64(w->last[A].data + DATA_COUNTER);
        assert_true(counter > last);
        last = counter;
    }
    assert_int_equal(w->tally[A].data, 100);
    assert_int_equal(w->tally[A].keepalives, 0);
    assert_int_equal(w->tally[A].initiations + w->tally[B].initiations, 0);
    world_free(w);
}

TEST(after_120_s_asleep_the_session_carries_data_and_is_renewed)
{
    struct world *w = pair();

    assert_int_equal(deep_sleep(w, A, 120000), WYRM_READY);
    report(w);
    assert_int_equal(w->tally[A].initiations, 1);
    assert_int_equal(w->tally[B].responses, 1);
    assert_true(is_up(w, A, B));
    world_free(w);
}

TEST(after_180_s_asleep_a_handshake_takes_over)
{
    struct world *w = pair();

    assert_int_equal(deep_sleep(w, A, 180000), WYRM_OK);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    assert_int_equal(w->tally[A].initiations, 1);
    assert_int_equal(w->delivered, 1); /* the held packet */
    world_free(w);
}

TEST(an_unknown_time_asleep_ends_all_sessions)
{
    struct world *w = pair();

    assert_int_equal(suspend(w, A), WYRM_OK);
    boot(w, A);
    sleep_through(w, 1000);
    assert_int_equal(resume(w, A, WYRM_NEVER), WYRM_OK);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(a_sleep_that_did_not_happen_changes_nothing)
{
    struct world *w = pair();

    assert_int_equal(suspend(w, A), WYRM_OK);
    assert_int_equal(resume(w, A, 0), WYRM_READY);
    report(w);
    assert_int_equal(w->tally[A].initiations, 0);
    world_free(w);
}

TEST(the_clock_of_the_next_boot_may_start_anywhere)
{
    static const wyrm_ms starts[] = {0, 5, UINT64_C(1) << 33, WYRM_NEVER - 100000000};

    for (unsigned i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        struct world *w = pair();
        struct wyrm_device *dev = &w->node[A].dev;
        wyrm_ms now = starts[i], age;
        struct wyrm_peer_info info;

        assert_int_equal(wyrm_peer_get(dev, w->now, w->id[A][B], &info), WYRM_OK);
        age = w->now - info.last_handshake;
        assert_int_equal(suspend(w, A), WYRM_OK);
        boot(w, A);
        assert_int_equal(wyrm_resume(dev, now, 60000, image, sizeof(image)), WYRM_READY);
        assert_int_equal(wyrm_peer_get(dev, now, w->id[A][B], &info), WYRM_OK);
        assert_int_equal(now - info.last_handshake, age + 60000);
        assert_true(info.up);
        now += 180000 - 60000 - age;
        assert_int_equal(wyrm_peer_get(dev, now - 1, w->id[A][B], &info), WYRM_OK);
        assert_true(info.up);
        assert_int_equal(wyrm_peer_get(dev, now, w->id[A][B], &info), WYRM_OK);
        assert_false(info.up);
        world_free(w);
    }
}

TEST(packets_accepted_before_the_sleep_are_refused_as_replays_after_it)
{
    struct world *w = pair();
    struct datagram packet;

    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    grab(w, &packet);
    assert_int_equal(inject(w, B, &packet, &w->node[A].address), WYRM_DELIVER);
    assert_int_equal(deep_sleep(w, B, 1000), WYRM_READY);
    assert_int_equal(inject(w, B, &packet, &w->node[A].address), WYRM_D_REPLAY);
    world_free(w);
}

TEST(an_initiation_accepted_before_the_sleep_is_refused_after_it)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    assert_int_equal(work_once(w, B), WYRM_SEND);
    w->on_wire = 0;
    (void)deep_sleep(w, B, 1000);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    assert_int_equal(work_once(w, B), WYRM_D_TIMESTAMP);
    world_free(w);
}

/* ---- Timers ----------------------------------------------------------------- */

TEST(silence_during_the_sleep_starts_no_handshake)
{
    struct world *w = pair();

    report(w); /* B does not answer within the 15 s after which A would start a handshake */
    assert_int_equal(deep_sleep(w, A, 30000), WYRM_READY);
    settle(w, A);
    assert_int_equal(w->on_wire, 0);
    w->deaf[A] = true; /* now the silence counts */
    pass(w, 14999);
    assert_int_equal(w->tally[A].initiations, 0);
    pass(w, 401);
    assert_int_equal(w->tally[A].initiations, 1);
    world_free(w);
}

TEST(data_sent_after_waking_up_takes_the_place_of_a_persistent_keepalive)
{
    struct world *w = pair();

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    pump(w);
    memset(w->tally, 0, sizeof(w->tally));
    assert_int_equal(deep_sleep(w, A, 60000), WYRM_READY);
    settle(w, A);
    assert_int_equal(w->on_wire, 0);
    report(w);
    pass(w, 20000);
    assert_int_equal(w->tally[A].data, 1);
    assert_int_equal(w->tally[A].keepalives, 0);

    assert_int_equal(deep_sleep(w, A, 30000), WYRM_READY);
    pass(w, 1000);
    assert_int_equal(w->tally[A].keepalives, 1);
    world_free(w);
}

/* ---- Handshakes in flight ---------------------------------------------------- */

TEST(a_handshake_in_flight_is_dropped_and_leaves_no_ephemeral_key)
{
    struct world *w = world_make(2);
    uint8_t ephemeral[WYRM_KEY_LEN];

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    settle(w, A);
    memcpy(ephemeral, peer_of(w, A, B)->hs.eph, sizeof(ephemeral));
    assert_false(wyrm_ct_is_zero(ephemeral, sizeof(ephemeral)));
    assert_int_equal(suspend(w, A), WYRM_OK);
    assert_false(image_contains(ephemeral));
    boot(w, A);
    assert_int_equal(resume(w, A, 0), WYRM_OK);
    carry(w); /* the initiation */
    settle(w, B);
    carry(w); /* the response */
    settle(w, A);
    assert_int_equal(drops_of(w, A, WYRM_D_INDEX), 1);
    sleep_through(w, 6000);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    assert_true(is_up(w, A, B));
    world_free(w);
}

TEST(a_job_taken_before_the_sleep_has_no_effect_after_it)
{
    struct world *w = world_make(2);
    struct wyrm_packet out;
    struct wyrm_job job;

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_WORK);
    assert_int_equal(suspend(w, A), WYRM_OK);
    assert_int_equal(resume(w, A, 0), WYRM_OK);
    wyrm_job_run(&job);
    assert_int_equal(wyrm_job_commit(&w->node[A].dev, w->now, &job, &out), WYRM_IDLE);
    world_free(w);
}

/* ---- Images that are refused -------------------------------------------------- */

/* The next boot refuses the image, wipes it and changes nothing else. */
static void assert_refused(struct world *w, wyrm_status status)
{
    uint64_t before = node_hash(&w->node[A]);

    assert_int_equal(resume(w, A, 0), status);
    assert_int_equal(node_hash(&w->node[A]), before);
    assert_true(image_is_wiped());
}

TEST(a_corrupted_byte_anywhere_refuses_the_image)
{
    struct world *w = pair();
    size_t len;

    assert_int_equal(suspend(w, A), WYRM_OK);
    memcpy(kept, image, sizeof(image));
    len = image_len();
    assert_in_range(len, sizeof(image) - 16, sizeof(image));
    for (size_t i = 0; i < len; i++) {
        memcpy(image, kept, sizeof(image));
        image[i] ^= (uint8_t)(1u << i % 8);
        assert_true(resume(w, A, 0) < 0);
        assert_true(image_is_wiped());
    }
    memcpy(image, kept, sizeof(image));
    assert_int_equal(resume(w, A, 0), WYRM_READY); /* uncorrupted */
    world_free(w);
}

TEST(an_image_is_resumed_once)
{
    struct world *w = pair();

    assert_int_equal(deep_sleep(w, A, 1000), WYRM_READY);
    assert_true(image_is_wiped());
    boot(w, A);
    assert_refused(w, WYRM_E_IMAGE);
    world_free(w);
}

TEST(power_loss_while_suspending_leaves_no_valid_image)
{
    struct world *w = pair();

    assert_int_equal(suspend(w, A), WYRM_OK);
    memcpy(kept, image, sizeof(image));
    for (size_t written = 0; written < WYRM_IMAGE_HEADER_LEN; written++) { /* it is written last */
        memcpy(image, kept, sizeof(image));
        memset(image + written, 0, WYRM_IMAGE_HEADER_LEN - written);
        assert_true(resume(w, A, 0) < 0);
    }
    world_free(w);
}

TEST(power_loss_while_resuming_leaves_no_valid_image_or_the_whole)
{
    struct world *w = pair();

    assert_int_equal(suspend(w, A), WYRM_OK);
    memcpy(kept, image, sizeof(image));
    for (size_t wiped = 1; wiped < sizeof(image); wiped += 1 + wiped / 16) {
        memcpy(image, kept, sizeof(image));
        memset(image, 0, wiped);
        assert_int_equal(resume(w, A, 0), WYRM_E_IMAGE);
    }
    memcpy(image, kept, sizeof(image)); /* before the wipe nothing was sent */
    assert_int_equal(resume(w, A, 0), WYRM_READY);
    world_free(w);
}

TEST(an_image_of_other_pools_is_refused)
{
    struct world *w = pair();

    assert_int_equal(suspend(w, A), WYRM_OK);
    boot(w, A);
    w->node[A].pools.n_peers--;
    assert_refused(w, WYRM_E_ABI);
    world_free(w);
}

TEST(a_buffer_too_small_for_the_image_changes_nothing)
{
    struct world *w = pair();
    struct wyrm_device *dev = &w->node[A].dev;
    uint64_t before;
    size_t len;

    assert_int_equal(suspend(w, A), WYRM_OK);
    len = image_len();
    assert_int_equal(resume(w, A, 0), WYRM_READY);
    before = node_hash(&w->node[A]);
    assert_int_equal(wyrm_suspend(dev, w->now, image, len - 1), WYRM_E_SPACE);
    assert_int_equal(node_hash(&w->node[A]), before);
    report(w);
    assert_int_equal(wyrm_suspend(dev, w->now, image, len), WYRM_OK);
    assert_int_equal(wyrm_resume(dev, w->now, 0, image, len), WYRM_READY);
    assert_int_equal(suspend(w, A), WYRM_OK);
    assert_int_equal(wyrm_resume(dev, w->now, 0, image, len - 1), WYRM_E_ABI);
    assert_true(wyrm_ct_is_zero(image, len - 1));
    world_free(w);
}

TEST(random_memory_is_no_image)
{
    struct world *w = pair();
    uint64_t seed = 7;

    boot(w, A);
    test_random_fill(&seed, image, sizeof(image));
    assert_refused(w, WYRM_E_IMAGE);
    world_free(w);
}

/* ---- Where the secrets are ----------------------------------------------------- */

TEST(a_suspended_device_is_empty)
{
    struct world *w = pair();
    const struct wyrm_keypair *kp = &peer_of(w, A, B)->kp[peer_of(w, A, B)->current];
    uint8_t key[WYRM_KEY_LEN], priv[WYRM_KEY_LEN], pub[WYRM_KEY_LEN];

    memcpy(key, kp->keys.send, sizeof(key));
    memcpy(priv, w->node[A].priv, sizeof(priv));
    assert_true(node_remembers(&w->node[A], key));
    assert_int_equal(suspend(w, A), WYRM_OK);
    assert_false(node_remembers(&w->node[A], key));
    assert_false(node_remembers(&w->node[A], priv));
    assert_int_equal(wyrm_public_key(&w->node[A].dev, pub), WYRM_E_KEY);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_D_ROUTE);
    settle(w, A);
    assert_int_equal(w->on_wire, 0);

    assert_int_equal(resume(w, A, 1000), WYRM_READY);
    assert_true(node_remembers(&w->node[A], key));
    assert_false(image_contains(key));
    report(w);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_hundred_sleeps_share_one_session_and_send_one_packet_each),
        RUN(after_120_s_asleep_the_session_carries_data_and_is_renewed),
        RUN(after_180_s_asleep_a_handshake_takes_over),
        RUN(an_unknown_time_asleep_ends_all_sessions),
        RUN(a_sleep_that_did_not_happen_changes_nothing),
        RUN(the_clock_of_the_next_boot_may_start_anywhere),
        RUN(packets_accepted_before_the_sleep_are_refused_as_replays_after_it),
        RUN(an_initiation_accepted_before_the_sleep_is_refused_after_it),
        RUN(silence_during_the_sleep_starts_no_handshake),
        RUN(data_sent_after_waking_up_takes_the_place_of_a_persistent_keepalive),
        RUN(a_handshake_in_flight_is_dropped_and_leaves_no_ephemeral_key),
        RUN(a_job_taken_before_the_sleep_has_no_effect_after_it),
        RUN(a_corrupted_byte_anywhere_refuses_the_image),
        RUN(an_image_is_resumed_once),
        RUN(power_loss_while_suspending_leaves_no_valid_image),
        RUN(power_loss_while_resuming_leaves_no_valid_image_or_the_whole),
        RUN(an_image_of_other_pools_is_refused),
        RUN(a_buffer_too_small_for_the_image_changes_nothing),
        RUN(random_memory_is_no_image),
        RUN(a_suspended_device_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
