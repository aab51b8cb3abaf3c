/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * An earlier scheduler, linked in place of the core's: only initiations count as load, responses
 * need no cookie, may fill every slot and are taken first. wyrm_siege_unfair attacks a core with
 * it, to prove that the test detects starvation.
 */
#include "core/wyrm_cookie.h"
#include "core/wyrm_index.h"
#include "core/wyrm_jobs.h"

wyrm_status __real_wyrm_jobs_admit(struct wyrm_device *dev, const struct wyrm_meta *from,
                                   uint8_t *msg, size_t len);
wyrm_status __wrap_wyrm_jobs_admit(struct wyrm_device *dev, const struct wyrm_meta *from,
                                   uint8_t *msg, size_t len);
wyrm_status __real_wyrm_job_take(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job);
wyrm_status __wrap_wyrm_job_take(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job);

static struct wyrm_slot *first_of(const struct wyrm_device *dev, enum wyrm_message type)
{
    for (unsigned i = 0; i < dev->pools->n_slots; i++)
        if (dev->pools->slots[i].type == (uint8_t)type)
            return &dev->pools->slots[i];
    return NULL;
}

static wyrm_status admit_response(struct wyrm_device *dev, const struct wyrm_meta *from,
                                  const uint8_t *msg, size_t len)
{
    struct wyrm_slot *slot = first_of(dev, WYRM_MSG_NONE);
    unsigned place;

    if (!wyrm_cookie_check_mac1(dev, msg, len))
        return WYRM_D_MAC1;
    if (wyrm_index_find(dev, wyrm_load_le32(msg + RESPONSE_RECEIVER), &place) == NULL ||
        place != WYRM_PLACE_HS)
        return WYRM_D_INDEX;
    if (slot == NULL)
        return WYRM_D_BUSY;
    memcpy(slot->msg, msg, len - MACS_LEN);
    slot->from = *from;
    slot->priority = 0;
    slot->type = WYRM_MSG_RESPONSE;
    dev->work = true;
    return WYRM_WORK;
}

wyrm_status __wrap_wyrm_jobs_admit(struct wyrm_device *dev, const struct wyrm_meta *from,
                                   uint8_t *msg, size_t len)
{
    if (msg[0] == WYRM_MSG_RESPONSE)
        return admit_response(dev, from, msg, len);
    if (first_of(dev, WYRM_MSG_INITIATION) == NULL)
        dev->loaded_until = 0;
    return __real_wyrm_jobs_admit(dev, from, msg, len);
}

wyrm_status __wrap_wyrm_job_take(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job)
{
    struct wyrm_slot *first = &dev->pools->slots[0], *response = first_of(dev, WYRM_MSG_RESPONSE);

    if (response != NULL) {
        struct wyrm_slot chosen = *response;

        memmove(first + 1, first, (size_t)(response - first) * sizeof(*first));
        *first = chosen;
    }
    dev->initiated_last = response != NULL;
    dev->next_initiator = 0;
    return __real_wyrm_job_take(dev, now, job);
}
