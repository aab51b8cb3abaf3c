/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * OpenCores Ethernet controller as an lwIP netif (OpenCores: Ethernet IP Core Specification, rev.
 * 1.19).
 *
 * Receive: a ring of descriptors, each with a pbuf that the controller fills. The interrupt only
 * wakes the receive task, which replaces filled pbufs by new ones and posts them to the stack:
 * nothing is copied.
 *
 * Transmit: one descriptor. A contiguous frame is sent in place, a chain is copied first. The
 * caller waits until the controller has read the frame, which the emulated one does at once. Called
 * under lwIP's core lock.
 */
#include "board_api.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/prot/ethernet.h"
#include "lwip/stats.h"

#include "board.h"
#include "ethernet.h"
#include "lx60_private.h"

#define REG(offset) REG32(LX60_ETHERNET_BASE + (offset))

#define MODE         REG(0x00)
#define INT_SOURCE   REG(0x04)
#define INT_MASK     REG(0x08)
#define TX_BD_NUM    REG(0x20)
#define MII_COMMAND  REG(0x2c)
#define MII_STATUS   REG(0x3c)
#define MAC_ADDRESS0 REG(0x40)
#define MAC_ADDRESS1 REG(0x44)
#define HASH0        REG(0x48)
#define HASH1        REG(0x4c)

#define MODE_RESET       (1u << 11)
#define MODE_PAD         (1u << 15)
#define MODE_CRC         (1u << 13)
#define MODE_FULL_DUPLEX (1u << 10)
#define MODE_TX          (1u << 1)
#define MODE_RX          (1u << 0)
#define INT_BUSY         (1u << 4) /* a frame found no empty descriptor */
#define INT_RX           (1u << 2)
#define MII_SCAN         1u
#define MII_LINK_FAIL    1u

/* Descriptors: length in the upper half of the first word, then the address. */
#define RX_EMPTY  (1u << 15)
#define RX_IRQ    (1u << 14)
#define RX_WRAP   (1u << 13)
#define RX_ERRORS 0x7fu /* overrun, invalid symbol, dribble, length, CRC, late collision */
#define TX_READY  (1u << 15)
#define TX_WRAP   (1u << 13)
#define TX_PAD    (1u << 12)
#define TX_CRC    (1u << 11)
#define TX_ERRORS 0x10fu

struct descriptor {
    uint32_t state, address;
};
#define DESCRIPTORS ((volatile struct descriptor *)(LX60_ETHERNET_BASE + 0x400))
#define TX_RING     1u
#define RX_RING     BOARD_RX_RING

#define CRC_LEN       4u
#define FRAME_MAX     1514u
#define RX_TASK_STACK 320 /* words */
#define LINK_POLL_MS  1000u

static bool present;
static struct board_eth_stats stats;
static TaskHandle_t rx_task;
static struct pbuf *ring[RX_RING];

void board_eth_stats(struct board_eth_stats *out)
{
    *out = stats;
}

/* ---- receive ---- */

static void offer(unsigned place, struct pbuf *p)
{
    volatile struct descriptor *d = &DESCRIPTORS[TX_RING + place];

    ring[place] = p;
    d->address = (uint32_t)(uintptr_t)p->payload + ETH_PAD_SIZE;
    d->state = RX_EMPTY | RX_IRQ | (place == RX_RING - 1 ? RX_WRAP : 0);
}

static struct pbuf *new_buffer(void)
{
    return pbuf_alloc(PBUF_RAW, PBUF_POOL_BUFSIZE, PBUF_POOL);
}

/* False: nothing was received in this slot. */
static bool receive_at(unsigned place)
{
    uint32_t state = DESCRIPTORS[TX_RING + place].state;
    struct pbuf *p = ring[place], *fresh;
    size_t len = state >> 16;

    if (state & RX_EMPTY)
        return false;
    if ((state & RX_ERRORS) || len <= CRC_LEN || ETH_PAD_SIZE + len > p->len) {
        stats.rx_errors++;
        LINK_STATS_INC(link.err);
        offer(place, p);
        return true;
    }
    /* Without a free buffer the frame stays in the ring, and once that is full the controller drops
     * new ones at no cost. Dropping here would starve the stack, which has to free the buffers. */
    while (!(fresh = new_buffer())) {
        stats.rx_no_buffer++;
        vTaskDelay(1);
    }
    offer(place, fresh);
    pbuf_realloc(p, (u16_t)(ETH_PAD_SIZE + len - CRC_LEN));
    ethernet_deliver(p);
    return true;
}

static void receive_all(void)
{
    static unsigned place;

    while (receive_at(place))
        place = (place + 1) % RX_RING;
}

static void receive_task(void *unused)
{
    (void)unused;
    for (;;) {
        if (INT_SOURCE & INT_BUSY)
            stats.rx_overflow++; /* at least one frame */
        INT_SOURCE = INT_RX | INT_BUSY;
        receive_all();
        INT_MASK = INT_RX;
        if (ulTaskNotifyTake(pdTRUE, pdMS_TO_TICKS(LINK_POLL_MS)) == 0)
            ethernet_set_link(!(MII_STATUS & MII_LINK_FAIL));
    }
}

/* A frame that arrived after the source was cleared raises the interrupt when it is unmasked. */
void ethernet_isr(void)
{
    BaseType_t woken = pdFALSE;

    INT_MASK = 0;
    stats.rx_interrupts++;
    vTaskNotifyGiveFromISR(rx_task, &woken);
    portYIELD_FROM_ISR(woken);
}

/* ---- transmit ---- */

static err_t transmit(struct netif *netif, struct pbuf *p)
{
    static uint8_t gathered[FRAME_MAX + 2];
    volatile struct descriptor *d = DESCRIPTORS;
    size_t len = p->tot_len - ETH_PAD_SIZE;
    const uint8_t *frame = (const uint8_t *)p->payload + ETH_PAD_SIZE;
    uint32_t state;

    (void)netif;
    if (!present)
        return ERR_IF;
    if (len > FRAME_MAX) {
        stats.tx_errors++;
        return ERR_ARG;
    }
    if (p->next) {
        (void)pbuf_copy_partial(p, gathered, (u16_t)len, ETH_PAD_SIZE);
        frame = gathered;
    }
    d->address = (uint32_t)(uintptr_t)frame;
    d->state = (uint32_t)len << 16 | TX_READY | TX_WRAP | TX_PAD | TX_CRC;
    while ((state = d->state) & TX_READY)
        continue;
    if (state & TX_ERRORS)
        stats.tx_errors++;
    stats.tx_frames++;
    LINK_STATS_INC(link.xmit);
    return ERR_OK;
}

/* ---- start ---- */

static bool hex_digit(char c, unsigned *value)
{
    if (c >= '0' && c <= '9')
        *value = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *value = (unsigned)(c - 'a' + 10);
    else
        return false;
    return true;
}

/* Six bytes like 52:54:00:12:34:56. */
static bool parse_mac(const char *text, uint8_t mac[ETH_HWADDR_LEN])
{
    for (unsigned i = 0; i < ETH_HWADDR_LEN; i++, text += 3) {
        unsigned high, low;

        if (!hex_digit(text[0], &high) || !hex_digit(text[1], &low) ||
            text[2] != (i == ETH_HWADDR_LEN - 1 ? '\0' : ':'))
            return false;
        mac[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* The controller does not store an address: a real board keeps it elsewhere. */
static void set_mac(uint8_t mac[ETH_HWADDR_LEN])
{
    static const uint8_t usual[ETH_HWADDR_LEN] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};
    const char *given = board_argument("mac");

    if (!given || !parse_mac(given, mac))
        memcpy(mac, usual, sizeof usual);
    MAC_ADDRESS0 = (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5];
    MAC_ADDRESS1 = (uint32_t)mac[0] << 8 | mac[1];
}

/* False if there is no controller. */
static bool reset(void)
{
    MODE = MODE_RESET;
    MODE = 0;
    TX_BD_NUM = TX_RING;
    return TX_BD_NUM == TX_RING;
}

static err_t controller_start(struct netif *netif)
{
    set_mac(netif->hwaddr);
    HASH0 = UINT32_MAX; /* all multicast */
    HASH1 = UINT32_MAX;
    MII_COMMAND = MII_SCAN;
    for (unsigned i = 0; i < RX_RING; i++) {
        struct pbuf *p = new_buffer();

        if (!p)
            return ERR_MEM;
        offer(i, p);
    }
    INT_MASK = 0;
    INT_SOURCE = INT_RX | INT_BUSY;
    MODE = MODE_PAD | MODE_CRC | MODE_FULL_DUPLEX | MODE_TX | MODE_RX;
    return ERR_OK;
}

err_t board_netif_init(struct netif *netif)
{
    static StaticTask_t task;
    static StackType_t stack[RX_TASK_STACK];
    err_t error = ERR_OK;

    present = reset();
    if (present)
        error = controller_start(netif);
    if (error != ERR_OK)
        return error;
    ethernet_start(netif, transmit, &stats);
    if (!present)
        return ERR_OK;
    rx_task = xTaskCreateStatic(receive_task, "eth", RX_TASK_STACK, NULL, ETHERNET_TASK_PRIORITY,
                                stack, &task);
    interrupt_enable(LX60_IRQ_ETHERNET);
    return ERR_OK;
}
