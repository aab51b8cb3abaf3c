/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The part of FreeRTOS that the worker needs, on threads of the host: tasks run on any number of
 * cores. test_freertos.c implements it.
 */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stdbool.h>
#include <stdint.h>

typedef int BaseType_t;
typedef unsigned UBaseType_t;
typedef uint32_t TickType_t;
typedef uintptr_t StackType_t;

#define pdTRUE                              1
#define portMAX_DELAY                       0xffffffffu
#define configSUPPORT_STATIC_ALLOCATION     1
#define configMAX_TASK_NAME_LEN             16
#define INCLUDE_vTaskDelay                  1
#define INCLUDE_vTaskDelete                 1
#define INCLUDE_vTaskSuspend                1
#define INCLUDE_uxTaskGetStackHighWaterMark 0

#endif
