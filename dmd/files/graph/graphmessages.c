/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/graph/graphmessages.h"

/* A field of a message: its number, its kind and its struct member. */
#define FIELD(number, kind, message, member)                                                       \
  { number, DMD_WIRE_##kind, offsetof(dmd_graph##message##_t, member) }

#define READER(message)                                                                            \
  bool dmd_graph##message##_read(dmd_wire_span_t bytes, dmd_graph##message##_t *to) {              \
    return dmd_wire_read(bytes, message##_fields,                                                  \
                         sizeof message##_fields / sizeof *message##_fields, to);                  \
  }

static const dmd_wire_member_t part_fields[] = {
    FIELD(1, SPAN, part, header),       FIELD(2, LIST, part, objects), FIELD(3, LIST, part, roots),
    FIELD(4, SPAN, part, blocks),       FIELD(5, SPAN, part, edges),   FIELD(6, LIST, part, codes),
    FIELD(7, LIST, part, stacks),       FIELD(8, LIST, part, names),   FIELD(9, LIST, part, tags),
    FIELD(10, LIST, part, report_sets), FIELD(11, SPAN, part, end),
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
};
READER(blocks)

static const dmd_wire_member_t edges_fields[] = {
    FIELD(1, COLUMN, edges, count),  FIELD(2, COLUMN, edges, word),
    FIELD(3, COLUMN, edges, target), FIELD(4, COLUMN, edges, interior),
    FIELD(5, COLUMN, edges, into),   FIELD(6, COLUMN, edges, heuristic),
};
READER(edges)

static const dmd_wire_member_t end_fields[] = {
    FIELD(1, NUMBER, end, roots),
    FIELD(2, NUMBER, end, blocks),
    FIELD(3, NUMBER, end, edges),
};
READER(end)
