/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_request.h: the requests that programs make with dmd.h.
 *
 * Concurrency: any thread.
 */
#ifndef DMD_PRELOAD_PL_REQUEST_H
#define DMD_PRELOAD_PL_REQUEST_H

#include <stddef.h>

/* What a slot holds (dmd.h). fallback is answered where nobody can. */
typedef size_t (*pl_request_fn)(size_t fallback, size_t request, size_t arg1, size_t arg2,
                                size_t arg3);

size_t pl_answer_request(size_t fallback, size_t number, size_t arg1, size_t arg2, size_t arg3);

#endif
