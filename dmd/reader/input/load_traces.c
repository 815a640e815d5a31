/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "traceTable". As in load_blocks.c, what has the common shape is read from the text, and all else
 * out of a tree.
 */
#include "reader/input/loader.h"

#include "reader/host/host.h"

/* ---- Traces. ---- */

/* The frames of the trace that is being read. */
typedef struct {
  dmdv_loader_t *l;
  uint32_t *frames;
  size_t n, room;
} reader_t;

static void add_frame(reader_t *r, dmdv_span_t id) {
  if (r->n == r->room) {
    size_t room = r->room == 0 ? 64 : 2 * r->room;
    uint32_t *frames = dmd_env_alloc(&dmdv_env, "dmdv.trace", room * sizeof *frames);
    if (r->n > 0)
      memcpy(frames, r->frames, r->n * sizeof *frames);
    dmd_env_free(&dmdv_env, r->frames);
    r->frames = frames;
    r->room = room;
  }
  r->frames[r->n++] = dmdv_ids_number(&r->l->frames, id);
}

static const char *scan_trace(reader_t *r, const char *p, const char *end) {
  bool more;
  p = dmdv_scan_char(p, end, '[');
  do {
    dmdv_span_t id;
    p = dmdv_scan_string(p, end, &id);
    if (p != NULL)
      add_frame(r, id);
    p = dmdv_scan_more(p, end, ']', &more);
  } while (more);
  return p;
}

static bool take_trace(reader_t *r, const cJSON *frames) {
  if (!cJSON_IsArray(frames))
    return dmdv_cutter_reject(&r->l->cutter, "a trace is not an array of frame ids");
  const cJSON *frame;
  cJSON_ArrayForEach(frame, frames) {
    if (!cJSON_IsString(frame))
      return dmdv_cutter_reject(&r->l->cutter, "a trace holds something that is not a frame id");
    add_frame(r, dmdv_span_of(frame->valuestring));
  }
  return true;
}

static bool load_trace(reader_t *r) {
  dmdv_cutter_t *cutter = &r->l->cutter;
  r->n = 0;
  const char *end, *p = dmdv_cutter_ready(cutter, &end);
  p = scan_trace(r, p, end);
  if (p != NULL) {
    dmdv_cutter_pass(cutter, p);
    return true;
  }
  /* The frames that were numbered get the same numbers again. */
  r->n = 0;
  cJSON *frames = dmdv_cutter_value(cutter);
  bool good = frames != NULL && take_trace(r, frames);
  cJSON_Delete(frames);
  return good;
}

bool dmdv_load_traces(void *ctx) {
  dmdv_loader_t *l = ctx;
  reader_t r = {.l = l};
  const char *id;
  dmdv_cutter_enter(&l->cutter, '{');
  while (dmdv_cutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmdv_ids_number(&l->traces, dmdv_span_of(id));
    if (!load_trace(&r))
      break;
    *dmdv_ids_meaning(&l->traces, number) =
        dmd_intern_bytes(&l->raw_stacks, r.frames, r.n * sizeof *r.frames);
  }
  dmd_env_free(&dmdv_env, r.frames);
  return !dmdv_cutter_failed(&l->cutter);
}
