/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * source.h: the bytes of a file, and the other services that its reader needs from the host.
 */
#ifndef DMD_FILES_PROFILE_SOURCE_H
#define DMD_FILES_PROFILE_SOURCE_H

#include "base/fail.h"
#include "base/mem.h"

/* The double nearest to a NUL-terminated decimal number. */
typedef double (*dmd_number_fn)(const char *text);

typedef struct dmd_source {
  /* Makes the next decompressed bytes of the file available until the next call: *bytes points to
   * *n bytes. At the end *n is 0. On failure returns false with *fail filled in. */
  bool (*next)(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail);
  /* Rewinds to the start of the file. Used for heap graphs only. */
  bool (*rewind)(void *ctx, dmd_fail_t *fail);
  void *ctx;
  dmd_number_fn number; /* used for documents only */
  uint64_t memory_szB;  /* available for the loaded data; 0: unknown */
} dmd_source_t;

/* Whether the n bytes at the beginning of a file are those of SQLite, with which histories are
 * kept; and what to say to somebody who gives one for a profile or a heap graph. */
#define DMD_SOURCE_IS_HISTORY "is a history, or another database: see dmdv help history"

static inline bool dmd_source_is_history(const char *bytes, size_t n) {
  static const char begin[] = "SQLite format 3";
  return n >= sizeof begin && dmd_mem_equal(bytes, begin, sizeof begin);
}

#endif
