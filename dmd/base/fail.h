/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fail.h: why a file could not be read.
 *
 * Functions that read return false and fill in a dmd_fail_t. The caller prints it as one line with
 * the place: `dmdv: FILE:LINE: reason (byte N)`, or for a binary file, which has no lines, `dmdv:
 * FILE: reason (byte N)`.
 */
#ifndef DMD_BASE_FAIL_H
#define DMD_BASE_FAIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmd_fail {
  char reason[200];
  uint64_t line; /* from 1, in the decompressed text; 0: the whole file, or see `byte` */
  bool has_byte; /* for a binary file: `byte` is set */
  uint64_t byte; /* from 0 */
} dmd_fail_t;

/* Sets the reason, without a place. Returns false, for `return dmd_fail(...)`. The format is a
 * subset of printf's: %s with a precision, %c, %d, %u, %x with a width and zeros, %.0f below 2^63,
 * and the lengths l, ll and z. A reason that is too long is cut off. */
bool dmd_fail(dmd_fail_t *fail, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets only the reason. */
void dmd_fail_reason(dmd_fail_t *fail, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#endif
