/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "bench.h"

#include "lwip/inet_chksum.h"
#include "lwip/init.h"
#include "lwip/prot/tcp.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

#include <stdlib.h>

struct bench bench;
struct bench_socket bench_socket;
uint64_t bench_now;
unsigned bench_fail_at, bench_fail_timer_at;
bool bench_no_assertions;

static unsigned alive;
static unsigned alive_at_start;

WYRM_LWIP_DEFINE(tunnel, 4, 8, 4);
WYRM_DEVICE_DEFINE(far_device, 2, 4);

static const uint8_t tunnel_key[WYRM_KEY_LEN] = {0x10, [31] = 0x41};
static const uint8_t far_key[WYRM_KEY_LEN] = {0x20, [31] = 0x42};

/* ---- Memory and time ------------------------------------------------------ */

void *bench_malloc(size_t size)
{
    bool timer = size == LWIP_MEM_ALIGN_SIZE(sizeof(struct sys_timeo));
    unsigned *fail_at = timer ? &bench_fail_timer_at : &bench_fail_at;

    if (*fail_at > 0 && --*fail_at == 0)
        return NULL;
    alive++;
    return malloc(size);
}

void *bench_calloc(size_t count, size_t size)
{
    void *memory = bench_malloc(count * size);

    return memory == NULL ? NULL : memset(memory, 0, count * size);
}

void bench_free(void *memory)
{
    alive--;
    free(memory);
}

unsigned bench_alive(void)
{
    return alive;
}

u32_t sys_now(void)
{
    return (u32_t)bench_now;
}

void bench_advance(uint64_t ms)
{
    while (ms > 0) {
        uint64_t step = ms < 50 ? ms : 50;

        bench_now += step;
        ms -= step;
        sys_check_timeouts();
    }
}

/* ---- Platform -------------------------------------------------------------- */

static bool draw(void *ctx, void *out, size_t len)
{
    static uint8_t next;
    uint8_t *bytes = out;

    (void)ctx;
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(next += 0x35);
    next++;
    return !bench.random_fails;
}

static bool stamp(void *ctx, uint8_t out[12])
{
    static uint32_t count;

    if (ctx != NULL && bench.during_run != NULL)
        bench.during_run();
    memset(out, 0, 12);
    count++;
    for (int i = 0; i < 4; i++)
        out[11 - i] = (uint8_t)(count >> (8 * i));
    return true;
}

static bool far_draw(void *ctx, void *out, size_t len)
{
    static uint16_t next = 0x1234;
    uint8_t *bytes = out;

    (void)ctx;
    for (size_t i = 0; i < len; i++) {
        next = (uint16_t)(next * 25173u + 13849u);
        bytes[i] = (uint8_t)(next >> 8);
    }
    return true;
}

static const struct wyrm_platform platform = {.ctx = &bench, .random = draw, .tai64n = stamp};
static const struct wyrm_platform far_platform = {.random = far_draw, .tai64n = stamp};

/* ---- Cables ---------------------------------------------------------------- */

static err_t cable(struct netif *netif, struct pbuf *p)
{
    struct bench_packet *packet = &bench.wire[bench.n_wire];

    assert_true(bench.n_wire < BENCH_QUEUE);
    bench.n_wire++;
    packet->where = netif == &bench.out[1];
    packet->len = pbuf_copy_partial(p, packet->bytes, BENCH_PACKET_MAX, 0);
    return ERR_OK;
}

#if LWIP_IPV4
static err_t cable4(struct netif *netif, struct pbuf *p, const ip4_addr_t *to)
{
    (void)to;
    return cable(netif, p);
}
#endif

#if LWIP_IPV6
static err_t cable6(struct netif *netif, struct pbuf *p, const ip6_addr_t *to)
{
    return ip6_addr_ismulticast(to) ? ERR_OK : cable(netif, p);
}
#endif

static err_t init_cable(struct netif *netif)
{
    netif->name[0] = 'c';
    netif->name[1] = 'b';
    netif->mtu = 1500;
    netif->flags |= NETIF_FLAG_LINK_UP | NETIF_FLAG_BROADCAST;
    netif->output = cable4;
    netif->output_ip6 = cable6;
    return ERR_OK;
}

static void add_cable(unsigned where, const char *four, const char *six)
{
    struct netif *netif = &bench.out[where];
    ip4_addr_t addr, mask;

    assert_true(ip4addr_aton(four, &addr));
    IP4_ADDR(&mask, 255, 255, 255, 0);
    assert_non_null(netif_add(netif, &addr, &mask, NULL, NULL, init_cable, ip_input));
    netif_set_up(netif);
    if (six != NULL) {
        ip6_addr_t addr6;

        assert_true(ip6addr_aton(six, &addr6));
        netif_ip6_addr_set(netif, 1, &addr6);
        netif_ip6_addr_set_state(netif, 1, IP6_ADDR_PREFERRED);
    }
}

/* ---- The tunnel -------------------------------------------------------------- */

static void on_event(void *arg, wyrm_status event, wyrm_peer_id peer)
{
    (void)arg;
    (void)peer;
    bench.ready += event == WYRM_READY;
    bench.lost += event == WYRM_LOST;
}

static void on_wake(void *arg)
{
    (void)arg;
    bench.woken++;
}

static bool filter(void *arg, enum wyrm_lwip_direction direction, const struct pbuf *p)
{
    (void)arg;
    assert_true(p->tot_len >= 20);
    if (bench.during_filter != NULL)
        bench.during_filter();
    return bench.pass[direction];
}

struct wyrm_lwip_config bench_config(void)
{
    static const struct wyrm_prefix addresses[] = {
        {4, 24, {10, 7, 0, 1}},
        {6, 64, {0xfd, 7, [15] = 1}},
    };

    return (struct wyrm_lwip_config){.platform = &platform,
                                     .addresses = addresses,
                                     .n_addresses = 2,
                                     .listen_port = BENCH_PORT,
                                     .filter = filter,
                                     .event = on_event,
                                     .wake = on_wake};
}

static void far_public_key(uint8_t out[WYRM_KEY_LEN])
{
    assert_int_equal(wyrm_public_key(bench.far, out), WYRM_IDLE);
}

static struct wyrm_endpoint far_endpoint(void)
{
    struct wyrm_endpoint at = {.family = bench.six ? 6 : 4, .port = BENCH_PORT};
    static const uint8_t four[] = {192, 0, 2, 2}, six[] = {0xfd, 1, [15] = 2};

    memcpy(at.addr, bench.six ? six : four, bench.six ? 16 : 4);
    return at;
}

static void start(const struct wyrm_lwip_config *config)
{
    static const struct wyrm_prefix routes[] = {{4, 32, {10, 7, 0, 2}},
                                                {4, 24, {10, 8, 0, 0}},
                                                {6, 128, {0xfd, 7, [15] = 2}},
                                                {6, 64, {0xfd, 8}}};
    struct wyrm_endpoint at = far_endpoint();
    uint8_t pub[WYRM_KEY_LEN];

    assert_int_equal(wyrm_lwip_start(bench.tunnel, config), ERR_OK);
    assert_int_equal(BENCH_CORE(wyrm_set_private_key, tunnel_key), WYRM_IDLE);
    far_public_key(pub);
    assert_int_equal(BENCH_CORE(wyrm_peer_add, pub, &bench.peer), WYRM_IDLE);
    assert_int_equal(BENCH_CORE(wyrm_peer_set_endpoint, bench.peer, &at), WYRM_IDLE);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &routes[i]), WYRM_IDLE);
}

void bench_start(void)
{
    struct wyrm_lwip_config config = bench_config();

    start(&config);
}

void bench_restart(const struct wyrm_lwip_config *config)
{
    wyrm_lwip_stop(bench.tunnel);
    start(config);
}

static void start_far(void)
{
    static const struct wyrm_prefix all[] = {{4, 0, {0}}, {6, 0, {0}}};
    uint8_t pub[WYRM_KEY_LEN];

    bench.far = &far_device;
    assert_int_equal(wyrm_init(bench.far, &far_device_pools, &far_platform), WYRM_IDLE);
    assert_int_equal(wyrm_set_private_key(bench.far, far_key), WYRM_IDLE);
    bench_start();
    assert_int_equal(BENCH_CORE(wyrm_public_key, pub), WYRM_IDLE);
    assert_int_equal(wyrm_peer_add(bench.far, pub, &bench.far_peer), WYRM_IDLE);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(wyrm_route_add(bench.far, bench.far_peer, &all[i]), WYRM_IDLE);
}

wyrm_status bench_must_not_run(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    (void)device;
    (void)now;
    (void)arg;
    fail_msg("a call on a tunnel that is not running");
    return WYRM_IDLE;
}

static int set_up(bool six)
{
    static bool initialised;

    if (!initialised) {
        lwip_init();
        initialised = true;
    }
    memset(&bench, 0, sizeof(bench));
    bench.tunnel = &tunnel;
    bench.six = six;
    bench.pass[WYRM_LWIP_IN] = bench.pass[WYRM_LWIP_OUT] = true;
    bench_fail_at = bench_fail_timer_at = 0;
    bench_no_assertions = false;
    alive_at_start = alive;
    add_cable(0, "192.0.2.1", "fd01::1");
    add_cable(1, "198.51.100.1", NULL);
    netif_set_default(&bench.out[0]);
    start_far();
    return 0;
}

int bench_setup(TEST_STATE)
{
    return set_up(false);
}

int bench_setup_six(TEST_STATE)
{
    return set_up(true);
}

int bench_teardown(TEST_STATE)
{
    bench_fail_at = 0;
    wyrm_lwip_remove(bench.tunnel);
    netif_remove(&bench.out[0]);
    netif_remove(&bench.out[1]);
    assert_int_equal(alive, alive_at_start);
    return 0;
}

int bench_setup_socket(void **state)
{
    int result = bench_setup(state);

    bench_open(&bench_socket, 7);
    return result;
}

int bench_setup_socket_six(void **state)
{
    int result = bench_setup_six(state);

    bench_open(&bench_socket, 7);
    return result;
}

int bench_teardown_socket(void **state)
{
    bench_close(&bench_socket);
    return bench_teardown(state);
}

/* ---- The far end --------------------------------------------------------------- */

static size_t header_len(const uint8_t *ip)
{
    return ip[0] >> 4 == 6 ? 40 : 20;
}

static void far_says(const struct wyrm_packet *out)
{
    uint8_t ip[BENCH_PACKET_MAX];

    bench_inject(0, ip, bench_wrap(out->data, out->len, ip));
}

static void far_polls(void)
{
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    struct wyrm_job job;
    wyrm_status status;

    while (wyrm_job_take(bench.far, bench_now, &job) == WYRM_WORK) {
        do {
            wyrm_job_run(&job);
            status = wyrm_job_commit(bench.far, bench_now, &job, &out);
        } while (status == WYRM_WORK);
        if (status == WYRM_SEND)
            far_says(&out);
    }
    while ((status = wyrm_poll(bench.far, bench_now, buf, sizeof(buf), &out)) > WYRM_IDLE)
        if (status == WYRM_SEND)
            far_says(&out);
}

static void far_hears(struct bench_packet *packet)
{
    size_t header = header_len(packet->bytes) + 8;
    struct wyrm_meta from = {
        .remote = {.family = packet->bytes[0] >> 4,
                   .port = (uint16_t)(packet->bytes[header - 8] << 8 | packet->bytes[header - 7])}};
    struct wyrm_packet out;

    memcpy(from.remote.addr, packet->bytes + (from.remote.family == 6 ? 8 : 12),
           from.remote.family == 6 ? 16 : 4);
    bench.far_sees = from.remote;
    if (wyrm_input(bench.far, bench_now, &from, packet->bytes + header, packet->len - header,
                   &out) == WYRM_DELIVER) {
        struct bench_packet *plain = &bench.plain[bench.n_plain++];

        assert_true(bench.n_plain <= BENCH_QUEUE);
        plain->len = out.len;
        memcpy(plain->bytes, out.data, out.len);
    }
}

static bool is_for_far(const struct bench_packet *packet)
{
    const uint8_t *ip = packet->bytes;
    size_t header = header_len(ip);

    return (ip[0] >> 4 == 6 ? ip[6] : ip[9]) == IP_PROTO_UDP &&
           (ip[header + 2] << 8 | ip[header + 3]) == BENCH_PORT;
}

void bench_settle(void)
{
    static struct wyrm_job job;
    bool moved = true;

    for (int round = 0; moved; round++) {
        assert_true(round < 50);
        moved = false;
        bench.woken = 0;
        wyrm_lwip_work(bench.tunnel, &job);
        for (unsigned i = 0; i < bench.n_wire;) {
            if (!is_for_far(&bench.wire[i])) {
                i++;
                continue;
            }
            struct bench_packet packet = bench.wire[i];

            bench.n_wire--;
            memmove(&bench.wire[i], &bench.wire[i + 1], (bench.n_wire - i) * sizeof(bench.wire[0]));
            if (!bench.deaf)
                far_hears(&packet);
            moved = true;
        }
        far_polls();
        netif_poll_all();
        moved = moved || bench.woken > 0;
    }
}

void bench_connect(void)
{
    struct wyrm_peer_info info;

    assert_int_equal(BENCH_CORE(wyrm_peer_connect, bench_tunnel_now(), bench.peer), WYRM_IDLE);
    bench_settle();
    assert_int_equal(BENCH_CORE(wyrm_peer_get, bench_tunnel_now(), bench.peer, &info), WYRM_IDLE);
    assert_true(info.up);
    assert_int_equal(bench.ready, 1);
}

/* ---- Packets ------------------------------------------------------------------- */

static void put16(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static uint32_t add(uint32_t sum, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum += (uint32_t)bytes[i] << (i % 2 == 0 ? 8 : 0);
    return sum;
}

static uint16_t fold(uint32_t sum)
{
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static uint16_t transport_sum(const uint8_t *ip, size_t len)
{
    size_t header = header_len(ip);
    bool six = ip[0] >> 4 == 6;
    uint32_t sum = six ? add(0, ip + 8, 32) : add(0, ip + 12, 8);

    sum += (uint32_t)(len - header) + (six ? ip[6] : ip[9]);
    return fold(add(sum, ip + header, len - header));
}

/* Fills in an IP header for `protocol`; returns its length. */
static size_t build_ip(uint8_t *out, const char *src, const char *dst, uint8_t protocol,
                       uint8_t tos, size_t payload)
{
    ip_addr_t from, to;

    assert_true(ipaddr_aton(src, &from) && ipaddr_aton(dst, &to));
    memset(out, 0, 40);
    if (IP_IS_V6_VAL(from)) {
        out[0] = (uint8_t)(0x60 | tos >> 4);
        out[1] = (uint8_t)(tos << 4);
        put16(out + 4, payload);
        out[6] = protocol;
        out[7] = 64;
        memcpy(out + 8, ip_2_ip6(&from)->addr, 16);
        memcpy(out + 24, ip_2_ip6(&to)->addr, 16);
        return 40;
    }
    out[0] = 0x45;
    out[1] = tos;
    put16(out + 2, 20 + payload);
    out[8] = 64;
    out[9] = protocol;
    memcpy(out + 12, &ip_2_ip4(&from)->addr, 4);
    memcpy(out + 16, &ip_2_ip4(&to)->addr, 4);
    put16(out + 10, fold(add(0, out, 20)));
    return 20;
}

size_t bench_build(uint8_t *out, const struct bench_udp *udp)
{
    size_t header = build_ip(out, udp->src, udp->dst, IP_PROTO_UDP, udp->tos, 8 + udp->len);
    uint8_t *p = out + header;

    put16(p, udp->sport);
    put16(p + 2, udp->dport);
    put16(p + 4, 8 + udp->len);
    put16(p + 6, 0);
    for (size_t i = 0; i < udp->len; i++)
        p[8 + i] = (uint8_t)i;
    put16(p + 6, transport_sum(out, header + 8 + udp->len));
    return header + 8 + udp->len;
}

size_t bench_build_syn(uint8_t *out, const char *src, const char *dst, uint16_t mss, bool odd)
{
    size_t header = build_ip(out, src, dst, IP_PROTO_TCP, 0, 28);
    uint8_t *p = out + header;

    memset(p, 0, 28);
    put16(p, 1000);
    put16(p + 2, 80);
    p[12] = 7 << 4;
    p[13] = TCP_SYN;
    put16(p + 14, 4096);
    memset(p + 20, 1, 8);
    p += 20 + odd;
    p[0] = 2;
    p[1] = 4;
    put16(p + 2, mss);
    put16(out + header + 16, transport_sum(out, header + 28));
    return header + 28;
}

uint16_t bench_mss(const uint8_t *ip, bool odd)
{
    const uint8_t *at = ip + header_len(ip) + 22 + odd;

    return (uint16_t)(at[0] << 8 | at[1]);
}

bool bench_checksums_good(const uint8_t *ip, size_t len)
{
    return (ip[0] >> 4 == 6 || fold(add(0, ip, 20)) == 0) && transport_sum(ip, len) == 0;
}

size_t bench_wrap(const uint8_t *payload, size_t len, uint8_t *out)
{
    const char *src = bench.six ? "fd01::2" : "192.0.2.2";
    const char *dst = bench.six ? "fd01::1" : "192.0.2.1";
    size_t total = bench_build(out, &(struct bench_udp){.src = bench.from ? bench.from : src,
                                                        .dst = bench.reach ? bench.reach : dst,
                                                        .sport = BENCH_PORT,
                                                        .dport = BENCH_PORT,
                                                        .tos = bench.tos,
                                                        .len = len});

    memcpy(out + total - len, payload, len);
    put16(out + total - len - 2, 0);
    put16(out + total - len - 2, transport_sum(out, total));
    return total;
}

size_t bench_far_seal(const uint8_t *ip, size_t len, uint8_t *out)
{
    struct wyrm_span span = {ip, len};
    struct wyrm_packet packet;

    assert_int_equal(wyrm_output(bench.far, bench_now, &span, 1, out, BENCH_PACKET_MAX, &packet),
                     WYRM_SEND);
    return packet.len;
}

struct pbuf *bench_pbuf(const uint8_t *bytes, size_t len, pbuf_type type)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, (u16_t)len, type);

    assert_non_null(p);
    assert_int_equal(pbuf_take(p, bytes, (u16_t)len), ERR_OK);
    return p;
}

void bench_inject_pbuf(unsigned where, struct pbuf *p)
{
    assert_int_equal(bench.out[where].input(p, &bench.out[where]), ERR_OK);
}

void bench_inject(unsigned where, const uint8_t *ip, size_t len)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, (u16_t)len, PBUF_POOL);

    if (p != NULL) { /* else the driver had no buffer */
        assert_int_equal(pbuf_take(p, ip, (u16_t)len), ERR_OK);
        bench_inject_pbuf(where, p);
    }
}

void bench_far_send(const uint8_t *ip, size_t len)
{
    uint8_t sealed[BENCH_PACKET_MAX], outer[BENCH_PACKET_MAX];

    bench_inject(0, outer, bench_wrap(sealed, bench_far_seal(ip, len, sealed), outer));
}

/* ---- Inner sockets --------------------------------------------------------------- */

static void on_receive(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *addr,
                       u16_t port)
{
    struct bench_socket *s = arg;

    (void)pcb;
    (void)addr;
    (void)port;
    s->received++;
    s->len = pbuf_copy_partial(p, s->bytes, BENCH_PACKET_MAX, 0);
    pbuf_free(p);
}

void bench_open(struct bench_socket *s, uint16_t port)
{
    memset(s, 0, sizeof(*s));
    s->pcb = udp_new_ip_type(IPADDR_TYPE_ANY);
    assert_non_null(s->pcb);
    assert_int_equal(udp_bind(s->pcb, IP_ANY_TYPE, port), ERR_OK);
    udp_recv(s->pcb, on_receive, s);
}

void bench_close(struct bench_socket *s)
{
    udp_remove(s->pcb);
}

err_t bench_send(struct bench_socket *s, const char *to, uint16_t port, size_t len)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)len, PBUF_RAM);
    ip_addr_t addr;

    if (p == NULL)
        return ERR_MEM;
    for (size_t i = 0; i < len; i++)
        ((uint8_t *)p->payload)[i] = (uint8_t)i;
    assert_true(ipaddr_aton(to, &addr));
    err_t err = udp_sendto(s->pcb, p, &addr, port);
    pbuf_free(p);
    return err;
}
