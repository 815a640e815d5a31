/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * memory.h: how much memory there is to be had.
 */
#ifndef DMD_READER_HOST_MEMORY_H
#define DMD_READER_HOST_MEMORY_H

#include <stdint.h>

/* Bytes that this process may still take: of the machine's memory what is free or can be made so,
 * and what its limit (ulimit -v) leaves. UINT64_MAX where that is not known. */
uint64_t dmdv_memory_available(void);

#endif
