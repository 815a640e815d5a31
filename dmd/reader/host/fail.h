/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fail.h: why a file could not be read.
 *
 * Functions that read return false and fill one of these in; the command prints it in one line,
 * `dmdv: FILE:LINE: reason (byte N)` (message.h), and exits with status 2. A file that is not text
 * has no lines: `dmdv: FILE: reason (byte N)`.
 */
#ifndef DMD_READER_HOST_FAIL_H
#define DMD_READER_HOST_FAIL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dmdv_fail {
  char reason[200];
  uint64_t line; /* from 1, in the decompressed text; 0: the whole file is meant, or: */
  bool has_byte; /* of a file that is not text, this byte */
  uint64_t byte; /* from 0 */
} dmdv_fail_t;

/* Fills in the reason, printf-like, without a place. Returns false, for `return dmdv_fail(...)`. */
bool dmdv_fail(dmdv_fail_t *fail, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
