/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphparts.h: the parts of the file of a heap graph, one at a time, and the fields of a message.
 *
 * A part is a protobuf message after its length (docs/dmd-graph.proto). Only one is in memory, and
 * no more is allocated for it than was read of it so far, whatever length it claims to have.
 */
#ifndef DMD_READER_INPUT_GRAPHPARTS_H
#define DMD_READER_INPUT_GRAPHPARTS_H

#include "reader/host/progress.h"
#include "reader/input/input.h"

typedef struct dmdv_graphparts {
  dmdv_input_t *input;
  dmdv_progress_t progress;
  const char *verb;  /* of the progress: what is done to the file */
  const char *piece; /* of the input, what is left of it */
  size_t n_piece;
  uint64_t at;          /* bytes of the file before the piece, decompressed */
  const uint8_t *bytes; /* of the part, */
  size_t n;             /* so many */
  uint64_t start;       /* where its length is in the file */
  char *kept;           /* a part that is not in one piece */
  size_t room;
} dmdv_graphparts_t;

/* Reads from the start of the input, which is the caller's. */
void dmdv_graphparts_init(dmdv_graphparts_t *parts, dmdv_input_t *input, const char *verb);
void dmdv_graphparts_destroy(dmdv_graphparts_t *parts);

/* Makes the next part available, until the next call; *end at the end of the file, where there is
 * none. False, with *fail filled in, when it cannot be read. */
bool dmdv_graphparts_next(dmdv_graphparts_t *parts, bool *end, dmd_fail_t *fail);

/* Fills in the reason, printf-like, and the part at hand as the place. Returns false. */
bool dmdv_graphparts_reject(const dmdv_graphparts_t *parts, dmd_fail_t *fail, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));

/* ---- Fields of a message. ---- */

/* One of them: a number, or n bytes. Of fields that are numbers of a fixed width only `number` is
 * set. */
typedef struct dmdv_field {
  uint64_t number; /* its own */
  bool is_bytes;
  uint64_t value;
  const uint8_t *bytes;
  size_t n;
} dmdv_field_t;

typedef struct dmdv_fields {
  const uint8_t *at, *end;
  bool failed; /* the message is malformed */
} dmdv_fields_t;

/* dmdv_fields_t fields = dmdv_fields_of(bytes, n);
 * while (dmdv_fields_next(&fields, &field)) ...; then `failed` says whether that was all. */
static inline dmdv_fields_t dmdv_fields_of(const uint8_t *bytes, size_t n) {
  return (dmdv_fields_t){.at = bytes, .end = bytes + n};
}
bool dmdv_fields_next(dmdv_fields_t *fields, dmdv_field_t *field);

/* How many numbers there are in a packed field. */
size_t dmdv_field_count(const dmdv_field_t *field);

#endif
