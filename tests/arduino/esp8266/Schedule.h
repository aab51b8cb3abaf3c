/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in the ESP8266 core.
 */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <functional>

bool schedule_function(const std::function<void()> &fn);

#endif
