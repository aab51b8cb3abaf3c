/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Replaces the compiler's header: Clang 22 misreads variable arguments on Xtensa (its va_arg counts
 * the named ones twice). Its va_start is used to find them: it saves the registers that hold the
 * first ones in a row and says how many bytes of registers the named ones took, and what lies 32
 * bytes before those on the stack. Arguments of 8 bytes begin at even registers, or on the stack at
 * multiples of 8, and are never split between the two.
 */
#ifndef LX60_STDARG_H
#define LX60_STDARG_H

#include <stdint.h>

#define XTENSA_ARGUMENT_REGISTERS 6u

typedef struct {
    const uint32_t *registers; /* those of the variable arguments */
    const uint32_t *stack;
    unsigned named, next; /* words, counted from the first named argument */
} va_list;
typedef va_list __gnuc_va_list;

struct xtensa_va_start {
    const char *stack, *registers;
    int named;
};

static inline void xtensa_va_begin(va_list *list, const void *start)
{
    const struct xtensa_va_start *found = (const struct xtensa_va_start *)start;

    list->registers = (const uint32_t *)(const void *)found->registers;
    list->stack = (const uint32_t *)(const void *)(found->stack + 32);
    list->named = list->next = (unsigned)found->named / 4;
}

static inline const void *xtensa_va_next(va_list *list, unsigned words)
{
    if (words == 2)
        list->next = (list->next + 1) & ~1u;
    if (list->next < XTENSA_ARGUMENT_REGISTERS && list->next + words > XTENSA_ARGUMENT_REGISTERS)
        list->next = XTENSA_ARGUMENT_REGISTERS;

    unsigned at = list->next;

    list->next += words;
    if (at < XTENSA_ARGUMENT_REGISTERS)
        return &list->registers[at - list->named];
    return &list->stack[at - XTENSA_ARGUMENT_REGISTERS];
}

#define va_start(list, last)                                                                       \
    do {                                                                                           \
        __builtin_va_list xtensa_found;                                                            \
        __builtin_va_start(xtensa_found, last);                                                    \
        xtensa_va_begin(&(list), &xtensa_found);                                                   \
    } while (0)
#define va_arg(list, type)  (*(type const *)xtensa_va_next(&(list), (sizeof(type) + 3) / 4))
#define va_copy(copy, list) ((copy) = (list))
#define va_end(list)        ((void)(list))

#endif
