/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in the ESP8266 core, for a compiler without a C++ library: declared, not linked.
 */
#ifndef SCHEDULE_H
#define SCHEDULE_H

bool schedule_later(void (*run)(const void *function), const void *function);

template <typename Function> bool schedule_function(const Function &function)
{
    return schedule_later([](const void *at) { (*static_cast<const Function *>(at))(); },
                          &function);
}

#endif
