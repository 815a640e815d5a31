/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exports Firefox's heap snapshots, see fxsnapshot.proto in this folder.
 *
 * Firefox shows the ids of nodes to users, so the id of a block is its address if possible.
 *
 * Frames that Firefox shows alike must have one id. It adds up blocks by frame id, and then makes
 * one saved frame of all frames with equal source, function, line and caller; the last of their
 * sums replaces the others (ubi::CountByAllocationStack and SavedStacks in its sources). Such
 * frames are those of a header's function in several libraries, and of several calls without a
 * line.
 */
#include "show/export/heapsnapshot.h"

#include "base/utf8.h"
#include "base/wire.h"

enum { METADATA_TIME = 1 };
enum { NODE_ID = 1, NODE_TYPE, NODE_TYPE_REF, NODE_SIZE, NODE_EDGE, NODE_STACK, NODE_COARSE = 9 };
enum { EDGE_REFERENT = 1, EDGE_NAME, EDGE_NAME_REF };
enum { FRAME_DATA = 1, FRAME_REF };
enum { DATA_ID = 1, DATA_PARENT, DATA_LINE, DATA_COLUMN, DATA_SOURCE, DATA_SOURCE_REF };
enum { DATA_FUNCTION = 7, DATA_FUNCTION_REF, DATA_SYSTEM, DATA_SELF_HOSTED };

/* Frames of a stack that are written: readers accept messages nested up to 100 deep. */
enum { MAX_FRAMES = 90 };

/* The highest id that is exact as a double. */
#define MAX_ID (UINT64_C(1) << 53)

/* A string of the file: its number, and whether this is its first occurrence. */
typedef struct {
  const char *text;
  uint32_t number;
  bool is_new;
} string_t;

/* A frame as Firefox shows it, whose id is that in writer_t.frames. */
typedef struct {
  uint32_t caller; /* a frame id; DMD_NONE: an outermost frame */
  uint32_t line;
  uint32_t source, function; /* of writer_t.names */
} frame_t;

typedef struct {
  dmd_heapsnapshot_t *s;
  dmd_out_t *out;
  uint64_t *ids; /* by number */
  dmd_calltree_t calls;
  dmd_pool_t frame_of;  /* by call: uint32_t, the id of its frame; DMD_NONE: not written yet */
  dmd_intern_t frames;  /* of frame_t */
  dmd_intern_t names;   /* of frames */
  dmd_intern_t strings; /* their numbers are ids less 1 */
  dmd_strbuf_t message, inner, outer, name; /* scratch */
} writer_t;

/* ---- Strings and messages. ---- */

static string_t find_string(writer_t *w, const char *text) {
  uint32_t n = dmd_intern_count(&w->strings), id = dmd_intern_str(&w->strings, text);
  return (string_t){
      .text = dmd_intern_get_str(&w->strings, id), .number = id - 1, .is_new = id > n};
}

static void append_utf16(dmd_strbuf_t *to, const char *s) {
  while (*s != '\0') {
    size_t n = dmd_utf8_length(s), n_units;
    uint16_t units[2];
    n_units =
        n > 0 ? dmd_utf8_to_utf16(units, s, n) : dmd_utf8_to_utf16(units, DMD_UTF8_REPLACEMENT, 3);
    for (size_t i = 0; i < n_units; i++) {
      char bytes[] = {(char)(units[i] & 0xff), (char)(units[i] >> 8)};
      dmd_strbuf_bytes(to, bytes, 2);
    }
    s += n > 0 ? n : 1;
  }
}

/* Writes a string in this field or, if it occurred before, its number in the next field. */
static void put_string(writer_t *w, dmd_strbuf_t *to, uint32_t field, const string_t *string) {
  if (!string->is_new) {
    dmd_wire_u64(to, field + 1, string->number);
    return;
  }
  dmd_strbuf_cut(&w->name, 0);
  append_utf16(&w->name, string->text);
  dmd_wire_bytes(to, field, w->name.text, w->name.n);
}

static void write_message(writer_t *w) {
  dmd_strbuf_cut(&w->inner, 0);
  dmd_wire_number(&w->inner, w->message.n);
  dmd_out_bytes(w->out, w->inner.text, w->inner.n);
  dmd_out_bytes(w->out, w->message.text, w->message.n);
  dmd_strbuf_cut(&w->message, 0);
}

/* ---- Stacks. ---- */

static uint32_t *frame_of(writer_t *w, uint32_t call) {
  dmd_pool_reach(&w->frame_of, call);
  return DMD_POOL_AT(&w->frame_of, uint32_t, call);
}

/* The id of the frame of a call, whose caller has this id. */
static uint32_t add_frame(writer_t *w, uint32_t call, uint32_t caller) {
  const dmd_frames_t *frames = &w->s->graph->profile.frames;
  uint32_t id = dmd_calltree_at(&w->calls, call)->frame;
  dmd_location_t l = dmd_frames_location(frames, id);
  const char *source = l.file != NULL ? l.file : l.object != NULL ? l.object : "";
  const char *function = l.function != NULL ? l.function : dmd_frames_text(frames, id);
  frame_t frame = {.caller = caller,
                   .line = l.line <= UINT32_MAX ? (uint32_t)l.line : 0,
                   .source = dmd_intern_str(&w->names, source),
                   .function = dmd_intern_str(&w->names, function)};
  return dmd_intern_bytes(&w->frames, &frame, sizeof frame);
}

/* The id of the frame of a call. Adds its frame and those of its callers if they are missing. */
static uint32_t add_frames(writer_t *w, uint32_t call) {
  uint32_t missing[MAX_FRAMES], n = 0;
  for (; call != DMD_NONE && *frame_of(w, call) == DMD_NONE;
       call = dmd_calltree_at(&w->calls, call)->caller)
    missing[n++] = call;
  uint32_t id = call != DMD_NONE ? *frame_of(w, call) : DMD_NONE;
  for (uint32_t i = n; i > 0; i--)
    id = *frame_of(w, missing[i - 1]) = add_frame(w, missing[i - 1], id);
  return id;
}

static const frame_t *frame_at(const writer_t *w, uint32_t id) {
  size_t n;
  return dmd_intern_get(&w->frames, id, &n);
}

static void put_frame(writer_t *w, dmd_strbuf_t *to, uint32_t id, const string_t *source,
                      const string_t *function) {
  dmd_wire_u64(to, DATA_ID, id);
  dmd_wire_u64(to, DATA_LINE, frame_at(w, id)->line);
  dmd_wire_u64(to, DATA_COLUMN, 0);
  put_string(w, to, DATA_SOURCE, source);
  put_string(w, to, DATA_FUNCTION, function);
  dmd_wire_u64(to, DATA_SYSTEM, 0);
  dmd_wire_u64(to, DATA_SELF_HOSTED, 0);
}

/* The stack from a call outwards. Readers take the strings of a frame before those of its caller,
 * but each message contains its caller's, so the outermost is built first. Ids above
 * n_written are those of new frames. */
static void put_stack(writer_t *w, uint32_t call) {
  string_t sources[MAX_FRAMES], functions[MAX_FRAMES];
  uint32_t ids[MAX_FRAMES], n = 0, n_written = dmd_intern_count(&w->frames);
  dmd_strbuf_t *inner = &w->inner, *outer = &w->outer;
  uint32_t id = add_frames(w, call);
  for (; id > n_written; id = frame_at(w, id)->caller) {
    sources[n] = find_string(w, dmd_intern_get_str(&w->names, frame_at(w, id)->source));
    functions[n] = find_string(w, dmd_intern_get_str(&w->names, frame_at(w, id)->function));
    ids[n++] = id;
  }
  dmd_strbuf_cut(inner, 0);
  if (id != DMD_NONE)
    dmd_wire_u64(inner, FRAME_REF, id);
  for (uint32_t i = n; i > 0; i--) {
    dmd_strbuf_cut(outer, 0);
    if (inner->n > 0)
      dmd_wire_bytes(outer, DATA_PARENT, inner->text, inner->n);
    put_frame(w, outer, ids[i - 1], &sources[i - 1], &functions[i - 1]);
    dmd_strbuf_cut(inner, 0);
    dmd_wire_bytes(inner, FRAME_DATA, outer->text, outer->n);
  }
  dmd_wire_bytes(&w->message, NODE_STACK, inner->text, inner->n);
}

/* ---- Nodes. ---- */

static void put_edge(writer_t *w, const dmd_edge_walk_t *walk) {
  dmd_strbuf_cut(&w->inner, 0);
  dmd_wire_u64(&w->inner, EDGE_REFERENT, w->ids[walk->target]);
  dmd_strbuf_cut(&w->name, 0);
  dmd_heapsnapshot_edge_name(w->s, walk, &w->name);
  if (w->name.n > 0) {
    string_t name = find_string(w, w->name.text);
    put_string(w, &w->inner, EDGE_NAME, &name);
  }
  dmd_wire_bytes(&w->message, NODE_EDGE, w->inner.text, w->inner.n);
}

static void put_node(writer_t *w, uint32_t number) {
  dmd_condensed_t *shown = &w->s->shown;
  dmd_edge_walk_t walk;
  dmd_wire_u64(&w->message, NODE_ID, w->ids[number]);
  dmd_strbuf_cut(&w->name, 0);
  dmd_heapsnapshot_name(w->s, number, &w->name);
  string_t type = find_string(w, w->name.text);
  put_string(w, &w->message, NODE_TYPE, &type);
  dmd_wire_u64(&w->message, NODE_SIZE, dmd_condensed_size(shown, number));
  dmd_wire_u64(&w->message, NODE_COARSE, 0);
  dmd_condensed_walk(shown, number, &walk);
  while (dmd_condensed_next(shown, &walk))
    put_edge(w, &walk);
  uint32_t call = dmd_calltree_stack(&w->calls, dmd_heapsnapshot_stack(w->s, number));
  if (call != DMD_NONE)
    put_stack(w, call);
  write_message(w);
}

/* ---- The file. ---- */

/* Ids ascend: roots have their number plus one, blocks their address. If that is not higher than
 * the last id, or too high for an id, the node gets the next higher number. */
static void choose_ids(writer_t *w) {
  const dmd_condensed_t *shown = &w->s->shown;
  uint32_t n = shown->n_nodes;
  w->ids = dmd_env_alloc(w->s->graph->env, "dmd.fxsnapshot", n * sizeof *w->ids);
  uint64_t last = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t node = shown->node[i];
    uint64_t addr = dmd_heapgraph_is_block(w->s->graph, node)
                        ? dmd_heapgraph_block(w->s->graph, node)->addr
                        : 0;
    last = addr > last && addr < MAX_ID - n ? addr : last + 1;
    w->ids[i] = last;
  }
}

static uint64_t digits(const char *s, uint32_t n) {
  uint64_t v = 0;
  for (uint32_t i = 0; i < n; i++)
    v = v * 10 + (uint64_t)(s[i] >= '0' && s[i] <= '9' ? s[i] - '0' : 0);
  return v;
}

/* Microseconds since 1970 for a time such as "2026-11-22T13:05:09Z"; 0 if it is missing. Days are
 * counted from March 1 of year 0, so that a leap day is the last day of its year. */
static uint64_t time_stamp(const char *time) {
  if (time == NULL || dmd_str_length(time) < 19)
    return 0;
  uint64_t year = digits(time, 4), month = digits(time + 5, 2), day = digits(time + 8, 2);
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31)
    return 0;
  if (month < 3) {
    year--;
    month += 12;
  }
  uint64_t days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 +
                  day - 1 - 719468;
  uint64_t seconds =
      days * 86400 + digits(time + 11, 2) * 3600 + digits(time + 14, 2) * 60 + digits(time + 17, 2);
  return seconds * 1000000;
}

void dmd_export_fxsnapshot(dmd_heapsnapshot_t *snapshot, dmd_out_t *out) {
  const dmd_env_t *env = snapshot->graph->env;
  writer_t w = {.s = snapshot, .out = out};
  dmd_strbuf_t *scratch[] = {&w.message, &w.inner, &w.outer, &w.name};
  for (int i = 0; i < 4; i++)
    dmd_strbuf_init(scratch[i], env);
  dmd_calltree_init(&w.calls, &snapshot->graph->profile, MAX_FRAMES);
  dmd_pool_init(&w.frame_of, env, "dmd.fxsnapshot", sizeof(uint32_t));
  dmd_intern_init(&w.frames, env, "dmd.fxsnapshot");
  dmd_intern_init(&w.names, env, "dmd.fxsnapshot");
  dmd_intern_init(&w.strings, env, "dmd.fxsnapshot");
  choose_ids(&w);
  dmd_wire_u64(&w.message, METADATA_TIME, time_stamp(snapshot->graph->profile.run.time));
  write_message(&w);
  for (uint32_t i = 0; i < snapshot->shown.n_nodes; i++)
    put_node(&w, i);
  dmd_env_free(env, w.ids);
  dmd_intern_destroy(&w.strings);
  dmd_intern_destroy(&w.names);
  dmd_intern_destroy(&w.frames);
  dmd_pool_destroy(&w.frame_of);
  dmd_calltree_destroy(&w.calls);
  for (int i = 0; i < 4; i++)
    dmd_strbuf_destroy(scratch[i]);
}
