/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP as the firmware has it, but for what a configuration chooses.
 */
#ifndef FOOTPRINT_LWIPOPTS_H
#define FOOTPRINT_LWIPOPTS_H

#include "../../firmware/config/lwipopts.h"

#include <wyrm_config.h>

#undef LWIP_IPV6
#undef LWIP_ICMP6
#undef LWIP_IPV6_MLD
#define LWIP_IPV6     WYRM_IPV6
#define LWIP_ICMP6    WYRM_IPV6
#define LWIP_IPV6_MLD WYRM_IPV6

#ifdef FOOTPRINT_FORWARD
#undef IP_FORWARD
#undef LWIP_IPV6_FORWARD
#define IP_FORWARD        1
#define LWIP_IPV6_FORWARD 1
#endif

#endif
