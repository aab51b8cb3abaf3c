/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Handshakes in three steps: changes between take, run and commit, and failures of each.
 */
#include "world.h"

#include "core/wyrm_index.h"

/* A job of node `n`, taken and run but not committed. */
static void take_and_run(struct world *w, unsigned n, struct wyrm_job *job)
{
    assert_int_equal(wyrm_job_take(&w->node[n].dev, w->now, job), WYRM_WORK);
    wyrm_job_run(job);
}

static wyrm_status commit(struct world *w, unsigned n, struct wyrm_job *job)
{
    struct wyrm_packet out;

    return wyrm_job_commit(&w->node[n].dev, w->now, job, &out);
}

/* B's response to A's initiation has reached A, whose worker has not begun. */
static struct world *response_at_a(void)
{
    struct world *w = world_make(2);
    struct datagram response;

    make_response(w, &response);
    assert_int_equal(inject(w, A, &response, &w->node[B].address), WYRM_WORK);
    return w;
}

/* A's initiation has reached B, whose worker has not begun. */
static struct world *initiation_at_b(void)
{
    struct world *w = world_make(3);
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    return w;
}

static void a_stale_job_changes_nothing(struct world *w, unsigned n, struct wyrm_job *job)
{
    uint64_t before = node_peers_hash(&w->node[n]);
    wyrm_status status;

    while ((status = commit(w, n, job)) == WYRM_WORK)
        wyrm_job_run(job);
    assert_true(status != WYRM_SEND);
    assert_int_equal(node_peers_hash(&w->node[n]), before);
    world_free(w);
}

#define STALE_TEST(name, make, n, other, event)                                                    \
    TEST(name)                                                                                     \
    {                                                                                              \
        struct world *w = make();                                                                  \
        struct wyrm_job job;                                                                       \
                                                                                                   \
        take_and_run(w, n, &job);                                                                  \
        event(w, n, other);                                                                        \
        a_stale_job_changes_nothing(w, n, &job);                                                   \
    }

static struct world *own_initiation_at_a(void)
{
    struct world *w = world_make(3);

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    return w;
}

static void change_key(struct world *w, unsigned n, unsigned other)
{
    uint8_t key[32] = {9};

    (void)other;
    assert_int_equal(wyrm_set_private_key(&w->node[n].dev, key), WYRM_IDLE);
}

static void change_psk(struct world *w, unsigned n, unsigned other)
{
    uint8_t psk[32] = {9};

    assert_int_equal(wyrm_peer_set_psk(&w->node[n].dev, w->id[n][other], psk), WYRM_IDLE);
}

static void drop_peer(struct world *w, unsigned n, unsigned other)
{
    assert_int_equal(wyrm_peer_remove(&w->node[n].dev, w->id[n][other]), WYRM_IDLE);
    settle(w, n);
}

/* The same peer again at the same id: still not the one the job was made for. */
static void replace_peer(struct world *w, unsigned n, unsigned other)
{
    drop_peer(w, n, other);
    assert_int_equal(node_meet(&w->node[n], &w->node[other]), w->id[n][other]);
}

/* Same memory, same keys, same peers at the same ids. */
static void begin_anew(struct world *w, unsigned n, unsigned other)
{
    struct node *node = &w->node[n];

    wyrm_close(&node->dev);
    assert_int_equal(wyrm_init(&node->dev, &node->pools, &node->io), WYRM_IDLE);
    assert_int_equal(wyrm_set_private_key(&node->dev, node->priv), WYRM_IDLE);
    for (unsigned i = 0; i < w->nodes; i++)
        if (i != n)
            assert_int_equal(node_meet(node, &w->node[i]), w->id[n][i]);
    wyrm_peer_connect(&node->dev, w->now, w->id[n][other]); /* as busy as before */
    wyrm_peer_set_keepalive(&node->dev, w->id[n][other], 25);
}

static void disconnect(struct world *w, unsigned n, unsigned other)
{
    assert_int_equal(wyrm_peer_disconnect(&w->node[n].dev, w->id[n][other]), WYRM_IDLE);
}

STALE_TEST(an_initiation_of_the_old_key_is_not_sent, own_initiation_at_a, A, B, change_key)
STALE_TEST(an_initiation_to_a_removed_peer_is_not_sent, own_initiation_at_a, A, B, drop_peer)
STALE_TEST(an_initiation_to_a_replaced_peer_is_not_sent, own_initiation_at_a, A, B, replace_peer)
STALE_TEST(an_initiation_after_disconnect_is_not_sent, own_initiation_at_a, A, B, disconnect)
STALE_TEST(a_response_processed_with_the_old_key_begins_no_session, response_at_a, A, B, change_key)
STALE_TEST(a_response_processed_with_the_old_psk_begins_no_session, response_at_a, A, B, change_psk)
STALE_TEST(a_response_of_a_removed_peer_begins_no_session, response_at_a, A, B, drop_peer)
STALE_TEST(a_response_of_a_replaced_peer_begins_no_session, response_at_a, A, B, replace_peer)
STALE_TEST(a_response_after_disconnect_begins_no_session, response_at_a, A, B, disconnect)
STALE_TEST(an_initiation_processed_with_the_old_key_is_not_answered, initiation_at_b, B, A,
           change_key)
STALE_TEST(an_initiation_of_a_removed_peer_is_not_answered, initiation_at_b, B, A, drop_peer)
STALE_TEST(known_defect_54_a_job_from_before_a_new_init_is_not_sent, own_initiation_at_a, A, B,
           begin_anew)
STALE_TEST(a_response_taken_before_a_new_init_begins_no_session, response_at_a, A, B, begin_anew)
STALE_TEST(a_message_taken_before_a_new_init_is_dropped, initiation_at_b, B, A, begin_anew)

/* B's job up to the computed response, which is not committed yet. */
static void answer_begun(struct world *w, struct wyrm_job *job)
{
    take_and_run(w, B, job);
    assert_int_equal(commit(w, B, job), WYRM_WORK);
    wyrm_job_run(job);
}

/* B computes responses to two initiations of A, the second one `pause` later. Commits neither. */
static struct world *two_answers_begun(struct wyrm_job *older, struct wyrm_job *newer,
                                       wyrm_ms pause)
{
    struct world *w = world_make(2);
    struct datagram first, second;

    make_initiation(w, A, B, &first);
    make_initiation(w, A, B, &second);
    inject(w, B, &first, &w->node[A].address);
    answer_begun(w, older);
    sleep_through(w, pause);
    w->node[B].dev.loaded_until = 0;
    inject(w, B, &second, &w->node[A].address);
    answer_begun(w, newer);
    return w;
}

#define STALE_ANSWER_TEST(name, event)                                                             \
    TEST(name)                                                                                     \
    {                                                                                              \
        struct world *w = initiation_at_b();                                                       \
        struct wyrm_job job;                                                                       \
                                                                                                   \
        answer_begun(w, &job);                                                                     \
        event(w, B, A);                                                                            \
        a_stale_job_changes_nothing(w, B, &job);                                                   \
    }

STALE_ANSWER_TEST(a_response_under_the_old_key_is_not_sent, change_key)
STALE_ANSWER_TEST(a_response_under_the_old_psk_is_not_sent, change_psk)
STALE_ANSWER_TEST(a_response_to_a_removed_peer_is_not_sent, drop_peer)
STALE_ANSWER_TEST(a_response_to_a_replaced_peer_is_not_sent, replace_peer)
STALE_ANSWER_TEST(a_response_after_disconnect_is_not_sent, disconnect)
STALE_ANSWER_TEST(a_response_computed_before_a_new_init_is_not_sent, begin_anew)

TEST(a_job_may_outlive_its_device)
{
    static const struct wyrm_job nothing;
    struct world *w = own_initiation_at_a();
    struct wyrm_job job;

    take_and_run(w, A, &job);
    wyrm_close(&w->node[A].dev);
    assert_int_equal(commit(w, A, &job), WYRM_IDLE);
    assert_memory_equal(&job.own, &nothing.own, sizeof(job) - offsetof(struct wyrm_job, own));
    world_free(w);
}

/* The new key is used from the response on. */
TEST(an_initiation_computed_before_the_psk_was_set_completes_with_it)
{
    struct world *w = own_initiation_at_a();
    struct wyrm_job job;
    struct wyrm_packet out;
    struct datagram initiation = {.len = INITIATION_LEN};

    take_and_run(w, A, &job);
    change_psk(w, A, B);
    change_psk(w, B, A);
    assert_int_equal(wyrm_job_commit(&w->node[A].dev, w->now, &job, &out), WYRM_SEND);
    memcpy(initiation.data, out.data, out.len);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    pump(w);
    assert_true(is_up(w, A, B));
    world_free(w);
}

TEST(a_new_psk_invalidates_responses_but_no_sessions)
{
    struct world *w = world_make(2);
    struct datagram initiation;
    struct wyrm_job job;

    handshake(w, A, B);
    sleep_through(w, 6000);
    make_initiation(w, A, B, &initiation);
    inject(w, B, &initiation, &w->node[A].address);
    answer_begun(w, &job);
    change_psk(w, B, A);
    assert_int_equal(commit(w, B, &job), WYRM_IDLE);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 2);
    world_free(w);
}

TEST(endpoint_and_keepalive_may_change_under_a_job)
{
    struct world *w = initiation_at_b();
    struct wyrm_job job;

    answer_begun(w, &job);
    wyrm_peer_set_endpoint(&w->node[B].dev, w->id[B][A], NULL);
    wyrm_peer_set_keepalive(&w->node[B].dev, w->id[B][A], 25);
    assert_int_equal(commit(w, B, &job), WYRM_SEND);
    world_free(w);
}

TEST(two_workers_with_the_same_initiation_make_one_session)
{
    struct world *w = initiation_at_b();
    struct wyrm_job first, second;
    uint64_t before;

    answer_begun(w, &first);
    second = first;
    assert_int_equal(commit(w, B, &first), WYRM_SEND);
    sleep_through(w, 100);
    before = node_peers_hash(&w->node[B]);
    assert_int_equal(commit(w, B, &second), WYRM_D_TIMESTAMP);
    assert_int_equal(node_peers_hash(&w->node[B]), before);
    world_free(w);
}

TEST(the_older_of_two_initiations_loses_whichever_ends_first)
{
    struct wyrm_job slow, fast;
    struct world *w = two_answers_begun(&slow, &fast, 2000);

    assert_int_equal(commit(w, B, &fast), WYRM_SEND);
    sleep_through(w, 2000);
    assert_int_equal(commit(w, B, &slow), WYRM_D_TIMESTAMP);
    world_free(w);
}

TEST(the_same_response_twice_begins_one_session)
{
    struct world *w = world_make(2);
    struct datagram response;
    uint64_t before;

    make_response(w, &response);
    inject(w, A, &response, &w->node[B].address);
    settle(w, A);
    before = node_hash(&w->node[A]);
    assert_int_equal(inject(w, A, &response, &w->node[B].address), WYRM_D_INDEX);
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

/* The first one was the only response admitted without a cookie. */
TEST(the_same_response_twice_takes_one_slot)
{
    struct world *w = response_at_a();
    struct datagram response = w->last[B];

    assert_int_equal(inject(w, A, &response, &w->node[B].address), WYRM_SEND);
    w->on_wire = 0;
    settle(w, A);
    assert_int_equal(w->tally[A].ready, 1);
    assert_int_equal(w->node[A].slots[0].type, WYRM_MSG_NONE);
    world_free(w);
}

TEST(a_replayed_initiation_is_refused)
{
    struct world *w = world_make(2);
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram initiation;
    uint64_t before;

    make_initiation(w, A, B, &initiation);
    inject(w, B, &initiation, &w->node[A].address);
    settle(w, B);
    sleep_through(w, 2000);
    before = node_peers_hash(&w->node[B]);
    assert_int_equal(inject(w, B, &initiation, &elsewhere), WYRM_WORK);
    settle(w, B);
    assert_int_equal(w->verdict, WYRM_D_TIMESTAMP);
    assert_int_equal(w->tally[B].responses, 1);
    assert_int_equal(node_peers_hash(&w->node[B]), before);
    world_free(w);
}

/* After a power loss a device no longer knows which timestamps it has seen, so an old initiation
 * can be replayed. The device answers its source, but only a data packet moves the endpoint. */
TEST(an_initiation_alone_does_not_move_the_endpoint_after_a_reboot)
{
    struct world *w = world_make(2);
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram initiation, packet;

    make_initiation(w, A, B, &initiation);
    inject(w, B, &initiation, &elsewhere);
    settle(w, B);
    assert_memory_equal(&w->last[B].to, &elsewhere.remote, sizeof(elsewhere.remote));
    assert_memory_equal(&peer_of(w, B, A)->to.remote, &w->node[A].address.remote,
                        sizeof(elsewhere.remote));
    w->wire[0].to = w->node[A].address.remote;
    carry(w);
    grab(w, &packet); /* A confirms */
    assert_int_equal(inject(w, B, &packet, &elsewhere), WYRM_IDLE);
    assert_memory_equal(&peer_of(w, B, A)->to.remote, &elsewhere.remote, sizeof(elsewhere.remote));
    world_free(w);
}

/* As on Linux: A began the current session, which proves that a later initiation is not a replay.
 */
TEST(an_initiation_moves_the_endpoint_of_a_peer_that_began_the_session)
{
    struct world *w = world_make(2);
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram initiation;

    handshake(w, A, B);
    sleep_through(w, 6000);
    make_initiation(w, A, B, &initiation);
    inject(w, B, &initiation, &elsewhere);
    settle(w, B);
    assert_memory_equal(&peer_of(w, B, A)->to.remote, &elsewhere.remote, sizeof(elsewhere.remote));
    world_free(w);
}

/* A session that we began authenticates the peer, but does not tell which timestamps it has used.
 */
TEST(an_initiation_does_not_move_the_endpoint_of_a_peer_we_initiated_to)
{
    struct world *w = world_make(2);
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram recorded;

    make_initiation(w, A, B, &recorded);
    handshake(w, B, A);
    sleep_through(w, 6000);
    inject(w, B, &recorded, &elsewhere);
    settle(w, B);
    assert_int_equal(w->tally[B].responses, 1);
    assert_memory_equal(&peer_of(w, B, A)->to.remote, &w->node[A].address.remote,
                        sizeof(elsewhere.remote));
    world_free(w);
}

TEST(a_new_session_cancels_an_initiation_in_progress)
{
    struct world *w = world_make(2);
    struct wyrm_job job;

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    take_and_run(w, A, &job);
    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
    pump(w);
    assert_true(is_up(w, A, B));
    assert_int_equal(commit(w, A, &job), WYRM_IDLE);
    world_free(w);
}

/* The core is so slow that the next initiation is due before the job ends. */
TEST(a_peer_has_one_job_at_a_time)
{
    struct world *w = own_initiation_at_a();
    struct wyrm_job job, other;

    take_and_run(w, A, &job);
    sleep_through(w, 6000);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &other), WYRM_IDLE);
    assert_int_equal(commit(w, A, &job), WYRM_SEND);
    world_free(w);
}

TEST(a_peer_disconnected_before_its_job_is_taken_gets_no_initiation)
{
    struct world *w = own_initiation_at_a();

    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    pass(w, 10000);
    assert_int_equal(w->tally[A].initiations, 0);
    world_free(w);
}

TEST(after_disconnect_during_a_job_the_next_handshake_begins_at_once)
{
    struct world *w = own_initiation_at_a();
    struct wyrm_job job, next;

    take_and_run(w, A, &job);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    take_and_run(w, A, &next);
    assert_int_equal(commit(w, A, &job), WYRM_IDLE);
    assert_int_equal(commit(w, A, &next), WYRM_SEND);
    world_free(w);
}

TEST(a_new_session_cancels_pending_initiations)
{
    struct world *w = world_make(2);

    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
    settle(w, B);
    assert_true(carry(w));                              /* A answers, and waits for data */
    sleep_through(w, 6000);                             /* B would try again */
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD); /* and so would A */
    assert_true(carry(w));
    assert_true(carry(w));
    pump(w);
    assert_int_equal(w->tally[A].initiations, 0);
    assert_int_equal(w->tally[B].initiations, 1);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

/* With two workers: one processes the response while the other sends the next initiation. */
TEST(a_response_to_a_superseded_initiation_begins_no_session)
{
    struct world *w = response_at_a();
    struct wyrm_job late;

    take_and_run(w, A, &late);
    w->deaf[B] = true;
    sleep_through(w, 6000);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, 2);
    assert_int_equal(commit(w, A, &late), WYRM_D_INDEX);
    assert_false(is_up(w, A, B));
    assert_true(peer_of(w, A, B)->waiting);
    world_free(w);
}

/* Refused before the response is computed: a replay must not cost two more curve operations. */
TEST(a_replayed_initiation_is_refused_before_the_answer)
{
    struct world *w = world_make(2);
    struct datagram initiation;
    struct wyrm_job job;

    make_initiation(w, A, B, &initiation);
    inject(w, B, &initiation, &w->node[A].address);
    settle(w, B);
    sleep_through(w, 2000);
    inject(w, B, &initiation, &w->node[A].address);
    answer_begun(w, &job);
    assert_int_equal(job.result, WYRM_D_TIMESTAMP);
    world_free(w);
}

TEST(a_queued_message_for_the_old_key_is_dropped)
{
    struct world *w = initiation_at_b();
    struct wyrm_job job;

    change_key(w, B, A);
    assert_int_equal(wyrm_job_take(&w->node[B].dev, w->now, &job), WYRM_IDLE);
    world_free(w);
}

TEST(a_response_updates_the_local_path)
{
    struct world *w = world_make(2);
    struct wyrm_meta from;
    struct datagram response;

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    carry(w);
    grab(w, &response);
    from = w->node[B].address;
    from.local.bytes[3] = 42;
    inject(w, A, &response, &from);
    settle(w, A);
    assert_int_equal(peer_of(w, A, B)->to.local.bytes[3], 42);
    world_free(w);
}

/* ---- Slots ------------------------------------------------------------------ */

/* `from` learns a cookie of B, so that B admits it even under load. */
static void get_cookie(struct world *w, unsigned from)
{
    struct datagram initiation;

    w->node[B].dev.loaded_until = WYRM_TICK_NEVER;
    make_initiation(w, from, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[from].address), WYRM_SEND);
    pump(w);
}

TEST(one_slot_is_reserved_for_responses)
{
    struct world *w = world_make(4);
    struct datagram initiation, response;

    get_cookie(w, A);
    w->node[B].dev.loaded_until = 0;
    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][D]);
    settle(w, B);
    carry(w);
    grab(w, &response);
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    make_initiation(w, A, B, &initiation); /* one with a cookie replaces one without */
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_D_BUSY);
    /* D is asked for a cookie, answers the next initiation with it, and is admitted */
    assert_int_equal(inject(w, B, &response, &w->node[D].address), WYRM_SEND);
    carry(w);
    forget_last_call(peer_of(w, B, D));
    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][D]);
    sleep_through(w, 20);
    w->node[B].dev.initiated_last = false;
    assert_int_equal(work_once(w, B), WYRM_SEND);
    carry(w);
    grab(w, &response);
    assert_int_equal(inject(w, B, &response, &w->node[D].address), WYRM_WORK);
    world_free(w);
}

TEST(our_own_initiation_does_not_wait_behind_those_of_others)
{
    struct world *w = world_make(3);
    struct datagram initiation;
    struct wyrm_job job;

    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][C]);
    assert_int_equal(wyrm_job_take(&w->node[B].dev, w->now, &job), WYRM_WORK);
    assert_int_equal(job.peer, w->id[B][C]);
    assert_int_equal(wyrm_job_take(&w->node[B].dev, w->now, &job), WYRM_WORK);
    assert_int_equal(job.peer, WYRM_NO_PEER);
    world_free(w);
}

TEST(work_is_announced_once_until_the_queue_is_empty)
{
    struct world *w = initiation_at_b();
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    struct wyrm_job job;
    struct wyrm_device *dev = &w->node[B].dev;

    assert_int_equal(wyrm_poll(dev, w->now, buf, sizeof(buf), &out), WYRM_WORK);
    assert_int_equal(wyrm_poll(dev, w->now, buf, sizeof(buf), &out), WYRM_IDLE);
    assert_int_equal(wyrm_job_take(dev, w->now, &job), WYRM_WORK);
    assert_int_equal(wyrm_poll(dev, w->now, buf, sizeof(buf), &out), WYRM_IDLE);
    assert_int_equal(wyrm_job_take(dev, w->now, &job), WYRM_IDLE);
    wyrm_peer_connect(dev, w->now, w->id[B][C]);
    assert_int_equal(wyrm_poll(dev, w->now, buf, sizeof(buf), &out), WYRM_WORK);
    world_free(w);
}

TEST(a_device_without_a_key_has_no_work)
{
    struct world *w = world_make(2);
    struct wyrm_job job;

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    wyrm_set_private_key(&w->node[A].dev, NULL);
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_IDLE);
    assert_int_equal(wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]), WYRM_E_KEY);
    world_free(w);
}

/* ---- Failures of the platform ----------------------------------------------- */

/* Whichever request for random bytes fails, only a later, complete attempt sends anything. */
TEST(any_single_failure_of_randomness_costs_one_retry)
{
    for (unsigned n = A; n <= B; n++)
        for (uint32_t at = 1; at <= 4; at++) {
            struct world *w = world_make(2);

            w->node[n].random_fails_at = at;
            assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
            pass(w, 11000);
            assert_true(is_up(w, A, B));
            assert_int_equal(w->delivered, 1);
            world_free(w);
        }
}

TEST(without_randomness_no_handshake_begins)
{
    struct world *w = world_make(2);

    w->node[A].random_fails = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 60000);
    assert_int_equal(w->tally[A].initiations, 0);
    pass(w, 60000);
    assert_int_equal(w->tally[A].lost, 1);
    world_free(w);
}

TEST(without_randomness_no_handshake_is_answered)
{
    struct world *w = initiation_at_b();
    struct wyrm_job job;

    w->node[B].random_fails = true;
    assert_int_equal(wyrm_job_take(&w->node[B].dev, w->now, &job), WYRM_E_RANDOM);
    assert_int_equal(wyrm_job_take(&w->node[B].dev, w->now, &job), WYRM_IDLE);
    world_free(w);
}

TEST(without_randomness_no_cookie_is_made)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    w->node[B].random_fails = true;
    w->node[B].dev.loaded_until = WYRM_TICK_NEVER;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_D_MAC2);
    assert_int_equal(w->on_wire, 0);
    world_free(w);
}

TEST(a_generator_with_constant_output_makes_no_key)
{
    struct world *w = world_make(2);
    struct wyrm_job job;

    w->node[A].random_stuck = true;
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_E_RANDOM);
    assert_int_equal(drops_of(w, A, WYRM_D_RANDOM), 1);
    world_free(w);
}

/* Simulates waking from a saved state: the generator repeats its output. */
TEST(a_generator_that_repeats_its_output_makes_no_key_twice)
{
    struct world *w = world_make(2);
    uint64_t start = w->node[A].random_state;
    struct datagram first;

    make_initiation(w, A, B, &first);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    w->node[A].random_state = start;
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, 1);
    assert_int_equal(drops_of(w, A, WYRM_D_RANDOM), 1);
    pass(w, 6000); /* its next output is new */
    assert_int_equal(w->tally[A].initiations, 2);
    assert_memory_not_equal(first.data + INITIATION_EPHEMERAL,
                            w->last[A].data + INITIATION_EPHEMERAL, 32);
    world_free(w);
}

TEST(a_responder_answers_nobody_with_a_stuck_generator)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    w->node[B].random_stuck = true;
    inject(w, B, &initiation, &w->node[A].address);
    settle(w, B);
    assert_int_equal(w->tally[B].responses, 0);
    assert_int_equal(drops_of(w, B, WYRM_D_RANDOM), 1);
    world_free(w);
}

TEST(an_index_in_use_is_not_assigned_again)
{
    struct world *w = world_make(3);
    uint64_t random_state;
    uint32_t first;

    random_state = w->node[A].random_state;
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    first = peer_of(w, A, B)->local[WYRM_PLACE_HS];
    w->node[A].random_state = random_state; /* the next draw is the same */
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][C]);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, 1);
    assert_int_equal(drops_of(w, A, WYRM_D_RANDOM), 1);
    assert_false(peer_of(w, A, C)->waiting);
    pass(w, 6000); /* by the retry */
    assert_true(is_up(w, A, C));
    assert_true(peer_of(w, A, C)->local[WYRM_PLACE_HS] != first);
    world_free(w);
}

/* Two jobs may draw the same index before either is in the index table. */
TEST(the_slower_of_two_jobs_with_one_index_fails)
{
    struct world *w = world_make(3);
    struct wyrm_job slow, fast;

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][C]);
    take_and_run(w, A, &slow);
    take_and_run(w, A, &fast);
    slow.local = fast.local;
    assert_int_equal(commit(w, A, &fast), WYRM_SEND);
    assert_int_equal(commit(w, A, &slow), WYRM_D_RANDOM);
    assert_false(peer_of(w, A, B)->waiting);
    pass(w, 6000);
    assert_true(is_up(w, A, B)); /* by the retry */
    world_free(w);
}

TEST(a_response_whose_index_is_in_use_is_not_sent)
{
    struct world *w = initiation_at_b();
    struct wyrm_job job;

    answer_begun(w, &job);
    handshake(w, C, B);
    job.local = peer_of(w, B, C)->local[peer_of(w, B, C)->current];
    a_stale_job_changes_nothing(w, B, &job);
}

TEST(two_responses_to_a_peer_within_20_ms_become_one)
{
    struct wyrm_job slow, fast;
    struct world *w = two_answers_begun(&fast, &slow, 0);

    assert_int_equal(commit(w, B, &fast), WYRM_SEND);
    sleep_through(w, 19);
    assert_int_equal(commit(w, B, &slow), WYRM_D_RATE);
    world_free(w);
}

TEST(without_a_timestamp_no_initiation_is_sent)
{
    struct world *w = world_make(2);
    struct wyrm_job job;

    w->node[A].clock_fails = true;
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    take_and_run(w, A, &job);
    assert_int_equal(commit(w, A, &job), WYRM_E_CLOCK);
    assert_false(peer_of(w, A, B)->waiting);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD); /* which does not try again at once */
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_IDLE);
    w->node[A].clock_fails = false;
    pass(w, 6000);
    assert_true(is_up(w, A, B));
    world_free(w);
}

TEST(a_responder_needs_no_timestamp)
{
    struct world *w = world_make(2);

    w->node[B].clock_fails = true;
    handshake(w, A, B);
    world_free(w);
}

/* ---- Low order -------------------------------------------------------------- */

/* The points of order 1, 2, 4 and 8 with their non-canonical forms (RFC 7748 section 6.1 says to
 * look at the result instead of listing them; the test lists them to see that the core does). */
static const uint8_t low_order[7][32] = {
    {0},
    {1},
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
     0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
     0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1,
     0x55, 0x9c, 0x83, 0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c,
     0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}};

TEST(a_peer_of_low_order_is_sent_nothing)
{
    for (unsigned i = 0; i < 7; i++) {
        struct world *w = world_make(2);
        wyrm_peer_id id;

        if (wyrm_peer_add(&w->node[A].dev, low_order[i], &id) == WYRM_E_KEY) {
            world_free(w);
            continue;
        }
        wyrm_peer_set_endpoint(&w->node[A].dev, id, &w->node[B].address.remote);
        wyrm_peer_set_keepalive(&w->node[A].dev, id, 25);
        pass(w, 100000);
        assert_int_equal(w->tally[A].initiations, 0);
        assert_in_range(drops_of(w, A, WYRM_D_DH), 1, 25);
        world_free(w);
    }
}

/* Writes mac1 with B's public key, as anyone can. */
static void sign(struct world *w, struct datagram *message, unsigned to, size_t mac1_at)
{
    uint8_t key[32], label[40] = "mac1----";

    memcpy(label + 8, w->node[to].pub, 32);
    wyrm_blake2s(key, 32, NULL, 0, label, sizeof(label));
    wyrm_blake2s(message->data + mac1_at, 16, key, 32, message->data, mac1_at);
}

TEST(an_initiation_with_a_low_order_ephemeral_is_dropped)
{
    for (unsigned i = 0; i < 7; i++) {
        struct world *w = world_make(2);
        struct datagram initiation;
        uint64_t before = node_peers_hash(&w->node[B]);

        make_initiation(w, A, B, &initiation);
        memcpy(initiation.data + INITIATION_EPHEMERAL, low_order[i], 32);
        sign(w, &initiation, B, INITIATION_MAC1);
        assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
        settle(w, B);
        assert_int_equal(w->verdict, WYRM_D_DH);
        assert_int_equal(node_peers_hash(&w->node[B]), before);
        assert_int_equal(w->on_wire, 0);
        world_free(w);
    }
}

TEST(a_response_with_a_low_order_ephemeral_is_dropped)
{
    for (unsigned i = 0; i < 7; i++) {
        struct world *w = world_make(2);
        struct datagram response;
        uint64_t before;

        make_response(w, &response);
        before = node_peers_hash(&w->node[A]);
        memcpy(response.data + RESPONSE_EPHEMERAL, low_order[i], 32);
        sign(w, &response, A, RESPONSE_MAC1);
        assert_int_equal(inject(w, A, &response, &w->node[B].address), WYRM_WORK);
        settle(w, A);
        assert_int_equal(w->verdict, WYRM_D_DH);
        assert_int_equal(node_peers_hash(&w->node[A]), before);
        world_free(w);
    }
}

/* By then the job contains the preshared key, and possibly more secrets. */
TEST(a_job_that_fails_without_randomness_is_wiped)
{
    struct world *w = world_make(2);
    static const struct wyrm_job wiped;
    struct wyrm_job job;

    w->node[A].random_fails = true;
    assert_int_equal(wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]), WYRM_IDLE);
    memset(&job, 0xa5, sizeof(job));
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_E_RANDOM);
    assert_memory_equal(&job, &wiped, sizeof(job));
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_job_that_fails_without_randomness_is_wiped),
        RUN(an_initiation_of_the_old_key_is_not_sent),
        RUN(known_defect_54_a_job_from_before_a_new_init_is_not_sent),
        RUN(a_response_taken_before_a_new_init_begins_no_session),
        RUN(a_message_taken_before_a_new_init_is_dropped),
        RUN(a_response_computed_before_a_new_init_is_not_sent),
        RUN(a_job_may_outlive_its_device),
        RUN(an_initiation_computed_before_the_psk_was_set_completes_with_it),
        RUN(a_new_psk_invalidates_responses_but_no_sessions),
        RUN(an_initiation_to_a_removed_peer_is_not_sent),
        RUN(an_initiation_to_a_replaced_peer_is_not_sent),
        RUN(an_initiation_after_disconnect_is_not_sent),
        RUN(a_response_processed_with_the_old_key_begins_no_session),
        RUN(a_response_processed_with_the_old_psk_begins_no_session),
        RUN(a_response_of_a_removed_peer_begins_no_session),
        RUN(a_response_of_a_replaced_peer_begins_no_session),
        RUN(a_response_after_disconnect_begins_no_session),
        RUN(an_initiation_processed_with_the_old_key_is_not_answered),
        RUN(an_initiation_of_a_removed_peer_is_not_answered),
        RUN(a_response_under_the_old_key_is_not_sent),
        RUN(a_response_under_the_old_psk_is_not_sent),
        RUN(a_response_to_a_removed_peer_is_not_sent),
        RUN(a_response_to_a_replaced_peer_is_not_sent),
        RUN(a_response_after_disconnect_is_not_sent),
        RUN(endpoint_and_keepalive_may_change_under_a_job),
        RUN(two_workers_with_the_same_initiation_make_one_session),
        RUN(the_older_of_two_initiations_loses_whichever_ends_first),
        RUN(the_same_response_twice_begins_one_session),
        RUN(the_same_response_twice_takes_one_slot),
        RUN(a_replayed_initiation_is_refused),
        RUN(an_initiation_alone_does_not_move_the_endpoint_after_a_reboot),
        RUN(an_initiation_moves_the_endpoint_of_a_peer_that_began_the_session),
        RUN(an_initiation_does_not_move_the_endpoint_of_a_peer_we_initiated_to),
        RUN(a_new_session_cancels_an_initiation_in_progress),
        RUN(a_peer_has_one_job_at_a_time),
        RUN(a_peer_disconnected_before_its_job_is_taken_gets_no_initiation),
        RUN(after_disconnect_during_a_job_the_next_handshake_begins_at_once),
        RUN(a_new_session_cancels_pending_initiations),
        RUN(a_response_to_a_superseded_initiation_begins_no_session),
        RUN(a_replayed_initiation_is_refused_before_the_answer),
        RUN(a_queued_message_for_the_old_key_is_dropped),
        RUN(a_response_updates_the_local_path),
        RUN(one_slot_is_reserved_for_responses),
        RUN(our_own_initiation_does_not_wait_behind_those_of_others),
        RUN(work_is_announced_once_until_the_queue_is_empty),
        RUN(a_device_without_a_key_has_no_work),
        RUN(any_single_failure_of_randomness_costs_one_retry),
        RUN(without_randomness_no_handshake_begins),
        RUN(without_randomness_no_handshake_is_answered),
        RUN(without_randomness_no_cookie_is_made),
        RUN(a_generator_with_constant_output_makes_no_key),
        RUN(a_generator_that_repeats_its_output_makes_no_key_twice),
        RUN(a_responder_answers_nobody_with_a_stuck_generator),
        RUN(an_index_in_use_is_not_assigned_again),
        RUN(the_slower_of_two_jobs_with_one_index_fails),
        RUN(a_response_whose_index_is_in_use_is_not_sent),
        RUN(two_responses_to_a_peer_within_20_ms_become_one),
        RUN(without_a_timestamp_no_initiation_is_sent),
        RUN(a_responder_needs_no_timestamp),
        RUN(a_peer_of_low_order_is_sent_nothing),
        RUN(an_initiation_with_a_low_order_ephemeral_is_dropped),
        RUN(a_response_with_a_low_order_ephemeral_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
