/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Two slots in flash, each a header and a payload. The newer valid slot is used, so a power cut
 * during a save leaves the previous configuration in place. The payload is the device's private key
 * (zeros: none) and the text. Keys are stored unencrypted; see docs/threat-model.md.
 */
#include "conf.h"

#include <string.h>

#include "wyrm_crypto.h"

#include "board_api.h"
#include "commands.h"
#include "console.h"
#include "shell.h"
#include "tunnel.h"

#define TEXT_MAX 4096u
#define SLOTS    2u
#define MAGIC    0x31465957u /* "WYF1" */

/* Older firmware reads length and flags as one 32-bit length and rejects a record with flags. */
#define FLAG_STRICT  1u
#define FLAG_FORWARD 2u
#define FLAGS                                                                                      \
    (FLAG_STRICT | FLAG_FORWARD) /* all known flags; newer firmware wrote a slot with others */

struct header {
    uint32_t magic, serial;
    uint16_t text_len, flags;
    uint8_t digest[16]; /* of all the above and the payload */
};
_Static_assert(offsetof(struct header, digest) == 12 && TEXT_MAX <= UINT16_MAX, "layout in flash");

#define SLOT_BYTES   (sizeof(struct header) + WYRM_KEY_LEN + TEXT_MAX)
#define SLOT_SECTORS ((SLOT_BYTES + BOARD_FLASH_SECTOR - 1) / BOARD_FLASH_SECTOR)
#define SLOT_SIZE    (SLOT_SECTORS * BOARD_FLASH_SECTOR)

/* Rejects what exceeds the tunnel's limits. */
WYRM_CONF_DEFINE(conf, TUNNEL_PEERS, TUNNEL_ROUTES + TUNNEL_IPV4 + TUNNEL_IPV6);

/* The current text and the one being read; conf points into the current text. */
static char text[TEXT_MAX], fresh[TEXT_MAX + sizeof "."]; /* and the dot that ends it */
static size_t text_len;
static uint8_t own_key[WYRM_KEY_LEN];
static bool strict, forward;
static bool saved;   /* flash holds the current configuration */
static bool refused; /* flash holds one that could not be read, and nothing has replaced it yet */

const struct wyrm_conf *conf_current(void)
{
    return text_len > 0 ? &conf : NULL;
}

bool conf_is_strict(void)
{
    return strict;
}

void conf_set_strict(bool on)
{
    saved = saved && strict == on;
    strict = on;
}

bool conf_forwards(void)
{
    return forward;
}

void conf_set_forward(bool on)
{
    saved = saved && forward == on;
    forward = on;
}

static bool has_own_key(void)
{
    return !wyrm_ct_is_zero(own_key, sizeof own_key);
}

const uint8_t *conf_private_key(void)
{
    if (text_len > 0 && conf.has_private_key)
        return conf.priv;
    return has_own_key() ? own_key : NULL;
}

/* ---- text ---- */

static void print_note(void *unused, const char *sentence)
{
    (void)unused;
    console_printf("note: %s\n", sentence);
}

static bool parse(const char *from, size_t len, bool notes)
{
    char error[WYRM_CONF_ERROR_MAX];

    conf.max_allowed = TUNNEL_ROUTES;
    conf.max_ipv4 = TUNNEL_IPV4;
    conf.max_ipv6 = TUNNEL_IPV6;
    conf.own_key = has_own_key() ? own_key : NULL;
    conf.features = WYRM_CONF_NAMES | WYRM_CONF_DNS | (has_own_key() ? WYRM_CONF_OWN_KEY : 0u);
    conf.note = notes ? print_note : NULL;
    if (wyrm_conf_parse(&conf, from, len, error, sizeof error) == WYRM_IDLE)
        return true;
    return shell_error("%s", error);
}

/* Makes the text in `fresh` current, or prints why not and keeps the previous one. */
static bool adopt(size_t len)
{
    bool good = parse(fresh, len, true);

    if (good) {
        memcpy(text, fresh, len);
        text_len = len;
        refused = false;
    }
    wyrm_wipe(fresh, sizeof fresh);
    if (text_len > 0)
        (void)parse(text, text_len, false); /* again: conf must point into `text` */
    return good;
}

/* ---- flash ---- */

static void digest(const struct header *header, const uint8_t *key, const char *body,
                   uint8_t out[16])
{
    struct wyrm_blake2s state;

    wyrm_blake2s_init(&state, 16, NULL, 0);
    wyrm_blake2s_update(&state, header, offsetof(struct header, digest));
    wyrm_blake2s_update(&state, key, WYRM_KEY_LEN);
    wyrm_blake2s_update(&state, body, header->text_len);
    wyrm_blake2s_final(&state, out);
}

/* Reads a slot into `fresh` and `key`; false if it is not valid. */
static bool read_slot(unsigned slot, struct header *header, uint8_t key[WYRM_KEY_LEN])
{
    size_t at = slot * SLOT_SIZE;
    uint8_t found[16];

    if (!board_flash_read(BOARD_FLASH_CONF, at, header, sizeof *header) || header->magic != MAGIC ||
        header->text_len > TEXT_MAX || (header->flags & ~FLAGS) != 0 ||
        !board_flash_read(BOARD_FLASH_CONF, at + sizeof *header, key, WYRM_KEY_LEN) ||
        !board_flash_read(BOARD_FLASH_CONF, at + sizeof *header + WYRM_KEY_LEN, fresh,
                          header->text_len))
        return false;
    digest(header, key, fresh, found);
    return memcmp(found, header->digest, sizeof found) == 0;
}

/* The newest valid slot, SLOTS if there is none; stores its serial number in *serial. */
static unsigned newest_slot(uint32_t *serial)
{
    unsigned best = SLOTS;

    *serial = 0;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        struct header header;
        uint8_t key[WYRM_KEY_LEN];

        if (read_slot(slot, &header, key) && (best == SLOTS || header.serial > *serial)) {
            best = slot;
            *serial = header.serial;
        }
        wyrm_wipe(key, sizeof key);
    }
    return best;
}

/* Writes the header last: until then the slot is not valid. */
static bool write_slot(unsigned slot, uint32_t serial)
{
    struct header header = {
        .magic = MAGIC,
        .serial = serial,
        .text_len = (uint16_t)text_len,
        .flags = (uint16_t)((strict ? FLAG_STRICT : 0) | (forward ? FLAG_FORWARD : 0))};
    size_t at = slot * SLOT_SIZE;

    digest(&header, own_key, text, header.digest);
    return board_flash_erase(BOARD_FLASH_CONF, at, SLOT_SIZE) &&
           board_flash_program(BOARD_FLASH_CONF, at + sizeof header, own_key, sizeof own_key) &&
           board_flash_program(BOARD_FLASH_CONF, at + sizeof header + WYRM_KEY_LEN, text,
                               text_len) &&
           board_flash_program(BOARD_FLASH_CONF, at, &header, sizeof header);
}

/* Slots are written header last and cleared by erasing. If none is valid, a header that is not
 * blank is therefore corrupt. */
static bool is_damaged(void)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        struct header header;

        if (board_flash_read(BOARD_FLASH_CONF, slot * SLOT_SIZE, &header, sizeof header) &&
            header.magic != UINT32_MAX)
            return true;
    }
    return false;
}

static enum conf_saved load(void)
{
    struct header header;
    uint32_t serial;
    unsigned slot = newest_slot(&serial);

    saved = slot < SLOTS && read_slot(slot, &header, own_key);
    if (!saved && is_damaged()) {
        (void)shell_error("the saved configuration is corrupt");
        return CONF_REFUSED;
    }
    strict = saved && (header.flags & FLAG_STRICT) != 0;
    forward = saved && (header.flags & FLAG_FORWARD) != 0;
    if (saved && header.text_len > 0)
        saved = adopt(header.text_len);
    wyrm_wipe(fresh, sizeof fresh);
    if (slot < SLOTS && !saved)
        return CONF_REFUSED;
    return text_len > 0 ? CONF_GOOD : CONF_NONE;
}

enum conf_saved conf_start(void)
{
    enum conf_saved found = load();

    refused = found == CONF_REFUSED;
    return found;
}

void conf_set_own_key(const uint8_t key[WYRM_KEY_LEN])
{
    memcpy(own_key, key, sizeof own_key);
    saved = false;
}

char *conf_scratch(size_t *size)
{
    *size = sizeof fresh;
    return fresh;
}

/* ---- the command ---- */

/* Pieces are not terminated, so copy them. */
static void write_console(void *unused, const char *piece, size_t len)
{
    char part[64];

    (void)unused;
    while (len > 0) {
        size_t n = len < sizeof part ? len : sizeof part - 1;

        memcpy(part, piece, n);
        part[n] = '\0';
        console_print(part);
        piece += n;
        len -= n;
    }
}

static bool show(void)
{
    if (text_len == 0)
        return shell_error("there is no configuration; enter a wg-quick file with 'conf paste'");
    wyrm_conf_print(&conf, write_console, NULL);
    if (strict)
        console_printf("# strict policy ('wg strict on')\n");
    if (forward)
        console_printf("# forwarding ('ip forward on')\n");
    console_printf("# %s\n", saved ? "saved" : "not saved: 'conf save' keeps it");
    return true;
}

/* Reads lines without echo up to a single dot or Ctrl-D. False: cancelled or too long. Reads a text
 * that is too long to its end too; otherwise the console would echo the rest and run it. */
static bool read_text(size_t *out)
{
    size_t len = 0;
    bool fits = true;

    console_printf("Paste the file (it is not shown), then a line with a single dot or Ctrl-D.\n");
    console_flush();
    for (;;) {
        int got = console_read_hidden(fresh + len, sizeof fresh - len);

        if (got == CONSOLE_HIDDEN_GIVEN_UP)
            return shell_error("cancelled; nothing has changed");
        if (got == CONSOLE_HIDDEN_END || (got == 1 && fresh[len] == '.'))
            break;
        if (got == CONSOLE_HIDDEN_TOO_LONG || len + (size_t)got + 1 > TEXT_MAX) {
            fits = false;
            len = 0;
            continue;
        }
        len += (size_t)got;
        fresh[len++] = '\n';
    }
    *out = len;
    return fits || shell_error("the text is longer than %u bytes; nothing has changed", TEXT_MAX);
}

static bool paste(void)
{
    size_t len = 0;
    bool good = read_text(&len) && adopt(len);

    wyrm_wipe(fresh, sizeof fresh);
    if (good) {
        saved = false;
        console_printf("conf: %u peer%s; 'wg up' uses it, 'conf save' keeps it\n", conf.n_peers,
                       conf.n_peers == 1 ? "" : "s");
    }
    return good;
}

static bool save(void)
{
    uint32_t serial;
    unsigned newest;

    if (refused) /* with an empty one the next boot would route in the clear */
        return shell_error("there is nothing to save, and the unreadable saved configuration "
                           "is kept; replace it with 'conf paste' or erase it with 'conf clear'");
    newest = newest_slot(&serial);
    wyrm_wipe(fresh, sizeof fresh);
    saved = write_slot(newest == 0 ? 1 : 0, serial + 1);
    if (!saved)
        return shell_error(
            "writing to flash failed; the previously saved configuration is unchanged");
    console_printf("conf: saved\n");
    return true;
}

/* Erases the newer slot last, its header first: after a power cut the device finds the newer
 * configuration or none, but never an older one. */
static bool erase_slots(void)
{
    uint32_t serial;
    unsigned last = newest_slot(&serial) == 0 ? 0 : 1;
    const size_t places[] = {(last ^ 1u) * SLOT_SIZE, last * SLOT_SIZE};

    wyrm_wipe(fresh, sizeof fresh);
    for (unsigned i = 0; i < SLOTS * SLOT_SECTORS; i++)
        if (!board_flash_erase(BOARD_FLASH_CONF,
                               places[i / SLOT_SECTORS] + i % SLOT_SECTORS * BOARD_FLASH_SECTOR,
                               BOARD_FLASH_SECTOR))
            return false;
    return true;
}

static bool clear(void)
{
    wyrm_conf_wipe(&conf);
    wyrm_wipe(text, sizeof text);
    wyrm_wipe(own_key, sizeof own_key);
    text_len = 0;
    strict = false;
    forward = false;
    saved = false;
    refused = false;
    if (!erase_slots())
        return shell_error("erasing the flash failed");
    console_printf("conf: cleared\n");
    if (tunnel_is_up())
        console_printf("note: the tunnel continues with its current key and peers; 'wg down' "
                       "stops it and wipes them\n");
    return true;
}

bool command_conf(int argc, char **argv)
{
    if (argc == 1 || (argc == 2 && strcmp(argv[1], "show") == 0))
        return show();
    if (argc == 2 && strcmp(argv[1], "paste") == 0)
        return paste();
    if (argc == 2 && strcmp(argv[1], "save") == 0)
        return save();
    if (argc == 2 && strcmp(argv[1], "clear") == 0)
        return clear();
    return shell_usage();
}
