/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/gather.h"

#include "base/map.h"
#include "base/sort.h"
#include "historydb/events.h"
#include "historydb/storedset.h"
#include "host/process.h"

#include <string.h>

/* Limit on the records of a page, in bytes: a browser reads these within a second. */
enum {
  ROOM_SZB = 24 << 20,
  STACK_SZB = 48,  /* of a stack that no other record has */
  BUILD_SZB = 1024 /* of a build in the page's memory */
};

/* The builds of one branch, moment and environment. */
typedef struct {
  uint32_t moment, environment; /* in the history's texts */
  const char *moment_name;      /* the database's text */
  int64_t environment_id;
  uint32_t first, n; /* of the entries */
} line_t;

typedef struct {
  uint32_t build; /* of the history */
  int64_t id;     /* of the database */
  uint32_t set;   /* of the history; DMD_NONE: not included */
} entry_t;

typedef struct {
  dmd_history_t *history;
  dmdv_database_t *db;
  const dmdv_gather_options_t *options;
  dmd_map_t builds;     /* the database's number -> the history's */
  dmd_map_t sets;       /* likewise */
  dmd_map_t stacks;     /* the stacks of included sets, by number */
  dmd_map_t wanted;     /* ids in the database; their records are included whatever the room */
  dmd_intern_t curves;  /* the keys of curves; an id is the curve's in the history */
  dmd_intern_t moments; /* as the database has them */
  dmd_pool_t lines, entries;
  uint64_t szB; /* of records so far */
  bool good;
} gather_t;

static void *as_value(uint32_t number) {
  return (void *)(uintptr_t)number;
}

/* The number that a map has for an id; 0: no entry. */
static uint32_t number_of(const dmd_map_t *map, int64_t id) {
  return (uint32_t)(uintptr_t)dmd_map_find(map, (uint64_t)id);
}

static uint32_t text_of(gather_t *g, const char *text) {
  return dmd_intern_text(&g->history->texts, text);
}

static entry_t *entry_at(const gather_t *g, uint32_t id) {
  return DMD_POOL_AT(&g->entries, entry_t, id);
}

/* ---- Metrics. ---- */

static void gather_builds(gather_t *g) {
  dmdv_sql_step_t step;
  dmdv_sql_start(g->db, DMDV_SQL_BUILDS);
  while ((step = dmdv_sql_step(g->db)) == DMDV_SQL_ROW) {
    dmd_history_build_t build = {.name = text_of(g, dmdv_sql_column_text(g->db, 1)),
                                 .branch = text_of(g, dmdv_sql_column_text(g->db, 2)),
                                 .time = dmdv_sql_column_int(g->db, 3)};
    dmd_map_add(&g->builds, (uint64_t)dmdv_sql_column_int(g->db, 0),
                as_value(dmd_history_add_build(g->history, build)));
  }
  g->good = step == DMDV_SQL_DONE;
}

/* Key of a curve, by which alarms find it. */
static uint32_t curve_id(gather_t *g, int64_t series, const char *process, int64_t environment,
                         const char *moment, const char *branch) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_i64(&key, series);
  dmd_strbuf_str(&key, " ");
  dmd_strbuf_i64(&key, environment);
  dmd_strbuf_str(&key, " ");
  dmd_strbuf_bytes(&key, process, strlen(process) + 1);
  dmd_strbuf_bytes(&key, moment, strlen(moment) + 1);
  dmd_strbuf_str(&key, branch);
  uint32_t id = dmd_intern_bytes(&g->curves, key.text, key.n);
  dmd_strbuf_destroy(&key);
  return id;
}

static void add_line(gather_t *g, const dmdv_curve_t *curve) {
  uint32_t id = dmd_pool_add(&g->lines);
  *DMD_POOL_AT(&g->lines, line_t, id) = (line_t){
      .moment = text_of(g, curve->moment),
      .environment = text_of(g, curve->environment_lines),
      .moment_name = dmd_intern_get_str(&g->moments, dmd_intern_str(&g->moments, curve->moment)),
      .environment_id = curve->environment,
      .first = g->entries.last + 1,
      .n = curve->n};
  for (uint32_t i = 0; i < curve->n; i++) {
    uint32_t entry = dmd_pool_add(&g->entries);
    *entry_at(g, entry) =
        (entry_t){.build = number_of(&g->builds, curve->builds[i].id), .id = curve->builds[i].id};
  }
}

/* Skips builds that were added after the list of builds was read. */
static void gather_curve(void *ctx, const dmdv_curve_t *curve) {
  gather_t *g = ctx;
  dmd_history_t *h = g->history;
  const int64_t *value = curve->values;
  curve_id(g, curve->series, curve->process, curve->environment, curve->moment, curve->branch);
  dmd_history_add_curve(h,
                        (dmd_history_curve_t){.kind = curve->kind,
                                              .name = text_of(g, curve->name),
                                              .moment = text_of(g, curve->moment),
                                              .environment = text_of(g, curve->environment_lines),
                                              .branch = text_of(g, curve->branch)});
  for (uint32_t i = 0; i < curve->n; i++) {
    dmd_history_add_point(h, number_of(&g->builds, curve->builds[i].id));
    for (uint32_t left = curve->points[i].n_runs; left > 0; left--)
      dmd_history_add_value(h, *value++);
  }
  if (curve->kind == DMD_METRIC_HEAP && curve->process[0] == '\0')
    add_line(g, curve);
}

/* ---- Alarms. ---- */

static void gather_changed(void *ctx, const char *frames, int64_t delta) {
  gather_t *g = ctx;
  dmd_history_add_changed(g->history,
                          (dmd_history_changed_t){.frames = text_of(g, frames), .delta = delta});
}

static void want_build(gather_t *g, int64_t build) {
  if (number_of(&g->wanted, build) == 0)
    dmd_map_add(&g->wanted, (uint64_t)build, as_value(1));
}

static void gather_alarm(gather_t *g, dmdv_alarms_t *alarms, const dmdv_alarm_t *a,
                         const dmdv_event_t *event) {
  const dmd_alarm_t *told = &a->alarm;
  uint32_t curve = curve_id(g, a->series, a->process, a->environment, told->moment, told->branch);
  dmd_history_alarm_t alarm = {.curve = curve, .step = told->step, .state = told->state};
  alarm.reason = text_of(g, told->reason);
  alarm.fixed_build = text_of(g, told->fixed_build);
  if (event->next != NULL) {
    alarm.next = text_of(g, event->next);
    alarm.n_commits = event->next_is_build ? 0 : (uint64_t)event->n_commits;
  }
  dmd_history_add_alarm(g->history, alarm);
  g->good = dmdv_alarm_records(alarms, a, gather_changed, g);
  want_build(g, a->build);
  want_build(g, a->before_id);
}

static void gather_curves_and_alarms(gather_t *g) {
  dmdv_alarms_t alarms;
  dmdv_events_t events;
  g->good = dmdv_alarms_find_and_visit(&alarms, g->db, g->options->limits, gather_curve, g);
  if (g->good) {
    g->good = dmdv_events_find(&events, &alarms, NULL);
    for (uint32_t i = 0; i < dmdv_events_count(&events) && g->good; i++) {
      const dmdv_event_t *event = dmdv_events_at(&events, i);
      for (uint32_t k = 0; k < event->n && g->good; k++)
        gather_alarm(g, &alarms, dmdv_alarms_at(&alarms, event->first + k), event);
    }
    dmdv_events_destroy(&events);
  }
  dmdv_alarms_destroy(&alarms);
}

/* ---- Records. ---- */

static void note_stacks(gather_t *g, const dmd_stackset_t *set) {
  for (size_t i = 0; i < set->n; i++) {
    int64_t stack = set->records[i].stack;
    if (number_of(&g->stacks, stack) != 0)
      continue;
    dmd_map_add(&g->stacks, (uint64_t)stack, as_value(1));
    g->szB += STACK_SZB;
  }
}

static uint32_t add_set(gather_t *g, const dmd_stackset_t *link, uint32_t base) {
  dmd_strbuf_t bytes;
  size_t n;
  dmd_strbuf_init(&bytes, &dmdv_env);
  dmd_stackset_encode(&bytes, link);
  g->szB += bytes.n;
  const char *kept = dmd_intern_get(&g->history->data,
                                    dmd_intern_bytes(&g->history->data, bytes.text, bytes.n), &n);
  dmd_strbuf_destroy(&bytes);
  return dmd_history_add_set(g->history, base, kept, n);
}

/* Includes the set and, before it, the sets that it is the difference from. DMD_NONE if that
 * fails. */
static uint32_t take_set(gather_t *g, int64_t id, int depth) {
  uint32_t set = number_of(&g->sets, id), base = DMD_NONE;
  dmd_stackset_t link = {0};
  int64_t base_id;
  if (set != DMD_NONE)
    return set;
  if (depth > DMD_HISTORY_CHAIN || !dmdv_storedset_load_link(&link, g->db, id, &base_id) ||
      (base_id != 0 && (base = take_set(g, base_id, depth + 1)) == DMD_NONE)) {
    if (g->good)
      dmdv_error("the history is damaged: the records of a run cannot be read");
    g->good = false;
  } else {
    note_stacks(g, &link);
    set = add_set(g, &link, base);
    dmd_map_add(&g->sets, (uint64_t)id, as_value(set));
  }
  dmd_stackset_destroy(&link);
  return set;
}

/* Includes the sum of several processes' sets, as a whole set. */
static uint32_t take_sum(gather_t *g, const dmd_pool_t *ids) {
  dmd_stackset_t sum;
  uint32_t set = DMD_NONE;
  g->good = dmdv_storedset_load_sum(&sum, g->db, ids);
  if (g->good) {
    note_stacks(g, &sum);
    set = add_set(g, &sum, DMD_NONE);
  }
  dmd_stackset_destroy(&sum);
  return set;
}

static void take_entry(gather_t *g, const line_t *line, entry_t *entry) {
  dmd_pool_t ids;
  if (entry->set != DMD_NONE)
    return;
  dmd_pool_init(&ids, &dmdv_env, "dmdv.gather", sizeof(int64_t));
  g->good = g->good && dmdv_storedsets_of_build(&ids, g->db, entry->id, line->moment_name,
                                                line->environment_id, "");
  if (g->good && ids.last == 1)
    entry->set = take_set(g, *DMD_POOL_AT(&ids, const int64_t, 1), 1);
  else if (g->good && ids.last > 1)
    entry->set = take_sum(g, &ids);
  dmd_pool_destroy(&ids);
  g->szB += BUILD_SZB;
}

/* Takes the newest builds first, and goes equally far back in each line. */
static void take_newest(gather_t *g, uint64_t back) {
  for (uint32_t i = 1; i <= g->lines.last && g->good; i++) {
    const line_t *line = DMD_POOL_AT(&g->lines, const line_t, i);
    if (back < line->n)
      take_entry(g, line, entry_at(g, line->first + line->n - 1 - (uint32_t)back));
  }
}

static void take_wanted(gather_t *g) {
  for (uint32_t i = 1; i <= g->lines.last; i++) {
    const line_t *line = DMD_POOL_AT(&g->lines, const line_t, i);
    for (uint32_t k = 0; k < line->n && g->good; k++)
      if (number_of(&g->wanted, entry_at(g, line->first + k)->id) != 0)
        take_entry(g, line, entry_at(g, line->first + k));
  }
}

static void take_records(gather_t *g) {
  const dmdv_gather_options_t *o = g->options;
  uint32_t longest = 0;
  for (uint32_t i = 1; i <= g->lines.last; i++) {
    uint32_t n = DMD_POOL_AT(&g->lines, const line_t, i)->n;
    longest = n > longest ? n : longest;
  }
  take_wanted(g);
  for (uint64_t back = 0; back < longest && g->good; back++) {
    if (o->has_records ? back == o->n_records : g->szB >= ROOM_SZB)
      break;
    take_newest(g, back);
  }
}

static void add_frames(gather_t *g, const char *frames) {
  dmd_strbuf_t frame;
  dmd_strbuf_init(&frame, &dmdv_env);
  for (const char *line = frames; *line != '\0';) {
    size_t n = strcspn(line, "\n");
    dmd_strbuf_cut(&frame, 0);
    dmd_strbuf_bytes(&frame, line, n);
    dmd_history_add_frame(g->history, dmd_intern_text(&g->history->frames, frame.text));
    line += n + (line[n] == '\n');
  }
  dmd_strbuf_destroy(&frame);
}

static void add_stacks(gather_t *g) {
  uint32_t *order = dmd_map_in_order(&g->stacks);
  for (uint32_t i = 0; i < g->stacks.n && g->good; i++) {
    int64_t number = (int64_t)g->stacks.places[order[i]].number;
    dmdv_sql_step_t step;
    dmd_history_add_stack(g->history, number);
    dmdv_sql_start(g->db, DMDV_SQL_STACK_FRAMES);
    dmdv_sql_int(g->db, number);
    while ((step = dmdv_sql_step(g->db)) == DMDV_SQL_ROW)
      add_frames(g, dmdv_sql_column_text(g->db, 0));
    g->good = step == DMDV_SQL_DONE;
  }
  dmd_env_free(&dmdv_env, order);
}

static void add_kept_of(gather_t *g, const line_t *line) {
  for (uint32_t k = 0; k < line->n; k++) {
    const entry_t *entry = entry_at(g, line->first + k);
    if (entry->set != DMD_NONE)
      dmd_history_add_kept(g->history, (dmd_kept_t){.build = entry->build,
                                                    .moment = line->moment,
                                                    .environment = line->environment,
                                                    .set = entry->set});
  }
}

static int64_t newest_of(const gather_t *g, uint32_t id) {
  const line_t *line = DMD_POOL_AT(&g->lines, const line_t, id);
  return dmd_history_build(g->history, entry_at(g, line->first + line->n - 1)->build)->time;
}

static int compare_lines(const void *ctx, uint32_t a, uint32_t b) {
  int64_t x = newest_of(ctx, a), y = newest_of(ctx, b);
  return (x > y) - (x < y);
}

/* The line with the newest build goes last, since a page shows the last line first. */
static void add_kept(gather_t *g) {
  uint32_t *order = dmd_sorted_ids(&dmdv_env, g->lines.last, compare_lines, g);
  for (uint32_t i = 0; i < g->lines.last; i++)
    add_kept_of(g, DMD_POOL_AT(&g->lines, const line_t, order[i]));
  dmd_env_free(&dmdv_env, order);
}

/* ---- The history. ---- */

static void begin(gather_t *g) {
  dmd_map_init(&g->builds, &dmdv_env, "dmdv.gather");
  dmd_map_init(&g->sets, &dmdv_env, "dmdv.gather");
  dmd_map_init(&g->stacks, &dmdv_env, "dmdv.gather");
  dmd_map_init(&g->wanted, &dmdv_env, "dmdv.gather");
  dmd_intern_init(&g->curves, &dmdv_env, "dmdv.gather");
  dmd_intern_init(&g->moments, &dmdv_env, "dmdv.gather");
  dmd_pool_init(&g->lines, &dmdv_env, "dmdv.gather", sizeof(line_t));
  dmd_pool_init(&g->entries, &dmdv_env, "dmdv.gather", sizeof(entry_t));
}

static void end(gather_t *g) {
  dmd_pool_destroy(&g->entries);
  dmd_pool_destroy(&g->lines);
  dmd_intern_destroy(&g->moments);
  dmd_intern_destroy(&g->curves);
  dmd_map_destroy(&g->wanted);
  dmd_map_destroy(&g->stacks);
  dmd_map_destroy(&g->sets);
  dmd_map_destroy(&g->builds);
}

bool dmdv_gather(dmd_history_t *history, dmdv_database_t *db,
                 const dmdv_gather_options_t *options) {
  gather_t g = {.history = history, .db = db, .options = options, .good = true};
  begin(&g);
  history->name = text_of(&g, options->name);
  gather_builds(&g);
  if (g.good)
    gather_curves_and_alarms(&g);
  if (g.good)
    take_records(&g);
  if (g.good)
    add_stacks(&g);
  if (g.good)
    add_kept(&g);
  end(&g);
  return g.good;
}
