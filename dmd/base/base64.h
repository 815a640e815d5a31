/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base64.h: encodes bytes as Base64 on their way to a write function.
 *
 * Lines have 4096 characters: readers skip line ends, while editors and mail programs cannot handle
 * one line of hundreds of megabytes. Only the bytes in transit are buffered.
 */
#ifndef DMD_BASE_BASE64_H
#define DMD_BASE_BASE64_H

#include "base/out.h"

enum { DMD_BASE64_LINE = 4096 };

typedef struct dmd_base64 {
  dmd_out_t out;
  uint32_t bits, n_bits; /* not yet written */
  uint32_t in_line;      /* characters */
} dmd_base64_t;

/* Must not move until it has ended. */
void dmd_base64_init(dmd_base64_t *base64, dmd_write_fn write, void *ctx);

/* A dmd_write_fn; ctx is a dmd_base64_t. */
bool dmd_base64_write(void *ctx, const char *bytes, size_t n);

/* Writes the rest. Returns false if any write failed. */
bool dmd_base64_end(dmd_base64_t *base64);

#endif
