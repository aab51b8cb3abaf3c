/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "sim_queue.h"

#include <stdlib.h>

static bool before(const struct sim_event *a, const struct sim_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void *grown(void *memory, size_t size)
{
    memory = realloc(memory, size);
    if (memory == NULL)
        abort();
    return memory;
}

void sim_plan(struct sim_queue *queue, struct sim_event event)
{
    size_t at;

    if (queue->used == queue->room) {
        queue->room = queue->room == 0 ? 256 : queue->room * 2;
        queue->heap = grown(queue->heap, queue->room * sizeof(*queue->heap));
    }
    event.order = queue->planned++;
    for (at = queue->used++; at > 0 && before(&event, &queue->heap[(at - 1) / 2]);
         at = (at - 1) / 2)
        queue->heap[at] = queue->heap[(at - 1) / 2];
    queue->heap[at] = event;
}

bool sim_next_time(const struct sim_queue *queue, uint64_t *at)
{
    if (queue->used == 0)
        return false;
    *at = queue->heap[0].at;
    return true;
}

struct sim_event sim_take(struct sim_queue *queue)
{
    struct sim_event first = queue->heap[0], last = queue->heap[--queue->used];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < queue->used && before(&queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (child >= queue->used || before(&last, &queue->heap[child]))
            break;
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = last;
    return first;
}

uint64_t *sim_value(struct sim_table *table, uint64_t key)
{
    size_t at;

    if (table->used * 2 >= table->room) {
        struct sim_table larger = {.room = table->room == 0 ? 1024 : table->room * 2};

        larger.cells = grown(NULL, larger.room * sizeof(*larger.cells));
        for (size_t i = 0; i < larger.room; i++)
            larger.cells[i].key = larger.cells[i].value = 0;
        for (size_t i = 0; i < table->room; i++)
            if (table->cells[i].key != 0)
                *sim_value(&larger, table->cells[i].key) = table->cells[i].value;
        free(table->cells);
        *table = larger;
    }
    at = key & (table->room - 1);
    while (table->cells[at].key != key && table->cells[at].key != 0)
        at = (at + 1) & (table->room - 1);
    table->used += table->cells[at].key == 0;
    table->cells[at].key = key;
    return &table->cells[at].value;
}
