/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_new.h: C++'s operators new and delete, in front of the program's own.
 *
 * The C++ library's call malloc and free, which are ours; so they are let through, and whoever
 * called them is on the stack of that. Allocators bring operators of their own, which do not call
 * malloc: where one is in the object that the program's malloc is in, what it does is told as that
 * of malloc is. A library that is loaded later may bring the C++ library with it, where nobody else
 * sees it: it is looked for when its operators are called.
 *
 * Concurrency: as pl_malloc.h.
 */
#ifndef DMD_PRELOAD_PL_NEW_H
#define DMD_PRELOAD_PL_NEW_H

#include "preload/pl_thread.h"

/* Finds the program's operators. */
void pl_new_find(const void *program_s_malloc);

/* As those of pl_malloc.h, of the numbers from PL_IN_NEW on. */
uint64_t pl_new_address(pl_in_t in);
const char *pl_new_name(uint64_t address);

#endif
