/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads "traceTable". As in read_blocks.c, traces of the common shape are read directly from the
 * text, all others from a tree.
 */
#include "files/profile/readerstate.h"

/* ---- Traces. ---- */

/* The frames of the trace being read. */
typedef struct {
  dmd_readerstate_t *l;
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
  p = dmd_jsonscan_char(p, end, '[');
  do {
    dmd_span_t id;
    p = dmd_jsonscan_string(p, end, &id);
    if (p != NULL)
      add_frame(r, id);
    p = dmd_jsonscan_more(p, end, ']', &more);
  } while (more);
  return p;
}

static bool take_trace(reader_t *r, const dmd_jsonvalue_t *frames) {
  if (!dmd_jsonvalue_is(frames, DMD_JSONVALUE_ARRAY))
    return dmd_jsoncutter_reject(&r->l->cutter, "a trace is not an array of frame ids");
  DMD_JSONVALUE_EACH(frame, frames) {
    if (!dmd_jsonvalue_is(frame, DMD_JSONVALUE_STRING))
      return dmd_jsoncutter_reject(&r->l->cutter, "a trace holds something that is not a frame id");
    add_frame(r, dmd_span_of(frame->string));
  }
  return true;
}

static bool load_trace(reader_t *r) {
  dmd_jsoncutter_t *cutter = &r->l->cutter;
  r->n = 0;
  const char *end, *p = dmd_jsoncutter_ready(cutter, &end);
  p = scan_trace(r, p, end);
  if (p != NULL) {
    dmd_jsoncutter_pass(cutter, p);
    return true;
  }
  /* Start over: frames that already have numbers get the same numbers again. */
  r->n = 0;
  const dmd_jsonvalue_t *frames = dmd_jsoncutter_value(cutter);
  bool good = frames != NULL && take_trace(r, frames);
  return good;
}

bool dmd_load_traces(void *ctx) {
  dmd_readerstate_t *l = ctx;
  reader_t r = {.l = l};
  const char *id;
  dmd_jsoncutter_enter(&l->cutter, '{');
  while (dmd_jsoncutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmd_ids_number(&l->traces, dmd_span_of(id));
    if (!load_trace(&r))
      break;
    *dmd_ids_meaning(&l->traces, number) =
        dmd_intern_bytes(&l->raw_stacks, r.frames, r.n * sizeof *r.frames);
  }
  dmd_env_free(l->profile->env, r.frames);
  return !dmd_jsoncutter_failed(&l->cutter);
}
