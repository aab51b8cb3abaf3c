/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in arduino-pico.
 */
#ifndef LWIP_WRAP_H
#define LWIP_WRAP_H

class LWIPMutex
{
  public:
    LWIPMutex();
    ~LWIPMutex();
};

#endif
