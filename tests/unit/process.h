/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * process.h: what tests need to know about their own process, from the loader and the kernel.
 */
#ifndef TESTS_UNIT_PROCESS_H
#define TESTS_UNIT_PROCESS_H

#include "record/unwind/ehframe.h"

#include <stddef.h>

/* The object that has this address, as it is mapped; epoch is left alone. path and base may be
 * NULL. */
bool process_object(uintptr_t ip, dmd_code_range_t *range, const char **path, uintptr_t *base);

/* Copies memory, whatever it contains. Returns false if it is not mapped. */
bool process_read(uintptr_t at, void *to, size_t szB);

/* A word. */
bool process_can_read(uintptr_t at);

#endif
