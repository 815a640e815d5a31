/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "traceTable". As in load_blocks.c, what has the common shape is read from the text, and all else
 * out of a tree.
 */
#include "load/loader.h"

/* ---- Traces. ---- */

/* The frames of the trace that is being read. */
typedef struct {
  dmd_loader_t *l;
  uint32_t *frames;
  size_t n, room;
} reader_t;

static void add_frame(reader_t *r, dmd_span_t id) {
  if (r->n == r->room) {
    const dmd_env_t *env = r->l->profile->env;
    size_t room = r->room == 0 ? 64 : 2 * r->room;
    uint32_t *frames = dmd_env_alloc(env, "dmd.load.trace", room * sizeof *frames);
    dmd_mem_copy(frames, r->frames, r->n * sizeof *frames);
    dmd_env_free(env, r->frames);
    r->frames = frames;
    r->room = room;
  }
  r->frames[r->n++] = dmd_ids_number(&r->l->frames, id);
}

static const char *scan_trace(reader_t *r, const char *p, const char *end) {
  bool more;
  p = dmd_scan_char(p, end, '[');
  do {
    dmd_span_t id;
    p = dmd_scan_string(p, end, &id);
    if (p != NULL)
      add_frame(r, id);
    p = dmd_scan_more(p, end, ']', &more);
  } while (more);
  return p;
}

static bool take_trace(reader_t *r, const dmd_value_t *frames) {
  if (!dmd_value_is(frames, DMD_VALUE_ARRAY))
    return dmd_cutter_reject(&r->l->cutter, "a trace is not an array of frame ids");
  DMD_VALUE_EACH(frame, frames) {
    if (!dmd_value_is(frame, DMD_VALUE_STRING))
      return dmd_cutter_reject(&r->l->cutter, "a trace holds something that is not a frame id");
    add_frame(r, dmd_span_of(frame->string));
  }
  return true;
}

static bool load_trace(reader_t *r) {
  dmd_cutter_t *cutter = &r->l->cutter;
  r->n = 0;
  const char *end, *p = dmd_cutter_ready(cutter, &end);
  p = scan_trace(r, p, end);
  if (p != NULL) {
    dmd_cutter_pass(cutter, p);
    return true;
  }
  /* The frames that were numbered get the same numbers again. */
  r->n = 0;
  const dmd_value_t *frames = dmd_cutter_value(cutter);
  bool good = frames != NULL && take_trace(r, frames);
  return good;
}

bool dmd_load_traces(void *ctx) {
  dmd_loader_t *l = ctx;
  reader_t r = {.l = l};
  const char *id;
  dmd_cutter_enter(&l->cutter, '{');
  while (dmd_cutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmd_ids_number(&l->traces, dmd_span_of(id));
    if (!load_trace(&r))
      break;
    *dmd_ids_meaning(&l->traces, number) =
        dmd_intern_bytes(&l->raw_stacks, r.frames, r.n * sizeof *r.frames);
  }
  dmd_env_free(l->profile->env, r.frames);
  return !dmd_cutter_failed(&l->cutter);
}
