/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/storedset.h"

#include "analyse/records/record.h"
#include "base/map.h"
#include "base/wire.h"
#include "host/process.h"
#include "model/profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- The set of a profile. ---- */

static int compare_records(const void *a, const void *b) {
  return dmd_stack_record_compare(a, b);
}

void dmdv_storedset_settle(dmd_stackset_t *set) {
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

static void append_u64(dmd_strbuf_t *to, uint64_t number) {
  char bytes[8];
  for (int i = 0; i < 8; i++)
    bytes[i] = (char)(number >> 8 * i);
  dmd_strbuf_bytes(to, bytes, sizeof bytes);
}

/* Adds b to a, or subtracts it: both are 128-bit numbers, with the least significant byte first. */
static void add_digest(unsigned char a[DMDV_DIGEST_SZB], const unsigned char b[DMDV_DIGEST_SZB],
                       bool is_minus) {
  int carry = 0;
  for (int i = 0; i < DMDV_DIGEST_SZB; i++) {
    int sum = a[i] + (is_minus ? -b[i] : b[i]) + carry;
    a[i] = (unsigned char)sum;
    carry = (sum > 255) - (sum < 0);
  }
}

/* Sums wrap around, so the order of the records does not matter. */
void dmdv_storedset_digest(unsigned char digest[DMDV_DIGEST_SZB],
                           const unsigned char stack[DMDV_DIGEST_SZB],
                           const dmd_stack_record_t *record, bool is_minus) {
  unsigned char own[DMDV_DIGEST_SZB];
  dmd_strbuf_t bytes;
  if (record->bytes == 0 && record->blocks == 0)
    return;
  dmd_strbuf_init(&bytes, &dmdv_env);
  dmd_strbuf_bytes(&bytes, (const char *)stack, DMDV_DIGEST_SZB);
  append_u64(&bytes, record->section);
  append_u64(&bytes, (uint64_t)record->bytes);
  append_u64(&bytes, (uint64_t)record->blocks);
  dmdv_digest(own, bytes.text, bytes.n);
  dmd_strbuf_destroy(&bytes);
  add_digest(digest, own, is_minus);
}

bool dmdv_storedset_of(dmd_stackset_t *set, unsigned char digest[DMDV_DIGEST_SZB],
                       dmdv_database_t *db, const dmd_profile_t *profile) {
  uint32_t n_groups = dmd_groups_count(&profile->groups);
  dmdv_stacks_t stacks;
  bool good = dmdv_stacks_add(&stacks, db, profile);
  dmd_stackset_init(set, &dmdv_env, n_groups);
  for (uint32_t id = 1; id <= n_groups && good; id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    set->records[set->n++] = (dmd_stack_record_t){.stack = dmdv_stacks_id(&stacks, g->stack),
                                                  .of_profile = g->stack,
                                                  .section = dmd_section_of_group(profile, g),
                                                  .bytes = dmd_group_usable(profile, g),
                                                  .blocks = dmd_group_blocks(profile, g)};
  }
  dmdv_storedset_settle(set);
  memset(digest, 0, DMDV_DIGEST_SZB);
  for (size_t i = 0; i < set->n; i++)
    dmdv_storedset_digest(digest, dmdv_stacks_digest(&stacks, set->records[i].of_profile),
                          &set->records[i], false);
  dmdv_stacks_destroy(&stacks);
  return good;
}

/* ---- Sets in the history. ---- */

/* Binds the base, the length of the chain, and the data: their length, then the deflated bytes. */
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

/* From now on the changed stacks read as in this profile: an alarm about the change shows the lines
 * of the build that made it. */
static bool refresh_stacks(dmdv_database_t *db, const dmd_stackset_t *changed,
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

static bool add_difference(const dmd_stackset_t *set, const dmd_stackset_t *base,
                           dmdv_database_t *db, const dmd_profile_t *profile, int64_t like,
                           const unsigned char digest[DMDV_DIGEST_SZB], const dmd_strbuf_t *whole,
                           int64_t *id) {
  int64_t depth;
  dmd_stackset_t difference = {0};
  dmd_strbuf_t data;
  dmd_strbuf_init(&data, &dmdv_env);
  dmd_stackset_subtract(&difference, set, base);
  dmd_stackset_encode(&data, &difference);
  bool good = depth_of(db, like, &depth) &&
              (profile == NULL || refresh_stacks(db, &difference, profile)) &&
              (depth >= 0 && depth < DMDV_RECORDSET_CHAIN - 1 && data.n < whole->n / 2
                   ? add_data(db, digest, like, depth + 1, &data, id)
                   : add_data(db, digest, 0, 0, whole, id));
  dmd_strbuf_destroy(&data);
  dmd_stackset_destroy(&difference);
  return good;
}

/* Stores the difference if it is small and the chain is not too long; otherwise the whole set. */
static bool add_set(const dmd_stackset_t *set, dmdv_database_t *db, const dmd_profile_t *profile,
                    dmdv_storedset_like_t like, const unsigned char digest[DMDV_DIGEST_SZB],
                    const dmd_strbuf_t *whole, int64_t *id) {
  dmd_stackset_t base = {0};
  if (like.id == 0)
    return add_data(db, digest, 0, 0, whole, id);
  bool good = like.set != NULL || dmdv_storedset_load(&base, db, like.id);
  if (good)
    good = add_difference(set, like.set != NULL ? like.set : &base, db, profile, like.id, digest,
                          whole, id);
  dmd_stackset_destroy(&base);
  return good;
}

bool dmdv_storedset_store(const dmd_stackset_t *set, const unsigned char digest[DMDV_DIGEST_SZB],
                          dmdv_database_t *db, const dmd_profile_t *profile,
                          dmdv_storedset_like_t like, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_FIND_RECORDSET);
  dmdv_sql_bytes(db, digest, DMDV_DIGEST_SZB);
  bool good = dmdv_sql_number(db, id);
  if (!good || *id != 0)
    return good;
  dmd_strbuf_t whole;
  dmd_strbuf_init(&whole, &dmdv_env);
  dmd_stackset_encode(&whole, set);
  good = add_set(set, db, profile, like, digest, &whole, id);
  dmd_strbuf_destroy(&whole);
  return good;
}

bool dmdv_storedset_last(dmdv_database_t *db, const char *moment, int64_t environment,
                         const char *process, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_LAST_RECORDSET);
  dmdv_sql_text(db, moment);
  dmdv_sql_int(db, environment);
  dmdv_sql_text(db, process);
  return dmdv_sql_number(db, id);
}

static bool unpack(dmd_stackset_t *set, const void *packed, size_t n) {
  const uint64_t most = UINT64_C(1) << 32;
  const unsigned char *at = packed, *end = at + n;
  uint64_t szB;
  /* Deflate expands a byte to at most 1,032. */
  if (!dmd_wire_take_number(&at, end, &szB) || szB > most || szB > (uint64_t)(end - at) * 1032 + 64)
    return false;
  unsigned char *room = dmd_env_alloc(&dmdv_env, "dmdv.recordset", szB + 1);
  uLongf got = (uLongf)szB;
  bool good = uncompress(room, &got, at, (uLong)(end - at)) == Z_OK && got == szB &&
              dmd_stackset_decode(set, &dmdv_env, room, szB);
  dmd_env_free(&dmdv_env, room);
  return good;
}

bool dmdv_storedset_load_link(dmd_stackset_t *set, dmdv_database_t *db, int64_t id, int64_t *base) {
  dmdv_sql_start(db, DMDV_SQL_RECORDSET);
  dmdv_sql_int(db, id);
  if (dmdv_sql_step(db) != DMDV_SQL_ROW)
    return false;
  size_t n;
  const void *packed = dmdv_sql_column_bytes(db, 2, &n);
  *base = dmdv_sql_column_is_null(db, 0) ? 0 : dmdv_sql_column_int(db, 0);
  return unpack(set, packed, n);
}

bool dmdv_storedset_base(dmdv_database_t *db, int64_t id, int64_t *base) {
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

bool dmdv_storedset_say_damaged(const dmdv_database_t *db) {
  return dmdv_sql_is_good(db) &&
         dmdv_error("the history is damaged: the records of a run cannot be read");
}

bool dmdv_storedset_load(dmd_stackset_t *set, dmdv_database_t *db, int64_t id) {
  dmd_stackset_init(set, &dmdv_env, 0);
  for (int depth = 0; id != 0; depth++) {
    dmd_stackset_t link = {0}, sum;
    if (depth == DMDV_RECORDSET_CHAIN || !dmdv_storedset_load_link(&link, db, id, &id)) {
      dmd_stackset_destroy(&link);
      return dmdv_storedset_say_damaged(db);
    }
    dmd_stackset_add(&sum, set, &link);
    dmd_stackset_destroy(&link);
    dmd_stackset_destroy(set);
    *set = sum;
  }
  return true;
}

bool dmdv_storedsets_of_build(dmd_pool_t *ids, dmdv_database_t *db, int64_t build,
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

bool dmdv_storedset_load_sum(dmd_stackset_t *sum, dmdv_database_t *db, const dmd_pool_t *ids) {
  bool good = true;
  dmd_stackset_init(sum, &dmdv_env, 0);
  for (uint32_t number = 1; number <= ids->last && good; number++) {
    dmd_stackset_t set = {0}, both;
    good = dmdv_storedset_load(&set, db, *DMD_POOL_AT(ids, const int64_t, number));
    if (good) {
      dmd_stackset_add(&both, sum, &set);
      dmd_stackset_destroy(sum);
      *sum = both;
    }
    dmd_stackset_destroy(&set);
  }
  return good;
}

/* ---- Other bases. ---- */

/* A set as it is stored. */
typedef struct {
  int64_t base, depth;
  dmd_stackset_t difference;
} link_t;

typedef struct {
  dmd_pool_t links; /* link_t */
  dmd_map_t by_id;  /* their numbers, as pointers */
} links_t;

static const link_t *find_link(const links_t *links, int64_t id) {
  uint32_t number = (uint32_t)(uintptr_t)dmd_map_find(&links->by_id, (uint64_t)id);
  return number != 0 ? DMD_POOL_AT(&links->links, const link_t, number) : NULL;
}

static bool add_link(links_t *links, dmdv_database_t *db) {
  size_t n;
  const void *packed = dmdv_sql_column_bytes(db, 3, &n);
  uint32_t number = dmd_pool_add(&links->links);
  link_t *link = DMD_POOL_AT(&links->links, link_t, number);
  link->base = dmdv_sql_column_is_null(db, 1) ? 0 : dmdv_sql_column_int(db, 1);
  link->depth = dmdv_sql_column_int(db, 2);
  dmd_map_add(&links->by_id, (uint64_t)dmdv_sql_column_int(db, 0), (void *)(uintptr_t)number);
  return unpack(&link->difference, packed, n);
}

/* Reads the links of these sets, and of the sets in between. */
static bool load_links(links_t *links, dmdv_database_t *db, const int64_t *ids, size_t n) {
  dmdv_sql_step_t step;
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  for (size_t i = 0; i < n; i++)
    dmdv_sql_append_number(&text, ids[i]);
  dmdv_sql_start(db, DMDV_SQL_RECORDSETS_BELOW);
  dmdv_sql_text(db, text.text);
  dmd_strbuf_destroy(&text);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
    if (!add_link(links, db))
      return dmdv_storedset_say_damaged(db);
  return step == DMDV_SQL_DONE;
}

/* Stores the sum of the set's link and those below it, whose last one has the new base. */
static bool rebase(const links_t *links, dmdv_database_t *db, int64_t id) {
  const link_t *link = find_link(links, id), *last = link, *next;
  dmd_stackset_t sum;
  dmd_strbuf_t data;
  int n = 0;
  if (link == NULL)
    return dmdv_storedset_say_damaged(db);
  dmd_stackset_init(&sum, &dmdv_env, 0);
  for (next = link; next != NULL && n < DMDV_RECORDSET_CHAIN; n++) {
    dmd_stackset_t more;
    dmd_stackset_add(&more, &sum, &next->difference);
    dmd_stackset_destroy(&sum);
    sum = more;
    last = next;
    next = find_link(links, next->base);
  }
  dmd_strbuf_init(&data, &dmdv_env);
  dmd_stackset_encode(&data, &sum);
  dmdv_sql_start(db, DMDV_SQL_SET_RECORDSET);
  dmdv_sql_int(db, id);
  bind_data(db, last->base, last->depth, &data);
  dmdv_sql_queue(db, NULL);
  dmd_strbuf_destroy(&data);
  dmd_stackset_destroy(&sum);
  return next == NULL || dmdv_storedset_say_damaged(db);
}

bool dmdv_storedsets_rebase(dmdv_database_t *db, const int64_t *ids, size_t n) {
  links_t links;
  dmd_pool_init(&links.links, &dmdv_env, "dmdv.rebase", sizeof(link_t));
  dmd_map_init(&links.by_id, &dmdv_env, "dmdv.rebase");
  bool good = load_links(&links, db, ids, n);
  for (size_t i = 0; i < n && good; i++)
    good = rebase(&links, db, ids[i]);
  for (uint32_t number = 1; number <= links.links.last; number++)
    dmd_stackset_destroy(&DMD_POOL_AT(&links.links, link_t, number)->difference);
  dmd_map_destroy(&links.by_id);
  dmd_pool_destroy(&links.links);
  return good && dmdv_sql_flush(db);
}

/* ---- Stacks. ---- */

bool dmdv_storedsets_visit_stacks(dmdv_database_t *db, void (*visit)(void *ctx, int64_t stack),
                                  void *ctx) {
  dmdv_sql_step_t step;
  dmdv_sql_start(db, DMDV_SQL_RECORDSETS);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    dmd_stackset_t link = {0};
    size_t n;
    const void *packed = dmdv_sql_column_bytes(db, 3, &n);
    bool good = unpack(&link, packed, n);
    for (size_t i = 0; i < link.n && good; i++)
      visit(ctx, link.records[i].stack);
    dmd_stackset_destroy(&link);
    if (!good)
      return dmdv_storedset_say_damaged(db);
  }
  return step == DMDV_SQL_DONE;
}
