/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes an import, part by part.
 *
 * A part begins by finding the ids of what its runs refer to: environments, builds and series up to
 * the last one that it needs, in the order of the document, and all stacks up to its last. Rows
 * that the previous part found may be gone, or have other ids; then the lines (exporting.h) are
 * updated.
 */
#include "analyse/records/metrics.h"
#include "historydb/add.h"
#include "historydb/exporting.h"
#include "historydb/importing.h"
#include "historydb/storedset.h"
#include "host/process.h"

#include <string.h>

enum {
  PART_ITEMS = 60000,  /* records and values of a part, about: written in some tenth of a second */
  MAX_LOOKED_UP = 2000 /* stacks looked up by one query */
};

typedef struct {
  dmdv_importing_t *m;
  dmdv_database_t *db;
  uint32_t part;
  uint32_t n_environments, n_builds, n_series, n_stacks; /* that parts have needed so far */
  dmdv_lines_t lines;
} writing_t;

/* ---- Environments, builds and series. ---- */

static bool find_environment(writing_t *w, uint32_t number) {
  dmdv_imported_environment_t *e =
      DMD_POOL_AT(&w->m->environments, dmdv_imported_environment_t, number);
  if (e->row.part == w->part)
    return true;
  e->row.part = w->part;
  return dmdv_environment_id(w->db, e->lines, &e->row.id);
}

static bool find_build(writing_t *w, uint32_t number) {
  dmdv_imported_build_t *b = DMD_POOL_AT(&w->m->builds, dmdv_imported_build_t, number);
  const dmdv_build_t row = {b->name, b->branch, b->time};
  bool was_there;
  if (b->row.part == w->part && b->row.id != 0)
    return true;
  b->row.part = w->part;
  b->is_new = false;
  return dmdv_build_id(w->db, &row, &b->row.id, &was_there);
}

/* Adds the build if it is not in the history; if it is, find_build finds it later. */
static bool queue_build(writing_t *w, uint32_t number) {
  dmdv_imported_build_t *b = DMD_POOL_AT(&w->m->builds, dmdv_imported_build_t, number);
  const dmdv_build_t row = {b->name, b->branch, b->time};
  if (b->row.part == w->part)
    return true;
  b->row.part = w->part;
  b->is_new = true;
  dmdv_build_queue(w->db, &row, &b->row.id);
  return dmdv_sql_is_good(w->db);
}

static bool find_series(writing_t *w, uint32_t number) {
  dmdv_imported_series_t *s = DMD_POOL_AT(&w->m->series, dmdv_imported_series_t, number);
  if (s->row.part == w->part)
    return true;
  s->row.part = w->part;
  return dmdv_series_id(w->db, s->kind, s->name, &s->row.id);
}

/* Finds the item, and those before it that no part has needed so far. */
static bool reach(writing_t *w, bool (*find)(writing_t *w, uint32_t number), uint32_t *n,
                  uint32_t number) {
  bool good = true;
  while (*n < number && good)
    good = find(w, ++*n);
  return good && (number == 0 || find(w, number));
}

static bool find_rows(writing_t *w, uint32_t first, uint32_t last) {
  bool good = true;
  uint32_t n_builds = w->n_builds;
  for (uint32_t number = first; number <= last && good; number++)
    good = reach(w, queue_build, &n_builds, dmdv_imported_run(w->m, number)->build);
  good = good && dmdv_sql_flush(w->db);
  for (uint32_t number = first; number <= last && good; number++) {
    const dmdv_imported_run_t *run = dmdv_imported_run(w->m, number);
    good = reach(w, find_environment, &w->n_environments, run->environment) &&
           reach(w, find_build, &w->n_builds, run->build);
  }
  return good;
}

/* A run's values are linked in the order of series, the last series first. */
static bool find_series_of(writing_t *w, uint32_t first, uint32_t last) {
  uint32_t most = w->n_series;
  for (uint32_t number = first; number <= last; number++) {
    const dmdv_imported_run_t *run = dmdv_imported_run(w->m, number);
    if (!run->is_there && run->value != 0) {
      uint32_t series = DMD_POOL_AT(&w->m->values, const dmdv_imported_value_t, run->value)->series;
      most = series > most ? series : most;
    }
  }
  return reach(w, find_series, &w->n_series, most);
}

/* ---- Stacks. ---- */

/* Looks up the ids of the n stacks from `first` on; unknown stacks get 0. */
static bool look_up(writing_t *w, uint32_t first, uint32_t n) {
  dmd_strbuf_t digests;
  dmdv_sql_step_t step;
  dmd_strbuf_init(&digests, &dmdv_env);
  for (uint32_t i = 0; i < n; i++) {
    dmdv_imported_stack_t *stack = dmdv_imported_stack(w->m, first + i);
    dmd_strbuf_bytes(&digests, (const char *)stack->digest, DMDV_DIGEST_SZB);
    stack->id = 0;
  }
  dmdv_sql_start(w->db, DMDV_SQL_FIND_STACKS);
  dmdv_sql_bytes(w->db, digests.text, digests.n);
  dmdv_sql_int(w->db, n);
  while ((step = dmdv_sql_step(w->db)) == DMDV_SQL_ROW) {
    uint64_t place = (uint64_t)dmdv_sql_column_int(w->db, 0);
    if (place < n)
      dmdv_imported_stack(w->m, first + (uint32_t)place)->id = dmdv_sql_column_int(w->db, 1);
  }
  dmd_strbuf_destroy(&digests);
  return step == DMDV_SQL_DONE;
}

static void add_stack(writing_t *w, dmdv_imported_stack_t *stack) {
  dmd_strbuf_t frames;
  dmd_strbuf_init(&frames, &dmdv_env);
  for (uint32_t i = 0; i < stack->n; i++) {
    uint32_t line = *DMD_POOL_AT(&w->m->stack_frames, const uint32_t, stack->first + i);
    dmd_strbuf_str(&frames, dmd_intern_get_str(&w->m->frames, line));
    dmd_strbuf_str(&frames, "\n");
  }
  dmdv_sql_start(w->db, DMDV_SQL_ADD_STACK);
  dmdv_sql_bytes(w->db, stack->digest, DMDV_DIGEST_SZB);
  dmdv_sql_text(w->db, frames.n == 0 ? "" : frames.text);
  dmdv_sql_queue(w->db, &stack->id);
  dmd_strbuf_destroy(&frames);
}

/* Stacks that are equal without lines are one stack; the second is found once the first was
 * added. */
static bool find_some_stacks(writing_t *w, uint32_t first, uint32_t n) {
  bool again = false, good = look_up(w, first, n);
  for (uint32_t i = 0; i < n && good; i++)
    if (dmdv_imported_stack(w->m, first + i)->id == 0)
      add_stack(w, dmdv_imported_stack(w->m, first + i));
  good = good && dmdv_sql_flush(w->db);
  for (uint32_t i = 0; i < n && good && !again; i++)
    again = dmdv_imported_stack(w->m, first + i)->id == 0;
  return good && (!again || look_up(w, first, n));
}

/* Finds the set in the history that has the line's digest, if there is one. */
static bool find_set(writing_t *w, dmdv_line_t *line) {
  line->id = 0;
  if (line->set.n == 0)
    return true;
  dmdv_sql_start(w->db, DMDV_SQL_FIND_RECORDSET);
  dmdv_sql_bytes(w->db, line->digest, DMDV_DIGEST_SZB);
  return dmdv_sql_number(w->db, &line->id);
}

/* Updates the lines to the current ids of stacks and sets. */
static bool renew_lines(writing_t *w) {
  bool good = true;
  for (uint32_t number = 1; number <= w->lines.lines.last && good; number++) {
    dmdv_line_t *line = DMD_POOL_AT(&w->lines.lines, dmdv_line_t, number);
    bool has_changed = false;
    for (size_t i = 0; i < line->set.n; i++) {
      dmd_stack_record_t *record = &line->set.records[i];
      int64_t id = dmdv_imported_stack(w->m, record->of_profile)->id;
      has_changed |= id != record->stack;
      record->stack = id;
    }
    if (has_changed)
      dmdv_storedset_settle(&line->set);
    good = find_set(w, line);
  }
  return good;
}

static bool find_stacks(writing_t *w, uint32_t most) {
  bool good = true;
  w->n_stacks = most > w->n_stacks ? most : w->n_stacks;
  for (uint32_t first = 1; first <= w->n_stacks && good; first += MAX_LOOKED_UP) {
    uint32_t left = w->n_stacks - first + 1;
    good = find_some_stacks(w, first, left < MAX_LOOKED_UP ? left : MAX_LOOKED_UP);
  }
  return good && renew_lines(w);
}

/* ---- A run's records. ---- */

/* Decodes the records as they are in the document. */
static void unpack(const writing_t *w, const dmdv_imported_run_t *run, dmd_stackset_t *set) {
  if (!dmd_stackset_decode(set, &dmdv_env, w->m->records.text + run->records, run->n_records_szB))
    dmdv_env.panic(dmdv_env.ctx, "the records of an import were kept wrong");
}

static uint32_t last_stack(const writing_t *w, uint32_t first, uint32_t last) {
  uint32_t most = 0;
  for (uint32_t number = first; number <= last; number++) {
    const dmdv_imported_run_t *run = dmdv_imported_run(w->m, number);
    if (run->last_stack > most)
      most = run->last_stack;
  }
  return most;
}

/* Converts the run's difference from the previous run into a set with the database's stacks. */
static void make_difference(const writing_t *w, const dmdv_imported_run_t *run,
                            dmd_stackset_t *difference) {
  unpack(w, run, difference);
  for (size_t i = 0; i < difference->n; i++) {
    dmd_stack_record_t *record = &difference->records[i];
    record->of_profile = (uint32_t)record->stack + 1;
    record->stack = dmdv_imported_stack(w->m, record->of_profile)->id;
  }
  dmdv_storedset_settle(difference);
}

/* Takes the record of this stack and section out of a digest, or adds it. */
static void change_digest(const writing_t *w, unsigned char digest[DMDV_DIGEST_SZB],
                          const dmd_stackset_t *set, const dmd_stack_record_t *which,
                          bool is_minus) {
  const dmd_stack_record_t *record = dmd_stackset_find(set, which);
  if (record != NULL)
    dmdv_storedset_digest(digest, dmdv_imported_stack(w->m, which->of_profile)->digest, record,
                          is_minus);
}

/* Stores the set as the difference from the previous run's set, or from the last one in the
 * history. */
static bool store(writing_t *w, const dmdv_imported_run_t *run, const dmdv_line_t *before,
                  const dmd_stackset_t *set, const unsigned char digest[DMDV_DIGEST_SZB],
                  int64_t *id) {
  dmdv_storedset_like_t like = {.id = before->id, .set = &before->set};
  if (like.id == 0)
    like.set = NULL;
  return (like.id != 0 || dmdv_storedset_last(w->db, run->moment,
                                              dmdv_imported_environment_id(w->m, run->environment),
                                              run->process, &like.id)) &&
         dmdv_storedset_store(set, digest, w->db, NULL, like, id);
}

/* Moves the line on to the run, whose set differs from the previous one, or is not known to be in
 * the history. */
static bool go_on(writing_t *w, const dmdv_imported_run_t *run, dmdv_line_t *line,
                  const dmd_stackset_t *difference) {
  dmd_stackset_t set;
  int64_t id = 0;
  dmd_stackset_add(&set, &line->set, difference);
  for (size_t i = 0; i < difference->n; i++) {
    change_digest(w, line->digest, &line->set, &difference->records[i], true);
    change_digest(w, line->digest, &set, &difference->records[i], false);
  }
  bool good = run->is_there || store(w, run, line, &set, line->digest, &id);
  dmdv_line_set(line, &set);
  line->id = id;
  return good;
}

/* ---- Runs. ---- */

/* Queues the statement; the run's id is 0 afterwards if it was there. */
static bool add_row(writing_t *w, dmdv_imported_run_t *run, int64_t recordset) {
  dmdv_importing_t *m = w->m;
  dmdv_sql_start(w->db, DMDV_SQL_ADD_RUN);
  dmdv_sql_int(w->db, dmdv_imported_build_id(m, run->build));
  dmdv_sql_text(w->db, run->moment);
  dmdv_sql_int(w->db, dmdv_imported_environment_id(m, run->environment));
  dmdv_sql_bytes(w->db, run->digest, DMDV_DIGEST_SZB);
  dmdv_sql_int(w->db, recordset);
  dmdv_sql_text(w->db, run->process);
  dmdv_sql_text(w->db, dmdv_imported_launch(m, run->launch)->there);
  dmdv_sql_queue(w->db, &run->id);
  return dmdv_sql_is_good(w->db);
}

static bool add_values(writing_t *w, const dmdv_imported_run_t *run) {
  bool good = true;
  for (uint32_t at = run->value; at != 0 && good;) {
    const dmdv_imported_value_t *value =
        DMD_POOL_AT(&w->m->values, const dmdv_imported_value_t, at);
    good = find_series(w, value->series);
    dmdv_sql_start(w->db, DMDV_SQL_ADD_VALUE);
    dmdv_sql_int(w->db, dmdv_imported_series_id(w->m, value->series));
    dmdv_sql_int(w->db, run->id);
    dmdv_sql_int(w->db, value->value);
    dmdv_sql_queue(w->db, NULL);
    at = value->next;
  }
  return good && dmdv_sql_is_good(w->db);
}

static bool write_run(writing_t *w, dmdv_imported_run_t *run) {
  dmdv_line_t *line = dmdv_lines_at(&w->lines, run->moment, run->environment, run->process);
  dmd_stackset_t difference;
  make_difference(w, run, &difference);
  bool good =
      (difference.n == 0 && (line->id != 0 || run->is_there)) || go_on(w, run, line, &difference);
  dmd_stackset_destroy(&difference);
  return good && (run->is_there || add_row(w, run, line->id));
}

/* The values of runs whose rows were added. */
static bool write_values(writing_t *w, uint32_t first, uint32_t last) {
  bool good = dmdv_sql_flush(w->db);
  for (uint32_t number = first; number <= last && good; number++) {
    const dmdv_imported_run_t *run = dmdv_imported_run(w->m, number);
    if (run->is_there || run->id == 0)
      continue;
    w->m->n_added++;
    good = add_values(w, run);
  }
  return good;
}

/* ---- Parts. ---- */

static bool begin_part(writing_t *w) {
  w->part++;
  return dmdv_database_begin(w->db);
}

static bool write_part(writing_t *w, uint32_t first, uint32_t last) {
  bool good =
      begin_part(w) && find_rows(w, first, last) && find_stacks(w, last_stack(w, first, last)) &&
      dmdv_import_launches(w->m, w->db, w->part, first, last) && find_series_of(w, first, last);
  for (uint32_t number = first; number <= last && good; number++)
    good = write_run(w, dmdv_imported_run(w->m, number));
  return good && write_values(w, first, last) && dmdv_database_commit(w->db);
}

static uint32_t end_of_part(const dmdv_importing_t *m, uint32_t first) {
  uint64_t n = 0;
  for (uint32_t number = first; number < m->runs.last; number++) {
    const dmdv_imported_run_t *run = dmdv_imported_run(m, number);
    n += run->n_items;
    if (run->may_end && n >= PART_ITEMS)
      return number;
  }
  return m->runs.last;
}

static bool add_alarm(writing_t *w, const dmdv_imported_alarm_t *alarm) {
  dmdv_importing_t *m = w->m;
  if (!find_series(w, alarm->series) || !find_environment(w, alarm->environment) ||
      !find_build(w, alarm->build))
    return false;
  dmdv_sql_start(w->db, DMDV_SQL_ADD_ALARM);
  dmdv_sql_int(w->db, dmdv_imported_series_id(m, alarm->series));
  dmdv_sql_text(w->db, alarm->process);
  dmdv_sql_text(w->db, alarm->moment);
  dmdv_sql_int(w->db, dmdv_imported_environment_id(m, alarm->environment));
  dmdv_sql_int(w->db, dmdv_imported_build_id(m, alarm->build));
  dmdv_sql_text(w->db, alarm->state);
  dmdv_sql_text(w->db, alarm->reason);
  return dmdv_sql_run(w->db);
}

/* Writes what no run refers to, and the acknowledgements. */
static bool write_rest(writing_t *w) {
  dmdv_importing_t *m = w->m;
  bool good = begin_part(w) &&
              reach(w, find_environment, &w->n_environments, m->environments.last) &&
              reach(w, find_build, &w->n_builds, m->builds.last) &&
              reach(w, find_series, &w->n_series, m->series.last) && find_stacks(w, m->stacks.last);
  for (uint32_t number = 1; number <= m->alarms.last && good; number++)
    good = add_alarm(w, DMD_POOL_AT(&m->alarms, const dmdv_imported_alarm_t, number));
  return good && dmdv_database_commit(w->db);
}

bool dmdv_importing_write(dmdv_importing_t *m, dmdv_database_t *db) {
  writing_t w = {.m = m, .db = db};
  bool good = true;
  dmdv_lines_init(&w.lines);
  dmdv_import_find_ends(m);
  for (uint32_t first = 1, last; first <= m->runs.last && good; first = last + 1) {
    last = end_of_part(m, first);
    good = write_part(&w, first, last);
    dmdv_database_give_way(db);
  }
  good = good && write_rest(&w);
  dmdv_lines_destroy(&w.lines);
  return good;
}
