/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The class WireGuard. Functions named ..._locked run under lwIP's lock.
 */
#ifdef ARDUINO

#include "WyrmlingWireGuard.h"

#include "lwip/dns.h"
#include "lwip/timeouts.h"

#include <string.h>
#include <time.h>

#if defined(ARDUINO_ARCH_ESP32)
#include "lwip/tcpip.h"
#include <esp_random.h>
#include <nvs.h>
#elif defined(ARDUINO_ARCH_ESP8266)
#include <Esp.h>
#include <Schedule.h>
#elif defined(ARDUINO_ARCH_RP2040)
#include <lwip_wrap.h>
#include <new>
#endif

namespace
{

const uint64_t BUILD_UNIX_S = 1760000000; /* any date before the first handshake of a device */
const uint32_t LOOK_MS = 10000;
const unsigned UNANSWERED = 2; /* initiations in a row, since a single one may be lost */

/* ---- The platform: random bytes ------------------------------------------ */

#if defined(ARDUINO_ARCH_ESP32)
bool chip_random(void *, void *out, size_t len)
{
    esp_fill_random(out, len);
    return true;
}
#elif defined(ARDUINO_ARCH_ESP8266)
bool chip_random(void *, void *out, size_t len)
{
    return ESP.random(static_cast<uint8_t *>(out), len) != nullptr;
}
#else
bool chip_random(void *, void *, size_t)
{
    return false; /* see WireGuard::set_random */
}
#endif

/* ---- The platform: timestamps --------------------------------------------- */

#if defined(ARDUINO_ARCH_ESP32)
const bool SURVIVES_REBOOT = true;

bool load(void *, unsigned place, void *buf, size_t len)
{
    const char key[] = {'m', static_cast<char>('0' + place), '\0'};
    nvs_handle_t nvs;

    if (nvs_open("wyrmling", NVS_READONLY, &nvs) != ESP_OK)
        return false;
    size_t size = len;
    bool good = nvs_get_blob(nvs, key, buf, &size) == ESP_OK && size == len;
    nvs_close(nvs);
    return good;
}

bool save(void *, unsigned place, const void *buf, size_t len)
{
    const char key[] = {'m', static_cast<char>('0' + place), '\0'};
    nvs_handle_t nvs;

    if (nvs_open("wyrmling", NVS_READWRITE, &nvs) != ESP_OK)
        return false;
    bool good = nvs_set_blob(nvs, key, buf, len) == ESP_OK && nvs_commit(nvs) == ESP_OK;
    nvs_close(nvs);
    return good;
}
#else
const bool SURVIVES_REBOOT = false;

uint8_t memory[WYRM_STORE_SLOTS][WYRM_STORE_RECORD_LEN];
bool written[WYRM_STORE_SLOTS];

bool load(void *, unsigned place, void *buf, size_t len)
{
    memcpy(buf, memory[place], len);
    return written[place];
}

bool save(void *, unsigned place, const void *buf, size_t len)
{
    memcpy(memory[place], buf, len);
    written[place] = true;
    return true;
}
#endif

/* With several tunnels, several tasks make labels. */
#if WYRM_PORT_FREERTOS
StaticSemaphore_t mutex_memory;
SemaphoreHandle_t mutex;

void lock(void *)
{
    (void)xSemaphoreTake(mutex, portMAX_DELAY);
}

void unlock(void *)
{
    (void)xSemaphoreGive(mutex);
}
#endif

#if WYRM_PORT_FREERTOS
const struct wyrm_store_io own_io = {nullptr, load, save, lock, unlock, 0};
#else
const struct wyrm_store_io own_io = {nullptr, load, save, nullptr, nullptr, 0};
#endif

const struct wyrm_store_io *io = &own_io;
struct wyrm_store store;
bool store_ready;

/* One store for all tunnels: its labels increase for each of their keys. */
void prepare_store()
{
    if (store_ready)
        return;
#if WYRM_PORT_FREERTOS
    mutex = xSemaphoreCreateMutexStatic(&mutex_memory);
#endif
    (void)wyrm_store_init(&store, io, BUILD_UNIX_S);
    store_ready = true;
}

bool label(void *, uint8_t out[12])
{
    time_t now = time(nullptr);
    bool clock_set = static_cast<uint64_t>(now) > BUILD_UNIX_S;

    if (clock_set)
        wyrm_store_set_clock(&store, static_cast<uint64_t>(now), 0);
    if (!clock_set && io == &own_io && !SURVIVES_REBOOT)
        return false; /* a label of before the reboot could repeat */
    return wyrm_store_tai64n(&store, out);
}

struct wyrm_platform platform = {nullptr, chip_random, label};

struct wyrm_prefix prefix_of(const IPAddress &address, const IPAddress &netmask)
{
    struct wyrm_prefix prefix = {};

    prefix.family = 4;
    for (int i = 0; i < 4; i++)
        prefix.addr[i] = address[i];
    while (prefix.bits < 32 && (netmask[prefix.bits / 8] >> (7 - prefix.bits % 8) & 1) != 0)
        prefix.bits++;
    return prefix;
}

} // namespace

/* ---- lwIP's lock on the Pico ------------------------------------------------ */

#if defined(ARDUINO_ARCH_RP2040)
/* LWIPMutex is recursive and has no members: constructor and destructor may run apart. */
static unsigned char guard[sizeof(LWIPMutex)];

extern "C" void wyrm_arduino_lock(void)
{
    (void)new (guard) LWIPMutex;
}

extern "C" void wyrm_arduino_unlock(void)
{
    reinterpret_cast<LWIPMutex *>(guard)->~LWIPMutex();
}
#endif

/* ---- Start -------------------------------------------------------------------- */

WireGuard::WireGuard()
    : lwip_(), device_(), pools_(), peers_(), routes_(), slots_(), sources_(), index_(), held_(),
      conf_peers_(), conf_prefixes_(), conf_(), names_(), outside_(nullptr), callback_(nullptr),
      default_route_(-1), takes_default_route_(false), running_(false), next_look_ms_(0), error_()
#if WYRM_PORT_FREERTOS
      ,
      worker_()
#else
      ,
      job_(), pending_(false)
#endif
{
    pools_.peers = peers_;
    pools_.routes = routes_;
    pools_.slots = slots_;
    pools_.sources = sources_;
    pools_.index = index_;
    pools_.n_peers = WYRM_ARDUINO_PEERS;
    pools_.n_routes = WYRM_ARDUINO_ROUTES;
    pools_.n_slots = WYRM_HANDSHAKE_SLOTS;
    pools_.n_sources = WYRM_SOURCES;
    pools_.n_index = WYRM_INDEX_HEADS(WYRM_ARDUINO_PEERS);
    lwip_.device = &device_;
    lwip_.pools = &pools_;
    lwip_.held = held_;
    lwip_.held_capacity = WYRM_ARDUINO_HELD;
}

void WireGuard::set_random(bool (*random)(void *ctx, void *out, size_t len))
{
    platform.random = random;
}

void WireGuard::set_store(const struct wyrm_store_io *given)
{
    io = given;
    store_ready = false;
}

bool WireGuard::fail(const char *reason)
{
    struct wyrm_pen pen;

    wyrm_pen_init(&pen, error_, sizeof(error_));
    wyrm_pen_text(&pen, "the tunnel did not start: ");
    wyrm_pen_text(&pen, reason);
    wyrm_conf_wipe(&conf_);
    return false;
}

void WireGuard::prepare()
{
    memset(&conf_, 0, sizeof(conf_));
    conf_.peers = conf_peers_;
    conf_.prefixes = conf_prefixes_;
    conf_.max_peers = WYRM_ARDUINO_PEERS;
    conf_.max_prefixes = WYRM_ARDUINO_ROUTES + 2;
    conf_.max_allowed = WYRM_ARDUINO_ROUTES;
    conf_.max_ipv4 = 1;
    conf_.max_ipv6 = LWIP_IPV6 && WYRM_IPV6 ? 1 : 0;
    conf_.features = WYRM_CONF_NAMES;
}

bool WireGuard::begin(const char *text)
{
    if (running_)
        return fail("it is running already; call end() first");
    prepare();
    if (wyrm_conf_parse(&conf_, text, strlen(text), error_, sizeof(error_)) != WYRM_OK)
        return false;
    return start();
}

bool WireGuard::begin(const IPAddress &address, const char *private_key, const char *endpoint,
                      const char *public_key, uint16_t port, const char *preshared_key)
{
    return begin(address, IPAddress(255, 255, 255, 255), IPAddress(0, 0, 0, 0), private_key,
                 endpoint, public_key, port, preshared_key);
}

bool WireGuard::begin(const IPAddress &address, const IPAddress &netmask, const IPAddress &,
                      const char *private_key, const char *endpoint, const char *public_key,
                      uint16_t port, const char *preshared_key)
{
    if (running_)
        return fail("it is running already; call end() first");
    prepare();

    struct wyrm_conf_peer *peer = &conf_peers_[0];
    memset(peer, 0, sizeof(*peer));
    if (private_key == nullptr || endpoint == nullptr || public_key == nullptr)
        return fail("a key or the endpoint is missing");
    if (wyrm_key_parse(private_key, strlen(private_key), conf_.priv) != WYRM_OK ||
        wyrm_key_parse(public_key, strlen(public_key), peer->pub) != WYRM_OK ||
        (preshared_key != nullptr &&
         wyrm_key_parse(preshared_key, strlen(preshared_key), peer->psk) != WYRM_OK))
        return fail("a key is not 44 characters of base64");

    char host[WYRM_ARDUINO_NAME_MAX + 9]; /* brackets, colon, port */
    bool is_ipv6 = strchr(endpoint, ':') != nullptr;
    struct wyrm_pen pen;
    if (strlen(endpoint) > WYRM_ARDUINO_NAME_MAX)
        return fail("the endpoint's name is too long");
    wyrm_pen_init(&pen, host, sizeof(host));
    wyrm_pen_text(&pen, is_ipv6 ? "[" : "");
    wyrm_pen_text(&pen, endpoint);
    wyrm_pen_text(&pen, is_ipv6 ? "]:" : ":");
    wyrm_pen_number(&pen, port);
    if (wyrm_host_parse(host, pen.len, &peer->endpoint) != WYRM_OK)
        return fail("the endpoint is neither an address nor a host name");

    conf_prefixes_[0] = prefix_of(address, netmask);
    conf_.addresses.count = 1;
    conf_prefixes_[1] = wyrm_prefix();
    conf_prefixes_[1].family = 4;
    peer->allowed.first = 1;
    peer->allowed.count = 1;
    peer->keepalive_s = 25;
    conf_.n_peers = 1;
    conf_.n_prefixes = 2;
    return start(); /* `host` lives until here, and start() copies it */
}

/* Host names must outlive the text that they were read from. */
bool WireGuard::remember_names()
{
    for (uint16_t i = 0; i < conf_.n_peers; i++) {
        const struct wyrm_host *host = &conf_peers_[i].endpoint;
        Peer *kept = &names_[i];

        memset(kept, 0, sizeof(*kept));
        if (host->address.family != 0 || host->name_len == 0)
            continue;
        if (host->name_len > WYRM_ARDUINO_NAME_MAX)
            return false;
        memcpy(kept->name, host->name, host->name_len);
        kept->port = host->address.port;
    }
    return true;
}

bool WireGuard::start()
{
    if (platform.random == chip_random && !WYRM_ARDUINO_HAS_RANDOM)
        return fail("this chip has no secure random generator; call set_random() first");
    if (!remember_names())
        return fail("the endpoint's name is too long");
    prepare_store();
#if WYRM_PORT_FREERTOS
    wyrm_worker_start(&worker_, &lwip_, tskIDLE_PRIORITY + 1);
    if (!wyrm_worker_started(&worker_))
        return fail("there is no memory for the task that computes handshakes");
#endif
    wyrm_status status = wyrm_lwip_call(&lwip_, bring_up, this);
    if (status < 0) {
        return fail(status == WYRM_E_STATE  ? "there is no network yet; connect it first"
                    : status == WYRM_E_FULL ? "lwIP has no memory, timer or UDP socket left"
                                            : wyrm_status_text(status));
    }
    wyrm_conf_wipe(&conf_);
    error_[0] = '\0';
    running_ = true;
#if WYRM_PORT_FREERTOS
    wyrm_worker_wake(&worker_);
#endif
    return true;
}

wyrm_status WireGuard::bring_up(struct wyrm_lwip *, void *self)
{
    return static_cast<WireGuard *>(self)->bring_up_locked();
}

/* In one go under lwIP's lock, so that no packet leaves in the clear between two of these steps. */
wyrm_status WireGuard::bring_up_locked()
{
    outside_ = netif_default;
    if (outside_ == nullptr)
        return WYRM_E_STATE;

    struct wyrm_lwip_config config = {};
    config.platform = &platform;
    config.addresses = &conf_prefixes_[conf_.addresses.first];
    config.n_addresses = conf_.addresses.count;
    config.listen_port = conf_.listen_port;
    config.mtu = conf_.mtu;
    config.bind_netif = outside_; /* also if the default route leads into the tunnel */
    config.event = event;
    config.wake = wake;
    config.arg = this;
    if (wyrm_lwip_start_locked(&lwip_, &config) != ERR_OK)
        return WYRM_E_FULL;
    takes_default_route_ = default_route_ == 1;
    wyrm_status status = wyrm_set_private_key(&device_, conf_.priv);
    for (uint16_t i = 0; i < conf_.n_peers && status >= 0; i++)
        status = add_peer_locked(i);
    if (status < 0) {
        wyrm_lwip_remove_locked(&lwip_);
        return status;
    }
    take_default_route_locked();
    schedule_look_locked();
    return WYRM_OK;
}

/* The peers' ids are their positions in the configuration. */
wyrm_status WireGuard::add_peer_locked(uint16_t position)
{
    const struct wyrm_conf_peer *peer = &conf_peers_[position];
    wyrm_peer_id id;
    wyrm_status status = wyrm_peer_add(&device_, peer->pub, &id);

    if (status >= 0)
        status = wyrm_peer_set_psk(&device_, id, peer->psk);
    if (status >= 0 && peer->endpoint.address.family != 0)
        status = wyrm_peer_set_endpoint(&device_, id, &peer->endpoint.address);
    if (status >= 0)
        status = wyrm_peer_set_keepalive(&device_, id, peer->keepalive_s);
    for (uint16_t i = 0; i < peer->allowed.count && status >= 0; i++) {
        const struct wyrm_prefix *prefix = &conf_prefixes_[peer->allowed.first + i];

        status = wyrm_route_add(&device_, id, prefix);
        if (prefix->family == 4 && prefix->bits == 0 && default_route_ < 0)
            takes_default_route_ = true;
    }
    if (status >= 0 && peer->endpoint.address.family != 0)
        (void)wyrm_peer_connect(&device_, wyrm_lwip_now_locked(&lwip_), id);
    return status;
}

/* ---- Default route and names, looked after every 10 s -------------------------- */

/* The core gives the default route back to its own interface when that reconnects. */
void WireGuard::take_default_route_locked()
{
    if (takes_default_route_ && netif_default != wyrm_lwip_netif(&lwip_))
        netif_set_default(wyrm_lwip_netif(&lwip_));
}

void WireGuard::schedule_look_locked()
{
#if WYRM_ARDUINO_FEW_TIMERS
    next_look_ms_ = millis();
#elif NO_SYS
    sys_timeout(1, look, this);
#else
    /* The TCP/IP task would not notice a timer that another task sets. */
    if (tcpip_try_callback(look, this) != ERR_OK)
        sys_timeout(LOOK_MS, look, this);
#endif
}

void WireGuard::look(void *self)
{
    static_cast<WireGuard *>(self)->look_locked();
}

wyrm_status WireGuard::look_now(struct wyrm_lwip *, void *self)
{
    static_cast<WireGuard *>(self)->look_locked();
    return WYRM_OK;
}

void WireGuard::look_locked()
{
    if (!WYRM_ARDUINO_FEW_TIMERS)
        sys_untimeout(look, this); /* there is one at most, even after end() and begin() */
    if (!lwip_.running)
        return;
    take_default_route_locked();
    for (wyrm_peer_id id = 0; id < WYRM_ARDUINO_PEERS; id++) {
        struct wyrm_peer_info info;

        if (names_[id].name[0] != '\0' &&
            wyrm_peer_get(&device_, wyrm_lwip_now_locked(&lwip_), id, &info) >= 0 &&
            (info.configured.family == 0 || info.unanswered >= UNANSWERED))
            resolve_locked(id);
    }
    if (!WYRM_ARDUINO_FEW_TIMERS)
        sys_timeout(LOOK_MS, look, this);
}

void WireGuard::resolve_locked(wyrm_peer_id id)
{
    ip_addr_t address;

    if (dns_gethostbyname(names_[id].name, &address, found, this) == ERR_OK)
        use_locked(id, &address);
}

/* The answer may come after end(), or for a name that is no longer ours. */
void WireGuard::found(const char *name, const ip_addr_t *address, void *self)
{
    WireGuard *wg = static_cast<WireGuard *>(self);

    if (address == nullptr || !wg->lwip_.running)
        return;
    for (wyrm_peer_id id = 0; id < WYRM_ARDUINO_PEERS; id++)
        if (strcmp(name, wg->names_[id].name) == 0)
            wg->use_locked(id, address);
}

void WireGuard::use_locked(wyrm_peer_id id, const ip_addr_t *address)
{
    struct wyrm_endpoint endpoint;
    struct wyrm_peer_info info;

    memset(&endpoint, 0, sizeof(endpoint)); /* it is compared whole */
    endpoint.port = names_[id].port;
#if LWIP_IPV6
    if (IP_IS_V6(address)) {
        endpoint.family = 6;
        memcpy(endpoint.addr, ip_2_ip6(address)->addr, WYRM_ADDR_LEN);
    } else
#endif
    {
        endpoint.family = 4;
        memcpy(endpoint.addr, &ip_2_ip4(address)->addr, 4);
    }
    if (wyrm_peer_get(&device_, wyrm_lwip_now_locked(&lwip_), id, &info) < 0 ||
        memcmp(&endpoint, &info.configured, sizeof(endpoint)) == 0 ||
        wyrm_peer_set_endpoint(&device_, id, &endpoint) < 0)
        return;
    (void)wyrm_peer_connect(&device_, wyrm_lwip_now_locked(&lwip_), id);
    wyrm_lwip_service_locked(&lwip_);
}

/* ---- End -------------------------------------------------------------------------- */

wyrm_status WireGuard::tear_down(struct wyrm_lwip *, void *self)
{
    static_cast<WireGuard *>(self)->tear_down_locked();
    return WYRM_OK;
}

void WireGuard::tear_down_locked()
{
    if (!WYRM_ARDUINO_FEW_TIMERS)
        sys_untimeout(look, this);
    if (netif_default == wyrm_lwip_netif(&lwip_))
        netif_set_default(outside_);
    wyrm_lwip_remove_locked(&lwip_);
    memset(names_, 0, sizeof(names_));
}

void WireGuard::end()
{
    if (!running_)
        return;
    while (wyrm_lwip_call(&lwip_, tear_down, this) == WYRM_E_FULL)
        delay(10); /* lwIP has no memory for the call yet */
#if WYRM_PORT_FREERTOS
    wyrm_worker_stop(&worker_);
#endif
    running_ = false;
}

/* ---- Handshakes ---------------------------------------------------------------------- */

void WireGuard::wake(void *self)
{
    WireGuard *wg = static_cast<WireGuard *>(self);

#if WYRM_PORT_FREERTOS
    wyrm_worker_wake(&wg->worker_);
#else
    wg->pending_ = true;
#if defined(ARDUINO_ARCH_ESP8266)
    (void)schedule_function(
        [wg]() { wg->loop(); }); /* after loop(), not inside the network stack */
#endif
#endif
}

void WireGuard::loop()
{
#if !WYRM_PORT_FREERTOS
    if (pending_) {
        pending_ = false;
        wyrm_lwip_work(&lwip_, &job_);
    }
#endif
    if (WYRM_ARDUINO_FEW_TIMERS && running_ && millis() - next_look_ms_ < 0x80000000u) {
        next_look_ms_ = millis() + LOOK_MS;
        (void)wyrm_lwip_call(&lwip_, look_now, this);
    }
}

void WireGuard::event(void *self, wyrm_status event, wyrm_peer_id)
{
    void (*callback)(bool up) = static_cast<WireGuard *>(self)->callback_;

    if (callback != nullptr && (event == WYRM_READY || event == WYRM_LOST))
        callback(event == WYRM_READY);
}

/* ---- Peers ------------------------------------------------------------------------------ */

wyrm_status WireGuard::any_up(struct wyrm_device *device, wyrm_ms now, void *up)
{
    struct wyrm_peer_info info;

    for (wyrm_peer_id id = 0; id < WYRM_ARDUINO_PEERS; id++)
        if (wyrm_peer_get(device, now, id, &info) >= 0 && info.up)
            *static_cast<bool *>(up) = true;
    return WYRM_OK;
}

bool WireGuard::peer_up()
{
    bool up = false;

    return wyrm_lwip_call_core(&lwip_, any_up, &up) >= 0 && up;
}

static wyrm_status add_route(struct wyrm_device *device, wyrm_ms, void *prefix)
{
    return wyrm_route_add(device, 0, static_cast<const struct wyrm_prefix *>(prefix));
}

bool WireGuard::add_allowed_ip(const IPAddress &network, const IPAddress &netmask)
{
    struct wyrm_prefix prefix = prefix_of(network, netmask);

    return wyrm_lwip_call_core(&lwip_, add_route, &prefix) >= 0;
}

#else

typedef int wyrm_arduino_not_built; /* for compilers that refuse an empty file */

#endif /* ARDUINO */
