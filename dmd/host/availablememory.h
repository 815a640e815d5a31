/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * availablememory.h: how much memory is available.
 */
#ifndef DMD_HOST_AVAILABLEMEMORY_H
#define DMD_HOST_AVAILABLEMEMORY_H

#include <stdint.h>

/* Bytes that this process can still take: the smaller of the machine's available memory and the
 * rest of the process's own limit (ulimit -v). UINT64_MAX if unknown. */
uint64_t dmdv_memory_available(void);

#endif
