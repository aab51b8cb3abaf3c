/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "resolver.h"

#include <string.h>

#include "lwip/dns.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"

#include "guard.h"
#include "net.h"

#define DNS_PORT   53
#define TRIES      4 /* per record type, alternating between servers */
#define TIMEOUT_S  1 /* of the first attempt; each further one waits a second longer */
#define HEADER_LEN 12
#define TYPE_A     1
#define TYPE_AAAA  28
#define CLASS_IN   1
#define LABEL_MAX  63
#define NAME_MAX   255 /* on the wire */

enum { RESPONSE = 0x80, OPCODE = 0x78, RECURSION_DESIRED = 0x01, RCODE = 0x0f };

static uint16_t load_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static void store_be16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

/* ---- query ---- */

/* Writes the name as labels. Returns their length, 0 if the name is invalid. */
static uint16_t put_name(uint8_t *out, const char *name)
{
    uint16_t at = 0;

    while (*name) {
        size_t len = strcspn(name, ".");

        if (len == 0 || len > LABEL_MAX || at + 1 + len + 1 > NAME_MAX)
            return 0;
        out[at++] = (uint8_t)len;
        memcpy(out + at, name, len);
        at = (uint16_t)(at + len);
        name += len;
        name += *name == '.';
    }
    out[at++] = 0;
    return at > 1 ? at : 0;
}

static void put_question(struct resolver *r, uint16_t type)
{
    r->type = type;
    r->tries = 0;
    store_be16(r->question + r->question_len - 4, type);
    store_be16(r->question + r->question_len - 2, CLASS_IN);
}

static bool send_query(struct resolver *r)
{
    uint8_t header[HEADER_LEN] = {[2] = RECURSION_DESIRED, [5] = 1};
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)(HEADER_LEN + r->question_len), PBUF_RAM);

    if (!p)
        return false;
    store_be16(header, r->id);
    (void)pbuf_take(p, header, sizeof header);
    (void)pbuf_take_at(p, r->question, r->question_len, HEADER_LEN);
    guard_bypass(true);
    err_t error = udp_send(r->pcb, p);
    guard_bypass(false);
    pbuf_free(p);
    return error == ERR_OK;
}

static void end(struct resolver *r, const ip_addr_t *address)
{
    resolver_cancel(r);
    r->done(address, r->arg);
}

static void try_again(void *resolver)
{
    struct resolver *r = resolver;

    if (r->tries == TRIES || !net_lan_dns(r->tries, &r->server)) {
        end(r, NULL);
        return;
    }
    r->tries++;
    r->id = (uint16_t)net_random();
    if (udp_connect(r->pcb, &r->server, DNS_PORT) == ERR_OK)
        (void)send_query(r); /* a lost query is retransmitted */
    sys_timeout((TIMEOUT_S + r->tries - 1u) * 1000u, try_again, r);
}

/* ---- answer ---- */

/* Returns the offset after a name, 0 if the name does not end. Does not follow compression. */
static size_t skip_name(const uint8_t *message, size_t len, size_t at)
{
    while (at < len) {
        uint8_t label = message[at];

        if (label == 0)
            return at + 1;
        if (label >= 0xc0)
            return at + 2;
        if (label > LABEL_MAX)
            return 0;
        at += 1u + label;
    }
    return 0;
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c;
}

/* Compares the whole section without case: label lengths are below 64, so never letters. */
static bool same_question(const struct resolver *r, const uint8_t *question)
{
    for (uint16_t i = 0; i < r->question_len; i++)
        if (lower(question[i]) != lower(r->question[i]))
            return false;
    return true;
}

static bool answers(const struct resolver *r, const uint8_t *message, size_t len)
{
    return len >= HEADER_LEN + (size_t)r->question_len && load_be16(message) == r->id &&
           (message[2] & (RESPONSE | OPCODE)) == RESPONSE && load_be16(message + 4) == 1 &&
           same_question(r, message + HEADER_LEN);
}

/* Finds the first address of the requested type. The server has resolved any aliases. */
static bool find_address(const struct resolver *r, const uint8_t *message, size_t len,
                         ip_addr_t *out)
{
    const uint8_t family = r->type == TYPE_AAAA ? 6 : 4;
    const uint16_t size = family == 6 ? 16 : 4;
    size_t at = HEADER_LEN + r->question_len;

    for (uint16_t left = load_be16(message + 6); left > 0; left--) {
        at = skip_name(message, len, at);
        if (at == 0 || at > len || len - at < 10)
            return false;
        uint16_t type = load_be16(message + at), class = load_be16(message + at + 2);
        uint16_t data_len = load_be16(message + at + 8);

        at += 10;
        if (data_len > len - at)
            return false;
        if (type == r->type && class == CLASS_IN && data_len == size)
            return net_address_of(family, message + at, out) && !ip_addr_isany(out);
        at += data_len;
    }
    return false;
}

/* If there is no A record, asks for AAAA. If the server fails, the timeout tries the next one. */
static void on_message(void *resolver, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                       u16_t port)
{
    static uint8_t message[RESOLVER_MESSAGE_MAX];
    struct resolver *r = resolver;
    size_t len = pbuf_copy_partial(p, message, sizeof message, 0);
    ip_addr_t address;

    (void)pcb, (void)from, (void)port; /* connected, so the sender can only be the server */
    pbuf_free(p);
    if (!answers(r, message, len))
        return;
    if (find_address(r, message, len, &address)) {
        end(r, &address);
        return;
    }
    uint8_t rcode = message[3] & RCODE;

    if (rcode != 0 && rcode != 3)
        return;
    sys_untimeout(try_again, r);
    if (rcode == 3 || r->type == TYPE_AAAA) {
        end(r, NULL);
        return;
    }
    put_question(r, TYPE_AAAA);
    try_again(r);
}

/* ---- start and cancel ---- */

/* A random source port makes forging an answer harder, as the random query id does (RFC 5452). */
static bool open_port(struct resolver *r)
{
    struct udp_pcb *pcb = udp_new_ip_type(IPADDR_TYPE_ANY);
    err_t error = ERR_USE;

    if (!pcb)
        return false;
    for (int i = 0; i < 8 && error != ERR_OK; i++)
        error = udp_bind(pcb, IP_ANY_TYPE, (u16_t)(1024 + net_random() % (65536 - 1024)));
    if (error != ERR_OK) {
        udp_remove(pcb);
        return false;
    }
    udp_bind_netif(pcb, net_interface());
    udp_recv(pcb, on_message, r);
    r->pcb = pcb;
    return true;
}

bool resolver_ask(struct resolver *r, const char *name, resolver_done done, void *arg)
{
    uint16_t name_len = put_name(r->question, name);

    resolver_cancel(r);
    if (name_len == 0 || !net_lan_dns(0, &r->server) || !open_port(r))
        return false;
    r->question_len = (uint16_t)(name_len + 4);
    r->done = done;
    r->arg = arg;
    put_question(r, TYPE_A);
    try_again(r);
    return true;
}

void resolver_cancel(struct resolver *r)
{
    sys_untimeout(try_again, r);
    if (r->pcb)
        udp_remove(r->pcb);
    r->pcb = NULL;
}
