/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * source.h: where a file comes from, and what else its reader asks of a host.
 */
#ifndef DMD_LOAD_SOURCE_H
#define DMD_LOAD_SOURCE_H

#include "base/fail.h"

/* The double that is nearest to a number in decimal notation, which ends in NUL. */
typedef double (*dmd_number_fn)(const char *text);

typedef struct dmd_source {
  /* Makes the next bytes of the file, decompressed, available until the next call: *bytes points to
   * *n of them. At the end *n is 0. False, with the reason, when they cannot be read. */
  bool (*next)(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail);
  /* Of heap graphs alone: the next bytes are the first ones once more. */
  bool (*rewind)(void *ctx, dmd_fail_t *fail);
  void *ctx;
  dmd_number_fn number; /* of documents alone */
  uint64_t memory_szB;  /* that there is for what is read; 0: nobody knows */
} dmd_source_t;

#endif
