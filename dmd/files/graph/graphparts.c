/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/graph/graphparts.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/wire.h"

void dmd_graphparts_init(dmd_graphparts_t *parts, const dmd_env_t *env,
                         const dmd_source_t *source) {
  *parts = (dmd_graphparts_t){.env = env, .source = source};
}

void dmd_graphparts_destroy(dmd_graphparts_t *parts) {
  dmd_env_free(parts->env, parts->kept);
}

bool dmd_graphparts_reject(const dmd_graphparts_t *parts, dmd_fail_t *fail, const char *format,
                           ...) {
  va_list args;
  va_start(args, format);
  dmd_fail_reason(fail, format, args);
  va_end(args);
  fail->line = 0;
  fail->byte = parts->start;
  fail->has_byte = true;
  return false;
}

/* Fills the piece if it is empty. It stays empty at the end of the file. */
static bool refill(dmd_graphparts_t *parts, dmd_fail_t *fail) {
  if (parts->n_piece > 0)
    return true;
  if (parts->source->next(parts->source->ctx, &parts->piece, &parts->n_piece, fail))
    return true;
  fail->byte = parts->at;
  fail->has_byte = true;
  return false;
}

bool dmd_graphparts_peek(dmd_graphparts_t *parts, const char **bytes, size_t *n, dmd_fail_t *fail) {
  bool good = refill(parts, fail);
  *bytes = parts->piece;
  *n = parts->n_piece;
  return good;
}

static void take(dmd_graphparts_t *parts, size_t n) {
  parts->piece += n;
  parts->n_piece -= n;
  parts->at += n;
}

/* Reads the length of the next part; sets *end at the end of the file. */
static bool read_length(dmd_graphparts_t *parts, uint64_t *length, bool *end, dmd_fail_t *fail) {
  *length = 0;
  *end = false;
  for (unsigned i = 0; i < DMD_WIRE_MAX_NUMBER; i++) {
    if (!refill(parts, fail))
      return false;
    if (parts->n_piece == 0 && i == 0) {
      *end = true;
      return true;
    }
    if (parts->n_piece == 0)
      return dmd_graphparts_reject(parts, fail, "the file is cut off in the length of a part");
    uint8_t byte = (uint8_t)*parts->piece;
    take(parts, 1);
    *length |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (!(byte & 0x80))
      return true;
  }
  return dmd_graphparts_reject(parts, fail, "the length of a part has more than 64 bits");
}

/* n: bytes kept so far. */
static void reserve(dmd_graphparts_t *parts, size_t n, size_t wanted) {
  if (wanted <= parts->room)
    return;
  char *larger = dmd_env_alloc(parts->env, "dmd.load.graph", 2 * wanted);
  dmd_mem_copy(larger, parts->kept, n);
  dmd_env_free(parts->env, parts->kept);
  parts->kept = larger;
  parts->room = 2 * wanted;
}

/* Collects a part that spans several pieces. */
static bool collect(dmd_graphparts_t *parts, size_t length, dmd_fail_t *fail) {
  size_t n = 0;
  while (n < length) {
    if (!refill(parts, fail))
      return false;
    if (parts->n_piece == 0)
      return dmd_graphparts_reject(
          parts, fail, "the file is cut off in a part: %zu of its %zu bytes are there", n, length);
    size_t more = length - n < parts->n_piece ? length - n : parts->n_piece;
    reserve(parts, n, n + more);
    dmd_mem_copy(parts->kept + n, parts->piece, more);
    n += more;
    take(parts, more);
  }
  parts->bytes = (dmd_wire_span_t){.at = (const uint8_t *)parts->kept, .n = n};
  return true;
}

bool dmd_graphparts_next(dmd_graphparts_t *parts, bool *end, dmd_fail_t *fail) {
  uint64_t length;
  parts->start = parts->at;
  if (!read_length(parts, &length, end, fail))
    return false;
  if (*end)
    return true;
  /* No program writes them, and millions of them would fit into a small gzipped file. */
  if (length == 0)
    return dmd_graphparts_reject(parts, fail, "a part is empty");
  if (length > DMD_MAX_GRAPH_PART)
    return dmd_graphparts_reject(parts, fail,
                                 "a part is longer than " DMD_MAX_GRAPH_PART_TEXT " bytes");
  /* The size of all data decoded from these bytes must fit in a size_t. */
  if (length > SIZE_MAX / 64)
    return dmd_graphparts_reject(parts, fail, "a part has %llu bytes: there is no room for it here",
                                 (unsigned long long)length);
  if (length > parts->n_piece)
    return collect(parts, (size_t)length, fail);
  parts->bytes = (dmd_wire_span_t){.at = (const uint8_t *)parts->piece, .n = (size_t)length};
  take(parts, parts->bytes.n);
  return true;
}

bool dmd_graphparts_end(dmd_graphparts_t *parts, dmd_fail_t *fail) {
  parts->start = parts->at;
  if (!refill(parts, fail))
    return false;
  return parts->n_piece == 0 ||
         dmd_graphparts_reject(parts, fail, "the file goes on behind its last part");
}
