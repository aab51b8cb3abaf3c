/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Checks a wg-quick file with the reader that runs on the device, so that the lab and the device
 * say the same sentences. Prints the configuration with its secrets masked, or as JSON without
 * them. Exit code 0: good; 2: usage, unreadable file or wrong configuration.
 */
#include "wyrm_crypto.h"
#include "wyrm_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX  (1u << 20) /* no configuration is that long */
#define NOTES_MAX 100        /* further notes are counted, not kept */
#define EXIT_BAD  2

static const char usage[] =
    "usage: wyrm_conf_check [--json] [--own-key] [--numeric] [--no-dns] [--no-fwmark]\n"
    "                       [--peers N] [--addresses N] [--allowed N]\n"
    "                       [--ipv4 N --ipv6 N] FILE\n"
    "\n"
    "Checks FILE ('-': standard input), a wg-quick configuration, as the device does.\n"
    "  --json         one JSON object on standard output, without secrets\n"
    "  --own-key      the device has a private key: FILE may lack one\n"
    "  --numeric      the device cannot resolve host names\n"
    "  --no-dns       the device has no resolver\n"
    "  --no-fwmark    the device cannot mark packets\n"
    "  --peers N      peers it takes (default 1000)\n"
    "  --addresses N  addresses and AllowedIPs it takes in all (default 10000)\n"
    "  --allowed N    AllowedIPs it takes in all (default: no limit of their own)\n"
    "  --ipv4 N, --ipv6 N  addresses of each family it takes (default: likewise)\n";

struct options {
    const char *file;
    unsigned features;
    uint16_t max_peers, max_prefixes, max_allowed, max_ipv4, max_ipv6;
    bool json;
};

struct notes {
    const struct options *options;
    char text[NOTES_MAX][WYRM_CONF_ERROR_MAX];
    unsigned count;
};

/* ---- Input -------------------------------------------------------------------- */

static bool parse_count(const char *text, uint16_t *out)
{
    uint32_t number;

    if (text == NULL || wyrm_number_parse(text, strlen(text), 10, UINT16_MAX, &number) < 0 ||
        number == 0)
        return false;
    *out = (uint16_t)number;
    return true;
}

static bool parse_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.features = WYRM_CONF_NAMES | WYRM_CONF_DNS | WYRM_CONF_FWMARK,
                          .max_peers = 1000,
                          .max_prefixes = 10000};
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--json") == 0)
            o->json = true;
        else if (strcmp(arg, "--own-key") == 0)
            o->features |= WYRM_CONF_OWN_KEY;
        else if (strcmp(arg, "--numeric") == 0)
            o->features &= ~(unsigned)WYRM_CONF_NAMES;
        else if (strcmp(arg, "--no-dns") == 0)
            o->features &= ~(unsigned)WYRM_CONF_DNS;
        else if (strcmp(arg, "--no-fwmark") == 0)
            o->features &= ~(unsigned)WYRM_CONF_FWMARK;
        else if (strcmp(arg, "--peers") == 0 && parse_count(argv[i + 1], &o->max_peers))
            i++;
        else if (strcmp(arg, "--addresses") == 0 && parse_count(argv[i + 1], &o->max_prefixes))
            i++;
        else if (strcmp(arg, "--allowed") == 0 && parse_count(argv[i + 1], &o->max_allowed))
            i++;
        else if (strcmp(arg, "--ipv4") == 0 && parse_count(argv[i + 1], &o->max_ipv4))
            i++;
        else if (strcmp(arg, "--ipv6") == 0 && parse_count(argv[i + 1], &o->max_ipv6))
            i++;
        else if (o->file == NULL && (arg[0] != '-' || arg[1] == '\0'))
            o->file = arg;
        else
            return false;
    }
    return o->file != NULL && o->max_ipv4 <= UINT8_MAX && o->max_ipv6 <= UINT8_MAX;
}

/* The whole file; NULL, with a sentence on standard error, if that fails. */
static char *read_file(const char *name, size_t *len)
{
    FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    char *text = malloc(FILE_MAX);

    if (in == NULL || text == NULL) {
        fprintf(stderr, "%s: cannot be read: %s.\n", name, strerror(errno));
        free(text);
        return NULL;
    }
    *len = fread(text, 1, FILE_MAX, in);
    bool failed = ferror(in) != 0, too_long = *len == FILE_MAX;
    if (failed)
        fprintf(stderr, "%s: cannot be read: %s.\n", name, strerror(errno));
    else if (too_long)
        fprintf(stderr, "%s: is longer than any configuration. Name a wg-quick file.\n", name);
    if (in != stdin)
        fclose(in);
    if (!failed && !too_long)
        return text;
    wyrm_wipe(text, FILE_MAX);
    free(text);
    return NULL;
}

/* ---- Output ------------------------------------------------------------------- */

static void take_note(void *ctx, const char *sentence)
{
    struct notes *notes = ctx;

    if (!notes->options->json)
        fprintf(stderr, "%s: %s\n", notes->options->file, sentence);
    else if (notes->count < NOTES_MAX)
        snprintf(notes->text[notes->count++], WYRM_CONF_ERROR_MAX, "%s", sentence);
}

static void write_stdout(void *ctx, const char *text, size_t len)
{
    (void)ctx;
    fwrite(text, 1, len, stdout);
}

static void json_string(const char *text, size_t len)
{
    putchar('"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void json_prefixes(const char *name, const struct wyrm_prefix *prefixes, unsigned count)
{
    char text[WYRM_PREFIX_TEXT_MAX];

    printf("\"%s\": [", name);
    for (unsigned i = 0; i < count; i++) {
        wyrm_prefix_print(&prefixes[i], text);
        printf("%s\"%s\"", i > 0 ? ", " : "", text);
    }
    printf("]");
}

/* The host as one would type it, an IPv6 address without its brackets. */
static void json_endpoint(const struct wyrm_host *host)
{
    struct wyrm_prefix address = {.family = host->address.family};
    char text[WYRM_PREFIX_TEXT_MAX];

    printf("\"endpoint\": ");
    if (host->address.family == 0 && host->name_len == 0) {
        printf("null");
        return;
    }
    printf("{\"host\": \"");
    if (host->address.family != 0) {
        memcpy(address.addr, host->address.addr, sizeof(address.addr));
        wyrm_prefix_print(&address, text);
        printf("%.*s", (int)strcspn(text, "/"), text);
    }
    if (host->address.family == 6 && host->name_len > 0)
        putchar('%');
    if (host->name_len > 0)
        printf("%.*s", host->name_len, host->name);
    if (host->address.scope != 0)
        printf("%%%lu", (unsigned long)host->address.scope);
    printf("\", \"port\": %u}", host->address.port);
}

static void json_peer(const struct wyrm_conf *conf, const struct wyrm_conf_peer *peer)
{
    char key[WYRM_KEY_TEXT_MAX];

    wyrm_key_print(peer->pub, key);
    printf("    {\"line\": %u, \"public_key\": \"%s\", \"has_preshared_key\": %s, ", peer->line,
           key, wyrm_ct_is_zero(peer->psk, WYRM_KEY_LEN) ? "false" : "true");
    json_prefixes("allowed_ips", conf->prefixes + peer->allowed.first, peer->allowed.count);
    printf(", ");
    json_endpoint(&peer->endpoint);
    printf(", \"persistent_keepalive_s\": %u}", peer->keepalive_s);
}

static void json_conf(const struct wyrm_conf *conf)
{
    printf("  \"has_private_key\": %s,\n  \"listen_port\": %u,\n  \"mtu\": %u,\n"
           "  \"fwmark\": %lu,\n  ",
           conf->has_private_key ? "true" : "false", conf->listen_port, conf->mtu,
           (unsigned long)conf->fwmark);
    json_prefixes("addresses", conf->prefixes + conf->addresses.first, conf->addresses.count);
    printf(",\n  ");
    json_prefixes("dns", conf->dns, conf->n_dns);
    printf(",\n  \"peers\": [\n");
    for (unsigned i = 0; i < conf->n_peers; i++) {
        json_peer(conf, &conf->peers[i]);
        printf("%s\n", i + 1 < conf->n_peers ? "," : "");
    }
    printf("  ]\n");
}

static void json_result(const struct wyrm_conf *conf, const struct notes *notes, const char *error)
{
    printf("{\n  \"file\": ");
    json_string(notes->options->file, strlen(notes->options->file));
    printf(",\n  \"ok\": %s,\n  \"error\": ", error[0] == '\0' ? "true" : "false");
    json_string(error, strlen(error));
    printf(",\n  \"notes\": [");
    for (unsigned i = 0; i < notes->count; i++) {
        printf("%s", i > 0 ? ", " : "");
        json_string(notes->text[i], strlen(notes->text[i]));
    }
    printf(error[0] == '\0' ? "],\n" : "]\n");
    if (error[0] == '\0')
        json_conf(conf);
    printf("}\n");
}

/* -------------------------------------------------------------------------------- */

static int check(const struct options *o, const char *text, size_t len)
{
    static struct notes notes;
    char error[WYRM_CONF_ERROR_MAX];
    struct wyrm_conf conf = {.peers = calloc(o->max_peers, sizeof(*conf.peers)),
                             .prefixes = calloc(o->max_prefixes, sizeof(*conf.prefixes)),
                             .max_peers = o->max_peers,
                             .max_prefixes = o->max_prefixes,
                             .max_allowed = o->max_allowed,
                             .max_ipv4 = (uint8_t)o->max_ipv4,
                             .max_ipv6 = (uint8_t)o->max_ipv6,
                             .features = o->features,
                             .note = take_note,
                             .note_ctx = &notes};

    if (conf.peers == NULL || conf.prefixes == NULL) {
        fprintf(stderr, "wyrm_conf_check: out of memory; give smaller --peers and --addresses.\n");
        free(conf.peers);
        free(conf.prefixes);
        return EXIT_BAD;
    }
    notes.options = o;
    wyrm_status status = wyrm_conf_parse(&conf, text, len, error, sizeof(error));
    if (o->json)
        json_result(&conf, &notes, error);
    else if (status < 0)
        fprintf(stderr, "%s: %s\n", o->file, error);
    else
        wyrm_conf_print(&conf, write_stdout, NULL);
    wyrm_conf_wipe(&conf);
    free(conf.peers);
    free(conf.prefixes);
    return status < 0 ? EXIT_BAD : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct options options;
    size_t len = 0;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (!parse_options(argc, argv, &options)) {
        fputs(usage, stderr);
        return EXIT_BAD;
    }
    char *text = read_file(options.file, &len);
    if (text == NULL)
        return EXIT_BAD;
    int code = check(&options, text, len);
    wyrm_wipe(text, len);
    free(text);
    return code;
}
