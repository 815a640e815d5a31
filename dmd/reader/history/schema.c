/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables:
 *   build        what a figure is watched over: its name, branch and time (seconds since 1970)
 *   environment  lines KEY=VALUE, sorted: figures of different ones are never compared
 *   run          one file that was added: of a build, at a moment, in an environment. Its digest is
 *                that of all that is kept of it, so that to add it twice changes nothing
 *   series       a figure: its kind and name (analysis/figures.h)
 *   value        of a figure in a run
 *   stack        where blocks were allocated: its frames without lines, by digest, and as they were
 *                when they were first seen
 *   recordset    what the stacks held (recordset.h); equal ones are kept once
 *   alarm        what people said of a step
 *
 * Words in braces differ between databases (driver.h). What both know: a number that is summed is
 * cast to {int}, and SQL's standard for the rest.
 */
#include "reader/history/schema.h"

const char *const dmdv_migrations[DMDV_SCHEMA_VERSION] = {
    "{schema}"
    "CREATE TABLE build(id {id}, name {text} NOT NULL, branch {text} NOT NULL,"
    " time {int} NOT NULL, UNIQUE(name, branch));"
    "CREATE TABLE environment(id {id}, lines {text} NOT NULL UNIQUE);"
    "CREATE TABLE recordset(id {id}, digest {bytes} NOT NULL UNIQUE,"
    " base {int} REFERENCES recordset, depth {int} NOT NULL, data {bytes} NOT NULL);"
    "CREATE TABLE run(id {id}, build {int} NOT NULL REFERENCES build,"
    " moment {text} NOT NULL, environment {int} NOT NULL REFERENCES environment,"
    " digest {bytes} NOT NULL, recordset {int} NOT NULL REFERENCES recordset,"
    " UNIQUE(build, moment, environment, digest));"
    "CREATE TABLE series(id {id}, kind {text} NOT NULL, name {text} NOT NULL,"
    " UNIQUE(kind, name));"
    "CREATE TABLE value(series {int} NOT NULL REFERENCES series,"
    " run {int} NOT NULL REFERENCES run, value {int} NOT NULL,"
    " PRIMARY KEY(series, run)) {packed};"
    "CREATE TABLE stack(id {id}, digest {bytes} NOT NULL UNIQUE, frames {text} NOT NULL);"
    "CREATE TABLE alarm(series {int} NOT NULL REFERENCES series, moment {text} NOT NULL,"
    " environment {int} NOT NULL REFERENCES environment, build {int} NOT NULL REFERENCES build,"
    " state {text} NOT NULL, reason {text} NOT NULL,"
    " PRIMARY KEY(series, moment, environment, build)) {packed};",
};

const char *const dmdv_sql[DMDV_N_SQL] = {
    /* name, branch, time -> id; no row if it is there */
    [DMDV_SQL_ADD_BUILD] = "INSERT INTO build(name, branch, time) VALUES(?1, ?2, ?3)"
                           " ON CONFLICT DO NOTHING RETURNING id",
    /* name, branch -> id */
    [DMDV_SQL_FIND_BUILD] = "SELECT id FROM build WHERE name = ?1 AND branch = ?2",
    /* lines -> id; no row if it is there */
    [DMDV_SQL_ADD_ENVIRONMENT] = "INSERT INTO environment(lines) VALUES(?1)"
                                 " ON CONFLICT DO NOTHING RETURNING id",
    /* lines -> id */
    [DMDV_SQL_FIND_ENVIRONMENT] = "SELECT id FROM environment WHERE lines = ?1",
    /* build, moment, environment, digest, recordset -> id; no row if it is there */
    [DMDV_SQL_ADD_RUN] = "INSERT INTO run(build, moment, environment, digest, recordset)"
                         " VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING RETURNING id",
    /* kind, name -> id; no row if it is there */
    [DMDV_SQL_ADD_SERIES] = "INSERT INTO series(kind, name) VALUES(?1, ?2)"
                            " ON CONFLICT DO NOTHING RETURNING id",
    /* kind, name -> id */
    [DMDV_SQL_FIND_SERIES] = "SELECT id FROM series WHERE kind = ?1 AND name = ?2",
    /* series, run, value */
    [DMDV_SQL_ADD_VALUE] = "INSERT INTO value(series, run, value) VALUES(?1, ?2, ?3)",
    /* digest, frames -> id; no row if it is there */
    [DMDV_SQL_ADD_STACK] = "INSERT INTO stack(digest, frames) VALUES(?1, ?2)"
                           " ON CONFLICT DO NOTHING RETURNING id",
    /* n digests one behind the other, n -> place, id of those that are there */
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
    /* moment, environment -> recordset of the run that was added last */
    [DMDV_SQL_LAST_RECORDSET] = "SELECT recordset FROM run WHERE moment = ?1 AND environment = ?2"
                                " ORDER BY id DESC LIMIT 1",
    /* build, moment, environment -> recordset of its first run */
    [DMDV_SQL_RECORDSET_OF_BUILD] = "SELECT recordset FROM run WHERE build = ?1 AND moment = ?2"
                                    " AND environment = ?3 ORDER BY id LIMIT 1",
    /* -> id, name, branch, time, runs; in order */
    [DMDV_SQL_BUILDS] = "SELECT build.id, name, branch, time, count(run.id) FROM build"
                        " JOIN run ON run.build = build.id GROUP BY build.id"
                        " ORDER BY branch, time, build.id",
    /* -> series, kind, name, moment, environment, its lines, branch, build, its name, its time,
     * value; the values of one curve together, in the order of its builds */
    [DMDV_SQL_POINTS] =
        "SELECT series.id, kind, series.name, moment, environment.id, lines, branch, build.id,"
        " build.name, time, value FROM value JOIN series ON series.id = value.series"
        " JOIN run ON run.id = value.run JOIN build ON build.id = run.build"
        " JOIN environment ON environment.id = run.environment"
        " ORDER BY series.id, moment, environment.id, branch, time, build.id",
    /* series, moment, environment, build -> state, reason */
    [DMDV_SQL_FIND_ALARM] = "SELECT state, reason FROM alarm WHERE series = ?1 AND moment = ?2"
                            " AND environment = ?3 AND build = ?4",
    /* series, moment, environment, build, state, reason */
    [DMDV_SQL_SET_ALARM] =
        "INSERT INTO alarm(series, moment, environment, build, state, reason)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(series, moment, environment, build)"
        " DO UPDATE SET state = excluded.state, reason = excluded.reason",
};
