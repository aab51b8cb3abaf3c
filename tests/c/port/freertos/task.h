/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef TASK_H
#define TASK_H

#include "FreeRTOS.h"

#include <pthread.h>

typedef struct task {
    pthread_t thread;
    void (*run)(void *argument);
    void *argument;
    uint32_t notified;
} StaticTask_t;
typedef StaticTask_t *TaskHandle_t;

TaskHandle_t xTaskCreateStatic(void (*run)(void *argument), const char *name, uint32_t words,
                               void *argument, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *task);
uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks);
BaseType_t xTaskNotifyGive(TaskHandle_t task);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
void vTaskDelay(TickType_t ticks);
void vTaskSuspend(TaskHandle_t task);
void vTaskDelete(TaskHandle_t task);
char *pcTaskGetName(TaskHandle_t task);

#endif
