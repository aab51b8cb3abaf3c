/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * SMSC LAN9118 Ethernet controller as an lwIP netif (data sheet: DS00002266).
 *
 * Receive: the interrupt only wakes the receive task, which copies each frame from the FIFO into
 * one contiguous pbuf (the only copy) and posts it to the stack. The controller sets its "frames
 * waiting" bit only on arrival, so the task acknowledges it, enables the interrupt and checks the
 * FIFO again before it sleeps. The FIFO holds 6.9 full frames; frames that do not fit are lost.
 *
 * Transmit: each pbuf of a chain becomes one buffer of the controller's transmit command, which
 * takes any byte offset, so chains are sent without a copy. Called under lwIP's core lock, so that
 * the words of two frames never mix.
 */
#include "board_api.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"

#include "board.h"
#include "cortexm.h"
#include "ethernet.h"
#include "mps2_private.h"

#define REG(offset) REG32(BOARD_LAN9118_BASE + (offset))

#define RX_DATA      REG(0x00)
#define TX_DATA      REG(0x20)
#define RX_STATUS    REG(0x40)
#define TX_STATUS    REG(0x48)
#define IRQ_CFG      REG(0x54)
#define INT_STS      REG(0x58)
#define INT_EN       REG(0x5c)
#define FIFO_INT     REG(0x68)
#define RX_CFG       REG(0x6c)
#define TX_CFG       REG(0x70)
#define HW_CFG       REG(0x74)
#define RX_FIFO_INF  REG(0x7c)
#define TX_FIFO_INF  REG(0x80)
#define RX_DROP      REG(0xa0)
#define MAC_CSR_CMD  REG(0xa4)
#define MAC_CSR_DATA REG(0xa8)

#define HW_CFG_MUST_BE_ONE (1u << 20)
#define HW_CFG_RESET       (1u << 0)
#define IRQ_CFG_PUSH_PULL  0x111u    /* enabled, active high, push-pull */
#define INT_RX_LEVEL       (1u << 3) /* RSFL */
#define INT_PHY            (1u << 18)
#define RX_STATUS_ERROR    (1u << 15)
#define TX_STATUS_ERROR    (1u << 15)
#define TX_FIRST           (1u << 13)
#define TX_LAST            (1u << 12)
#define TX_CFG_ON          0x6u /* transmit; do not stop for unread status words */
#define MAC_CSR_BUSY       (1u << 31)
#define MAC_CSR_READ       (1u << 30)

enum {
    MAC_CR = 1,
    MAC_ADDRESS_HIGH = 2,
    MAC_ADDRESS_LOW = 3,
    MAC_MII_ACCESS = 6,
    MAC_MII_DATA = 7,
};
#define MAC_CR_ON (1u << 20 | 1u << 19 | 1u << 3 | 1u << 2) /* duplex, all multicast, TX, RX */

#define CRC_LEN       4u
#define RX_TASK_STACK 256 /* words */

/* Frames are accessed as words, whatever their type. */
typedef uint32_t __attribute__((may_alias)) word;

static struct board_eth_stats stats;
static TaskHandle_t rx_task;

void board_eth_stats(struct board_eth_stats *out)
{
    stats.rx_overflow += RX_DROP; /* cleared by reading */
    *out = stats;
}

/* ---- MAC registers, accessed through a command register ---- */

static uint32_t mac_read(uint32_t index)
{
    MAC_CSR_CMD = MAC_CSR_BUSY | MAC_CSR_READ | index;
    while (MAC_CSR_CMD & MAC_CSR_BUSY)
        continue;
    return MAC_CSR_DATA;
}

static void mac_write(uint32_t index, uint32_t value)
{
    MAC_CSR_DATA = value;
    MAC_CSR_CMD = MAC_CSR_BUSY | index;
    while (MAC_CSR_CMD & MAC_CSR_BUSY)
        continue;
}

/* ---- PHY ---- */

enum {
    PHY_STATUS = 1,
    PHY_INTERRUPTS = 29, /* cleared by reading */
    PHY_INTERRUPT_MASK = 30,
};
#define PHY_LINK_UP      (1u << 2)
#define PHY_LINK_CHANGES (1u << 4 | 1u << 6) /* down; negotiated */
#define MII_INTERNAL     (1u << 11)
#define MII_WRITE        (1u << 1)
#define MII_BUSY         (1u << 0)

static uint32_t phy_read(uint32_t number)
{
    mac_write(MAC_MII_ACCESS, MII_INTERNAL | number << 6 | MII_BUSY);
    while (mac_read(MAC_MII_ACCESS) & MII_BUSY)
        continue;
    return mac_read(MAC_MII_DATA);
}

static void phy_write(uint32_t number, uint32_t value)
{
    mac_write(MAC_MII_DATA, value);
    mac_write(MAC_MII_ACCESS, MII_INTERNAL | number << 6 | MII_WRITE | MII_BUSY);
    while (mac_read(MAC_MII_ACCESS) & MII_BUSY)
        continue;
}

/* A loss of the link stays in the status until it has been read. */
static void look_at_link(void)
{
    (void)phy_read(PHY_INTERRUPTS);
    (void)phy_read(PHY_STATUS);
    ethernet_set_link(phy_read(PHY_STATUS) & PHY_LINK_UP);
    INT_STS = INT_PHY;
}

/* ---- receive ---- */

static void fifo_read(word *to, size_t words)
{
    for (; words >= 8; words -= 8, to += 8) {
        to[0] = RX_DATA;
        to[1] = RX_DATA;
        to[2] = RX_DATA;
        to[3] = RX_DATA;
        to[4] = RX_DATA;
        to[5] = RX_DATA;
        to[6] = RX_DATA;
        to[7] = RX_DATA;
    }
    while (words--)
        *to++ = RX_DATA;
}

static void fifo_discard(size_t words)
{
    while (words--)
        (void)RX_DATA;
}

/* The controller puts ETH_PAD_SIZE bytes before the frame and the CRC after it. False: the frame
 * was bad, and p has been freed. */
static bool receive_frame(struct pbuf *p)
{
    uint32_t status = RX_STATUS;
    size_t len = ETH_PAD_SIZE + (status >> 16 & 0x3fffu);
    size_t words = (len + 3) / 4;

    if ((status & RX_STATUS_ERROR) || words * 4 > p->len || len < ETH_PAD_SIZE + CRC_LEN) {
        stats.rx_errors++;
        LINK_STATS_INC(link.err);
        fifo_discard(words);
        pbuf_free(p);
        return false;
    }
    fifo_read(p->payload, words);
    pbuf_realloc(p, (u16_t)(len - CRC_LEN));
    return true;
}

/* Without a free buffer, leave the frames in the FIFO: the controller then drops new ones at no
 * cost. Discarding them here would starve the stack, which has to free the buffers. */
static void receive_all(void)
{
    while (RX_FIFO_INF >> 16 & 0xffu) {
        struct pbuf *p = pbuf_alloc(PBUF_RAW, PBUF_POOL_BUFSIZE, PBUF_POOL);

        if (!p) {
            stats.rx_no_buffer++;
            vTaskDelay(1);
        } else if (receive_frame(p)) {
            ethernet_deliver(p);
        }
    }
}

static void receive_task(void *unused)
{
    (void)unused;
    phy_write(PHY_INTERRUPT_MASK, PHY_LINK_CHANGES);
    look_at_link();
    for (;;) {
        receive_all();
        if (INT_STS & INT_PHY)
            look_at_link();
        INT_STS = INT_RX_LEVEL;
        INT_EN = INT_RX_LEVEL | INT_PHY;
        if ((RX_FIFO_INF >> 16 & 0xffu) == 0)
            (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    }
}

void ethernet_isr(void)
{
    BaseType_t woken = pdFALSE;

    INT_EN = 0;
    INT_STS = INT_RX_LEVEL;
    stats.rx_interrupts++;
    vTaskNotifyGiveFromISR(rx_task, &woken);
    portYIELD_FROM_ISR(woken);
}

/* ---- transmit ---- */

static void fifo_write(const word *from, size_t words)
{
    for (; words >= 8; words -= 8, from += 8) {
        TX_DATA = from[0];
        TX_DATA = from[1];
        TX_DATA = from[2];
        TX_DATA = from[3];
        TX_DATA = from[4];
        TX_DATA = from[5];
        TX_DATA = from[6];
        TX_DATA = from[7];
    }
    while (words--)
        TX_DATA = *from++;
}

static void take_statuses(void)
{
    for (uint32_t n = TX_FIFO_INF >> 16 & 0xffu; n; n--)
        if (TX_STATUS & TX_STATUS_ERROR)
            stats.tx_errors++;
}

/* Number of FIFO words that a chain takes, including commands. */
static size_t words_needed(const struct pbuf *p)
{
    size_t words = 0;

    for (; p; p = p->next)
        words += 2 + (((uintptr_t)p->payload & 3) + p->len + 3) / 4;
    return words;
}

static err_t transmit(struct netif *netif, struct pbuf *p)
{
    uint32_t first = TX_FIRST;

    (void)netif;
    (void)pbuf_remove_header(p, ETH_PAD_SIZE);
    take_statuses();
    if (words_needed(p) * 4 > (TX_FIFO_INF & 0xffffu)) {
        stats.tx_busy++;
        LINK_STATS_INC(link.drop);
        (void)pbuf_add_header(p, ETH_PAD_SIZE);
        return ERR_BUF;
    }

    uint32_t total = p->tot_len;

    for (const struct pbuf *q = p; q; q = q->next) {
        uint32_t offset = (uintptr_t)q->payload & 3;

        if (q->len == 0 && q->next)
            continue;
        TX_DATA = offset << 16 | first | (q->next ? 0 : TX_LAST) | q->len;
        TX_DATA = total;
        fifo_write((const word *)((uintptr_t)q->payload - offset), (offset + q->len + 3) / 4);
        first = 0;
    }
    stats.tx_frames++;
    LINK_STATS_INC(link.xmit);
    (void)pbuf_add_header(p, ETH_PAD_SIZE);
    return ERR_OK;
}

/* ---- start ---- */

static void controller_start(struct netif *netif)
{
    HW_CFG = HW_CFG_RESET;
    while (HW_CFG & HW_CFG_RESET)
        continue;
    HW_CFG |= HW_CFG_MUST_BE_ONE;

    uint32_t low = mac_read(MAC_ADDRESS_LOW), high = mac_read(MAC_ADDRESS_HIGH);

    for (unsigned i = 0; i < 4; i++)
        netif->hwaddr[i] = (u8_t)(low >> 8 * i);
    netif->hwaddr[4] = (u8_t)high;
    netif->hwaddr[5] = (u8_t)(high >> 8);

    IRQ_CFG = IRQ_CFG_PUSH_PULL;
    FIFO_INT = 0;
    INT_STS = UINT32_MAX;
    INT_EN = 0;
    RX_CFG = ETH_PAD_SIZE << 8;
    TX_CFG = TX_CFG_ON;
    mac_write(MAC_CR, MAC_CR_ON);
}

err_t board_netif_init(struct netif *netif)
{
    static StaticTask_t task;
    static StackType_t stack[RX_TASK_STACK];

    controller_start(netif);
    ethernet_start(netif, transmit, &stats);
    rx_task = xTaskCreateStatic(receive_task, "eth", RX_TASK_STACK, NULL, ETHERNET_TASK_PRIORITY,
                                stack, &task);
    nvic_set_priority(MPS2_IRQ_ETHERNET, BOARD_IRQ_PRIORITY, BOARD_PRIO_BITS);
    nvic_enable(MPS2_IRQ_ETHERNET);
    return ERR_OK;
}
