/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS as ST configures it: no static allocation, no suspension of tasks. test_lock.c
 * implements it.
 */
#ifndef FREERTOS_H
#define FREERTOS_H

#include "kernel.h"

typedef int BaseType_t;
typedef unsigned UBaseType_t;
typedef uint32_t TickType_t;
typedef uint8_t StackType_t; /* as in ESP-IDF */
typedef void *TaskHandle_t;

#define pdTRUE                              1
#define pdPASS                              1
#define portMAX_DELAY                       0xffffffffu
#define configMAX_TASK_NAME_LEN             16
#define configSUPPORT_STATIC_ALLOCATION     0
#define INCLUDE_vTaskDelay                  1
#define INCLUDE_vTaskSuspend                0
#define INCLUDE_uxTaskGetStackHighWaterMark 1
#if defined(SYSTEM_FREERTOS) || defined(SYSTEM_CMSIS1)
#define INCLUDE_xSemaphoreGetMutexHolder 1
#else
#define INCLUDE_xSemaphoreGetMutexHolder 0
#endif

BaseType_t xTaskCreate(void (*run)(void *argument), const char *name, uint32_t depth,
                       void *argument, UBaseType_t priority, TaskHandle_t *out);
uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks);
BaseType_t xTaskNotifyGive(TaskHandle_t task);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
void vTaskDelay(TickType_t ticks);
char *pcTaskGetName(TaskHandle_t task);
TaskHandle_t xSemaphoreGetMutexHolder(void *mutex);

#endif
