/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The wg-quick reader: what it takes, what it refuses and with which words, and that neither
 * truncation nor noise gets past it. Texts are parsed from a heap block of exactly their length.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "wyrm_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PEERS        3
#define PREFIXES     8
#define EVERYTHING   (WYRM_CONF_NAMES | WYRM_CONF_DNS | WYRM_CONF_FWMARK)

#define PRIV  "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
#define PUB   "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg="
#define PUB2  "TrMvSoP4jYQlY6RIzBgbssQqY3vxI2Pi+y71lOWWXX0="
#define PSK   "FpCyhws9cxwWoV4xELtfJvjJN+zQVRPISllRWgeopVE="
#define ZERO  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define IFACE "[Interface]\nPrivateKey = " PRIV "\n"
#define PEER  "[Peer]\nPublicKey = " PUB "\n"

static const char good[] = "# my laptop\n"
                           "[Interface]\n"
                           "PrivateKey = " PRIV "\n"
                           "Address = 10.9.0.2/24, fd09::2/64\n"
                           "ListenPort = 51820\n"
                           "MTU = 1380\n"
                           "FwMark = 0xca6c\n"
                           "DNS = 9.9.9.9, 2620:fe::fe\n"
                           "\n"
                           "[Peer] # the server\n"
                           "PublicKey = " PUB "\n"
                           "PresharedKey = " PSK "\n"
                           "AllowedIPs = 0.0.0.0/0, ::/0\n"
                           "Endpoint = vpn.example.com:51820\n"
                           "PersistentKeepalive = 25\n"
                           "[Peer]\n"
                           "PublicKey = " PUB2 "\n"
                           "AllowedIPs = 10.9.0.3\n"
                           "AllowedIPs = fd09::3\n"
                           "Endpoint = [fe80::1%eth0]:51821\n";

static struct wyrm_conf_peer peers[PEERS];
static struct wyrm_prefix prefixes[PREFIXES];
static struct wyrm_conf conf;
static char error[WYRM_CONF_ERROR_MAX];
static char notes[2048];
static char printed[4096];
static char *text_kept; /* host names point into it */

static void take_note(void *ctx, const char *sentence)
{
    (void)ctx;
    assert_true(strlen(sentence) + 1 < sizeof(error)); /* fits, not cut */
    strncat(notes, sentence, sizeof(notes) - strlen(notes) - 1);
    strncat(notes, "\n", sizeof(notes) - strlen(notes) - 1);
}

static wyrm_status parse_n(const char *text, size_t len, unsigned features)
{
    conf = (struct wyrm_conf){.peers = peers,
                              .prefixes = prefixes,
                              .max_peers = PEERS,
                              .max_prefixes = PREFIXES,
                              .features = features,
                              .note = take_note};
    notes[0] = '\0';
    memset(error, 'x', sizeof(error));
    free(text_kept);
    text_kept = malloc(len);
    assert_non_null(text_kept);
    memcpy(text_kept, text, len);
    wyrm_status status = wyrm_conf_parse(&conf, text_kept, len, error, sizeof(error));
    assert_true(strlen(error) + 1 < sizeof(error));
    assert_int_equal(status == WYRM_IDLE, error[0] == '\0');
    return status;
}

static wyrm_status parse(const char *text, unsigned features)
{
    return parse_n(text, strlen(text), features);
}

static void print_piece(void *ctx, const char *text, size_t len)
{
    (void)ctx;
    assert_true(strlen(printed) + len < sizeof(printed));
    strncat(printed, text, len);
}

static const char *print_conf(void)
{
    printed[0] = '\0';
    wyrm_conf_print(&conf, print_piece, NULL);
    return printed;
}

static void assert_wiped(void)
{
    static const struct wyrm_conf_peer no_peers[PEERS];
    static const struct wyrm_prefix no_prefixes[PREFIXES];
    static const uint8_t no_key[WYRM_KEY_LEN];

    assert_memory_equal(peers, no_peers, sizeof(peers));
    assert_memory_equal(prefixes, no_prefixes, sizeof(prefixes));
    assert_memory_equal(conf.priv, no_key, sizeof(no_key));
    assert_true(!conf.has_private_key && conf.n_peers == 0 && conf.n_prefixes == 0);
    assert_ptr_equal(conf.peers, peers);
}

/* ---- What is taken --------------------------------------------------------- */

TEST(ordinary_file_is_read_whole)
{
    assert_int_equal(parse(good, EVERYTHING), WYRM_IDLE);
    assert_string_equal(notes, "");
    assert_true(conf.has_private_key && conf.priv[0] == 0xc8 && conf.priv[31] == 0x69);
    assert_int_equal(conf.listen_port, 51820);
    assert_int_equal(conf.mtu, 1380);
    assert_int_equal(conf.fwmark, 0xca6c);
    assert_int_equal(conf.n_dns, 2);
    assert_int_equal(conf.addresses.count, 2);
    assert_int_equal(prefixes[conf.addresses.first].addr[3], 2);

    assert_int_equal(conf.n_peers, 2);
    assert_int_equal(peers[0].line, 10);
    assert_int_equal(peers[0].pub[0], 0xc5);
    assert_int_equal(peers[0].psk[0], 0x16);
    assert_int_equal(peers[0].keepalive_s, 25);
    assert_int_equal(peers[0].allowed.count, 2);
    assert_int_equal(peers[0].endpoint.address.family, 0);
    assert_int_equal(peers[0].endpoint.address.port, 51820);
    assert_memory_equal(peers[0].endpoint.name, "vpn.example.com", peers[0].endpoint.name_len);
    assert_int_equal(peers[1].allowed.first, 4);
    assert_int_equal(peers[1].allowed.count, 2);
    assert_int_equal(prefixes[5].bits, 128);
    assert_int_equal(peers[1].endpoint.address.family, 6);
}

TEST(printing_masks_secrets_and_nothing_else)
{
    assert_int_equal(parse(good, EVERYTHING), WYRM_IDLE);
    assert_string_equal(print_conf(), "[Interface]\n"
                                      "PrivateKey = (hidden)\n"
                                      "ListenPort = 51820\n"
                                      "Address = 10.9.0.2/24\n"
                                      "Address = fd09::2/64\n"
                                      "MTU = 1380\n"
                                      "FwMark = 51820\n"
                                      "DNS = 9.9.9.9\n"
                                      "DNS = 2620:fe::fe\n"
                                      "\n"
                                      "[Peer]\n"
                                      "PublicKey = " PUB "\n"
                                      "PresharedKey = (hidden)\n"
                                      "AllowedIPs = 0.0.0.0/0\n"
                                      "AllowedIPs = ::/0\n"
                                      "Endpoint = vpn.example.com:51820\n"
                                      "PersistentKeepalive = 25\n"
                                      "\n"
                                      "[Peer]\n"
                                      "PublicKey = " PUB2 "\n"
                                      "AllowedIPs = 10.9.0.3/32\n"
                                      "AllowedIPs = fd09::3/128\n"
                                      "Endpoint = [fe80::1%eth0]:51821\n");
}

TEST(printed_file_without_secrets_reads_back_the_same)
{
    static const char text[] = "[Interface]\nListenPort=1\n[Peer]\nPublicKey=" PUB
                               "\nAllowedIPs=1.2.3.4/8\nEndpoint=[2001:db8::1]:7\n";
    char first[sizeof(printed)];

    assert_int_equal(parse(text, WYRM_CONF_OWN_KEY), WYRM_IDLE);
    memcpy(first, print_conf(), sizeof(first));
    assert_int_equal(parse(first, WYRM_CONF_OWN_KEY), WYRM_IDLE);
    assert_string_equal(print_conf(), first);
}

TEST(case_blanks_line_ends_and_comments_do_not_matter)
{
    static const char odd[] = "\xef\xbb\xbf \t\r\n#PrivateKey = nonsense\r\n"
                              "  [INTERFACE]#[Peer]\r\n"
                              "\tprivatekey=" PRIV "#c\r\n"
                              "ADDRESS=10.9.0.2/24,fd09::2/64\r\n"
                              "address\t=\t10.9.1.2/24 \t \r\n"
                              "[peer]\r\n"
                              "publicKEY =" PUB "\r\n"
                              "allowedips= 0.0.0.0/0 ,::/0# all\r\n"
                              "PERSISTENTKEEPALIVE = OFF\r\n";

    assert_int_equal(parse(odd, 0), WYRM_IDLE);
    assert_string_equal(notes, "");
    assert_int_equal(conf.addresses.count, 3);
    assert_int_equal(peers[0].allowed.count, 2);
    assert_int_equal(peers[0].keepalive_s, 0);
}

TEST(values_at_their_limits_are_taken)
{
    static const char *const lines[] = {
        IFACE "ListenPort = 0\n" PEER "AllowedIPs = ::/0\n",
        IFACE "ListenPort = 65535\n" PEER "AllowedIPs = ::/0\n",
        IFACE "MTU = 576\n" PEER "AllowedIPs = ::/0\n",
        IFACE "MTU = 65408\n" PEER "AllowedIPs = ::/0\n",
        IFACE "FwMark = off\n" PEER "AllowedIPs = ::/0\n",
        IFACE "FwMark = 0xFFFFFFFF\n" PEER "AllowedIPs = ::/0\n",
        IFACE "FwMark = 4294967295\n" PEER "AllowedIPs = ::/0\n",
        IFACE PEER "PersistentKeepalive = 65535\nAllowedIPs = ::/0\n",
        IFACE PEER "PersistentKeepalive = 0\nAllowedIPs = ::/0\n",
        IFACE PEER "PresharedKey = " ZERO "\nAllowedIPs = ::/0\n",
        PEER "AllowedIPs = ::/0\n" IFACE, /* sections in any order */
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_int_equal(parse(lines[i], EVERYTHING), WYRM_IDLE);
        assert_string_equal(notes, "");
    }
}

TEST(device_with_its_own_key_needs_none_in_the_file)
{
    static const char text[] = "[Interface]\nListenPort = 1\n" PEER "AllowedIPs = ::/0\n";

    assert_int_equal(parse(text, WYRM_CONF_OWN_KEY), WYRM_IDLE);
    assert_false(conf.has_private_key);
    assert_int_equal(parse(text, 0), WYRM_E_TEXT);
    assert_string_equal(error, "line 1: [Interface] has no PrivateKey. Make one with `wg genkey`.");
}

/* ---- What is noted ----------------------------------------------------------- */

TEST(keys_that_do_nothing_here_are_noted)
{
    assert_int_equal(parse(IFACE "Table = off\nPreUp = echo a=b, c\nPostUp =\nPreDown = x\n"
                                 "PostDown = y\nPostDown = z\nSaveConfig = true\nFwMark = 7\n"
                                 "DNS = 1.1.1.1\n" PEER "AllowedIPs = ::/0\n",
                           0),
                     WYRM_IDLE);
    assert_string_equal(notes, "line 3: Table does nothing here.\n"
                               "line 4: PreUp does nothing here.\n"
                               "line 5: PostUp does nothing here.\n"
                               "line 6: PreDown does nothing here.\n"
                               "line 7: PostDown does nothing here.\n"
                               "line 8: PostDown does nothing here.\n"
                               "line 9: SaveConfig does nothing here.\n"
                               "line 10: FwMark does nothing here.\n"
                               "line 11: DNS does nothing here.\n");
    assert_true(conf.fwmark == 0 && conf.n_dns == 0);
}

TEST(search_domains_and_a_third_server_are_noted)
{
    assert_int_equal(parse(IFACE "DNS = 1.1.1.1, example.com, ::1, 2.2.2.2\n" PEER
                                 "AllowedIPs = ::/0\n",
                           WYRM_CONF_DNS),
                     WYRM_IDLE);
    assert_string_equal(
        notes, "line 3: item 2 of DNS does nothing here: search domains are not used.\n"
               "line 3: item 4 of DNS does nothing here: there are enough servers already.\n");
    assert_int_equal(conf.n_dns, 2);
}

TEST(incomplete_looking_files_are_noted)
{
    assert_int_equal(parse(IFACE, 0), WYRM_IDLE);
    assert_string_equal(notes, "line 2: there is no [Peer], so there is nobody to talk to.\n");
    assert_int_equal(parse(IFACE PEER, 0), WYRM_IDLE);
    assert_string_equal(notes,
                        "line 3: this [Peer] has no AllowedIPs: nothing will be sent to it.\n");
    assert_int_equal(parse(IFACE PEER "AllowedIPs = 10.0.0.0/2", 0), WYRM_IDLE);
    assert_string_equal(notes, "line 5: the text does not end with a line break. If it was cut "
                               "short, this last line may be wrong.\n");
}

TEST(notes_are_optional)
{
    parse(good, EVERYTHING);
    conf.note = NULL;
    assert_int_equal(
        wyrm_conf_parse(&conf, IFACE "Table = 1\n", strlen(IFACE "Table = 1\n"), error, 1),
        WYRM_IDLE);
}

/* ---- What is refused ----------------------------------------------------------- */

#define KEY_LENGTH(name, n, tool)                                                                  \
    name " must be 44 base64 characters ending in '='; this one has " n                            \
         ". Copy it whole from `wg " tool "`."
#define NO_ENDPOINT                                                                                \
    "Endpoint must look like 192.0.2.1:51820, [2001:db8::1]:51820 or vpn.example.com:51820."
#define NO_ADDRESS(item, name)                                                                     \
    "item " item " of " name " is not an address. Write it like 10.0.0.2/24 or fd00::2/64."

TEST(every_mistake_gets_its_line_and_one_sentence)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        /* Sections and lines. */
        {"", "line 1: there is no [Interface] section. Is the text complete?"},
        {"# only this\n", "line 1: there is no [Interface] section. Is the text complete?"},
        {PEER "AllowedIPs = ::/0\n",
         "line 3: there is no [Interface] section. Is the text complete?"},
        {"\nPrivateKey = " PRIV "\n",
         "line 2: this stands before any section. Begin with [Interface]."},
        {"[Interfaces]\n", "line 1: no such section. There are [Interface] and [Peer]."},
        {"[Interface\n", "line 1: no such section. There are [Interface] and [Peer]."},
        {"[Interface}\n", "line 1: no such section. There are [Interface] and [Peer]."},
        {"[\n", "line 1: no such section. There are [Interface] and [Peer]."},
        {"[]\n", "line 1: no such section. There are [Interface] and [Peer]."},
        {IFACE "[Interface]\n", "line 3: there is an [Interface] already. Make it one section."},
        {IFACE "ListenPort 51820\n",
         "line 3: there is no '='. Write Key = value; is the text complete?"},
        {IFACE "Listenport\n", "line 3: there is no '='. Write Key = value; is the text complete?"},
        /* Keys. */
        {IFACE "Port = 1\n",
         "line 3: this is not a setting of [Interface]. It may have PrivateKey, "
         "ListenPort, Address, MTU, FwMark, DNS."},
        {IFACE "= 1\n",
         "line 3: this is not a setting of [Interface]. It may have PrivateKey, ListenPort, "
         "Address, MTU, FwMark, DNS."},
        {IFACE "Listen Port = 1\n",
         "line 3: this is not a setting of [Interface]. It may have PrivateKey, "
         "ListenPort, Address, MTU, FwMark, DNS."},
        {IFACE PEER "Keepalive = 1\n", "line 5: this is not a setting of [Peer]. It may have "
                                       "PublicKey, PresharedKey, AllowedIPs, "
                                       "Endpoint, PersistentKeepalive."},
        {IFACE "Endpoint = 1.2.3.4:5\n",
         "line 3: Endpoint is not a setting of [Interface] but of the other kind of section."},
        {IFACE PEER "MTU = 1400\n",
         "line 5: MTU is not a setting of [Peer] but of the other kind of section."},
        {IFACE "ListenPort = 1\nlistenport = 1\n",
         "line 4: ListenPort is given twice in this section. Keep one."},
        {IFACE "PrivateKey = " PRIV "\n",
         "line 3: PrivateKey is given twice in this section. Keep one."},
        {IFACE PEER "PublicKey = " PUB2 "\n",
         "line 5: PublicKey is given twice in this section. Keep one."},
        {IFACE PEER "Endpoint = 1.2.3.4:5\nEndpoint = 1.2.3.4:5\n",
         "line 6: Endpoint is given twice in this section. Keep one."},
        {IFACE "Address =\n", "line 3: Address has no value. Give one or remove the line."},
        {IFACE "MTU = # 1400\n", "line 3: MTU has no value. Give one or remove the line."},
        {IFACE PEER "AllowedIPs = \n",
         "line 5: AllowedIPs has no value. Give one or remove the line."},
        /* Keys of cryptography. */
        {"[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk\n",
         "line 2: " KEY_LENGTH("PrivateKey", "43", "genkey")},
        {"[Interface]\nPrivateKey = " PRIV "=\n",
         "line 2: " KEY_LENGTH("PrivateKey", "45", "genkey")},
        {"[Interface]\nPrivateKey = (hidden)\n",
         "line 2: " KEY_LENGTH("PrivateKey", "8", "genkey")},
        {"[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq-hd2rYUIgJBgB3fBmk=\n",
         "line 2: PrivateKey has 44 characters but is not a key: some are wrong. Copy it from "
         "`wg genkey`."},
        {"[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBml=\n",
         "line 2: PrivateKey has 44 characters but is not a key: some are wrong. Copy it from "
         "`wg genkey`."},
        {"[Interface]\nPrivateKey = " ZERO "\n",
         "line 2: PrivateKey is all zeros, which is not a valid key. Copy it from `wg genkey`."},
        {IFACE "[Peer]\nPublicKey = abc\n", "line 4: " KEY_LENGTH("PublicKey", "3", "pubkey")},
        {IFACE "[Peer]\nPublicKey = " ZERO "\n",
         "line 4: PublicKey is all zeros, which is not a valid key. Copy it from `wg pubkey`."},
        {IFACE PEER "PresharedKey = abc=\n", "line 5: " KEY_LENGTH("PresharedKey", "4", "genpsk")},
        {IFACE "[Peer]\nAllowedIPs = ::/0\n",
         "line 3: this [Peer] has no PublicKey. Is the text complete?"},
        {IFACE "[Peer]\n[Peer]\n", "line 3: this [Peer] has no PublicKey. Is the text complete?"},
        {IFACE PEER "AllowedIPs = ::/0\n" PEER,
         "line 7: this PublicKey is that of the [Peer] at line 3 too. Keep one of them."},
        {"[Interface]\n" PEER, "line 1: [Interface] has no PrivateKey. Make one with `wg genkey`."},
        /* Numbers. */
        {IFACE "ListenPort = 65536\n", "line 3: ListenPort must be a number from 0 to 65535."},
        {IFACE "ListenPort = off\n", "line 3: ListenPort must be a number from 0 to 65535."},
        {IFACE "ListenPort = 0x10\n", "line 3: ListenPort must be a number from 0 to 65535."},
        {IFACE "MTU = 575\n", "line 3: MTU must be a number from 576 to 65408."},
        {IFACE "MTU = 65409\n", "line 3: MTU must be a number from 576 to 65408."},
        {IFACE "MTU = -1\n", "line 3: MTU must be a number from 576 to 65408."},
        {IFACE "FwMark = 4294967296\n",
         "line 3: FwMark must be off or a number from 0 to 4294967295."},
        {IFACE "FwMark = 0x\n", "line 3: FwMark must be off or a number from 0 to 4294967295."},
        {IFACE "FwMark = 0x100000000\n",
         "line 3: FwMark must be off or a number from 0 to 4294967295."},
        {IFACE PEER "PersistentKeepalive = 65536\n",
         "line 5: PersistentKeepalive must be off or a number from 0 to 65535."},
        {IFACE PEER "PersistentKeepalive = 25s\n",
         "line 5: PersistentKeepalive must be off or a number from 0 to 65535."},
        /* Addresses. */
        {IFACE "Address = 10.0.0.256/24\n", "line 3: " NO_ADDRESS("1", "Address")},
        {IFACE "Address = 10.0.0.1/24, fd00::1/129\n",
         "line 3: item 2 of Address: the prefix length must be 0 to 128."},
        {IFACE PEER "AllowedIPs = 10.77.0.0/33\n",
         "line 5: item 1 of AllowedIPs: the prefix length must be 0 to 32."},
        {IFACE PEER "AllowedIPs = 10.77.0.0/\n", "line 5: " NO_ADDRESS("1", "AllowedIPs")},
        {IFACE "Address = 10.0.0.1/24,\n", "line 3: " NO_ADDRESS("2", "Address")},
        {IFACE "Address = ,10.0.0.1/24\n", "line 3: " NO_ADDRESS("1", "Address")},
        {IFACE "Address = 10.0.0.1/24 10.0.0.2/24\n", "line 3: " NO_ADDRESS("1", "Address")},
        {IFACE PEER "AllowedIPs = (none)\n", "line 5: " NO_ADDRESS("1", "AllowedIPs")},
        {IFACE PEER "AllowedIPs = ::/0, -10.0.0.0/8\n",
         "line 5: item 2 of AllowedIPs starts with + or -, which only changes a running interface. "
         "List all addresses instead."},
        {IFACE PEER "AllowedIPs = +10.0.0.0/8\n",
         "line 5: item 1 of AllowedIPs starts with + or -, which only changes a running interface. "
         "List all addresses instead."},
        {IFACE "DNS = 1.1.1\n",
         "line 3: item 1 of DNS is not an address such as 9.9.9.9 or 2620:fe::fe."},
        {IFACE "DNS = 1.1.1.1/32\n",
         "line 3: item 1 of DNS is not an address such as 9.9.9.9 or 2620:fe::fe."},
        {IFACE "DNS = a.b, c d\n",
         "line 3: item 2 of DNS is not an address such as 9.9.9.9 or 2620:fe::fe."},
        {IFACE PEER "Endpoint = 192.0.2.1\n", "line 5: " NO_ENDPOINT},
        {IFACE PEER "Endpoint = 2001:db8::1:51820\n", "line 5: " NO_ENDPOINT},
        {IFACE PEER "Endpoint = 192.0.2.1:0\n", "line 5: " NO_ENDPOINT},
        {IFACE PEER "Endpoint = [192.0.2.1]:5\n", "line 5: " NO_ENDPOINT},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(parse(cases[i].text, EVERYTHING), WYRM_E_TEXT);
        assert_string_equal(error, cases[i].error);
        assert_wiped();
    }
}

/* Nothing waits for an answer here, and the port may find an address of either family. */
TEST(known_defect_36_the_listen_port_is_independent_of_the_endpoint)
{
    assert_int_equal(
        parse(IFACE "ListenPort = 4444\n" PEER "Endpoint = vpn.example.com:51820\n", EVERYTHING),
        WYRM_IDLE);
    assert_int_equal(conf.listen_port, 4444);
    assert_int_equal(peers[0].endpoint.address.port, 51820);
    assert_int_equal(peers[0].endpoint.address.family, 0);
    assert_int_equal(peers[0].endpoint.name_len, strlen("vpn.example.com"));
}

TEST(host_name_is_refused_where_nothing_can_resolve_it)
{
    assert_int_equal(parse(IFACE PEER "Endpoint = vpn.example.com:51820\n", 0), WYRM_E_TEXT);
    assert_string_equal(error, "line 5: Endpoint is a host name, and this device cannot resolve "
                               "names. Give its numeric address.");
}

TEST(more_than_the_device_holds_is_refused_as_full)
{
    assert_int_equal(parse(IFACE PEER "AllowedIPs = 1.1.1.1,1.1.1.2,1.1.1.3,1.1.1.4,1.1.1.5,"
                                      "1.1.1.6,1.1.1.7,1.1.1.8\n",
                           0),
                     WYRM_IDLE);
    assert_int_equal(parse(IFACE "Address = 1.1.1.1,1.1.1.2,1.1.1.3,1.1.1.4,1.1.1.5\n" PEER
                                 "AllowedIPs = 1.1.1.5,1.1.1.6,1.1.1.7,1.1.1.8\n",
                           0),
                     WYRM_E_FULL);
    assert_string_equal(
        error, "line 6: too many addresses: Address and AllowedIPs may have 8 in all here.");
    assert_wiped();
    assert_int_equal(parse(IFACE PEER "[Peer]\nPublicKey=" PUB2 "\n[Peer]\nPublicKey=" PRIV
                                      "\n[Peer]\nPublicKey=" PSK "\n",
                           0),
                     WYRM_E_FULL);
    assert_string_equal(error, "line 9: too many peers: this device takes 3.");
    assert_wiped();
}

/* Who knows the tunnel's limits finds out at once, not when the tunnel is to start. */
static wyrm_status parse_with_limits(const char *text)
{
    conf = (struct wyrm_conf){.peers = peers,
                              .prefixes = prefixes,
                              .max_peers = PEERS,
                              .max_prefixes = PREFIXES,
                              .max_allowed = 4,
                              .max_ipv4 = 1,
                              .max_ipv6 = 2,
                              .note = take_note};
    notes[0] = '\0';
    return wyrm_conf_parse(&conf, text, strlen(text), error, sizeof(error));
}

TEST(known_defect_63_more_than_the_tunnel_takes_is_refused_with_the_limit)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {IFACE "Address = 10.0.0.1/24, fd00::1, fd00::2\n" PEER "AllowedIPs = 1.1.1.1, 1.1.1.2\n"
               "AllowedIPs = ::/0, 0.0.0.0/0\n",
         ""},
        {IFACE PEER "AllowedIPs = 1.1.1.1, 1.1.1.2\nAllowedIPs = ::/0, 0.0.0.0/0, 1.0.0.0/8\n",
         "line 6: too many AllowedIPs: this device takes 4 in all."},
        {IFACE "Address = 10.0.0.1/24, 10.0.1.1/24\n" PEER,
         "line 3: too many addresses: this device takes 1 of IPv4 and 2 of IPv6."},
        {IFACE "Address = fd00::1, fd00::2\nAddress = fd00::3\n" PEER,
         "line 4: too many addresses: this device takes 1 of IPv4 and 2 of IPv6."},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(parse_with_limits(cases[i].text),
                         cases[i].error[0] == '\0' ? WYRM_IDLE : WYRM_E_FULL);
        assert_string_equal(error, cases[i].error);
    }
}

TEST(known_defect_63_peer_with_the_devices_own_key_is_refused)
{
    /* The public key of PRIV, by wg pubkey. */
    static const char own[] = "[Peer]\nPublicKey = HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw=\n";
    static const char sentence[] =
        ": this [Peer] has the public key of this device itself. Give the peer's.";
    uint8_t key[WYRM_KEY_LEN];
    char text[512];

    assert_int_equal(wyrm_key_parse(PRIV, strlen(PRIV), key), WYRM_IDLE);
    (void)snprintf(text, sizeof(text), "%s%s%s", IFACE, PEER, own);
    assert_int_equal(parse(text, 0), WYRM_E_TEXT);
    assert_memory_equal(error, "line 5", 6);
    assert_string_equal(error + 6, sentence);
    assert_wiped();

    (void)snprintf(text, sizeof(text), "%s[Interface]\n", own); /* the key is the device's */
    conf.own_key = key;
    conf.features = WYRM_CONF_OWN_KEY;
    assert_int_equal(wyrm_conf_parse(&conf, text, strlen(text), error, sizeof(error)), WYRM_E_TEXT);
    assert_memory_equal(error, "line 1", 6);
    assert_string_equal(error + 6, sentence);
}

TEST(prefix_of_two_peers_is_noted_and_belongs_to_the_later)
{
    assert_int_equal(parse(IFACE PEER "AllowedIPs = 10.1.2.3/20, 10.1.9.9/20, 10.1.0.0/21\n"
                                      "[Peer]\nPublicKey = " PUB2 "\n"
                                      "AllowedIPs = fd00::/8, 10.1.15.255/20\n",
                           0),
                     WYRM_IDLE);
    assert_string_equal(notes, "line 8: item 2 of AllowedIPs is given to the [Peer] at line 3, "
                               "too, which loses it to this one.\n");
    assert_int_equal(peers[0].allowed.count, 2); /* what it had twice counts once */
    assert_int_equal(peers[1].allowed.count, 2);
    assert_int_equal(prefixes[peers[1].allowed.first + 1].addr[2], 15);
}

TEST(short_error_buffer_is_never_overrun)
{
    char small[32];

    parse(good, EVERYTHING);
    for (size_t cap = 1; cap < sizeof(small); cap++) {
        memset(small, 'x', sizeof(small));
        assert_int_equal(wyrm_conf_parse(&conf, "[x]\n", 4, small, cap), WYRM_E_TEXT);
        assert_true(strlen(small) < cap);
        assert_int_equal(small[cap], 'x');
    }
}

/* Secrets on the wrong line or in the wrong place: no sentence may repeat any of the text. */
TEST(messages_never_quote_the_file)
{
    static const char *const places[] = {
        "%s\n",
        "[Interface]\n%s\n",
        "[Interface]\n%s = 1\n",
        "[Interface]\nPrivateKey %s\n",
        "[Interface]\nPrivateKey = %sx\n",
        "[Interface]\nPrivateKey = x%s\n",
        "[Interface]\nPrivatKey = %s\n",
        "[%s]\n",
        "[Interface]\nAddress = %s\n",
        "[Interface]\nDNS = %s\n",
        "[Interface]\nMTU = %s\n",
        "[Interface]\nTable = %s\nx\n",
        "[Peer]\nPrivateKey = %s\n",
        "[Peer]\nEndpoint = %s\n",
        "[Peer]\nPublicKey = %s\nAllowedIPs = %s\n",
    };

    for (size_t i = 0; i < COUNT(places); i++) {
        char text[256];
        snprintf(text, sizeof(text), places[i], PRIV, PRIV);
        assert_true(parse(text, EVERYTHING) < 0);
        for (size_t at = 0; at + 5 <= strlen(PRIV); at++) {
            char part[6] = {0};
            memcpy(part, &PRIV[at], 5);
            assert_null(strstr(error, part));
            assert_null(strstr(notes, part));
        }
        assert_wiped();
    }
}

TEST(refused_file_leaves_nothing_of_an_earlier_one)
{
    assert_int_equal(parse(good, EVERYTHING), WYRM_IDLE);
    assert_int_equal(wyrm_conf_parse(&conf, "[Peer]\nx", 8, error, sizeof(error)), WYRM_E_TEXT);
    assert_wiped();
}

/* ---- Truncation and noise ----------------------------------------------------------- */

/* A file cut anywhere is refused, or noted as cut, or a whole number of lines of the file. */
TEST(a_file_truncated_anywhere_is_an_error_or_noted)
{
    size_t len = strlen(good);
    unsigned silent = 0;

    for (size_t cut = 0; cut < len; cut++) {
        if (parse_n(good, cut, EVERYTHING) < 0) {
            assert_wiped();
            continue;
        }
        if (notes[0] != '\0')
            continue;
        assert_int_equal(good[cut - 1], '\n');
        silent++;
    }
    /* After AllowedIPs and later lines of a peer: complete files, which only lack lines. */
    assert_int_equal(silent, 5);
}

TEST(cut_keys_and_numbers_are_refused_or_noted)
{
    const char *lines[] = {"PrivateKey = " PRIV, "PublicKey = " PUB, "PresharedKey = " PSK};

    for (size_t i = 0; i < COUNT(lines); i++) {
        for (size_t cut = 1; cut < strlen(lines[i]); cut++) {
            char text[256];
            snprintf(text, sizeof(text), "%s%.*s\n",
                     i == 0   ? "[Interface]\n"
                     : i == 1 ? IFACE "[Peer]\n"
                              : IFACE PEER,
                     (int)cut, lines[i]);
            assert_int_equal(parse(text, EVERYTHING), WYRM_E_TEXT);
        }
    }
}

static uint32_t next_random(uint32_t *state) /* xorshift32 */
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

TEST(a_hundred_thousand_random_texts_do_no_harm)
{
    static const char *const tokens[] = {
        "[Interface]\n",
        "[Peer]\n",
        "PrivateKey = ",
        "PublicKey = ",
        "AllowedIPs = ",
        "DNS =",
        "Endpoint = ",
        "Address = ",
        PRIV "\n",
        PUB "\n",
        "10.0.0.1/24",
        "::/0",
        "\n",
        "=",
        ",",
        "#",
        "\r",
        "[::1]:5",
        "off\n",
        "MTU = 1400\n",
        "65535\n",
        "1.2.3.4:5\n",
        "fe80::1%x",
        "Table",
    };
    uint32_t random = 0x20260101;
    unsigned taken = 0;

    for (unsigned round = 0; round < 100000; round++) {
        char text[16 * 48];
        size_t len = 0;
        unsigned kind = round % 3;
        if (kind == 0) { /* bytes */
            for (unsigned n = next_random(&random) % 80; n > 0; n--)
                text[len++] = (char)next_random(&random);
        } else if (kind == 1) { /* words of the language */
            for (unsigned n = next_random(&random) % 16; n > 0; n--) {
                const char *token = tokens[next_random(&random) % COUNT(tokens)];
                size_t size = strlen(token);
                memcpy(text + len, token, size);
                len += size;
            }
        } else { /* a good file with a few wrong bytes */
            len = strlen(good);
            assert_true(len <= sizeof(text));
            memcpy(text, good, len);
            for (unsigned n = next_random(&random) % 4; n > 0; n--)
                text[next_random(&random) % len] = (char)next_random(&random);
        }
        if (parse_n(text, len, round % 16) == WYRM_IDLE) {
            taken++;
            assert_true(conf.n_peers <= PEERS && conf.n_prefixes <= PREFIXES);
            print_conf();
        } else {
            assert_wiped();
        }
    }
    assert_true(taken > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(ordinary_file_is_read_whole),
        RUN(printing_masks_secrets_and_nothing_else),
        RUN(printed_file_without_secrets_reads_back_the_same),
        RUN(case_blanks_line_ends_and_comments_do_not_matter),
        RUN(values_at_their_limits_are_taken),
        RUN(device_with_its_own_key_needs_none_in_the_file),
        RUN(keys_that_do_nothing_here_are_noted),
        RUN(search_domains_and_a_third_server_are_noted),
        RUN(incomplete_looking_files_are_noted),
        RUN(notes_are_optional),
        RUN(every_mistake_gets_its_line_and_one_sentence),
        RUN(known_defect_36_the_listen_port_is_independent_of_the_endpoint),
        RUN(host_name_is_refused_where_nothing_can_resolve_it),
        RUN(more_than_the_device_holds_is_refused_as_full),
        RUN(known_defect_63_more_than_the_tunnel_takes_is_refused_with_the_limit),
        RUN(known_defect_63_peer_with_the_devices_own_key_is_refused),
        RUN(prefix_of_two_peers_is_noted_and_belongs_to_the_later),
        RUN(short_error_buffer_is_never_overrun),
        RUN(messages_never_quote_the_file),
        RUN(refused_file_leaves_nothing_of_an_earlier_one),
        RUN(a_file_truncated_anywhere_is_an_error_or_noted),
        RUN(cut_keys_and_numbers_are_refused_or_noted),
        RUN(a_hundred_thousand_random_texts_do_no_harm),
    };
    return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
