/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphmessages.h: decodes the messages of a heap graph file (docs/dmd-graph.proto).
 *
 * Nested strings and messages point into the file's bytes (base/wire.h). Only the encoding is
 * checked. Each function returns false if the message is damaged.
 */
#ifndef DMD_FILES_GRAPH_GRAPHMESSAGES_H
#define DMD_FILES_GRAPH_GRAPHMESSAGES_H

#include "base/wire.h"

typedef struct dmd_graphpart {
  dmd_wire_span_t header;
  dmd_wire_list_t objects, roots;
  dmd_wire_span_t blocks, edges;
  dmd_wire_list_t codes, stacks, names, tags, report_sets;
  dmd_wire_span_t end;
} dmd_graphpart_t;

typedef struct dmd_graphheader {
  dmd_wire_span_t format;
  uint64_t version, word_szB;
  dmd_wire_span_t dmd_version, valgrind_version, mode;
  dmd_wire_list_t arguments;
  dmd_wire_span_t folder, host, time, label, trigger, allocator;
  uint64_t pid, dump_number;
} dmd_graphheader_t;

typedef struct dmd_graphobject {
  dmd_wire_span_t path, soname, build_id;
  uint64_t bias, start, szB;
} dmd_graphobject_t;

typedef struct dmd_graphroot {
  uint64_t kind, addr, szB, object, thread, origin;
  dmd_wire_span_t frame, name;
} dmd_graphroot_t;

typedef struct dmd_graphcode {
  uint64_t object, addr;
  dmd_wire_list_t functions;
} dmd_graphcode_t;

typedef struct dmd_graphfunction {
  dmd_wire_span_t name, file;
  uint64_t line;
} dmd_graphfunction_t;

typedef struct dmd_graphstack {
  dmd_wire_list_t codes;
} dmd_graphstack_t;

typedef struct dmd_graphreports {
  uint64_t is_shared, count;
  dmd_wire_list_t stacks, reporters;
} dmd_graphreports_t;

typedef struct dmd_graphblocks {
  uint64_t count;
  dmd_wire_list_t addr, req, slop, stack, reports, tag, thread, outer, flags;
  dmd_wire_list_t first_word_block, first_word_object, first_word_addr;
} dmd_graphblocks_t;

typedef struct dmd_graphedges {
  dmd_wire_list_t count, word, target, interior, into, heuristic;
} dmd_graphedges_t;

typedef struct dmd_graphend {
  uint64_t roots, blocks, edges;
} dmd_graphend_t;

bool dmd_graphpart_read(dmd_wire_span_t message, dmd_graphpart_t *part);
bool dmd_graphheader_read(dmd_wire_span_t message, dmd_graphheader_t *header);
bool dmd_graphobject_read(dmd_wire_span_t message, dmd_graphobject_t *object);
bool dmd_graphroot_read(dmd_wire_span_t message, dmd_graphroot_t *root);
bool dmd_graphcode_read(dmd_wire_span_t message, dmd_graphcode_t *code);
bool dmd_graphfunction_read(dmd_wire_span_t message, dmd_graphfunction_t *function);
bool dmd_graphstack_read(dmd_wire_span_t message, dmd_graphstack_t *stack);
bool dmd_graphreports_read(dmd_wire_span_t message, dmd_graphreports_t *reports);
bool dmd_graphblocks_read(dmd_wire_span_t message, dmd_graphblocks_t *blocks);
bool dmd_graphedges_read(dmd_wire_span_t message, dmd_graphedges_t *edges);
bool dmd_graphend_read(dmd_wire_span_t message, dmd_graphend_t *end);

#endif
