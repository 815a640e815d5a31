/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/graph/graphreaderstate.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/wire.h"

/* ---- Messages. ---- */

/* A field of a message: its number, its kind and its struct member. */
#define FIELD(number, kind, message, member)                                                       \
  { number, DMD_WIRE_##kind, offsetof(dmd_graph##message##_t, member) }

#define READER(message)                                                                            \
  bool dmd_graph##message##_read(dmd_wire_span_t bytes, dmd_graph##message##_t *to) {              \
    return dmd_wire_read(bytes, message##_fields,                                                  \
                         sizeof message##_fields / sizeof *message##_fields, to);                  \
  }

static const dmd_wire_member_t part_fields[] = {
    FIELD(1, SPAN, part, header),  FIELD(2, LIST, part, objects),
    FIELD(3, LIST, part, roots),   FIELD(4, SPAN, part, blocks),
    FIELD(5, SPAN, part, edges),   FIELD(6, LIST, part, codes),
    FIELD(7, LIST, part, stacks),  FIELD(8, LIST, part, names),
    FIELD(9, LIST, part, tags),    FIELD(10, LIST, part, report_sets),
    FIELD(11, SPAN, part, end),    FIELD(12, LIST, part, claim_functions),
    FIELD(13, LIST, part, claims), FIELD(14, LIST, part, residents),
};
READER(part)

static const dmd_wire_member_t header_fields[] = {
    FIELD(1, SPAN, header, format),
    FIELD(2, NUMBER, header, version),
    FIELD(3, NUMBER, header, word_szB),
    FIELD(4, SPAN, header, dmd_version),
    FIELD(5, SPAN, header, valgrind_version),
    FIELD(6, SPAN, header, mode),
    FIELD(7, LIST, header, arguments),
    FIELD(8, SPAN, header, folder),
    FIELD(9, SPAN, header, host),
    FIELD(10, SPAN, header, time),
    FIELD(11, NUMBER, header, pid),
    FIELD(12, NUMBER, header, dump_number),
    FIELD(13, SPAN, header, label),
    FIELD(14, SPAN, header, trigger),
    FIELD(15, SPAN, header, allocator),
    FIELD(16, NUMBER, header, has_contents),
    FIELD(17, NUMBER, header, fill),
    FIELD(18, NUMBER, header, peak_szB),
};
READER(header)

static const dmd_wire_member_t object_fields[] = {
    FIELD(1, SPAN, object, path),     FIELD(2, SPAN, object, soname),
    FIELD(3, SPAN, object, build_id), FIELD(4, NUMBER, object, bias),
    FIELD(5, NUMBER, object, start),  FIELD(6, NUMBER, object, szB),
};
READER(object)

static const dmd_wire_member_t root_fields[] = {
    FIELD(1, NUMBER, root, kind),   FIELD(2, NUMBER, root, addr),   FIELD(3, NUMBER, root, szB),
    FIELD(4, NUMBER, root, object), FIELD(5, NUMBER, root, thread), FIELD(6, SPAN, root, frame),
    FIELD(7, SPAN, root, name),     FIELD(8, NUMBER, root, origin),
};
READER(root)

static const dmd_wire_member_t code_fields[] = {
    FIELD(1, NUMBER, code, object),
    FIELD(2, NUMBER, code, addr),
    FIELD(3, LIST, code, functions),
};
READER(code)

static const dmd_wire_member_t function_fields[] = {
    FIELD(1, SPAN, function, name),
    FIELD(2, SPAN, function, file),
    FIELD(3, NUMBER, function, line),
};
READER(function)

static const dmd_wire_member_t stack_fields[] = {
    FIELD(1, COLUMN, stack, codes),
};
READER(stack)

static const dmd_wire_member_t reports_fields[] = {
    FIELD(1, NUMBER, reports, is_shared),
    FIELD(2, NUMBER, reports, count),
    FIELD(3, COLUMN, reports, stacks),
    FIELD(4, COLUMN, reports, reporters),
};
READER(reports)

static const dmd_wire_member_t claim_fields[] = {
    FIELD(1, NUMBER, claim, function), FIELD(2, NUMBER, claim, argument),
    FIELD(3, NUMBER, claim, value),    FIELD(4, NUMBER, claim, stack),
    FIELD(5, NUMBER, claim, count),    FIELD(6, NUMBER, claim, is_outdated),
    FIELD(7, NUMBER, claim, set),      FIELD(8, NUMBER, claim, blocks),
    FIELD(9, NUMBER, claim, req),      FIELD(10, NUMBER, claim, usable),
};
READER(claim)

static const dmd_wire_member_t resident_fields[] = {
    FIELD(1, NUMBER, resident, gap),
    FIELD(2, NUMBER, resident, pages),
};
READER(resident)

static const dmd_wire_member_t blocks_fields[] = {
    FIELD(1, NUMBER, blocks, count),
    FIELD(2, COLUMN, blocks, addr),
    FIELD(3, COLUMN, blocks, req),
    FIELD(4, COLUMN, blocks, slop),
    FIELD(5, COLUMN, blocks, stack),
    FIELD(6, COLUMN, blocks, reports),
    FIELD(7, COLUMN, blocks, tag),
    FIELD(8, COLUMN, blocks, thread),
    FIELD(9, COLUMN, blocks, outer),
    FIELD(10, COLUMN, blocks, flags),
    FIELD(11, COLUMN, blocks, first_word_block),
    FIELD(12, COLUMN, blocks, first_word_object),
    FIELD(13, COLUMN, blocks, first_word_addr),
    FIELD(14, COLUMN, blocks, contents_block),
    FIELD(15, COLUMN, blocks, same),
    FIELD(16, COLUMN, blocks, tail),
    FIELD(17, COLUMN, blocks, tail_byte),
};
READER(blocks)

static const dmd_wire_member_t edges_fields[] = {
    FIELD(1, COLUMN, edges, count),       FIELD(2, COLUMN, edges, word),
    FIELD(3, COLUMN, edges, target),      FIELD(4, COLUMN, edges, interior),
    FIELD(5, COLUMN, edges, into),        FIELD(6, COLUMN, edges, heuristic),
    FIELD(7, COLUMN, edges, number_edge), FIELD(8, COLUMN, edges, number_word),
    FIELD(9, COLUMN, edges, number),
};
READER(edges)

static const dmd_wire_member_t end_fields[] = {
    FIELD(1, NUMBER, end, roots),
    FIELD(2, NUMBER, end, blocks),
    FIELD(3, NUMBER, end, edges),
};
READER(end)

/* ---- Parts. ---- */

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
