/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Every call of a primitive that the vectors of tests/c/vectors lead to, with the results it must
 * have: lab/src/wyrmlab/vectors/recording.py writes them down, vectors.S brings them. Arguments lie
 * at any address, as they come.
 */
#include "board.h"
#include "print.h"
#include "wyrm_crypto.h"

#include <string.h>

enum call {
    END,
    X25519,
    X25519_BASE,
    SEAL,
    SEAL_IN_PLACE,
    OPEN,
    XSEAL,
    XOPEN,
    CHACHA20_XOR,
    HCHACHA20,
    POLY1305,
    BLAKE2S,
    HMAC,
    KDF
};

enum { ROOM = 4096 + 64, MAX_PIECES = 8, MAX_OUTPUTS = 3 };

struct string {
    const uint8_t *data;
    size_t len;
};

/* How many words the calls take, how many strings there are; the calls, where each string begins
 * and the last one ends, the strings. */
extern const uint32_t vectors[];

static const uint32_t *at = vectors + 2; /* the next word of a call */
static const uint32_t *starts;
static const uint8_t *strings;
static uint8_t room[ROOM];

static uint32_t number(void)
{
    return *at++;
}

static struct string string(void)
{
    uint32_t n = number();

    return (struct string){strings + starts[n], starts[n + 1] - starts[n]};
}

static bool is(const uint8_t *got, struct string want)
{
    return memcmp(got, want.data, want.len) == 0;
}

/* `shift` bytes off the start of the room. */
static uint8_t *put(struct string text, uint32_t shift)
{
    if (text.len + shift + WYRM_AEAD_TAG_LEN > sizeof(room)) {
        board_print("a text is longer than the room for it\n");
        board_exit(1);
    }
    memset(room, 0xa5, sizeof(room));
    memcpy(room + shift, text.data, text.len);
    return room + shift;
}

static bool x25519(void)
{
    struct string scalar = string(), point = string();
    bool usable = number() != 0;
    struct string want = string();

    return wyrm_x25519(room, scalar.data, point.data) == usable && is(room, want);
}

static bool x25519_base(void)
{
    struct string scalar = string(), want = string();

    wyrm_x25519_base(room, scalar.data);
    return is(room, want);
}

static bool seal(void)
{
    struct string key = string(), nonce = string(), aad = string(), want;
    struct wyrm_span spans[MAX_PIECES];
    uint32_t n = number(), pad;

    for (uint32_t i = 0; i < n; i++) {
        struct string piece = string();

        spans[i % MAX_PIECES] = (struct wyrm_span){piece.data, piece.len};
    }
    pad = number();
    want = string();
    (void)put(want, 0); /* fits, and is gone by what follows */
    memset(room, 0, want.len);
    wyrm_aead_seal(room, spans, n, pad, aad.data, aad.len, nonce.data, key.data);
    return n <= MAX_PIECES && is(room, want);
}

static bool seal_in_place(void)
{
    struct string key = string(), nonce = string(), aad = string(), plain = string();
    uint8_t *buf = put(plain, number());
    struct string want = string();
    struct wyrm_span span = {buf, plain.len};

    wyrm_aead_seal(buf, &span, 1, 0, aad.data, aad.len, nonce.data, key.data);
    return is(buf, want);
}

static bool xseal(void)
{
    struct string key = string(), nonce = string(), aad = string(), plain = string();
    struct string want = string();
    uint8_t *buf = put(plain, 0);

    wyrm_xaead_seal(buf, buf, plain.len, aad.data, aad.len, nonce.data, key.data);
    if (!is(buf, want))
        return false;
    memset(room, 0, want.len);
    wyrm_xaead_seal(room, plain.data, plain.len, aad.data, aad.len, nonce.data, key.data);
    return is(room, want);
}

/* A refused text stays as it is. */
static bool open(bool function(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                               const uint8_t *nonce, const uint8_t *key))
{
    struct string key = string(), nonce = string(), aad = string(), text = string();
    uint8_t *buf = put(text, number());
    bool good = number() != 0;
    struct string want = string();

    return function(buf, text.len, aad.data, aad.len, nonce.data, key.data) == good &&
           is(buf, want);
}

static bool chacha20_xor(void)
{
    struct string key = string(), nonce = string();
    uint32_t counter = number();
    struct string data = string(), want = string();
    uint8_t *buf = put(data, 0);

    wyrm_chacha20_xor(buf, buf, data.len, key.data, nonce.data, counter);
    return is(buf, want);
}

static bool hchacha20(void)
{
    struct string key = string(), nonce = string(), want = string();

    wyrm_hchacha20(room, key.data, nonce.data);
    return is(room, want);
}

static bool poly1305(void)
{
    struct string key = string(), message = string();
    const uint8_t *in = put(message, number());
    struct string want = string();
    uint8_t tag[WYRM_AEAD_TAG_LEN];

    wyrm_poly1305(tag, in, message.len, key.data);
    return is(tag, want);
}

static bool blake2s(void)
{
    const uint32_t *pieces, *after;
    struct string key = string(), want;
    struct wyrm_blake2s state;
    uint32_t n = number();

    pieces = at;
    at += n;
    want = string();
    after = at;
    wyrm_blake2s_init(&state, want.len, key.data, key.len);
    for (at = pieces; n > 0; n--) {
        struct string piece = string();

        wyrm_blake2s_update(&state, piece.data, piece.len);
    }
    at = after;
    wyrm_blake2s_final(&state, room);
    return is(room, want);
}

static bool hmac(void)
{
    struct string key = string(), data = string(), want = string();

    wyrm_hmac(room, key.data, key.len, data.data, data.len);
    return is(room, want);
}

static bool kdf(void)
{
    struct string chain = string(), data = string();
    uint8_t out[MAX_OUTPUTS][WYRM_HASH_LEN];
    uint32_t n = number();
    bool right = n <= MAX_OUTPUTS;

    memcpy(out[0], chain.data, sizeof(out[0])); /* the first output overwrites it */
    wyrm_kdf(out[0], n > 1 ? out[1] : NULL, n > 2 ? out[2] : NULL, out[0], data.data, data.len);
    for (uint32_t i = 0; i < n; i++) {
        struct string want = string();

        right = right && is(out[i % MAX_OUTPUTS], want);
    }
    return right;
}

static bool run(enum call call)
{
    switch (call) {
    case X25519:
        return x25519();
    case X25519_BASE:
        return x25519_base();
    case SEAL:
        return seal();
    case SEAL_IN_PLACE:
        return seal_in_place();
    case OPEN:
        return open(wyrm_aead_open);
    case XSEAL:
        return xseal();
    case XOPEN:
        return open(wyrm_xaead_open);
    case CHACHA20_XOR:
        return chacha20_xor();
    case HCHACHA20:
        return hchacha20();
    case POLY1305:
        return poly1305();
    case BLAKE2S:
        return blake2s();
    case HMAC:
        return hmac();
    case KDF:
        return kdf();
    case END:
        break;
    }
    return false;
}

int main(void)
{
    uint32_t calls = 0, call;

    starts = at + vectors[0];
    strings = (const uint8_t *)(starts + vectors[1] + 1);
    while ((call = number()) != END) {
        if (!run((enum call)call)) {
            print_number("call ", calls);
            print_number(" of kind ", call);
            board_print(" has another result\n");
            return 1;
        }
        calls++;
    }
    print_number("ok ", calls);
    board_print(" calls\n");
    return at == starts && calls > 0 ? 0 : 1;
}
