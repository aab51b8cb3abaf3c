/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ESPHome's LwIPLock does nothing on this machine, which has no lwIP of ESPHome's. Included in
 * front of wireguard.cpp, this makes it take the lock of ours, as on an ESP32.
 */
#pragma once
#include "esphome/core/helpers.h"

extern "C" {
void board_lock(void);
void board_unlock(void);
}

namespace esphome
{

class BoardLwIPLock
{
  public:
    BoardLwIPLock()
    {
        board_lock();
    }
    ~BoardLwIPLock()
    {
        board_unlock();
    }
    BoardLwIPLock(const BoardLwIPLock &) = delete;
    BoardLwIPLock &operator=(const BoardLwIPLock &) = delete;
};

} // namespace esphome

#define LwIPLock BoardLwIPLock
