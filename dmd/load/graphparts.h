/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphparts.h: the parts of the file of a heap graph, one at a time.
 *
 * A part is a protobuf message after its length (docs/dmd-graph.proto). Only one is in memory, and
 * no more is allocated for it than was read of it so far, whatever length it claims to have.
 */
#ifndef DMD_LOAD_GRAPHPARTS_H
#define DMD_LOAD_GRAPHPARTS_H

#include "base/env.h"
#include "base/wireread.h"
#include "load/source.h"

typedef struct dmd_graphparts {
  const dmd_env_t *env;
  const dmd_source_t *source;
  const char *piece; /* of the file, what is left of it */
  size_t n_piece;
  uint64_t at;           /* bytes of the file before the piece, decompressed */
  dmd_wire_span_t bytes; /* of the part */
  uint64_t start;        /* where its length is in the file */
  char *kept;            /* a part that is not in one piece */
  size_t room;
} dmd_graphparts_t;

/* Reads from the start of the source. */
void dmd_graphparts_init(dmd_graphparts_t *parts, const dmd_env_t *env, const dmd_source_t *source);
void dmd_graphparts_destroy(dmd_graphparts_t *parts);

/* Before the first part: what the file begins with, *n bytes of it. */
bool dmd_graphparts_peek(dmd_graphparts_t *parts, const char **bytes, size_t *n, dmd_fail_t *fail);

/* Makes the next part available, until the next call; *end at the end of the file, where there is
 * none. False, with *fail filled in, when it cannot be read. */
bool dmd_graphparts_next(dmd_graphparts_t *parts, bool *end, dmd_fail_t *fail);

/* Fills in the reason, printf-like, and the part at hand as the place. Returns false. */
bool dmd_graphparts_reject(const dmd_graphparts_t *parts, dmd_fail_t *fail, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
