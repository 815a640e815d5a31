/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/exporting.h"

#include <string.h>

#include "base/jsonout.h"
#include "base/map.h"
#include "host/process.h"

/* ---- The records of each line. ---- */

void dmdv_lines_init(dmdv_lines_t *lines) {
  dmd_intern_init(&lines->keys, &dmdv_env, "dmdv.lines");
  dmd_pool_init(&lines->lines, &dmdv_env, "dmdv.lines", sizeof(dmdv_line_t));
}

void dmdv_lines_destroy(dmdv_lines_t *lines) {
  for (uint32_t number = 1; number <= lines->lines.last; number++)
    dmd_stackset_destroy(&DMD_POOL_AT(&lines->lines, dmdv_line_t, number)->set);
  dmd_pool_destroy(&lines->lines);
  dmd_intern_destroy(&lines->keys);
}

dmdv_line_t *dmdv_lines_at(dmdv_lines_t *lines, const char *moment, int64_t environment,
                           const char *process) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_i64(&key, environment);
  dmd_strbuf_str(&key, " ");
  dmd_strbuf_bytes(&key, moment, strlen(moment) + 1);
  dmd_strbuf_str(&key, process);
  uint32_t number = dmd_intern_bytes(&lines->keys, key.text, key.n);
  dmd_strbuf_destroy(&key);
  if (number > lines->lines.last) {
    dmd_pool_add(&lines->lines);
    dmdv_line_t *line = DMD_POOL_AT(&lines->lines, dmdv_line_t, number);
    *line = (dmdv_line_t){.id = 0};
    dmd_stackset_init(&line->set, &dmdv_env, 0);
  }
  return DMD_POOL_AT(&lines->lines, dmdv_line_t, number);
}

void dmdv_line_set(dmdv_line_t *line, dmd_stackset_t *set) {
  dmd_stackset_destroy(&line->set);
  line->set = *set;
  *set = (dmd_stackset_t){0};
}

/* ---- Exporting. ---- */

typedef struct {
  int64_t environment, recordset; /* ids */
  const char *moment, *process;
} run_t;

/* Numbers of the items written so far, by their ids in the database. */
typedef struct {
  dmd_map_t environments, builds, stacks, runs, series;
} numbers_t;

typedef struct {
  dmdv_database_t *db;
  dmd_jsonout_t json;
  numbers_t numbers;
  dmd_intern_t texts;
  dmd_pool_t runs; /* run_t, by number */
  dmdv_lines_t lines;
  bool good;
} exporting_t;

/* ---- Numbers. ---- */

/* Maps store the number plus 1, since NULL means that there is no entry. */
static void add_number(dmd_map_t *map, int64_t id) {
  dmd_map_add(map, (uint64_t)id, (void *)((uintptr_t)map->n + 1));
}

static bool has_number(const dmd_map_t *map, int64_t id) {
  return dmd_map_find(map, (uint64_t)id) != NULL;
}

static uint64_t number_of(const dmd_map_t *map, int64_t id) {
  return (uintptr_t)dmd_map_find(map, (uint64_t)id) - 1;
}

static void write_number(exporting_t *e, const char *key, const dmd_map_t *map, int64_t id) {
  dmd_jsonout_key_u64(&e->json, key, number_of(map, id));
}

/* ---- A part: an array with an element for each row of a statement. ---- */

static void write_part(exporting_t *e, const char *key, dmdv_sql_t sql,
                       void (*write)(exporting_t *e)) {
  dmdv_sql_step_t step = DMDV_SQL_FAILED;
  dmd_jsonout_key(&e->json, key);
  dmd_jsonout_array(&e->json, DMD_JSONOUT_LINES);
  if (e->good) {
    dmdv_sql_start(e->db, sql);
    while ((step = dmdv_sql_step(e->db)) == DMDV_SQL_ROW)
      write(e);
  }
  dmd_jsonout_end(&e->json);
  e->good = step == DMDV_SQL_DONE;
}

static void write_text(exporting_t *e, const char *key, int column) {
  dmd_jsonout_key_str(&e->json, key, dmdv_sql_column_text(e->db, column));
}

static void write_environment(exporting_t *e) {
  add_number(&e->numbers.environments, dmdv_sql_column_int(e->db, 0));
  dmd_jsonout_str(&e->json, dmdv_sql_column_text(e->db, 1));
}

static void write_build(exporting_t *e) {
  add_number(&e->numbers.builds, dmdv_sql_column_int(e->db, 0));
  dmd_jsonout_object(&e->json, DMD_JSONOUT_INLINE);
  write_text(e, "build", 1);
  write_text(e, "branch", 2);
  dmd_jsonout_key(&e->json, "time");
  dmd_jsonout_i64(&e->json, dmdv_sql_column_int(e->db, 3));
  dmd_jsonout_end(&e->json);
}

static void write_stack(exporting_t *e) {
  dmd_strbuf_t frame;
  dmd_strbuf_init(&frame, &dmdv_env);
  add_number(&e->numbers.stacks, dmdv_sql_column_int(e->db, 0));
  dmd_jsonout_array(&e->json, DMD_JSONOUT_INLINE);
  for (const char *line = dmdv_sql_column_text(e->db, 1); *line != '\0';) {
    size_t n = strcspn(line, "\n");
    dmd_strbuf_cut(&frame, 0);
    dmd_strbuf_bytes(&frame, line, n);
    dmd_jsonout_str(&e->json, frame.text);
    line += n + (line[n] == '\n');
  }
  dmd_jsonout_end(&e->json);
  dmd_strbuf_destroy(&frame);
}

/* ---- Runs and what they held. ---- */

static const char *keep(exporting_t *e, const char *text) {
  return dmd_intern_get_str(&e->texts, dmd_intern_str(&e->texts, text));
}

static void write_digest(exporting_t *e, int column) {
  char text[DMDV_DIGEST_TEXT_SZB] = "";
  size_t n;
  const unsigned char *digest = dmdv_sql_column_bytes(e->db, column, &n);
  if (n == DMDV_DIGEST_SZB)
    dmdv_digest_text(text, digest);
  dmd_jsonout_key_str(&e->json, "digest", text);
}

/* Columns of DMDV_SQL_ALL_RUNS. */
enum { ID, BUILD, MOMENT, ENVIRONMENT, DIGEST, RECORDSET, PROCESS, LAUNCH };

static void write_run(exporting_t *e) {
  dmdv_database_t *db = e->db;
  add_number(&e->numbers.runs, dmdv_sql_column_int(db, ID));
  uint32_t number = dmd_pool_add(&e->runs);
  *DMD_POOL_AT(&e->runs, run_t, number) =
      (run_t){.environment = dmdv_sql_column_int(db, ENVIRONMENT),
              .recordset = dmdv_sql_column_int(db, RECORDSET),
              .moment = keep(e, dmdv_sql_column_text(db, MOMENT)),
              .process = keep(e, dmdv_sql_column_text(db, PROCESS))};
  dmd_jsonout_object(&e->json, DMD_JSONOUT_INLINE);
  write_number(e, "build", &e->numbers.builds, dmdv_sql_column_int(db, BUILD));
  write_text(e, "moment", MOMENT);
  write_number(e, "environment", &e->numbers.environments, dmdv_sql_column_int(db, ENVIRONMENT));
  write_text(e, "process", PROCESS);
  write_text(e, "run", LAUNCH);
  write_digest(e, DIGEST);
  dmd_jsonout_end(&e->json);
}

static void write_difference(exporting_t *e, const dmd_stackset_t *difference) {
  dmd_jsonout_array(&e->json, DMD_JSONOUT_DENSE);
  for (size_t i = 0; i < difference->n; i++) {
    const dmd_stack_record_t *record = &difference->records[i];
    if (!has_number(&e->numbers.stacks, record->stack))
      continue;
    dmd_jsonout_array(&e->json, DMD_JSONOUT_DENSE);
    dmd_jsonout_u64(&e->json, number_of(&e->numbers.stacks, record->stack));
    dmd_jsonout_u64(&e->json, record->section);
    dmd_jsonout_i64(&e->json, record->bytes);
    dmd_jsonout_i64(&e->json, record->blocks);
    dmd_jsonout_end(&e->json);
  }
  dmd_jsonout_end(&e->json);
}

/* Most sets are stored as the difference from the previous run's, which is what the document needs;
 * for other sets the difference is computed. */
static void find_difference(exporting_t *e, dmdv_line_t *line, int64_t id,
                            dmd_stackset_t *difference) {
  dmd_stackset_t link = {0}, set = {0};
  int64_t base;
  if (dmdv_storedset_load_link(&link, e->db, id, &base) && line->id != 0 && base == line->id) {
    dmd_stackset_add(&set, &line->set, &link);
  } else {
    dmd_stackset_destroy(&link);
    e->good = dmdv_storedset_load(&set, e->db, id);
    dmd_stackset_subtract(&link, &set, &line->set);
  }
  dmdv_line_set(line, &set);
  line->id = id;
  *difference = link;
}

static void write_records(exporting_t *e, const run_t *run) {
  dmdv_line_t *line = dmdv_lines_at(&e->lines, run->moment, run->environment, run->process);
  dmd_stackset_t difference = {0};
  if (line->id != run->recordset)
    find_difference(e, line, run->recordset, &difference);
  write_difference(e, &difference);
  dmd_stackset_destroy(&difference);
}

static void write_all_records(exporting_t *e) {
  dmd_jsonout_key(&e->json, "records");
  dmd_jsonout_array(&e->json, DMD_JSONOUT_LINES);
  for (uint32_t number = 1; number <= e->runs.last && e->good; number++)
    write_records(e, DMD_POOL_AT(&e->runs, const run_t, number));
  dmd_jsonout_end(&e->json);
}

/* ---- Series. ---- */

static void end_series(exporting_t *e) {
  dmd_jsonout_end(&e->json);
  dmd_jsonout_end(&e->json);
}

/* Writes a row for each value. A series without values has one row, without a run. */
static void write_value(exporting_t *e) {
  dmdv_database_t *db = e->db;
  int64_t series = dmdv_sql_column_int(db, 0), run = dmdv_sql_column_int(db, 3);
  if (!has_number(&e->numbers.series, series)) {
    if (e->numbers.series.n > 0)
      end_series(e);
    add_number(&e->numbers.series, series);
    dmd_jsonout_object(&e->json, DMD_JSONOUT_INLINE);
    write_text(e, "kind", 1);
    write_text(e, "name", 2);
    dmd_jsonout_key(&e->json, "values");
    dmd_jsonout_array(&e->json, DMD_JSONOUT_DENSE);
  }
  if (dmdv_sql_column_is_null(db, 3) || !has_number(&e->numbers.runs, run))
    return;
  dmd_jsonout_array(&e->json, DMD_JSONOUT_DENSE);
  dmd_jsonout_u64(&e->json, number_of(&e->numbers.runs, run));
  dmd_jsonout_i64(&e->json, dmdv_sql_column_int(db, 4));
  dmd_jsonout_end(&e->json);
}

static void write_series(exporting_t *e) {
  dmdv_sql_step_t step = DMDV_SQL_FAILED;
  dmd_jsonout_key(&e->json, "series");
  dmd_jsonout_array(&e->json, DMD_JSONOUT_LINES);
  if (e->good) {
    dmdv_sql_start(e->db, DMDV_SQL_ALL_VALUES);
    while ((step = dmdv_sql_step(e->db)) == DMDV_SQL_ROW)
      write_value(e);
  }
  if (e->numbers.series.n > 0)
    end_series(e);
  dmd_jsonout_end(&e->json);
  e->good = step == DMDV_SQL_DONE;
}

static void write_alarm(exporting_t *e) {
  dmdv_database_t *db = e->db;
  dmd_jsonout_object(&e->json, DMD_JSONOUT_INLINE);
  write_number(e, "series", &e->numbers.series, dmdv_sql_column_int(db, 0));
  write_text(e, "process", 1);
  write_text(e, "moment", 2);
  write_number(e, "environment", &e->numbers.environments, dmdv_sql_column_int(db, 3));
  write_number(e, "build", &e->numbers.builds, dmdv_sql_column_int(db, 4));
  write_text(e, "state", 5);
  write_text(e, "reason", 6);
  dmd_jsonout_end(&e->json);
}

/* ---- The document. ---- */

static void begin(exporting_t *e) {
  dmd_map_t *maps[] = {&e->numbers.environments, &e->numbers.builds, &e->numbers.stacks,
                       &e->numbers.runs, &e->numbers.series};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    dmd_map_init(maps[i], &dmdv_env, "dmdv.exporting");
  dmd_intern_init(&e->texts, &dmdv_env, "dmdv.exporting");
  dmd_pool_init(&e->runs, &dmdv_env, "dmdv.exporting", sizeof(run_t));
  dmdv_lines_init(&e->lines);
}

static void end(exporting_t *e) {
  dmdv_lines_destroy(&e->lines);
  dmd_pool_destroy(&e->runs);
  dmd_intern_destroy(&e->texts);
  dmd_map_destroy(&e->numbers.series);
  dmd_map_destroy(&e->numbers.runs);
  dmd_map_destroy(&e->numbers.stacks);
  dmd_map_destroy(&e->numbers.builds);
  dmd_map_destroy(&e->numbers.environments);
}

bool dmdv_history_export(dmdv_database_t *db, dmd_out_t *out, const char *exporter) {
  exporting_t e = {.db = db, .good = true};
  begin(&e);
  dmd_jsonout_init(&e.json, out);
  dmd_jsonout_object(&e.json, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(&e.json, "version", 1);
  dmd_jsonout_key_str(&e.json, "exporter", exporter);
  write_part(&e, "environments", DMDV_SQL_ALL_ENVIRONMENTS, write_environment);
  write_part(&e, "builds", DMDV_SQL_ALL_BUILDS, write_build);
  write_part(&e, "stacks", DMDV_SQL_ALL_STACKS, write_stack);
  write_part(&e, "runs", DMDV_SQL_ALL_RUNS, write_run);
  write_all_records(&e);
  write_series(&e);
  write_part(&e, "alarms", DMDV_SQL_ALL_ALARMS, write_alarm);
  dmd_jsonout_end(&e.json);
  end(&e);
  return e.good;
}
