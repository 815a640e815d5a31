/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=flame: {"names": [...], "name": [...], "parent": [...], "id": [...], "total": [...],
 * "blocks": [...], "bytes": {SECTION: [...]}, "cut": {"calls", "least"}}: the calls that led to the
 * blocks that a query selects (recordlist.h), as columns: the i-th entry of each belongs to call i.
 * `name` is an index into names, `parent` an earlier call (-1: none). An `id` can be the value of
 * the key `under`, which restricts the answer to that call and what is below it. Call 0 has
 * everything; siblings are ordered by bytes, the largest first.
 *
 * weight=allocated: what was allocated in the whole run, whatever is selected, as bytes of the only
 * SECTION allocated; weight=temporary: temporary allocations, of which each counts as a byte
 * (--lifetimes=yes).
 *
 * Stacks are complete unless max-frames cuts them. direction=callees (from main down) or callers
 * (from the allocating function up). Calls of less than `least` millionths of the whole are left
 * out; if more than `most` calls would be left, the threshold rises.
 */
#include "base/limits.h"
#include "show/page/answer.h"
#include "show/page/asks.h"

enum { LEAST = 500, MILLION = 1000000, MOST = 20000 };

typedef struct {
  dmd_jsonout_t *j;
  const dmd_view_t *view;
  const dmd_nest_t *calls;
  uint32_t top;
  const char *only; /* the only section; NULL: those of the mode */
  uint32_t *place;  /* by call: its index in the columns */
} writer_t;

/* Writes the names; returns the index of each key among them. */
static uint32_t *write_names(const writer_t *w) {
  const dmd_profile_t *profile = w->view->profile;
  size_t n = (size_t)dmd_frames_count(&profile->frames) + 2;
  uint32_t *names = dmd_env_alloc(profile->env, "dmd.page.names", n * sizeof *names);
  uint32_t n_names = 0;
  for (size_t i = 0; i < n; i++)
    names[i] = UINT32_MAX;
  dmd_jsonout_key(w->j, "names");
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t id = w->top; id != DMD_NONE; id = dmd_nest_step(w->calls, w->top, id)) {
    uint32_t key = dmd_nest_at(w->calls, id)->key;
    if (names[key] != UINT32_MAX)
      continue;
    names[key] = n_names++;
    if (key <= 1)
      dmd_jsonout_str(w->j, key == DMD_NONE ? "(all)" : "(no stack recorded)");
    else
      dmd_answer_frame_brief(w->j, profile, key - 1);
  }
  dmd_jsonout_end(w->j);
  return names;
}

static int64_t column_of(const dmd_nest_node_t *call, int column) {
  return column < DMD_N_SECTIONS    ? call->tally.usable[column]
         : column == DMD_N_SECTIONS ? call->tally.total
                                    : call->tally.num;
}

/* Column numbers: the sections' bytes, then the total, then the blocks. */
static void write_column(const writer_t *w, const char *key, int column) {
  dmd_jsonout_key(w->j, key);
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t id = w->top; id != DMD_NONE; id = dmd_nest_step(w->calls, w->top, id))
    dmd_jsonout_i64(w->j, column_of(dmd_nest_at(w->calls, id), column));
  dmd_jsonout_end(w->j);
}

static void write_links(const writer_t *w, const uint32_t *names) {
  dmd_jsonout_key(w->j, "name");
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t id = w->top; id != DMD_NONE; id = dmd_nest_step(w->calls, w->top, id))
    dmd_jsonout_u64(w->j, names[dmd_nest_at(w->calls, id)->key]);
  dmd_jsonout_end(w->j);
  uint32_t n = 0;
  dmd_jsonout_key(w->j, "parent");
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t id = w->top; id != DMD_NONE; id = dmd_nest_step(w->calls, w->top, id)) {
    w->place[id] = n++;
    dmd_jsonout_i64(w->j, id == w->top ? -1 : (int64_t)w->place[dmd_nest_at(w->calls, id)->parent]);
  }
  dmd_jsonout_end(w->j);
  dmd_jsonout_key(w->j, "id");
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t id = w->top; id != DMD_NONE; id = dmd_nest_step(w->calls, w->top, id))
    dmd_jsonout_u64(w->j, id);
  dmd_jsonout_end(w->j);
}

static void write_calls(const writer_t *w, uint32_t n_cut, uint64_t least) {
  const dmd_env_t *env = w->view->profile->env;
  dmd_jsonout_object(w->j, DMD_JSONOUT_LINES);
  uint32_t *names = write_names(w);
  write_links(w, names);
  dmd_env_free(env, names);
  write_column(w, "total", DMD_N_SECTIONS);
  write_column(w, "blocks", DMD_N_SECTIONS + 1);
  dmd_jsonout_key(w->j, "bytes");
  dmd_jsonout_object(w->j, DMD_JSONOUT_LINES);
  if (w->only != NULL) {
    write_column(w, w->only, DMD_SECTION_ALL);
  } else if (w->view->profile->mode == DMD_MODE_DARK_MATTER) {
    write_column(w, "unreported", DMD_SECTION_UNREPORTED);
    write_column(w, "once", DMD_SECTION_ONCE);
    write_column(w, "twice", DMD_SECTION_TWICE);
  } else {
    write_column(w, dmd_mode_name(w->view->profile->mode), DMD_SECTION_ALL);
  }
  dmd_jsonout_end(w->j);
  dmd_jsonout_key(w->j, "cut");
  dmd_jsonout_object(w->j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(w->j, "calls", n_cut);
  dmd_jsonout_key_u64(w->j, "least", least);
  dmd_jsonout_end(w->j);
  dmd_jsonout_end(w->j);
}

static const char *const weights[] = {"live", "allocated", "temporary"};

/* Makes the calls of the view; NULL, with the reason recorded in the query, if that fails. */
static dmd_view_t *make(dmd_session_t *page, dmd_query_t *query) {
  static const char *const directions[] = {"callees", "callers"};
  dmd_selection_t selection;
  bool upwards = dmd_query_word(query, "direction", directions, 2, 0) == 1;
  dmd_flame_weight_t weight = dmd_query_word(query, "weight", weights, 3, DMD_FLAME_LIVE);
  dmd_selection_read(&selection, page, query);
  dmd_view_t *view = query->failed ? NULL : dmd_session_view_of(page, query, DMD_MAX_SHOWN);
  if (view == NULL)
    return NULL;
  if (weight != DMD_FLAME_LIVE && (view->before != NULL || !view->profile->lifetimes.is_known)) {
    dmd_query_reject(query,
                     "there are no lifetimes: they are of one file, from a run with "
                     "--lifetimes=yes",
                     NULL);
    return NULL;
  }
  dmd_recordlist_select(&view->list, page, &selection);
  dmd_flame_make(&view->flame, &view->list, &selection, weight, upwards);
  return view;
}

bool dmd_ask_flame(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  uint64_t share = dmd_query_number(query, "least", 0, MILLION, LEAST);
  uint64_t most = dmd_query_number(query, "most", 1, DMD_MAX_SHOWN, MOST);
  dmd_view_t *view = query->failed ? NULL : make(page, query);
  if (view == NULL)
    return false;
  dmd_nest_t *calls = &view->flame.calls;
  uint32_t n_all = calls->nodes.last;
  uint32_t top = (uint32_t)dmd_query_number(query, "under", DMD_NEST_ROOT, n_all, DMD_NEST_ROOT);
  if (query->failed)
    return false;
  uint64_t whole = dmd_nest_at(calls, top)->extent;
  uint64_t least = whole / MILLION * share + whole % MILLION * share / MILLION;
  uint32_t n_all_below = dmd_nest_count(calls, top, 0), n;
  while ((n = dmd_nest_count(calls, top, least)) > most && n > 1)
    least = 2 * least + 1;
  dmd_nest_shape(calls, top, least);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  writer_t w = {.j = &j, .view = view, .calls = calls, .top = top};
  if (view->flame.weight != DMD_FLAME_LIVE)
    w.only = weights[view->flame.weight];
  w.place = dmd_env_alloc(page->env, "dmd.page.place", ((size_t)n_all + 1) * sizeof *w.place);
  write_calls(&w, n_all_below - n, least);
  dmd_env_free(page->env, w.place);
  return true;
}
