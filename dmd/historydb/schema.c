/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables:
 *   build        what metrics are compared over: its name, branch and time (seconds since 1970)
 *   environment  lines KEY=VALUE, sorted: metrics of different environments are never compared
 *   run          one added file: its build, moment and environment. Its digest covers everything
 *                stored of it, so that adding it twice changes nothing, and is equal in all
 *                histories. Runs with the same launch are processes of one run of the program, and
 *                are added up
 *   series       a metric: its kind and name (analyse/records/metrics.h)
 *   value        the value of a metric in a run
 *   stack        where blocks were allocated: its frames without lines, by digest, and with the
 *                lines that they had when its numbers last changed
 *   recordset    what the stacks held (storedset.h); equal sets are stored once
 *   alarm        acknowledgements of change points
 *
 * Runs are deleted without a search for their values, since no table has a foreign key to run
 * (prune.c).
 *
 * Words in braces differ between databases (driver.h). SQL that both share: a sum casts its numbers
 * to {int}; everything else is standard SQL. {numbers}?1{end} is a subquery for IN: the numbers of
 * a text that has commas between them.
 */
#include "historydb/schema.h"

const char dmdv_tables[] =
    "{schema}"
    "CREATE TABLE build(id {id}, name {text} NOT NULL, branch {text} NOT NULL,"
    " time {int} NOT NULL, UNIQUE(name, branch));"
    "CREATE TABLE environment(id {id}, lines {text} NOT NULL UNIQUE);"
    "CREATE TABLE recordset(id {id}, digest {bytes} NOT NULL UNIQUE,"
    " base {int} REFERENCES recordset, depth {int} NOT NULL, data {bytes} NOT NULL);"
    "CREATE INDEX recordset_base ON recordset(base);"
    "CREATE TABLE run(id {id}, build {int} NOT NULL REFERENCES build,"
    " moment {text} NOT NULL, environment {int} NOT NULL REFERENCES environment,"
    " digest {bytes} NOT NULL, recordset {int} NOT NULL REFERENCES recordset,"
    " process {text} NOT NULL, launch {text} NOT NULL,"
    " UNIQUE(build, moment, environment, digest));"
    "CREATE INDEX run_recordset ON run(recordset);"
    "CREATE TABLE series(id {id}, kind {text} NOT NULL, name {text} NOT NULL,"
    " UNIQUE(kind, name));"
    "CREATE TABLE value(series {int} NOT NULL REFERENCES series,"
    " run {int} NOT NULL, value {int} NOT NULL, PRIMARY KEY(series, run)) {packed};"
    "CREATE TABLE stack(id {id}, digest {bytes} NOT NULL UNIQUE, frames {text} NOT NULL);"
    "CREATE TABLE alarm(series {int} NOT NULL REFERENCES series, process {text} NOT NULL,"
    " moment {text} NOT NULL, environment {int} NOT NULL REFERENCES environment,"
    " build {int} NOT NULL REFERENCES build, state {text} NOT NULL, reason {text} NOT NULL,"
    " PRIMARY KEY(series, process, moment, environment, build)) {packed};";

/* Runs, and the place of the launch of each among those of its build, moment and environment, by
 * the digest of its first run: the first n launches are a random sample, and the same one whenever
 * somebody asks. (A join of launches and runs would be shorter, but a server that expects few rows
 * answers it by comparing all launches of a build with all its runs.) */
#define PLACED_RUNS                                                                                \
  "(SELECT firsts.*, dense_rank() OVER (PARTITION BY build, moment, environment ORDER BY first)"   \
  " AS place FROM (SELECT run.*, first_value(digest) OVER (PARTITION BY build, moment,"            \
  " environment, launch ORDER BY id) AS first FROM run) AS firsts) AS run"

const char *const dmdv_sql[DMDV_N_SQL] = {
    /* name, branch, time -> id; no row if it exists */
    [DMDV_SQL_ADD_BUILD] = "INSERT INTO build(name, branch, time) VALUES(?1, ?2, ?3)"
                           " ON CONFLICT DO NOTHING RETURNING id",
    /* name, branch -> id */
    [DMDV_SQL_FIND_BUILD] = "SELECT id FROM build WHERE name = ?1 AND branch = ?2",
    /* lines -> id; no row if it exists */
    [DMDV_SQL_ADD_ENVIRONMENT] = "INSERT INTO environment(lines) VALUES(?1)"
                                 " ON CONFLICT DO NOTHING RETURNING id",
    /* lines -> id */
    [DMDV_SQL_FIND_ENVIRONMENT] = "SELECT id FROM environment WHERE lines = ?1",
    /* build, moment, environment, process -> the number for the next launch */
    [DMDV_SQL_NEXT_LAUNCH] = "SELECT count(*) + 1 FROM run WHERE build = ?1 AND moment = ?2"
                             " AND environment = ?3 AND process = ?4",
    /* build, moment, environment, process, launch -> the number of its runs */
    [DMDV_SQL_RUNS_OF_LAUNCH] = "SELECT count(*) FROM run WHERE build = ?1 AND moment = ?2"
                                " AND environment = ?3 AND process = ?4 AND launch = ?5",
    /* build, moment, environment, digest, recordset, process, launch -> id; no row if it exists
     */
    [DMDV_SQL_ADD_RUN] =
        "INSERT INTO run(build, moment, environment, digest, recordset, process, launch)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING RETURNING id",
    /* kind, name -> id; no row if it exists */
    [DMDV_SQL_ADD_SERIES] = "INSERT INTO series(kind, name) VALUES(?1, ?2)"
                            " ON CONFLICT DO NOTHING RETURNING id",
    /* kind, name -> id */
    [DMDV_SQL_FIND_SERIES] = "SELECT id FROM series WHERE kind = ?1 AND name = ?2",
    /* series, run, value */
    [DMDV_SQL_ADD_VALUE] = "INSERT INTO value(series, run, value) VALUES(?1, ?2, ?3)",
    /* digest, frames -> id; no row if it exists */
    [DMDV_SQL_ADD_STACK] = "INSERT INTO stack(digest, frames) VALUES(?1, ?2)"
                           " ON CONFLICT DO NOTHING RETURNING id",
    /* n concatenated digests, n -> place, id of those that are there */
    [DMDV_SQL_FIND_STACKS] =
        "WITH RECURSIVE places(place) AS"
        " (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place + 1 < ?2)"
        " SELECT place, id FROM places JOIN stack ON digest = substr(?1, place * 16 + 1, 16)",
    /* id -> frames */
    [DMDV_SQL_STACK_FRAMES] = "SELECT frames FROM stack WHERE id = ?1",
    /* id, frames */
    [DMDV_SQL_REFRESH_STACK] = "UPDATE stack SET frames = ?2 WHERE id = ?1 AND frames <> ?2",
    /* digest -> id */
    [DMDV_SQL_FIND_RECORDSET] = "SELECT id FROM recordset WHERE digest = ?1",
    /* digest, base, depth, data -> id */
    [DMDV_SQL_ADD_RECORDSET] = "INSERT INTO recordset(digest, base, depth, data)"
                               " VALUES(?1, ?2, ?3, ?4) RETURNING id",
    /* id -> base, depth, data */
    [DMDV_SQL_RECORDSET] = "SELECT base, depth, data FROM recordset WHERE id = ?1",
    /* id -> base */
    [DMDV_SQL_RECORDSET_BASE] = "SELECT base FROM recordset WHERE id = ?1",
    /* moment, environment, process -> recordset of the run that was added last */
    [DMDV_SQL_LAST_RECORDSET] = "SELECT recordset FROM run WHERE moment = ?1 AND environment = ?2"
                                " AND process = ?3 ORDER BY id DESC LIMIT 1",
    /* build, moment, environment, process or '' -> recordsets of the first launch's processes. (A
     * server that could sort by the id alone might look for the first run among all runs.) */
    [DMDV_SQL_RECORDSETS_OF_BUILD] =
        "SELECT recordset FROM run WHERE build = ?1 AND moment = ?2 AND environment = ?3"
        " AND ?4 IN ('', process) AND launch = (SELECT launch FROM run AS r WHERE r.build = ?1"
        " AND r.moment = ?2 AND r.environment = ?3 AND ?4 IN ('', r.process) ORDER BY r.id + 0 "
        "LIMIT 1)"
        " ORDER BY id",
    /* -> id, name, branch, time, runs; in order */
    [DMDV_SQL_BUILDS] = "SELECT build.id, name, branch, time, count(run.id) FROM build"
                        " JOIN run ON run.build = build.id GROUP BY build.id"
                        " ORDER BY branch, time, build.id",
    /* n -> id, moment, environment, its lines, branch, build, its name, its time, launch, process;
     * those of one curve together, in the order of builds, and those of one launch together; of
     * each build the first n launches */
    [DMDV_SQL_RUNS] =
        "SELECT run.id, run.moment, environment.id, lines, branch, build.id, build.name, time,"
        " run.launch,"
        " process FROM " PLACED_RUNS
        " JOIN build ON build.id = run.build JOIN environment ON environment.id = run.environment"
        " WHERE place <= ?1"
        " ORDER BY run.moment, environment.id, branch, time, build.id, run.launch, process, run.id",
    /* -> id, kind, name */
    [DMDV_SQL_SERIES] = "SELECT id, kind, name FROM series ORDER BY id",
    /* kind, name -> the columns of DMDV_SQL_SERIES, for one series */
    [DMDV_SQL_SERIES_OF] = "SELECT id, kind, name FROM series WHERE kind = ?1 AND name = ?2",
    /* ids of runs -> series, run, value; those of one series together */
    [DMDV_SQL_VALUES] = "SELECT series, run, value FROM value WHERE run IN ({numbers}?1{end})"
                        " ORDER BY series, run",
    /* kind, name -> the columns of DMDV_SQL_VALUES, for one series */
    [DMDV_SQL_VALUES_OF] =
        "SELECT series, run, value FROM value"
        " JOIN series ON series.id = value.series WHERE kind = ?1 AND name = ?2 ORDER BY run",
    /* series, process, moment, environment, build -> state, reason */
    [DMDV_SQL_FIND_ALARM] = "SELECT state, reason FROM alarm WHERE series = ?1 AND process = ?2"
                            " AND moment = ?3 AND environment = ?4 AND build = ?5",
    /* series, process, moment, environment, build, state, reason */
    [DMDV_SQL_SET_ALARM] =
        "INSERT INTO alarm(series, process, moment, environment, build, state, reason)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        " ON CONFLICT(series, process, moment, environment, build)"
        " DO UPDATE SET state = excluded.state, reason = excluded.reason",
    /* -> id, branch, time, number of acknowledgements; of each branch the newest first */
    [DMDV_SQL_BUILDS_TO_PRUNE] =
        "SELECT id, branch, time, (SELECT count(*) FROM alarm WHERE alarm.build = build.id)"
        " FROM build ORDER BY branch, time DESC, id DESC",
    /* builds */
    [DMDV_SQL_DROP_ALARMS_OF_BUILDS] = "DELETE FROM alarm WHERE build IN ({numbers}?1{end})",
    [DMDV_SQL_DROP_RUNS_OF_BUILDS] = "DELETE FROM run WHERE build IN ({numbers}?1{end})",
    [DMDV_SQL_DROP_BUILDS] = "DELETE FROM build WHERE id IN ({numbers}?1{end})",
    /* builds, n: all but the first n launches */
    [DMDV_SQL_THIN_BUILDS] = "DELETE FROM run WHERE id IN (SELECT id FROM " PLACED_RUNS
                             " WHERE build IN ({numbers}?1{end}) AND place > ?2)",
    /* -> their number */
    [DMDV_SQL_COUNT_RUNS] = "SELECT count(*) FROM run",
    /* -> ids of sets that a run has and whose base no run has */
    [DMDV_SQL_RECORDSETS_TO_REBASE] =
        "SELECT id FROM recordset WHERE base IS NOT NULL"
        " AND EXISTS (SELECT 1 FROM run WHERE run.recordset = recordset.id)"
        " AND NOT EXISTS (SELECT 1 FROM run WHERE run.recordset = base) ORDER BY id",
    /* ids of sets -> id, base, depth, data: of them, and of the sets below each up to the nearest
     * one that a run has */
    [DMDV_SQL_RECORDSETS_BELOW] =
        "WITH RECURSIVE below(id, base) AS (SELECT id, base FROM recordset"
        " WHERE id IN ({numbers}?1{end}) UNION SELECT recordset.id, recordset.base FROM below"
        " JOIN recordset ON recordset.id = below.base"
        " WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.recordset = recordset.id))"
        " SELECT id, base, depth, data FROM recordset WHERE id IN (SELECT id FROM below)",
    /* id, base, depth, data */
    [DMDV_SQL_SET_RECORDSET] =
        "UPDATE recordset SET base = ?2, depth = ?3, data = ?4 WHERE id = ?1",
    /* Delete what no run uses. A server answers NOT IN as fast only while its list fits into the
     * memory of a statement. */
    [DMDV_SQL_DROP_UNUSED_VALUES] =
        "DELETE FROM value WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.id = value.run)",
    [DMDV_SQL_DROP_UNUSED_RECORDSETS] =
        "DELETE FROM recordset"
        " WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.recordset = recordset.id)",
    [DMDV_SQL_DROP_UNUSED_SERIES] =
        "DELETE FROM series"
        " WHERE NOT EXISTS (SELECT 1 FROM value WHERE value.series = series.id)"
        " AND NOT EXISTS (SELECT 1 FROM alarm WHERE alarm.series = series.id)",
    [DMDV_SQL_DROP_UNUSED_ENVIRONMENTS] =
        "DELETE FROM environment"
        " WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.environment = environment.id)"
        " AND NOT EXISTS (SELECT 1 FROM alarm WHERE alarm.environment = environment.id)",
    /* -> id, base, depth, data */
    [DMDV_SQL_RECORDSETS] = "SELECT id, base, depth, data FROM recordset",
    /* Everything, in the order in which it was added.
     * -> id, lines */
    [DMDV_SQL_ALL_ENVIRONMENTS] = "SELECT id, lines FROM environment ORDER BY id",
    /* -> id, name, branch, time */
    [DMDV_SQL_ALL_BUILDS] = "SELECT id, name, branch, time FROM build ORDER BY id",
    /* -> id, frames */
    [DMDV_SQL_ALL_STACKS] = "SELECT id, frames FROM stack ORDER BY id",
    /* -> id, build, moment, environment, digest, recordset, process, launch */
    [DMDV_SQL_ALL_RUNS] =
        "SELECT id, build, moment, environment, digest, recordset, process, launch"
        " FROM run ORDER BY id",
    /* -> id, kind, name, run, value; one row without run and value for a series that has no
     * values */
    [DMDV_SQL_ALL_VALUES] = "SELECT series.id, kind, name, run, value FROM series"
                            " LEFT JOIN value ON value.series = series.id ORDER BY series.id, run",
    /* -> series, process, moment, environment, build, state, reason */
    [DMDV_SQL_ALL_ALARMS] = "SELECT series, process, moment, environment, build, state, reason"
                            " FROM alarm ORDER BY series, process, moment, environment, build",
    /* series, process, moment, environment, build, state, reason -> 1; no row if it exists */
    [DMDV_SQL_ADD_ALARM] =
        "INSERT INTO alarm(series, process, moment, environment, build, state, reason)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING RETURNING 1",
    /* build, moment, environment -> digest, process, launch */
    [DMDV_SQL_RUNS_OF] = "SELECT digest, process, launch FROM run WHERE build = ?1"
                         " AND moment = ?2 AND environment = ?3 ORDER BY id",
    /* -> id */
    [DMDV_SQL_STACKS] = "SELECT id FROM stack",
    /* ids */
    [DMDV_SQL_DROP_STACKS] = "DELETE FROM stack WHERE id IN ({numbers}?1{end})",
};
