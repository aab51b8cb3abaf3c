/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ESP-IDF's FreeRTOS as arduino-esp32 configures it, with its tasks and semaphores.
 */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stdint.h>

typedef int BaseType_t;
typedef unsigned UBaseType_t;
typedef uint32_t TickType_t;
typedef uint8_t StackType_t;
typedef struct tskTaskControlBlock *TaskHandle_t;
typedef struct QueueDefinition *QueueHandle_t, *SemaphoreHandle_t;
typedef struct {
    void *members[40];
} StaticTask_t;
typedef struct {
    void *members[20];
} StaticSemaphore_t;

#define pdTRUE                              1
#define pdPASS                              1
#define portMAX_DELAY                       0xffffffffu
#define pdMS_TO_TICKS(ms)                   ((TickType_t)(ms))
#define tskIDLE_PRIORITY                    0
#define configMAX_TASK_NAME_LEN             16
#define configSUPPORT_STATIC_ALLOCATION     1
#define INCLUDE_vTaskDelay                  1
#define INCLUDE_vTaskSuspend                1
#define INCLUDE_uxTaskGetStackHighWaterMark 1
#define INCLUDE_xSemaphoreGetMutexHolder    1

#ifdef __cplusplus
extern "C" {
#endif
TaskHandle_t xTaskCreateStatic(void (*run)(void *argument), const char *name, uint32_t depth,
                               void *argument, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *memory);
uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks);
BaseType_t xTaskNotifyGive(TaskHandle_t task);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
TickType_t xTaskGetTickCount(void);
void vTaskDelay(TickType_t ticks);
SemaphoreHandle_t xSemaphoreCreateMutexStatic(StaticSemaphore_t *memory);
BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks);
BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore);
#ifdef __cplusplus
}
#endif

#endif
