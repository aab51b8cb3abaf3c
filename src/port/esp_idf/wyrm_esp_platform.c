/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Random bytes and timestamps of ESP-IDF. The mark of the timestamps lies in NVS, so a device
 * without a clock can connect again after a reboot.
 */
#ifndef ESP_PLATFORM

typedef int wyrm_esp_platform_not_built; /* ISO C requires a declaration in every file */

#else

#include "wyrm_store.h"
#include "wyrm_tunnel_platform.h"

#include "lwip/sys.h"

#include "esp_random.h"
#include "nvs.h"

#define NAMESPACE "wyrmling"

/* Any date before the device's first handshake. */
enum { BUILD_UNIX_S = 1760000000 };

static struct wyrm_store store;
static sys_mutex_t mutex;

/* True random numbers need Wi-Fi, Bluetooth or Ethernet to be started, and a tunnel needs one of
 * these to send anything. */
static bool draw(void *ctx, void *out, size_t len)
{
    (void)ctx;
    esp_fill_random(out, len);
    return true;
}

static const char *slot_name(unsigned place)
{
    return place == 0 ? "mark0" : "mark1";
}

static bool load(void *ctx, unsigned place, void *buf, size_t len)
{
    nvs_handle_t handle;
    size_t found = len;

    (void)ctx;
    if (nvs_open(NAMESPACE, NVS_READWRITE, &handle) != ESP_OK)
        return false;
    esp_err_t err = nvs_get_blob(handle, slot_name(place), buf, &found);

    nvs_close(handle);
    return err == ESP_OK && found == len;
}

static bool save(void *ctx, unsigned place, const void *buf, size_t len)
{
    nvs_handle_t handle;

    (void)ctx;
    if (nvs_open(NAMESPACE, NVS_READWRITE, &handle) != ESP_OK)
        return false;
    bool saved =
        nvs_set_blob(handle, slot_name(place), buf, len) == ESP_OK && nvs_commit(handle) == ESP_OK;

    nvs_close(handle);
    return saved;
}

static void lock(void *ctx)
{
    (void)ctx;
    sys_mutex_lock(&mutex);
}

static void unlock(void *ctx)
{
    (void)ctx;
    sys_mutex_unlock(&mutex);
}

/* Without NVS no timestamp would survive a reboot, and peers would refuse the device after it. */
static bool open_store(void)
{
    static const struct wyrm_store_io io = {
        .load = load, .save = save, .lock = lock, .unlock = unlock};
    nvs_handle_t handle;

    if (nvs_open(NAMESPACE, NVS_READWRITE, &handle) != ESP_OK)
        return false;
    nvs_close(handle);
    if (sys_mutex_new(&mutex) != ERR_OK)
        return false;
    (void)wyrm_store_init(&store, &io, BUILD_UNIX_S);
    return true;
}

const struct wyrm_platform *wyrm_tunnel_platform(void)
{
    static const struct wyrm_platform platform = {&store, draw, wyrm_store_tai64n};
    static bool opened;

    if (!opened)
        opened = open_store();
    return opened ? &platform : NULL;
}

#endif /* ESP_PLATFORM */
