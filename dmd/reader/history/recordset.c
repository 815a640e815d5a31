/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/history/recordset.h"

#include "analysis/record.h"
#include "base/wire.h"
#include "base/wireread.h"
#include "profile/sampled.h"
#include "reader/host/host.h"
#include "reader/host/message.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- Of a profile. ---- */

static int compare_records(const void *a, const void *b) {
  return dmd_stack_record_compare(a, b);
}

void dmdv_recordset_settle(dmd_recordset_t *set) {
  size_t n = 0;
  qsort(set->records, set->n, sizeof *set->records, compare_records);
  for (size_t i = 0; i < set->n; i++) {
    dmd_stack_record_t *last = &set->records[n > 0 ? n - 1 : 0];
    if (n > 0 && compare_records(last, &set->records[i]) == 0) {
      last->bytes = (int64_t)((uint64_t)last->bytes + (uint64_t)set->records[i].bytes);
      last->blocks = (int64_t)((uint64_t)last->blocks + (uint64_t)set->records[i].blocks);
    } else {
      set->records[n++] = set->records[i];
    }
  }
  set->n = n;
}

/* Sums go around; no order matters to them. */
void dmdv_recordset_digest(unsigned char digest[DMDV_DIGEST_SZB],
                           const unsigned char stack[DMDV_DIGEST_SZB],
                           const dmd_stack_record_t *record, bool is_minus) {
  unsigned char bytes[DMDV_DIGEST_SZB + 3 * sizeof(uint64_t)], own[DMDV_DIGEST_SZB];
  const uint64_t numbers[] = {record->section, (uint64_t)record->bytes, (uint64_t)record->blocks};
  uint64_t sum[2], more[2];
  if (record->bytes == 0 && record->blocks == 0)
    return;
  memcpy(bytes, stack, DMDV_DIGEST_SZB);
  memcpy(bytes + DMDV_DIGEST_SZB, numbers, sizeof numbers);
  dmdv_digest(own, bytes, sizeof bytes);
  memcpy(sum, digest, DMDV_DIGEST_SZB);
  memcpy(more, own, DMDV_DIGEST_SZB);
  for (int i = 0; i < 2; i++)
    sum[i] += is_minus ? 0 - more[i] : more[i];
  memcpy(digest, sum, DMDV_DIGEST_SZB);
}

void dmdv_recordset_digest_by_ids(unsigned char digest[DMDV_DIGEST_SZB],
                                  const dmd_recordset_t *set) {
  dmd_strbuf_t whole;
  dmd_strbuf_init(&whole, &dmdv_env);
  dmd_recordset_encode(&whole, set);
  dmdv_digest(digest, whole.text, whole.n);
  dmd_strbuf_destroy(&whole);
}

bool dmdv_recordset_of(dmd_recordset_t *set, unsigned char digest[DMDV_DIGEST_SZB],
                       dmdv_database_t *db, const dmd_profile_t *profile) {
  uint32_t n_groups = dmd_groups_count(&profile->groups);
  dmdv_stacks_t stacks;
  bool good = dmdv_stacks_add(&stacks, db, profile);
  dmd_recordset_init(set, &dmdv_env, n_groups);
  for (uint32_t id = 1; id <= n_groups && good; id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    set->records[set->n++] = (dmd_stack_record_t){.stack = dmdv_stacks_id(&stacks, g->stack),
                                                  .of_profile = g->stack,
                                                  .section = dmd_section_of_group(profile, g),
                                                  .bytes = dmd_group_usable(profile, g),
                                                  .blocks = dmd_group_blocks(profile, g)};
  }
  dmdv_recordset_settle(set);
  memset(digest, 0, DMDV_DIGEST_SZB);
  for (size_t i = 0; i < set->n; i++)
    dmdv_recordset_digest(digest, dmdv_stacks_digest(&stacks, set->records[i].of_profile),
                          &set->records[i], false);
  dmdv_stacks_destroy(&stacks);
  return good;
}

/* ---- In the history. ---- */

/* Binds the set that this one differs from, how long the chain is, and the length of the data and
 * then that, deflated. */
static void bind_data(dmdv_database_t *db, int64_t base, int64_t depth, const dmd_strbuf_t *data) {
  dmd_strbuf_t packed;
  dmd_strbuf_init(&packed, &dmdv_env);
  dmd_wire_number(&packed, data->n);
  uLongf szB = compressBound((uLong)data->n);
  char *room = dmd_strbuf_reserve(&packed, szB);
  if (compress2((Bytef *)room, &szB, (const Bytef *)data->text, (uLong)data->n,
                Z_BEST_COMPRESSION) != Z_OK)
    szB = 0;
  if (base == 0)
    dmdv_sql_null(db);
  else
    dmdv_sql_int(db, base);
  dmdv_sql_int(db, depth);
  dmdv_sql_bytes(db, packed.text, (size_t)(room - packed.text) + szB);
  dmd_strbuf_destroy(&packed);
}

static bool add_data(dmdv_database_t *db, const unsigned char digest[DMDV_DIGEST_SZB], int64_t base,
                     int64_t depth, const dmd_strbuf_t *data, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_ADD_RECORDSET);
  dmdv_sql_bytes(db, digest, DMDV_DIGEST_SZB);
  bind_data(db, base, depth, data);
  return dmdv_sql_number(db, id);
}

static bool depth_of(dmdv_database_t *db, int64_t id, int64_t *depth) {
  dmdv_sql_start(db, DMDV_SQL_RECORDSET);
  dmdv_sql_int(db, id);
  dmdv_sql_step_t step;
  *depth = 0;
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
    *depth = dmdv_sql_column_int(db, 1);
  return step == DMDV_SQL_DONE;
}

/* The stacks of what changed read from now on as this profile has them: an alarm that comes of the
 * change names the lines of the build that made it. */
static bool refresh_stacks(dmdv_database_t *db, const dmd_recordset_t *changed,
                           const dmd_profile_t *profile) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  for (size_t i = 0; i < changed->n; i++) {
    if (changed->records[i].of_profile == DMD_NONE)
      continue;
    dmd_strbuf_cut(&text, 0);
    dmdv_stack_frames(&text, profile, changed->records[i].of_profile, false);
    dmdv_sql_start(db, DMDV_SQL_REFRESH_STACK);
    dmdv_sql_int(db, changed->records[i].stack);
    dmdv_sql_text(db, text.text);
    dmdv_sql_queue(db, NULL);
  }
  dmd_strbuf_destroy(&text);
  return dmdv_sql_flush(db);
}

static bool add_difference(const dmd_recordset_t *set, const dmd_recordset_t *base,
                           dmdv_database_t *db, const dmd_profile_t *profile, int64_t like,
                           const unsigned char digest[DMDV_DIGEST_SZB], const dmd_strbuf_t *whole,
                           int64_t *id) {
  int64_t depth;
  dmd_recordset_t difference = {0};
  dmd_strbuf_t data;
  dmd_strbuf_init(&data, &dmdv_env);
  dmd_recordset_subtract(&difference, set, base);
  dmd_recordset_encode(&data, &difference);
  bool good = depth_of(db, like, &depth) &&
              (profile == NULL || refresh_stacks(db, &difference, profile)) &&
              (depth + 1 < DMDV_RECORDSET_CHAIN && data.n < whole->n / 2
                   ? add_data(db, digest, like, depth + 1, &data, id)
                   : add_data(db, digest, 0, 0, whole, id));
  dmd_strbuf_destroy(&data);
  dmd_recordset_destroy(&difference);
  return good;
}

/* As the difference where that is short, and the chain is. */
static bool add_set(const dmd_recordset_t *set, dmdv_database_t *db, const dmd_profile_t *profile,
                    dmdv_recordset_like_t like, const unsigned char digest[DMDV_DIGEST_SZB],
                    const dmd_strbuf_t *whole, int64_t *id) {
  dmd_recordset_t base = {0};
  if (like.id == 0)
    return add_data(db, digest, 0, 0, whole, id);
  bool good = like.set != NULL || dmdv_recordset_load(&base, db, like.id);
  if (good)
    good = add_difference(set, like.set != NULL ? like.set : &base, db, profile, like.id, digest,
                          whole, id);
  dmd_recordset_destroy(&base);
  return good;
}

bool dmdv_recordset_store(const dmd_recordset_t *set, const unsigned char digest[DMDV_DIGEST_SZB],
                          dmdv_database_t *db, const dmd_profile_t *profile,
                          dmdv_recordset_like_t like, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_FIND_RECORDSET);
  dmdv_sql_bytes(db, digest, DMDV_DIGEST_SZB);
  bool good = dmdv_sql_number(db, id);
  if (!good || *id != 0)
    return good;
  dmd_strbuf_t whole;
  dmd_strbuf_init(&whole, &dmdv_env);
  dmd_recordset_encode(&whole, set);
  good = add_set(set, db, profile, like, digest, &whole, id);
  dmd_strbuf_destroy(&whole);
  return good;
}

bool dmdv_recordset_last(dmdv_database_t *db, const char *moment, int64_t environment,
                         const char *process, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_LAST_RECORDSET);
  dmdv_sql_text(db, moment);
  dmdv_sql_int(db, environment);
  dmdv_sql_text(db, process);
  return dmdv_sql_number(db, id);
}

static bool unpack(dmd_recordset_t *set, const void *packed, size_t n) {
  const uint64_t most = UINT64_C(1) << 32;
  const unsigned char *at = packed, *end = at + n;
  uint64_t szB;
  /* Deflate makes no more of a byte than 1,032. */
  if (!dmd_wire_take_number(&at, end, &szB) || szB > most || szB > (uint64_t)(end - at) * 1032 + 64)
    return false;
  unsigned char *room = dmd_env_alloc(&dmdv_env, "dmdv.recordset", szB + 1);
  uLongf got = (uLongf)szB;
  bool good = uncompress(room, &got, at, (uLong)(end - at)) == Z_OK && got == szB &&
              dmd_recordset_decode(set, &dmdv_env, room, szB);
  dmd_env_free(&dmdv_env, room);
  return good;
}

bool dmdv_recordset_load_link(dmd_recordset_t *set, dmdv_database_t *db, int64_t id,
                              int64_t *base) {
  dmdv_sql_start(db, DMDV_SQL_RECORDSET);
  dmdv_sql_int(db, id);
  if (dmdv_sql_step(db) != DMDV_SQL_ROW)
    return false;
  size_t n;
  const void *packed = dmdv_sql_column_bytes(db, 2, &n);
  *base = dmdv_sql_column_is_null(db, 0) ? 0 : dmdv_sql_column_int(db, 0);
  return unpack(set, packed, n);
}

bool dmdv_recordset_base(dmdv_database_t *db, int64_t id, int64_t *base) {
  dmdv_sql_step_t step;
  bool is_there = false;
  dmdv_sql_start(db, DMDV_SQL_RECORDSET_BASE);
  dmdv_sql_int(db, id);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    *base = dmdv_sql_column_is_null(db, 0) ? 0 : dmdv_sql_column_int(db, 0);
    is_there = true;
  }
  return step == DMDV_SQL_DONE && is_there;
}

bool dmdv_recordset_say_damaged(const dmdv_database_t *db) {
  return dmdv_sql_is_good(db) &&
         dmdv_error("the history is damaged: the records of a run cannot be read");
}

bool dmdv_recordset_load(dmd_recordset_t *set, dmdv_database_t *db, int64_t id) {
  dmd_recordset_init(set, &dmdv_env, 0);
  for (int depth = 0; id != 0; depth++) {
    dmd_recordset_t link = {0}, sum;
    if (depth == DMDV_RECORDSET_CHAIN || !dmdv_recordset_load_link(&link, db, id, &id)) {
      dmd_recordset_destroy(&link);
      return dmdv_recordset_say_damaged(db);
    }
    dmd_recordset_add(&sum, set, &link);
    dmd_recordset_destroy(&link);
    dmd_recordset_destroy(set);
    *set = sum;
  }
  return true;
}

bool dmdv_recordsets_of_build(dmd_pool_t *ids, dmdv_database_t *db, int64_t build,
                              const char *moment, int64_t environment, const char *process) {
  dmdv_sql_step_t step;
  dmdv_sql_start(db, DMDV_SQL_RECORDSETS_OF_BUILD);
  dmdv_sql_int(db, build);
  dmdv_sql_text(db, moment);
  dmdv_sql_int(db, environment);
  dmdv_sql_text(db, process);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    uint32_t number = dmd_pool_add(ids);
    *DMD_POOL_AT(ids, int64_t, number) = dmdv_sql_column_int(db, 0);
  }
  return step == DMDV_SQL_DONE;
}

bool dmdv_recordset_load_sum(dmd_recordset_t *sum, dmdv_database_t *db, const dmd_pool_t *ids) {
  bool good = true;
  dmd_recordset_init(sum, &dmdv_env, 0);
  for (uint32_t number = 1; number <= ids->last && good; number++) {
    dmd_recordset_t set = {0}, both;
    good = dmdv_recordset_load(&set, db, *DMD_POOL_AT(ids, const int64_t, number));
    if (good) {
      dmd_recordset_add(&both, sum, &set);
      dmd_recordset_destroy(sum);
      *sum = both;
    }
    dmd_recordset_destroy(&set);
  }
  return good;
}

/* The nearest set that this one is built on and that a run has; 0: there is none. */
static bool find_ancestor(dmdv_database_t *db, int64_t id, int64_t *ancestor) {
  int64_t n_runs = 0;
  *ancestor = id;
  for (int depth = 0; *ancestor != 0 && n_runs == 0; depth++) {
    dmd_recordset_t link = {0};
    bool good =
        depth < DMDV_RECORDSET_CHAIN && dmdv_recordset_load_link(&link, db, *ancestor, ancestor);
    dmd_recordset_destroy(&link);
    if (!good)
      return dmdv_recordset_say_damaged(db);
    dmdv_sql_start(db, DMDV_SQL_RUNS_WITH_RECORDSET);
    dmdv_sql_int(db, *ancestor);
    if (!dmdv_sql_number(db, &n_runs))
      return false;
  }
  return true;
}

bool dmdv_recordset_rebase(dmdv_database_t *db, int64_t id) {
  dmd_recordset_t set = {0}, base = {0}, difference = {0};
  int64_t ancestor, depth = -1;
  bool good = dmdv_recordset_load(&set, db, id) && find_ancestor(db, id, &ancestor) &&
              (ancestor == 0 || depth_of(db, ancestor, &depth)) &&
              dmdv_recordset_load(&base, db, ancestor);
  if (good) {
    dmd_strbuf_t data;
    dmd_strbuf_init(&data, &dmdv_env);
    dmd_recordset_subtract(&difference, &set, &base);
    dmd_recordset_encode(&data, &difference);
    dmdv_sql_start(db, DMDV_SQL_SET_RECORDSET);
    dmdv_sql_int(db, id);
    bind_data(db, ancestor, depth + 1, &data);
    good = dmdv_sql_run(db);
    dmd_strbuf_destroy(&data);
  }
  dmd_recordset_destroy(&difference);
  dmd_recordset_destroy(&base);
  dmd_recordset_destroy(&set);
  return good;
}

bool dmdv_recordsets_visit_stacks(dmdv_database_t *db, void (*visit)(void *ctx, int64_t stack),
                                  void *ctx) {
  dmdv_sql_step_t step;
  dmdv_sql_start(db, DMDV_SQL_RECORDSETS);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    dmd_recordset_t link = {0};
    size_t n;
    const void *packed = dmdv_sql_column_bytes(db, 3, &n);
    bool good = unpack(&link, packed, n);
    for (size_t i = 0; i < link.n && good; i++)
      visit(ctx, link.records[i].stack);
    dmd_recordset_destroy(&link);
    if (!good)
      return dmdv_recordset_say_damaged(db);
  }
  return step == DMDV_SQL_DONE;
}
