/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A virtio network device behind memory-mapped registers as an lwIP netif (Virtual I/O Device
 * Version 1.1: 4.2 registers, 2.6 split rings, 5.1 network).
 *
 * Receive: the device fills pbufs by DMA; the interrupt only wakes the receive task, which posts
 * them to the stack and replaces them. Without free pbufs, slots stay empty and the device holds
 * incoming frames; the task retries every tick.
 *
 * Transmit: frames are copied into buffers of the ring, because the device reads them later, and
 * freeing pbufs promptly would take an interrupt per frame. Called under lwIP's core lock.
 */
#include "board_api.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/netif.h"
#include "lwip/prot/ethernet.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"

#include "ethernet.h"
#include "virt.h"

#define RX_RING       BOARD_RX_RING
#define TX_RING       32u
#define FRAME_MAX     1514u
#define RX_TASK_STACK 256 /* words */

enum {
    QUEUE_RX = 0,
    QUEUE_TX = 1,
};

/* Registers, as offsets */
enum {
    MAGIC = 0x000,
    VERSION = 0x004,
    DEVICE_ID = 0x008,
    DRIVER_FEATURES = 0x020,
    DRIVER_FEATURES_SELECT = 0x024,
    QUEUE_SELECT = 0x030,
    QUEUE_SIZE = 0x038,
    QUEUE_READY = 0x044,
    QUEUE_NOTIFY = 0x050,
    INTERRUPT_STATUS = 0x060,
    INTERRUPT_ACK = 0x064,
    STATUS = 0x070,
    QUEUE_TABLE = 0x080,
    QUEUE_AVAILABLE = 0x090,
    QUEUE_USED = 0x0a0,
    CONFIG = 0x100,
};

#define MAGIC_VALUE    0x74726976u
#define VERSION_MODERN 2u
#define DEVICE_NETWORK 1u

#define STATUS_ACKNOWLEDGE 1u
#define STATUS_DRIVER      2u
#define STATUS_DRIVER_OK   4u
#define STATUS_FEATURES_OK 8u

#define FEATURE_MAC       (1u << 5)
#define FEATURE_STATUS    (1u << 16)
#define FEATURE_VERSION_1 (1u << 0) /* of the second word */

#define CONFIG_STATUS  6u /* behind the MAC address */
#define STATUS_LINK_UP 1u

#define DESCRIPTOR_WRITE 2u /* by the device */
#define NO_INTERRUPT     1u /* in the flags of an available ring */
#define NO_NOTIFY        1u /* in the flags of a used ring */

/* The device expects a header before every frame; it is zero here. It ends ETH_PAD_SIZE bytes after
 * a word boundary, as lwIP's padding does, so both share these bytes. */
#define HEADER_LEN  12u
#define BUFFER_SIZE (HEADER_LEN + ETH_PAD_SIZE + FRAME_MAX)

struct descriptor {
    uint64_t address;
    uint32_t len;
    uint16_t flags, next;
};

struct used_element {
    uint32_t id, len;
};

#define DEFINE_RING(name, count)                                                                   \
    static struct {                                                                                \
        struct descriptor table[count];                                                            \
        struct {                                                                                   \
            uint16_t flags, index, ring[count], event;                                             \
        } available;                                                                               \
        struct {                                                                                   \
            uint16_t flags, index;                                                                 \
            struct used_element ring[count];                                                       \
            uint16_t event;                                                                        \
        } used;                                                                                    \
    } volatile name __attribute__((aligned(16)))

DEFINE_RING(rx, RX_RING);
DEFINE_RING(tx, TX_RING);
static struct pbuf *rx_buffers[RX_RING]; /* NULL: the slot has no buffer */
static unsigned rx_empty;
static uint16_t rx_seen;
static uint16_t tx_free[TX_RING], tx_free_count, tx_seen;
static uint8_t tx_buffers[TX_RING][BUFFER_SIZE] __attribute__((aligned(4)));

static struct board_eth_stats stats;
static TaskHandle_t rx_task;
static uintptr_t device; /* 0: none in this machine */

static volatile uint32_t *reg(unsigned offset)
{
    return (volatile uint32_t *)(device + offset);
}

static void barrier(void)
{
    __asm volatile("fence rw, rw" : : : "memory");
}

void board_eth_stats(struct board_eth_stats *out)
{
    *out = stats;
}

/* ---- receive ---- */

static void offer(uint16_t id, struct pbuf *p)
{
    uint16_t index = rx.available.index;

    rx_buffers[id] = p;
    rx.table[id].address = (uintptr_t)p->payload + ETH_PAD_SIZE;
    rx.table[id].len = (uint32_t)p->len - ETH_PAD_SIZE;
    rx.available.ring[index % RX_RING] = id;
    barrier();
    rx.available.index = (uint16_t)(index + 1);
}

static void fill(void)
{
    for (uint16_t id = 0; id < RX_RING && rx_empty > 0; id++) {
        struct pbuf *p;

        if (rx_buffers[id])
            continue;
        p = pbuf_alloc(PBUF_RAW, PBUF_POOL_BUFSIZE, PBUF_POOL);
        if (!p) {
            stats.rx_no_buffer++;
            break;
        }
        offer(id, p);
        rx_empty--;
    }
    barrier();
    if (!(rx.used.flags & NO_NOTIFY))
        *reg(QUEUE_NOTIFY) = QUEUE_RX;
}

/* The next received frame, behind ETH_PAD_SIZE bytes; its slot gets a new buffer at once. */
static struct pbuf *take(void)
{
    volatile const struct used_element *element = &rx.used.ring[rx_seen % RX_RING];
    uint16_t id = (uint16_t)element->id;
    uint32_t len = element->len;
    struct pbuf *p = rx_buffers[id];
    struct pbuf *next = pbuf_alloc(PBUF_RAW, PBUF_POOL_BUFSIZE, PBUF_POOL);

    rx_seen++;
    rx_buffers[id] = NULL;
    if (next) {
        offer(id, next);
    } else {
        stats.rx_no_buffer++;
        rx_empty++;
    }
    (void)pbuf_remove_header(p, HEADER_LEN);
    pbuf_realloc(p, (u16_t)(len - HEADER_LEN + ETH_PAD_SIZE));
    return p;
}

static bool has_received(void)
{
    barrier();
    return rx.used.index != rx_seen;
}

static void receive_all(void)
{
    while (has_received()) {
        barrier();
        ethernet_deliver(take());
    }
    fill();
}

static bool link_is_up(void)
{
    return *(volatile uint16_t *)(device + CONFIG + CONFIG_STATUS) & STATUS_LINK_UP;
}

static void receive_task(void *unused)
{
    (void)unused;
    for (;;) {
        receive_all();
        ethernet_set_link(link_is_up());
        rx.available.flags = 0;
        if (!has_received())
            (void)ulTaskNotifyTake(pdTRUE, rx_empty ? 1 : portMAX_DELAY);
    }
}

/* Frames raise no further interrupt until the task has taken all of them; link changes do. */
void ethernet_isr(void)
{
    BaseType_t woken = pdFALSE;

    *reg(INTERRUPT_ACK) = *reg(INTERRUPT_STATUS);
    rx.available.flags = NO_INTERRUPT;
    stats.rx_interrupts++;
    vTaskNotifyGiveFromISR(rx_task, &woken);
    portYIELD_FROM_ISR(woken);
}

/* ---- transmit ---- */

/* The device may return buffers in any order. */
static void reclaim(void)
{
    while (tx_seen != tx.used.index) {
        barrier();
        tx_free[tx_free_count++] = (uint16_t)tx.used.ring[tx_seen % TX_RING].id;
        tx_seen++;
    }
}

static err_t transmit(struct netif *netif, struct pbuf *p)
{
    uint16_t index = tx.available.index, id;
    uint8_t *buffer;

    (void)netif;
    reclaim();
    if (tx_free_count == 0 || p->tot_len > ETH_PAD_SIZE + FRAME_MAX) {
        stats.tx_busy++;
        LINK_STATS_INC(link.drop);
        return ERR_BUF;
    }
    id = tx_free[--tx_free_count];
    buffer = tx_buffers[id];
    (void)pbuf_copy_partial(p, buffer + HEADER_LEN, p->tot_len, 0);
    memset(buffer + HEADER_LEN, 0, ETH_PAD_SIZE); /* the end of the header */
    tx.table[id].len = HEADER_LEN + p->tot_len - ETH_PAD_SIZE;
    tx.available.ring[index % TX_RING] = id;
    barrier();
    tx.available.index = (uint16_t)(index + 1);
    barrier();
    if (!(tx.used.flags & NO_NOTIFY))
        *reg(QUEUE_NOTIFY) = QUEUE_TX;
    stats.tx_frames++;
    LINK_STATS_INC(link.xmit);
    return ERR_OK;
}

/* ---- start ---- */

static uint32_t find_device(void)
{
    for (uint32_t slot = 0; slot < VIRT_VIRTIO_MAX; slot++) {
        device = VIRT_VIRTIO_BASE + slot * VIRT_VIRTIO_STEP;
        if (*reg(MAGIC) == MAGIC_VALUE && *reg(VERSION) == VERSION_MODERN &&
            *reg(DEVICE_ID) == DEVICE_NETWORK)
            return VIRT_IRQ_VIRTIO + slot;
    }
    device = 0;
    return 0;
}

static void set_queue(uint32_t queue, uint32_t size, volatile const void *table,
                      volatile const void *available, volatile const void *used)
{
    *reg(QUEUE_SELECT) = queue;
    *reg(QUEUE_SIZE) = size;
    *reg(QUEUE_TABLE) = (uint32_t)(uintptr_t)table;
    *reg(QUEUE_TABLE + 4) = 0;
    *reg(QUEUE_AVAILABLE) = (uint32_t)(uintptr_t)available;
    *reg(QUEUE_AVAILABLE + 4) = 0;
    *reg(QUEUE_USED) = (uint32_t)(uintptr_t)used;
    *reg(QUEUE_USED + 4) = 0;
    *reg(QUEUE_READY) = 1;
}

static void negotiate(void)
{
    *reg(STATUS) = 0;
    *reg(STATUS) = STATUS_ACKNOWLEDGE;
    *reg(STATUS) = STATUS_ACKNOWLEDGE | STATUS_DRIVER;
    *reg(DRIVER_FEATURES_SELECT) = 0;
    *reg(DRIVER_FEATURES) = FEATURE_MAC | FEATURE_STATUS;
    *reg(DRIVER_FEATURES_SELECT) = 1;
    *reg(DRIVER_FEATURES) = FEATURE_VERSION_1;
    *reg(STATUS) = STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FEATURES_OK;
    if (!(*reg(STATUS) & STATUS_FEATURES_OK))
        board_panic("the network device rejected its driver", "features", 0);
}

static void start_device(struct netif *netif)
{
    negotiate();
    for (unsigned i = 0; i < ETH_HWADDR_LEN; i++)
        netif->hwaddr[i] = *(volatile uint8_t *)(device + CONFIG + i);
    for (uint16_t i = 0; i < RX_RING; i++)
        rx.table[i].flags = DESCRIPTOR_WRITE;
    for (uint16_t i = 0; i < TX_RING; i++) {
        tx.table[i].address = (uintptr_t)tx_buffers[i] + ETH_PAD_SIZE;
        tx_free[tx_free_count++] = i;
    }
    tx.available.flags = NO_INTERRUPT;
    set_queue(QUEUE_RX, RX_RING, rx.table, &rx.available, &rx.used);
    set_queue(QUEUE_TX, TX_RING, tx.table, &tx.available, &tx.used);
    *reg(STATUS) = STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FEATURES_OK | STATUS_DRIVER_OK;
    rx_empty = RX_RING;
}

err_t board_netif_init(struct netif *netif)
{
    static StaticTask_t task;
    static StackType_t stack[RX_TASK_STACK];
    uint32_t irq = find_device();

    if (device != 0)
        start_device(netif);
    ethernet_start(netif, transmit, &stats);
    if (device == 0) {
        netif->flags &= (uint8_t)~NETIF_FLAG_LINK_UP;
        return ERR_OK;
    }
    rx_task = xTaskCreateStatic(receive_task, "eth", RX_TASK_STACK, NULL, ETHERNET_TASK_PRIORITY,
                                stack, &task);
    irq_enable(irq);
    return ERR_OK;
}
