/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in all cores.
 */
#ifndef IPADDRESS_H
#define IPADDRESS_H

#include <stdint.h>

class IPAddress
{
  public:
    IPAddress() : bytes_()
    {
    }
    IPAddress(uint8_t a, uint8_t b, uint8_t c, uint8_t d) : bytes_{a, b, c, d}
    {
    }
    uint8_t operator[](int index) const
    {
        return bytes_[index];
    }
    uint8_t &operator[](int index)
    {
        return bytes_[index];
    }

  private:
    uint8_t bytes_[4];
};

#endif
