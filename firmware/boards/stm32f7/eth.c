/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The Ethernet MAC with its DMA (RM0410, 42) and the PHY LAN8742A at address 0, over RMII.
 *
 * Receive: the DMA fills pbufs in a ring. The interrupt wakes the receive task, which posts them to
 * the stack and replaces them; it also polls the PHY's link every half second. Transmit: frames are
 * copied into the ring's own buffers, as on boards/virt. The data cache is off, so descriptors and
 * buffers need no cache maintenance.
 */
#include "board_api.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/prot/ethernet.h"
#include "lwip/stats.h"

#include "ethernet.h"
#include "stm32f7.h"

#define ETH(offset) REG32(0x40028000u + (offset))

#define MAC_CONFIG   ETH(0x0000)
#define MAC_FILTER   ETH(0x0004)
#define MII_ADDRESS  ETH(0x0010)
#define MII_DATA     ETH(0x0014)
#define MAC_HIGH     ETH(0x0040)
#define MAC_LOW      ETH(0x0044)
#define DMA_BUS_MODE ETH(0x1000)
#define DMA_TX_POLL  ETH(0x1004)
#define DMA_RX_POLL  ETH(0x1008)
#define DMA_RX_LIST  ETH(0x100c)
#define DMA_TX_LIST  ETH(0x1010)
#define DMA_STATUS   ETH(0x1014)
#define DMA_MODE     ETH(0x1018)
#define DMA_IRQ      ETH(0x101c)
#define DMA_MISSED   ETH(0x1020)
#define SYSCFG_PMC   REG32(0x40013804u)
#define UNIQUE_ID    ((const volatile uint8_t *)(uintptr_t)0x1ff0f420u)

#define ENABLE_ETHERNET (7u << 25)
#define RESET_ETHERNET  (1u << 25)
#define PMC_RMII        (1u << 23)
#define AF_ETHERNET     11u

#define CONFIG_100           (1u << 14)
#define CONFIG_DUPLEX        (1u << 11)
#define CONFIG_STRIP         (1u << 7)  /* padding and CRC of frames with a length */
#define CONFIG_STRIP_II      (1u << 25) /* the CRC of others */
#define CONFIG_TX_RX         (1u << 3 | 1u << 2)
#define FILTER_ALL_MULTICAST (1u << 4)
#define BUS_RESET            1u
#define BUS_BURST_32         (32u << 8 | 1u << 16 | 1u << 25 | 1u << 23)
#define MODE_WHOLE           (1u << 25 | 1u << 21) /* frames, through the FIFOs */
#define MODE_START           (1u << 13 | 1u << 1)
#define IRQ_RX               (1u << 16 | 1u << 6)
#define STATUS_ALL           0x0001e7ffu

#define OWNED_BY_DMA (1u << 31)
#define RX_ERROR     (1u << 15)
#define RX_WHOLE     (1u << 9 | 1u << 8) /* first and last part */
#define RX_LEN(word) ((word) >> 16 & 0x3fffu)
#define RX_END       (1u << 15) /* of the ring, in the second word */
#define TX_WHOLE     (1u << 29 | 1u << 28)
#define TX_ERROR     (1u << 15)
#define TX_END       (1u << 21)

#define MII_BUSY      1u
#define MII_WRITE     2u
#define MII_CLOCK     (4u << 2)
#define PHY_CONTROL   0u
#define PHY_STATUS    1u
#define PHY_SPECIAL   31u
#define PHY_NEGOTIATE (1u << 12 | 1u << 9)
#define PHY_LINK      (1u << 2)
#define PHY_100       (1u << 3) /* of the special register */
#define PHY_DUPLEX    (1u << 4)

#define RX_RING       BOARD_RX_RING
#define TX_RING       8u
#define FRAME_MAX     1514u
#define RX_SIZE       1532u /* a multiple of words, behind ETH_PAD_SIZE */
#define RX_TASK_STACK 256   /* words */
#define LINK_EVERY_MS 500u

_Static_assert(ETH_PAD_SIZE + RX_SIZE <= PBUF_POOL_BUFSIZE, "a frame fits a pbuf");

struct descriptor {
    uint32_t status, control, buffer, next;
};

static volatile struct descriptor rx[RX_RING], tx[TX_RING];
static struct pbuf *rx_buffers[RX_RING]; /* NULL: the slot has no buffer */
static uint8_t tx_buffers[TX_RING][ETH_PAD_SIZE + FRAME_MAX] __attribute__((aligned(4)));
static unsigned rx_at, tx_at;
static bool rx_starved;

static struct board_eth_stats stats;
static TaskHandle_t rx_task;

static void barrier(void)
{
    __asm volatile("dmb" : : : "memory");
}

void board_eth_stats(struct board_eth_stats *out)
{
    uint32_t missed = DMA_MISSED; /* cleared by reading */

    stats.rx_overflow += (missed & 0xffffu) + (missed >> 17 & 0x7ffu);
    *out = stats;
}

/* ---- PHY ---- */

static uint32_t phy_read(uint32_t number)
{
    MII_ADDRESS = number << 6 | MII_CLOCK | MII_BUSY;
    while (MII_ADDRESS & MII_BUSY)
        continue;
    return MII_DATA & 0xffffu;
}

static void phy_write(uint32_t number, uint32_t value)
{
    MII_DATA = value;
    MII_ADDRESS = number << 6 | MII_CLOCK | MII_WRITE | MII_BUSY;
    while (MII_ADDRESS & MII_BUSY)
        continue;
}

/* The first read reports a loss since the previous one, the second the current state. */
static void look_at_link(void)
{
    bool up;

    (void)phy_read(PHY_STATUS);
    up = phy_read(PHY_STATUS) & PHY_LINK;
    if (up) {
        uint32_t agreed = phy_read(PHY_SPECIAL);
        uint32_t config = MAC_CONFIG & ~(CONFIG_100 | CONFIG_DUPLEX);

        MAC_CONFIG = config | (agreed & PHY_100 ? CONFIG_100 : 0) |
                     (agreed & PHY_DUPLEX ? CONFIG_DUPLEX : 0);
    }
    ethernet_set_link(up);
}

/* ---- receive ---- */

/* Assigns a buffer to a slot and hands it to the DMA; false if there is no buffer. */
static bool offer(unsigned at)
{
    if (!rx_buffers[at])
        rx_buffers[at] = pbuf_alloc(PBUF_RAW, PBUF_POOL_BUFSIZE, PBUF_POOL);
    if (!rx_buffers[at]) {
        stats.rx_no_buffer++;
        return false;
    }
    rx[at].buffer = (uint32_t)(uintptr_t)rx_buffers[at]->payload + ETH_PAD_SIZE;
    barrier();
    rx[at].status = OWNED_BY_DMA;
    return true;
}

static void take(unsigned at)
{
    struct pbuf *p = rx_buffers[at];
    uint32_t status = rx[at].status;

    if ((status & RX_ERROR) || (status & RX_WHOLE) != RX_WHOLE) {
        stats.rx_errors++;
        LINK_STATS_INC(link.err);
        return; /* the buffer is reused */
    }
    rx_buffers[at] = NULL;
    pbuf_realloc(p, (u16_t)(ETH_PAD_SIZE + RX_LEN(status)));
    ethernet_deliver(p);
}

/* A slot without a buffer stops the ring; the task retries at the next tick. */
static void receive_all(void)
{
    for (rx_starved = false; !(rx[rx_at].status & OWNED_BY_DMA);) {
        barrier();
        if (rx_buffers[rx_at])
            take(rx_at);
        rx_starved = !offer(rx_at);
        if (rx_starved)
            return;
        rx_at = (rx_at + 1) % RX_RING;
        DMA_RX_POLL = 0;
    }
}

static void receive_task(void *unused)
{
    TickType_t looked = 0;

    (void)unused;
    for (;;) {
        receive_all();
        if (xTaskGetTickCount() - looked >= pdMS_TO_TICKS(LINK_EVERY_MS)) {
            looked = xTaskGetTickCount();
            look_at_link();
        }
        (void)ulTaskNotifyTake(pdTRUE, rx_starved ? 1 : pdMS_TO_TICKS(LINK_EVERY_MS));
    }
}

void ethernet_isr(void)
{
    BaseType_t woken = pdFALSE;

    DMA_STATUS = IRQ_RX;
    stats.rx_interrupts++;
    vTaskNotifyGiveFromISR(rx_task, &woken);
    portYIELD_FROM_ISR(woken);
}

/* ---- transmit ---- */

static err_t transmit(struct netif *netif, struct pbuf *p)
{
    volatile struct descriptor *place = &tx[tx_at];

    (void)netif;
    if ((place->status & OWNED_BY_DMA) || p->tot_len > ETH_PAD_SIZE + FRAME_MAX) {
        stats.tx_busy++;
        LINK_STATS_INC(link.drop);
        return ERR_BUF;
    }
    if (place->status & TX_ERROR)
        stats.tx_errors++;
    (void)pbuf_copy_partial(p, tx_buffers[tx_at], p->tot_len, 0);
    place->control = (uint32_t)p->tot_len - ETH_PAD_SIZE;
    barrier();
    place->status = OWNED_BY_DMA | TX_WHOLE | (tx_at == TX_RING - 1 ? TX_END : 0);
    barrier();
    DMA_TX_POLL = 0;
    tx_at = (tx_at + 1) % TX_RING;
    stats.tx_frames++;
    LINK_STATS_INC(link.xmit);
    return ERR_OK;
}

/* ---- start ---- */

static void use_pins(void)
{
    static const struct {
        enum port port;
        unsigned pin;
    } pins[] = {{PORT_A, 1}, {PORT_A, 2}, {PORT_A, 7},  {PORT_B, 13}, {PORT_C, 1},
                {PORT_C, 4}, {PORT_C, 5}, {PORT_G, 11}, {PORT_G, 13}};

    for (unsigned i = 0; i < sizeof pins / sizeof pins[0]; i++)
        pin_use(pins[i].port, pins[i].pin, AF_ETHERNET);
}

/* An address derived from the chip's id, marked as locally administered. */
static void set_address(struct netif *netif)
{
    static const uint8_t local = 0x02;

    netif->hwaddr[0] = local;
    for (unsigned i = 1; i < ETH_HWADDR_LEN; i++)
        netif->hwaddr[i] = (u8_t)(UNIQUE_ID[i] ^ UNIQUE_ID[i + 6]);
    MAC_HIGH = (uint32_t)netif->hwaddr[5] << 8 | netif->hwaddr[4];
    MAC_LOW = (uint32_t)netif->hwaddr[3] << 24 | (uint32_t)netif->hwaddr[2] << 16 |
              (uint32_t)netif->hwaddr[1] << 8 | netif->hwaddr[0];
}

static void start_rings(void)
{
    for (unsigned i = 0; i < RX_RING; i++) {
        rx[i].control = RX_SIZE | (i == RX_RING - 1 ? RX_END : 0);
        (void)offer(i);
    }
    for (unsigned i = 0; i < TX_RING; i++)
        tx[i].buffer = (uint32_t)(uintptr_t)tx_buffers[i] + ETH_PAD_SIZE;
    DMA_RX_LIST = (uint32_t)(uintptr_t)rx;
    DMA_TX_LIST = (uint32_t)(uintptr_t)tx;
}

static void start_controller(struct netif *netif)
{
    RCC_AHB1RSTR |= RESET_ETHERNET;
    SYSCFG_PMC |= PMC_RMII; /* must be selected while the controller is in reset */
    RCC_AHB1ENR |= ENABLE_ETHERNET;
    RCC_AHB1RSTR &= ~RESET_ETHERNET;
    DMA_BUS_MODE |= BUS_RESET;
    while (DMA_BUS_MODE & BUS_RESET)
        continue;
    DMA_BUS_MODE = BUS_BURST_32;
    phy_write(PHY_CONTROL, PHY_NEGOTIATE);
    set_address(netif);
    start_rings();
    MAC_FILTER = FILTER_ALL_MULTICAST;
    MAC_CONFIG = CONFIG_STRIP_II | CONFIG_STRIP | CONFIG_100 | CONFIG_DUPLEX | CONFIG_TX_RX;
    DMA_STATUS = STATUS_ALL;
    DMA_IRQ = IRQ_RX;
    DMA_MODE = MODE_WHOLE | MODE_START;
}

err_t board_netif_init(struct netif *netif)
{
    static StaticTask_t task;
    static StackType_t stack[RX_TASK_STACK];

    use_pins();
    start_controller(netif);
    ethernet_start(netif, transmit, &stats);
    netif->flags &= (u8_t)~NETIF_FLAG_LINK_UP; /* until the PHY reports a link */
    rx_task = xTaskCreateStatic(receive_task, "eth", RX_TASK_STACK, NULL, ETHERNET_TASK_PRIORITY,
                                stack, &task);
    nvic_set_priority(IRQ_ETHERNET, BOARD_IRQ_PRIORITY, BOARD_PRIO_BITS);
    nvic_enable(IRQ_ETHERNET);
    return ERR_OK;
}
