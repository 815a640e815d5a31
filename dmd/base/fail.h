/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fail.h: why a file could not be read.
 *
 * Functions that read return false and fill one of these in; who asked them shows it in one line,
 * with the place: `dmdv: FILE:LINE: reason (byte N)`. A file that is not text has no lines:
 * `dmdv: FILE: reason (byte N)`.
 */
#ifndef DMD_BASE_FAIL_H
#define DMD_BASE_FAIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmd_fail {
  char reason[200];
  uint64_t line; /* from 1, in the decompressed text; 0: the whole file is meant, or: */
  bool has_byte; /* of a file that is not text, this byte */
  uint64_t byte; /* from 0 */
} dmd_fail_t;

/* Fills in the reason, without a place. Returns false, for `return dmd_fail(...)`. The format is
 * printf's, of which it knows what reasons need: %s with a precision, %c, %d, %u, %x with a width
 * and zeros, %.0f below 2^63, and l, ll and z. A reason that is too long is cut off. */
bool dmd_fail(dmd_fail_t *fail, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The reason alone; the place stays as it is. */
void dmd_fail_reason(dmd_fail_t *fail, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#endif
