/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphparts.h: reads a heap graph file one part at a time.
 *
 * A part is a length followed by a protobuf message (docs/dmd-graph.proto). Only one part is in
 * memory. The buffer grows with the bytes that were read, not with the length that the file claims.
 */
#ifndef DMD_FILES_GRAPH_GRAPHPARTS_H
#define DMD_FILES_GRAPH_GRAPHPARTS_H

#include "base/env.h"
#include "base/wire.h"
#include "files/profile/source.h"

typedef struct dmd_graphparts {
  const dmd_env_t *env;
  const dmd_source_t *source;
  const char *piece; /* unread rest of the current piece of the file */
  size_t n_piece;
  uint64_t at;           /* offset of the piece in the decompressed file */
  dmd_wire_span_t bytes; /* the current part */
  uint64_t start;        /* offset of its length in the file */
  char *kept;            /* buffer for a part that spans several pieces */
  size_t room;
} dmd_graphparts_t;

/* Reads from the start of the source. */
void dmd_graphparts_init(dmd_graphparts_t *parts, const dmd_env_t *env, const dmd_source_t *source);
void dmd_graphparts_destroy(dmd_graphparts_t *parts);

/* Call before the first part: the first bytes of the file, *n of them. */
bool dmd_graphparts_peek(dmd_graphparts_t *parts, const char **bytes, size_t *n, dmd_fail_t *fail);

/* Makes the next part available until the next call; sets *end at the end of the file. False, with
 * *fail filled in, if the file cannot be read. */
bool dmd_graphparts_next(dmd_graphparts_t *parts, bool *end, dmd_fail_t *fail);

/* After the last part: false, with *fail filled in, unless the file ends there. */
bool dmd_graphparts_end(dmd_graphparts_t *parts, dmd_fail_t *fail);

/* Fills in the reason (printf-like), with the current part as the place. Returns false. */
bool dmd_graphparts_reject(const dmd_graphparts_t *parts, dmd_fail_t *fail, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
