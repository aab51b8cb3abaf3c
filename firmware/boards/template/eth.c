/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The Ethernet controller. boards/virt/virtio_net.c shows a driver with DMA, boards/mps2/lan9118.c
 * one with FIFOs.
 */
#include "board_api.h"

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/pbuf.h"

#include "ethernet.h"
#include "template.h"

#define RX_TASK_STACK 256 /* words */

static struct board_eth_stats stats;
static TaskHandle_t rx_task;

void board_eth_stats(struct board_eth_stats *out)
{
    *out = stats;
}

/* For each received frame: a pbuf of PBUF_POOL that holds ETH_PAD_SIZE bytes and the frame without
 * its CRC goes to ethernet_deliver(). Without a free pbuf, leave the frame with the controller and
 * try again at the next tick. Pass the PHY's link state to ethernet_set_link(). */
static void receive_task(void *unused)
{
    (void)unused;
    for (;;)
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
}

/* Mask the controller's interrupt until the task has emptied it. */
void ethernet_isr(void)
{
    BaseType_t woken = pdFALSE;

    stats.rx_interrupts++;
    vTaskNotifyGiveFromISR(rx_task, &woken);
    portYIELD_FROM_ISR(woken);
}

/* The frame begins ETH_PAD_SIZE bytes into the chain p. Copy it, or keep a reference to p until the
 * controller has read it, then free it promptly. ERR_BUF: no room now. */
static err_t transmit(struct netif *netif, struct pbuf *p)
{
    (void)netif;
    (void)p;
    stats.tx_busy++;
    return ERR_BUF;
}

/* Starts the controller, which must receive all multicast, and sets netif->hwaddr. */
err_t board_netif_init(struct netif *netif)
{
    static StaticTask_t task;
    static StackType_t stack[RX_TASK_STACK];

    ethernet_start(netif, transmit, &stats);
    rx_task = xTaskCreateStatic(receive_task, "eth", RX_TASK_STACK, NULL, ETHERNET_TASK_PRIORITY,
                                stack, &task);
    return ERR_OK;
}
