/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Field numbers are those of docs/dmd-graph.proto. Fields that are 0 or empty are left out, and so
 * are columns of zeroes.
 */
#include "files/graph/graphwriter.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/wire.h"

enum {
  MAX_PART = 1 << 16,  /* approximate maximum size of a part of objects, codes etc., in bytes */
  MAX_NODES = 1 << 14, /* maximum per part */
  MAX_EDGES = 1 << 17  /* no nodes are added to a part with this many */
};

enum { PART_HEADER = 1, PART_OBJECT, PART_ROOT, PART_BLOCKS, PART_EDGES, PART_CODE, PART_STACK };
enum {
  PART_NAME = 8,
  PART_TAG,
  PART_REPORT_SET,
  PART_END,
  PART_CLAIM_FUNCTION,
  PART_CLAIM,
  PART_RESIDENT
};

enum { BLOCKS_COUNT = 1, ADDRESS, REQUESTED, SLOP, STACK, REPORT_SET, TAG, THREAD, OUTER, FLAGS };
enum { FIRST_WORD_BLOCK = 11, FIRST_WORD_OBJECT, FIRST_WORD_ADDRESS };
enum { CONTENTS_BLOCK = 14, SAME, TAIL, TAIL_BYTE };
enum { EDGES_COUNT = 1, WORD, TARGET, INTERIOR, INTO, HEURISTIC };
enum { NUMBER_EDGE = 7, NUMBER_WORD, NUMBER };

/* ---- Fields. ---- */

static void put_field(dmd_strbuf_t *to, uint32_t field, uint64_t v) {
  if (v != 0)
    dmd_wire_u64(to, field, v);
}

static void put_bytes(dmd_strbuf_t *to, uint32_t field, const char *bytes, size_t n) {
  if (n > 0)
    dmd_wire_bytes(to, field, bytes, n);
}

static void put_text(dmd_strbuf_t *to, uint32_t field, const char *text) {
  if (text != NULL)
    put_bytes(to, field, text, dmd_str_length(text));
}

/* ---- Parts. ---- */

static void write(dmd_graphwriter_t *file, const dmd_strbuf_t *bytes) {
  file->failed = file->failed || !file->write(file->ctx, bytes->text, bytes->n);
}

/* Writes the current part, preceded by its length. */
static void write_part(dmd_graphwriter_t *file) {
  if (file->part.n > 0) {
    dmd_strbuf_cut(&file->inner, 0);
    dmd_wire_number(&file->inner, file->part.n);
    write(file, &file->inner);
    write(file, &file->part);
  }
  dmd_strbuf_cut(&file->part, 0);
  file->field = 0;
}

/* Adds bytes to the part as an element of this kind. A part has elements of one kind. */
static void add_bytes(dmd_graphwriter_t *file, uint32_t field, const char *bytes, size_t n) {
  if (file->field != field || file->part.n >= MAX_PART)
    write_part(file);
  file->field = field;
  dmd_wire_bytes(&file->part, field, bytes, n);
}

static void add_message(dmd_graphwriter_t *file, uint32_t field) {
  add_bytes(file, field, file->message.text, file->message.n);
  dmd_strbuf_cut(&file->message, 0);
}

/* ---- Columns. ---- */

static inline void add(dmd_graph_column_t *column, uint64_t v) {
  column->has_any |= v != 0;
  dmd_wire_number(&column->bytes, v);
}

static inline void add_difference(dmd_graph_column_t *column, uint64_t v) {
  uint64_t difference = v - column->last;
  column->last = v;
  add(column, difference);
}

/* Adds a difference that may be negative, as protobuf's sint64. */
static inline void add_signed_difference(dmd_graph_column_t *column, uint64_t v) {
  uint64_t difference = v - column->last;
  column->last = v;
  add(column, dmd_wire_fold(difference));
}

/* Adds to a column that determines the number of elements of those beside it: it must be present
 * even if all are zero. */
static void add_place(dmd_graph_column_t *column, uint64_t v) {
  add_difference(column, v);
  column->has_any = true;
}

/* A range of a message's columns; those left out are empty. */
typedef struct {
  dmd_graph_column_t *columns;
  uint32_t first, end;
} columns_t;

static size_t columns_szB(columns_t c) {
  size_t szB = 0;
  for (uint32_t field = c.first; field < c.end; field++) {
    dmd_graph_column_t *column = &c.columns[field];
    if (!column->has_any)
      dmd_strbuf_cut(&column->bytes, 0);
    if (column->bytes.n > 0)
      szB += dmd_wire_bytes_szB(field, column->bytes.n);
  }
  return szB;
}

/* Writes and empties the columns, each in one piece, since similar values compress well
 * together. */
static void write_columns(dmd_graphwriter_t *file, columns_t c) {
  for (uint32_t field = c.first; field < c.end; field++) {
    dmd_graph_column_t *column = &c.columns[field];
    if (column->bytes.n > 0) {
      dmd_strbuf_cut(&file->inner, 0);
      dmd_wire_begin_bytes(&file->inner, field, column->bytes.n);
      write(file, &file->inner);
      write(file, &column->bytes);
    }
    dmd_strbuf_cut(&column->bytes, 0);
    column->last = 0;
    column->has_any = false;
  }
}

/* ---- Nodes. ---- */

static void end_node(dmd_graphwriter_t *file) {
  if (file->has_node) {
    add(&file->edges[EDGES_COUNT], file->n_of_node);
    /* Always present: it says how many roots the edges belong to. */
    file->edges[EDGES_COUNT].has_any = true;
  }
  file->has_node = false;
  file->n_of_node = 0;
  file->edges[WORD].last = 0;
}

/* Writes a part of blocks and edges, or of edges alone. These are the largest parts, so their
 * columns are written without copying. */
static void write_columns_part(dmd_graphwriter_t *file) {
  columns_t blocks = {file->blocks, ADDRESS, DMD_GRAPH_BLOCK_COLUMNS};
  columns_t edges = {file->edges, EDGES_COUNT, DMD_GRAPH_EDGE_COLUMNS};
  dmd_strbuf_t *count = &file->message, *begin = &file->inner;
  if (file->is_of_blocks)
    put_field(count, BLOCKS_COUNT, file->n_in_part);
  size_t blocks_szB = count->n + columns_szB(blocks), edges_szB = columns_szB(edges);
  size_t szB = dmd_wire_bytes_szB(PART_EDGES, edges_szB);
  if (file->is_of_blocks)
    szB += dmd_wire_bytes_szB(PART_BLOCKS, blocks_szB);
  dmd_strbuf_cut(begin, 0);
  dmd_wire_number(begin, szB);
  if (file->is_of_blocks) {
    dmd_wire_begin_bytes(begin, PART_BLOCKS, blocks_szB);
    write(file, begin);
    write(file, count);
    write_columns(file, blocks);
    dmd_strbuf_cut(count, 0);
    dmd_strbuf_cut(begin, 0);
  }
  dmd_wire_begin_bytes(begin, PART_EDGES, edges_szB);
  write(file, begin);
  write_columns(file, edges);
}

static void write_nodes(dmd_graphwriter_t *file) {
  end_node(file);
  if (file->n_in_part == 0)
    return;
  write_part(file);
  write_columns_part(file);
  file->n_edges += file->n_edges_in_part;
  file->n_in_part = file->n_edges_in_part = 0;
}

static void begin_node(dmd_graphwriter_t *file, bool is_block) {
  end_node(file);
  if (file->is_of_blocks != is_block || file->n_in_part >= MAX_NODES ||
      file->n_edges_in_part >= MAX_EDGES)
    write_nodes(file);
  file->is_of_blocks = is_block;
  file->has_node = true;
  file->n_in_part++;
}

void dmd_graphwriter_begin_root(dmd_graphwriter_t *file) {
  begin_node(file, false);
}

void dmd_graphwriter_block(dmd_graphwriter_t *file, const dmd_graphwriter_block_t *block) {
  dmd_graph_column_t *columns = file->blocks;
  begin_node(file, true);
  add_difference(&columns[ADDRESS], block->addr);
  add(&columns[REQUESTED], block->req);
  add(&columns[SLOP], block->slop);
  add(&columns[STACK], block->stack);
  add(&columns[REPORT_SET], block->reports);
  add(&columns[TAG], block->tag);
  add(&columns[THREAD], block->thread);
  add(&columns[OUTER], block->outer);
  add(&columns[FLAGS], block->flags);
  file->n_blocks++;
}

void dmd_graphwriter_first_word(dmd_graphwriter_t *file, uint32_t object, uint64_t addr) {
  add_place(&file->blocks[FIRST_WORD_BLOCK], file->n_in_part - 1);
  add(&file->blocks[FIRST_WORD_OBJECT], object);
  add(&file->blocks[FIRST_WORD_ADDRESS], addr);
}

void dmd_graphwriter_contents(dmd_graphwriter_t *file, const dmd_graphwriter_contents_t *contents) {
  add_place(&file->blocks[CONTENTS_BLOCK], file->n_in_part - 1);
  add(&file->blocks[SAME], contents->same);
  add(&file->blocks[TAIL], contents->tail);
  add(&file->blocks[TAIL_BYTE], contents->byte);
}

void dmd_graphwriter_edge(dmd_graphwriter_t *file, const dmd_graphwriter_edge_t *edge) {
  add_difference(&file->edges[WORD], edge->word);
  add_signed_difference(&file->edges[TARGET], edge->target);
  if (edge->into != 0) {
    add_place(&file->edges[INTERIOR], file->n_edges_in_part);
    add(&file->edges[INTO], edge->into);
    add(&file->edges[HEURISTIC], edge->heuristic);
  }
  file->n_of_node++;
  file->n_edges_in_part++;
}

void dmd_graphwriter_number(dmd_graphwriter_t *file, int words, uint64_t number) {
  add_place(&file->edges[NUMBER_EDGE], file->n_edges_in_part - 1);
  add(&file->edges[NUMBER_WORD], dmd_wire_fold((uint64_t)(int64_t)words));
  add(&file->edges[NUMBER], number);
}

/* ---- Other parts. ---- */

void dmd_graphwriter_resident(dmd_graphwriter_t *file, const dmd_graph_resident_t *resident) {
  write_nodes(file);
  put_field(&file->message, 1, (resident->addr - file->resident_end) / DMD_PAGE_SZB);
  put_field(&file->message, 2, resident->szB / DMD_PAGE_SZB);
  file->resident_end = resident->addr + resident->szB;
  add_message(file, PART_RESIDENT);
}

void dmd_graphwriter_header(dmd_graphwriter_t *file, const dmd_profile_t *profile,
                            bool has_contents, uint8_t fill) {
  const dmd_run_t *run = &profile->run;
  dmd_strbuf_t *to = &file->message;
  put_text(to, 1, DMD_GRAPH_FORMAT);
  put_field(to, 2, DMD_GRAPH_VERSION);
  put_field(to, 3, run->word_szB);
  put_text(to, 4, run->version);
  put_text(to, 5, run->valgrind_version);
  put_text(to, 6, dmd_mode_name(profile->mode));
  for (uint32_t i = 0; i < dmd_profile_n_arguments(profile); i++) {
    const char *argument = dmd_profile_argument(profile, i);
    dmd_wire_bytes(to, 7, argument, dmd_str_length(argument));
  }
  put_text(to, 8, run->folder);
  put_text(to, 9, run->host);
  put_text(to, 10, run->time);
  put_field(to, 11, run->pid);
  put_field(to, 12, run->dump_number);
  put_text(to, 13, run->label);
  put_text(to, 14, run->trigger);
  put_text(to, 15, run->allocator);
  put_field(to, 16, has_contents);
  put_field(to, 17, fill);
  put_field(to, 18, run->peak.is_known ? run->peak.szB : 0);
  add_message(file, PART_HEADER);
}

void dmd_graphwriter_object(dmd_graphwriter_t *file, const dmd_graph_object_t *object) {
  dmd_strbuf_t *to = &file->message;
  put_text(to, 1, object->path);
  put_text(to, 2, object->soname);
  put_bytes(to, 3, object->build_id, object->n_build_id);
  put_field(to, 4, object->bias);
  put_field(to, 5, object->start);
  put_field(to, 6, object->szB);
  add_message(file, PART_OBJECT);
}

/* Fills an empty message with a code. */
static void put_code(dmd_graphwriter_t *file, dmd_strbuf_t *to,
                     const dmd_graphwriter_code_t *code) {
  dmd_strbuf_t function;
  dmd_strbuf_init(&function, file->env);
  put_field(to, 1, code->object);
  put_field(to, 2, code->addr);
  for (uint32_t i = 0; i < code->n_functions; i++) {
    put_text(&function, 1, code->functions[i].name);
    put_text(&function, 2, code->functions[i].file);
    put_field(&function, 3, code->functions[i].line);
    dmd_wire_bytes(to, 3, function.text, function.n);
    dmd_strbuf_cut(&function, 0);
  }
  dmd_strbuf_destroy(&function);
}

void dmd_graphwriter_root(dmd_graphwriter_t *file, const dmd_graphwriter_root_t *root) {
  dmd_strbuf_t *to = &file->message;
  put_field(to, 1, root->kind);
  put_field(to, 2, root->addr);
  put_field(to, 3, root->szB);
  put_field(to, 4, root->object);
  put_field(to, 5, root->thread);
  if (root->frame != NULL) {
    dmd_strbuf_cut(&file->inner, 0);
    put_code(file, &file->inner, root->frame);
    dmd_wire_bytes(to, 6, file->inner.text, file->inner.n);
  }
  put_text(to, 7, root->name);
  put_field(to, 8, root->origin);
  add_message(file, PART_ROOT);
  file->n_roots++;
}

void dmd_graphwriter_code(dmd_graphwriter_t *file, const dmd_graphwriter_code_t *code) {
  write_nodes(file);
  put_code(file, &file->message, code);
  add_message(file, PART_CODE);
}

void dmd_graphwriter_stack(dmd_graphwriter_t *file, const uint32_t *codes, uint32_t n) {
  write_nodes(file);
  dmd_strbuf_cut(&file->inner, 0);
  for (uint32_t i = 0; i < n; i++)
    dmd_wire_number(&file->inner, codes[i]);
  put_bytes(&file->message, 1, file->inner.text, file->inner.n);
  add_message(file, PART_STACK);
}

void dmd_graphwriter_name(dmd_graphwriter_t *file, const char *name) {
  write_nodes(file);
  add_bytes(file, PART_NAME, name, dmd_str_length(name));
}

void dmd_graphwriter_tag(dmd_graphwriter_t *file, const char *tag) {
  write_nodes(file);
  add_bytes(file, PART_TAG, tag, dmd_str_length(tag));
}

void dmd_graphwriter_report_set(dmd_graphwriter_t *file, bool shared, uint32_t count,
                                const dmd_graphwriter_report_t *kept, uint32_t n) {
  write_nodes(file);
  put_field(&file->message, 1, shared);
  put_field(&file->message, 2, count);
  dmd_strbuf_cut(&file->inner, 0);
  for (uint32_t i = 0; i < n; i++)
    dmd_wire_number(&file->inner, kept[i].stack);
  put_bytes(&file->message, 3, file->inner.text, file->inner.n);
  dmd_strbuf_cut(&file->inner, 0);
  for (uint32_t i = 0; i < n; i++)
    dmd_wire_number(&file->inner, kept[i].reporter);
  put_bytes(&file->message, 4, file->inner.text, file->inner.n);
  add_message(file, PART_REPORT_SET);
}

void dmd_graphwriter_claim_function(dmd_graphwriter_t *file, const char *name) {
  write_nodes(file);
  add_bytes(file, PART_CLAIM_FUNCTION, name, dmd_str_length(name));
}

void dmd_graphwriter_claim(dmd_graphwriter_t *file, const dmd_graph_claim_t *claim) {
  dmd_strbuf_t *to = &file->message;
  write_nodes(file);
  put_field(to, 1, claim->function);
  put_field(to, 2, claim->argument);
  put_field(to, 3, claim->value);
  put_field(to, 4, claim->stack);
  put_field(to, 5, claim->count);
  put_field(to, 6, claim->is_outdated);
  put_field(to, 7, claim->set);
  put_field(to, 8, claim->sum.blocks);
  put_field(to, 9, claim->sum.req);
  put_field(to, 10, claim->sum.usable);
  add_message(file, PART_CLAIM);
}

/* ---- Set-up. ---- */

static void init_columns(dmd_graph_column_t *columns, uint32_t n, const dmd_env_t *env) {
  for (uint32_t i = 0; i < n; i++)
    dmd_strbuf_init(&columns[i].bytes, env);
}

static void destroy_columns(dmd_graph_column_t *columns, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    dmd_strbuf_destroy(&columns[i].bytes);
}

/* Looks for a header part, whose first field is the format. */
bool dmd_graphwriter_is(const char *bytes, size_t n) {
  static const char format[] = "\x0a\x09" DMD_GRAPH_FORMAT;
  enum { LENGTHS = 12, FORMAT = sizeof format - 1 };
  for (size_t i = 2; i < LENGTHS && i + FORMAT <= n; i++)
    if (dmd_mem_equal(bytes + i, format, FORMAT))
      return true;
  return false;
}

void dmd_graphwriter_init(dmd_graphwriter_t *file, const dmd_env_t *env, dmd_write_fn write_fn,
                          void *ctx) {
  dmd_mem_zero(file, sizeof *file);
  file->env = env;
  file->write = write_fn;
  file->ctx = ctx;
  dmd_strbuf_init(&file->part, env);
  dmd_strbuf_init(&file->message, env);
  dmd_strbuf_init(&file->inner, env);
  init_columns(file->blocks, DMD_GRAPH_BLOCK_COLUMNS, env);
  init_columns(file->edges, DMD_GRAPH_EDGE_COLUMNS, env);
}

void dmd_graphwriter_destroy(dmd_graphwriter_t *file) {
  destroy_columns(file->edges, DMD_GRAPH_EDGE_COLUMNS);
  destroy_columns(file->blocks, DMD_GRAPH_BLOCK_COLUMNS);
  dmd_strbuf_destroy(&file->inner);
  dmd_strbuf_destroy(&file->message);
  dmd_strbuf_destroy(&file->part);
}

bool dmd_graphwriter_end(dmd_graphwriter_t *file) {
  write_nodes(file);
  put_field(&file->message, 1, file->n_roots);
  put_field(&file->message, 2, file->n_blocks);
  put_field(&file->message, 3, file->n_edges);
  add_message(file, PART_END);
  write_part(file);
  return !file->failed;
}
