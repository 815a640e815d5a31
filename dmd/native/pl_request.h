/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_request.h: answers the requests that programs make with dmd.h.
 *
 * Each object whose code was compiled with dmd.h has a variable, its slot, that holds a pointer to
 * the function which answers requests, and a note that locates the slot. So the object need not be
 * linked against that function. The note's owner is "DMD" and its type 1. Its content is a signed
 * 32-bit number: the slot's address minus the content's own address.
 *
 * Concurrency: any thread.
 */
#ifndef DMD_NATIVE_PL_REQUEST_H
#define DMD_NATIVE_PL_REQUEST_H

#include "native/pl_entry.h"

struct dl_phdr_info;

/* Stores our function in an object's slots. */
void pl_slots_fill(const struct dl_phdr_info *info);

/* Answers a request that was made there. Returns fallback if it cannot be answered. */
size_t pl_request_at(const pl_entry_t *entry, size_t fallback, size_t number, const size_t arg[3]);

#endif
