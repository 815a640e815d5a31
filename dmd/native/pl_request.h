/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_request.h: answers the requests that programs make with dmd.h.
 *
 * Concurrency: any thread.
 */
#ifndef DMD_NATIVE_PL_REQUEST_H
#define DMD_NATIVE_PL_REQUEST_H

#include <stddef.h>

/* The type of a slot's function (dmd.h). Returns fallback if the request cannot be answered. */
typedef size_t (*pl_request_fn)(size_t fallback, size_t request, size_t arg1, size_t arg2,
                                size_t arg3);

size_t pl_answer_request(size_t fallback, size_t number, size_t arg1, size_t arg2, size_t arg3);

#endif
