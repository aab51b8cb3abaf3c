/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The firmware's configuration in flash, with the power cut at every step, and the output of
 * `conf`. The console is simulated by a script and a transcript.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "board_api.h"
#include "commands.h"
#include "conf.h"
#include "console.h"
#include "shell.h"
#include "tunnel.h"
#include "wyrm_crypto.h"

#define SECTORS 4u
#define NO_CUT  UINT32_MAX
#define STEP    64u /* bytes erased or programmed between two chances of a power cut */

#define PRIV "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
#define PUB  "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg="
#define OLD  "[Interface]\nPrivateKey = " PRIV "\nListenPort = 1111\n[Peer]\nPublicKey = " PUB "\n"
#define NEW  "[Interface]\nPrivateKey = " PRIV "\nListenPort = 2222\n[Peer]\nPublicKey = " PUB "\n"

/* ---- Flash ---------------------------------------------------------------- */

static uint8_t flash[SECTORS * BOARD_FLASH_SECTOR];
static uint32_t steps_left = NO_CUT;

static bool powered(void)
{
    if (steps_left == 0)
        return false;
    if (steps_left != NO_CUT)
        steps_left--;
    return true;
}

bool board_flash_read(enum board_flash_part part, size_t offset, void *out, size_t len)
{
    assert_true(part == BOARD_FLASH_CONF && offset + len <= sizeof(flash));
    memcpy(out, flash + offset, len);
    return true;
}

bool board_flash_erase(enum board_flash_part part, size_t offset, size_t len)
{
    assert_true(part == BOARD_FLASH_CONF && offset + len <= sizeof(flash));
    assert_true(offset % BOARD_FLASH_SECTOR == 0 && len % BOARD_FLASH_SECTOR == 0);
    for (size_t i = 0; i < len; i++) {
        if (i % STEP == 0 && !powered())
            return false;
        flash[offset + i] = 0xff;
    }
    return true;
}

bool board_flash_program(enum board_flash_part part, size_t offset, const void *data, size_t len)
{
    const uint8_t *bytes = data;

    assert_true(part == BOARD_FLASH_CONF && offset + len <= sizeof(flash));
    for (size_t i = 0; i < len; i++) {
        if (i % STEP == 0 && !powered())
            return false;
        assert_int_equal(flash[offset + i], 0xff);
        flash[offset + i] = bytes[i];
    }
    return true;
}

/* ---- Console and tunnel ------------------------------------------------------ */

static const char *script; /* what is pasted */
static char said[4096];
static bool up;

void console_print(const char *text)
{
    assert_true(strlen(said) + strlen(text) < sizeof(said));
    strcat(said, text);
}

static void print_formatted(const char *format, va_list args)
{
    char text[CONSOLE_LINE_MAX];
    int len = vsnprintf(text, sizeof(text), format, args);

    assert_in_range(len, 0, sizeof(text) - 1);
    console_print(text);
}

void console_printf(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_formatted(format, args);
    va_end(args);
}

bool shell_error(const char *format, ...)
{
    va_list args;

    console_print("error: ");
    va_start(args, format);
    print_formatted(format, args);
    va_end(args);
    console_print("\n");
    return false;
}

bool shell_usage(void)
{
    return shell_error("usage");
}

void console_flush(void)
{
}

int console_read_hidden(char *line, size_t cap)
{
    size_t len = strcspn(script, "\n");

    if (*script == '\0')
        return CONSOLE_HIDDEN_END;
    assert_true(len < cap);
    memcpy(line, script, len);
    line[len] = '\0';
    script += len + 1;
    return (int)len;
}

bool tunnel_is_up(void)
{
    return up;
}

static bool command(const char *word)
{
    char name[] = "conf", argument[8];
    char *words[] = {name, argument};

    said[0] = '\0';
    (void)snprintf(argument, sizeof(argument), "%s", word);
    return command_conf(2, words);
}

static bool paste(const char *text)
{
    script = text;
    return command("paste");
}

/* ---- A device ------------------------------------------------------------------ */

/* RAM is lost: `clear` on a copy of the flash empties it, too. The port in force then, 0: none. */
static unsigned reboot(void)
{
    static uint8_t kept[sizeof(flash)];

    steps_left = NO_CUT;
    up = false;
    memcpy(kept, flash, sizeof(flash));
    assert_true(command("clear"));
    memcpy(flash, kept, sizeof(flash));
    return conf_start() == CONF_GOOD ? conf_current()->listen_port : 0;
}

static void save_both(unsigned rounds)
{
    memset(flash, 0xff, sizeof(flash));
    assert_int_equal(reboot(), 0);
    for (unsigned i = 0; i < rounds; i++)
        assert_true(paste(OLD) && command("save"));
    assert_true(paste(NEW) && command("save"));
}

TEST(known_defect_64_clearing_cut_short_never_brings_an_older_configuration_back)
{
    for (unsigned rounds = 1; rounds <= 2; rounds++) { /* the newer one is in either slot */
        bool kept = false, gone = false, done = false;
        for (uint32_t cut = 0; !done; cut++) {
            save_both(rounds);
            steps_left = cut;
            done = command("clear");
            unsigned port = reboot();
            assert_true(port == 2222 || port == 0);
            kept = kept || port == 2222;
            gone = gone || port == 0;
        }
        assert_true(kept && gone);
        for (size_t i = 0; i < sizeof(flash); i++)
            assert_int_equal(flash[i], 0xff);
    }
}

TEST(saving_cut_short_leaves_the_configuration_before)
{
    for (unsigned rounds = 1; rounds <= 2; rounds++) {
        bool done = false;
        for (uint32_t cut = 0; !done; cut++) {
            memset(flash, 0xff, sizeof(flash));
            assert_int_equal(reboot(), 0);
            for (unsigned i = 0; i < rounds; i++)
                assert_true(paste(OLD) && command("save"));
            assert_true(paste(NEW));
            steps_left = cut;
            done = command("save");
            assert_int_equal(reboot(), done ? 2222 : 1111);
        }
    }
}

TEST(clearing_says_that_a_running_tunnel_goes_on)
{
    save_both(1);
    up = true;
    assert_true(command("clear"));
    assert_string_equal(said, "conf: cleared\n"
                              "note: the tunnel continues with its current key and peers; 'wg "
                              "down' stops it and wipes them\n");
    up = false;
    assert_true(command("clear"));
    assert_string_equal(said, "conf: cleared\n");
}

/* A configuration that the tunnel would refuse is rejected, and the current one is kept. */
TEST(known_defect_63_configuration_the_tunnel_cannot_use_is_neither_taken_nor_saved)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {NEW "AllowedIPs = 1.0.0.0,1.0.0.1,1.0.0.2,1.0.0.3,1.0.0.4,1.0.0.5,1.0.0.6,1.0.0.7\n"
             "AllowedIPs = 2.0.0.0,2.0.0.1,2.0.0.2,2.0.0.3,2.0.0.4,2.0.0.5,2.0.0.6,2.0.0.7\n"
             "AllowedIPs = 3.0.0.0\n",
         "error: line 8: too many AllowedIPs: this device takes 16 in all.\n"},
        {"[Interface]\nPrivateKey = " PRIV "\nAddress = 10.0.0.1/8, 10.0.0.2/8\n",
         "error: line 3: too many addresses: this device takes 1 of IPv4 and "},
        {"[Interface]\nPrivateKey = " PRIV
         "\n[Peer]\nPublicKey = HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw=\n",
         "error: line 3: this [Peer] has the public key of this device itself. "},
    };

    save_both(1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(paste(cases[i].text));
        assert_non_null(strstr(said, cases[i].error));
        assert_int_equal(conf_current()->listen_port, 2222);
        assert_true(command("save"));
        assert_int_equal(reboot(), 2222);
    }
}

TEST(strict_policy_is_kept_with_the_configuration)
{
    save_both(1);
    assert_false(conf_is_strict());
    conf_set_strict(true);
    assert_true(command("show"));
    assert_non_null(strstr(said, "# strict policy ('wg strict on')\n# not saved"));
    assert_int_equal(reboot(), 2222);
    assert_false(conf_is_strict());
    conf_set_strict(true);
    assert_true(command("save"));
    assert_int_equal(reboot(), 2222);
    assert_true(conf_is_strict());
    assert_true(paste(OLD));
    assert_true(conf_is_strict());
    assert_true(command("clear"));
    assert_false(conf_is_strict());
}

TEST(strict_policy_is_kept_without_a_configuration)
{
    memset(flash, 0xff, sizeof(flash));
    assert_int_equal(reboot(), 0);
    conf_set_strict(true);
    assert_true(command("save"));
    assert_int_equal(reboot(), 0);
    assert_true(conf_is_strict());
}

/* The digest of such a slot is right; what is wrong with it must be the flag. */
TEST(configuration_of_a_newer_version_is_refused)
{
    enum { FLAGS_AT = 10, DIGEST_AT = 12, DIGEST_LEN = 16 };
    struct wyrm_blake2s digest;

    memset(flash, 0xff, sizeof(flash));
    assert_int_equal(reboot(), 0);
    assert_true(paste(NEW) && command("save"));
    for (unsigned flag = 0; flag < 16; flag++) {
        flash[FLAGS_AT] = flag < 8 ? (uint8_t)(1u << flag) : 0;
        flash[FLAGS_AT + 1] = flag < 8 ? 0 : (uint8_t)(1u << (flag - 8));
        wyrm_blake2s_init(&digest, DIGEST_LEN, NULL, 0);
        wyrm_blake2s_update(&digest, flash, DIGEST_AT);
        wyrm_blake2s_update(&digest, flash + DIGEST_AT + DIGEST_LEN, WYRM_KEY_LEN + strlen(NEW));
        wyrm_blake2s_final(&digest, flash + DIGEST_AT);
        assert_int_equal(reboot(), flag <= 1 ? 2222 : 0);
        assert_int_equal(conf_start(), flag <= 1 ? CONF_GOOD : CONF_REFUSED);
    }
}

/* Replacing it by an empty configuration would send all traffic in the clear after the next boot.
 */
TEST(refused_configuration_is_not_replaced_by_an_empty_one)
{
    static const uint8_t key[WYRM_KEY_LEN] = {8, [31] = 64};
    uint8_t before[sizeof(flash)];

    save_both(1);
    for (size_t slot = 0; slot < sizeof(flash); slot += sizeof(flash) / 2)
        flash[slot + 100] &= 0x0f; /* in the text of both */
    memcpy(before, flash, sizeof(flash));
    assert_int_equal(reboot(), 0);
    assert_int_equal(conf_start(), CONF_REFUSED);
    assert_false(command("save"));
    assert_non_null(strstr(said, "error: there is nothing to save, and the unreadable saved"));
    conf_set_own_key(key);
    assert_false(command("save"));
    conf_set_strict(true);
    assert_false(command("save"));
    assert_memory_equal(flash, before, sizeof(flash));
    assert_int_equal(conf_start(), CONF_REFUSED);

    assert_true(paste(NEW) && command("save"));
    assert_int_equal(reboot(), 2222);
}

TEST(refused_configuration_can_be_erased)
{
    save_both(1);
    for (size_t slot = 0; slot < sizeof(flash); slot += sizeof(flash) / 2)
        flash[slot + 100] &= 0x0f;
    assert_int_equal(reboot(), 0);
    assert_int_equal(conf_start(), CONF_REFUSED);
    assert_true(command("clear"));
    assert_true(command("save"));
    assert_int_equal(conf_start(), CONF_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(known_defect_64_clearing_cut_short_never_brings_an_older_configuration_back),
        RUN(saving_cut_short_leaves_the_configuration_before),
        RUN(clearing_says_that_a_running_tunnel_goes_on),
        RUN(known_defect_63_configuration_the_tunnel_cannot_use_is_neither_taken_nor_saved),
        RUN(strict_policy_is_kept_with_the_configuration),
        RUN(strict_policy_is_kept_without_a_configuration),
        RUN(configuration_of_a_newer_version_is_refused),
        RUN(refused_configuration_is_not_replaced_by_an_empty_one),
        RUN(refused_configuration_can_be_erased),
    };
    return cmocka_run_group_tests_name("saved configuration", tests, NULL, NULL);
}
