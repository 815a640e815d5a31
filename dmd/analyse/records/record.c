/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/record.h"

#include "base/fnname.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

static dmd_record_t *at(const dmd_records_t *records, uint32_t id) {
  return DMD_POOL_AT(&records->records, dmd_record_t, id);
}

/* The key of a record is its cut stacks, and how many of them are report stacks. */
static uint64_t key_hash(const dmd_records_t *records, const dmd_record_t *r) {
  uint64_t h = dmd_table_hash(&records->index, r->stack ^ (uint64_t)r->n_reported << 32);
  return dmd_hash_u64(h ^ r->reported[0] ^ (uint64_t)r->reported[1] << 32);
}

static bool record_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_record_t *a = at(owner, id), *b = key;
  return a->stack == b->stack && a->n_reported == b->n_reported &&
         a->reported[0] == b->reported[0] && a->reported[1] == b->reported[1];
}

/* The id of these frames: that of the profile's stack if there is one. */
static uint32_t stack_of(dmd_records_t *records, const uint32_t *frames, size_t n) {
  uint32_t known = dmd_intern_find_bytes(&records->profile->stacks, frames, n * sizeof *frames);
  if (known != DMD_NONE)
    return known;
  return records->n_whole + dmd_intern_bytes(&records->cut_stacks, frames, n * sizeof *frames);
}

/* The cut stack for some frames: frames with equal text are replaced by the first of them. */
static uint32_t cut_stack(dmd_records_t *records, const uint32_t *frames, size_t n) {
  const dmd_frames_t *all = &records->profile->frames;
  if (!all->any_alike)
    return stack_of(records, frames, n);
  const dmd_env_t *env = records->profile->env;
  uint32_t *first = dmd_env_alloc(env, "dmd.records.cut", (n + 1) * sizeof *first);
  for (size_t i = 0; i < n; i++)
    first[i] = dmd_frames_at(all, frames[i])->alike;
  uint32_t id = stack_of(records, first, n);
  dmd_env_free(env, first);
  return id;
}

static uint32_t cut(dmd_records_t *records, uint32_t stack) {
  const dmd_profile_t *profile = records->profile;
  size_t n, n_measuring;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  n_measuring = dmd_measuring_frames(profile, frames, n);
  if (n_measuring == 0 && n <= records->max_frames && !profile->frames.any_alike)
    return stack;
  n -= n_measuring;
  return cut_stack(records, frames + n_measuring,
                   n < records->max_frames ? n : records->max_frames);
}

static void cut_stacks(dmd_records_t *records) {
  const dmd_profile_t *profile = records->profile;
  records->n_whole = dmd_intern_count(&profile->stacks);
  records->cut = dmd_env_alloc(profile->env, "dmd.records.cut",
                               (records->n_whole + 1ul) * sizeof *records->cut);
  records->cut[DMD_NONE] = DMD_NONE;
  for (uint32_t id = 1; id <= records->n_whole; id++)
    records->cut[id] = cut(records, id);
}

const char *dmd_section_name(dmd_section_t section) {
  static const char *const names[DMD_N_SECTIONS] = {
      [DMD_SECTION_TWICE] = "twice-reported",
      [DMD_SECTION_UNREPORTED] = "unreported",
      [DMD_SECTION_ONCE] = "once-reported",
      [DMD_SECTION_ALL] = "live",
  };
  return names[section];
}

/* How many reports a report set counts for in records: a shared set counts as one. */
static uint32_t n_reported(const dmd_profile_t *profile, uint32_t reports) {
  if (dmd_reports_are_shared(&profile->reports, reports))
    return 1;
  uint32_t count = dmd_reports_at(&profile->reports, reports)->count;
  return count < DMD_REPORTS_KEPT ? count : DMD_REPORTS_KEPT;
}

dmd_section_t dmd_section_of_group(const dmd_profile_t *profile, const dmd_group_t *group) {
  if (profile->mode != DMD_MODE_DARK_MATTER)
    return DMD_SECTION_ALL;
  if (group->reports == DMD_NONE)
    return DMD_SECTION_UNREPORTED;
  return n_reported(profile, group->reports) == 1 ? DMD_SECTION_ONCE : DMD_SECTION_TWICE;
}

dmd_section_t dmd_record_section(const dmd_records_t *records, const dmd_record_t *r) {
  if (records->profile->mode != DMD_MODE_DARK_MATTER)
    return DMD_SECTION_ALL;
  return r->n_reported == 0   ? DMD_SECTION_UNREPORTED
         : r->n_reported == 1 ? DMD_SECTION_ONCE
                              : DMD_SECTION_TWICE;
}

/* The id of the record for a group, added if it is new. */
static uint32_t record_of_group(dmd_records_t *records, const dmd_group_t *g) {
  const dmd_profile_t *profile = records->profile;
  dmd_record_t key;
  dmd_mem_zero(&key, sizeof key);
  key.stack = records->cut[g->stack];
  if (profile->mode == DMD_MODE_DARK_MATTER && g->reports != DMD_NONE) {
    const dmd_report_set_t *set = dmd_reports_at(&profile->reports, g->reports);
    key.n_reported = n_reported(profile, g->reports);
    for (uint32_t i = 0; i < key.n_reported; i++)
      key.reported[i] = records->cut[set->report[i].stack];
  }
  uint32_t id = dmd_table_find(&records->index, key_hash(records, &key), &key);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&records->records);
    *at(records, id) = key;
    dmd_table_add(&records->index, key_hash(records, &key), id);
    records->section[dmd_record_section(records, &key)].n++;
  }
  return id;
}

/* Computes unsigned, since sums over an untrusted file may overflow. */
static int64_t add(int64_t sum, int64_t szB) {
  return (int64_t)((uint64_t)sum + (uint64_t)szB);
}

static void add_group(dmd_records_t *records, dmd_group_t *g) {
  g->record = record_of_group(records, g);
  dmd_record_t *r = at(records, g->record);
  int64_t usable = dmd_group_usable(records->profile, g);
  int64_t req = dmd_group_bytes(records->profile, g, g->req);
  r->num += dmd_group_blocks(records->profile, g);
  r->req += req;
  r->slop += usable - req;
  r->usable += usable;
  if (r->n_reported > 1)
    r->excess = add(r->excess, dmd_group_excess(records->profile, g));
  r->sampled |= g->sampled;
  if (g->sampled)
    dmd_variance_add(&r->variance, dmd_group_variance(records->profile, g));
  if (r->n_reported > 0) {
    uint32_t count = dmd_reports_at(&records->profile->reports, g->reports)->count;
    bool shared = dmd_reports_are_shared(&records->profile->reports, g->reports);
    r->shared |= shared;
    if (!shared && count > r->most_reports)
      r->most_reports = count;
  }
  r->n_groups++;
}

/* Lists the groups of each record; their numbers are known. */
static void list_groups(dmd_records_t *records) {
  const dmd_groups_t *groups = &records->profile->groups;
  size_t n_groups = dmd_groups_count(groups);
  records->groups = dmd_env_alloc(records->profile->env, "dmd.records.groups",
                                  (n_groups + 1) * sizeof *records->groups);
  uint32_t next = 0;
  for (uint32_t id = 1; id <= records->records.last; id++) {
    dmd_record_t *r = at(records, id);
    r->first_group = next;
    next += r->n_groups;
    r->n_groups = 0;
  }
  for (uint32_t id = 1; id <= n_groups; id++) {
    dmd_record_t *r = at(records, dmd_groups_at(groups, id)->record);
    records->groups[r->first_group + r->n_groups++] = id;
  }
}

static uint64_t req_of(const void *ctx, uint32_t id) {
  return dmd_magnitude(at(ctx, id)->req);
}

static uint64_t slop_of(const void *ctx, uint32_t id) {
  return dmd_magnitude(at(ctx, id)->slop);
}

static uint64_t usable_of(const void *ctx, uint32_t id) {
  return dmd_magnitude(at(ctx, id)->usable);
}

static uint64_t num_of(const void *ctx, uint32_t id) {
  return dmd_magnitude(at(ctx, id)->num);
}

void dmd_records_sort(const dmd_records_t *records, uint32_t *ids, size_t n,
                      dmd_sort_by_t sort_by) {
  /* The sort is stable, so the last key is the primary one. */
  static const dmd_number_of_fn orders[][3] = {
      [DMD_SORT_USABLE] = {req_of, usable_of},
      [DMD_SORT_REQ] = {req_of},
      [DMD_SORT_SLOP] = {slop_of},
      [DMD_SORT_NUM_BLOCKS] = {req_of, usable_of, num_of},
  };
  for (int i = 0; i < 3 && orders[sort_by][i] != NULL; i++)
    dmd_sort_by_number(records->profile->env, ids, n, orders[sort_by][i], records);
}

/* Computes the section's totals from its records. */
static void add_up(const dmd_records_t *records, dmd_section_records_t *s) {
  s->sum = (dmd_blocksum_t){0};
  s->excess = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    const dmd_record_t *r = at(records, s->ids[i]);
    dmd_blocksum_add(&s->sum, dmd_record_sum(r));
    s->excess = add(s->excess, r->excess);
  }
}

static void sort_sections(dmd_records_t *records, dmd_sort_by_t sort_by) {
  const dmd_env_t *env = records->profile->env;
  for (int i = 0; i < DMD_N_SECTIONS; i++) {
    dmd_section_records_t *s = &records->section[i];
    s->ids = dmd_env_alloc(env, "dmd.records.ids", (s->n + 1) * sizeof *s->ids);
    s->n = 0;
  }
  for (uint32_t id = 1; id <= records->records.last; id++) {
    dmd_section_records_t *s = &records->section[dmd_record_section(records, at(records, id))];
    s->ids[s->n++] = id;
  }
  for (int i = 0; i < DMD_N_SECTIONS; i++) {
    dmd_section_records_t *s = &records->section[i];
    dmd_records_sort(records, s->ids, s->n, sort_by);
    add_up(records, s);
    s->n_all = s->n;
    dmd_blocksum_add(&records->heap, s->sum);
  }
}

void dmd_records_init(dmd_records_t *records, dmd_profile_t *profile, uint32_t max_frames,
                      dmd_sort_by_t sort_by) {
  const dmd_env_t *env = profile->env;
  dmd_mem_zero(records, sizeof *records);
  records->profile = profile;
  records->max_frames = max_frames;
  dmd_intern_init(&records->cut_stacks, env, "dmd.records.stacks");
  dmd_pool_init(&records->records, env, "dmd.records", sizeof(dmd_record_t));
  dmd_table_init(&records->index, env, "dmd.records.index", record_equal, records);
  cut_stacks(records);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
    add_group(records, dmd_groups_at(&profile->groups, id));
  dmd_table_destroy(&records->index);
  list_groups(records);
  sort_sections(records, sort_by);
}

void dmd_records_filter(dmd_records_t *records,
                        bool (*keep)(void *ctx, const dmd_records_t *records,
                                     const dmd_record_t *record),
                        void *ctx) {
  for (int i = 0; i < DMD_N_SECTIONS; i++) {
    dmd_section_records_t *s = &records->section[i];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < s->n; k++)
      if (keep(ctx, records, at(records, s->ids[k])))
        s->ids[kept++] = s->ids[k];
    s->n = kept;
    add_up(records, s);
  }
}

static bool has_changed(void *ctx, const dmd_records_t *records, const dmd_record_t *r) {
  (void)ctx;
  if (r->num != 0 || r->req != 0 || r->slop != 0 || r->usable != 0)
    return true;
  size_t n;
  dmd_env_free(records->profile->env, dmd_record_sizes(records, r, &n));
  return n > 0;
}

void dmd_records_drop_unchanged(dmd_records_t *records) {
  dmd_records_filter(records, has_changed, NULL);
  for (int i = 0; i < DMD_N_SECTIONS; i++)
    records->section[i].n_all = records->section[i].n;
}

void dmd_records_destroy(dmd_records_t *records) {
  const dmd_env_t *env = records->profile->env;
  for (int i = 0; i < DMD_N_SECTIONS; i++)
    dmd_env_free(env, records->section[i].ids);
  dmd_env_free(env, records->groups);
  dmd_pool_destroy(&records->records);
  dmd_env_free(env, records->cut);
  dmd_intern_destroy(&records->cut_stacks);
}

const uint32_t *dmd_records_frames(const dmd_records_t *records, uint32_t stack, size_t *n) {
  if (stack <= records->n_whole)
    return dmd_profile_frames(records->profile, stack, n);
  const uint32_t *frames = dmd_intern_get(&records->cut_stacks, stack - records->n_whole, n);
  *n /= sizeof *frames;
  return frames;
}

static int compare_size(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_size_count_t *sizes = ctx;
  return dmd_compare_magnitudes(sizes[a].usable, sizes[b].usable);
}

/* In a difference, drops blocks that came and went in equal numbers, and gives a negative size to
 * those that went. Returns how many are left. */
static size_t settle_sizes(dmd_size_count_t *sizes, size_t n) {
  size_t left = 0;
  for (size_t i = 0; i < n; i++) {
    if (sizes[i].num > 0)
      sizes[left++] = sizes[i];
    else if (sizes[i].num < 0)
      sizes[left++] = (dmd_size_count_t){-sizes[i].usable, -sizes[i].num};
  }
  return left;
}

dmd_size_count_t *dmd_record_sizes(const dmd_records_t *records, const dmd_record_t *record,
                                   size_t *n) {
  const dmd_env_t *env = records->profile->env;
  size_t n_groups = record->n_groups;
  dmd_size_count_t *each = dmd_env_alloc(env, "dmd.sizes", (n_groups + 1) * sizeof *each);
  uint32_t *order = dmd_env_alloc(env, "dmd.sizes.order", (n_groups + 1) * sizeof *order);
  for (uint32_t i = 0; i < n_groups; i++) {
    const dmd_group_t *g = dmd_record_group(records, record, i);
    each[i] =
        (dmd_size_count_t){(int64_t)(g->req + g->slop), dmd_group_blocks(records->profile, g)};
    order[i] = i;
  }
  dmd_sort(env, order, n_groups, compare_size, each);

  dmd_size_count_t *sizes = dmd_env_alloc(env, "dmd.sizes", (n_groups + 1) * sizeof *sizes);
  *n = 0;
  for (uint32_t i = 0; i < n_groups; i++) {
    const dmd_size_count_t *s = &each[order[i]];
    if (*n > 0 && sizes[*n - 1].usable == s->usable)
      sizes[*n - 1].num += s->num;
    else
      sizes[(*n)++] = *s;
  }
  *n = settle_sizes(sizes, *n);
  dmd_env_free(env, order);
  dmd_env_free(env, each);
  return sizes;
}

/* ---- Frames that measure. ---- */

/* A frame that is neither is treated like the next one. */
typedef enum { IS_OWN, IS_LIBRARY, IS_MEASURING } kind_t;

/* True for functions that DMD_MEASURE generates in a class. */
static bool is_of_list(const char *function) {
  return dmd_str_find(function, "dmd_walk_") != NULL ||
         dmd_str_find(function, "dmd_members_") != NULL;
}

/* An inlined function may have lost its namespace. */
static bool is_in_header(const char *file) {
  static const char *const headers[] = {"measure.hpp", "measure_list.hpp", "measure_std.hpp",
                                        /* the crate for Rust */
                                        "dmd_btree.rs", "dmd_containers.rs", "dmd_derived.rs",
                                        "dmd_hash.rs", "dmd_leaves.rs", "dmd_measure.rs",
                                        "dmd_ops.rs", "dmd_report.rs", "dmd_scope.rs",
                                        "dmd_request.rs", "dmd_shared.rs"};
  for (size_t i = 0; file != NULL && i < sizeof headers / sizeof *headers; i++)
    if (dmd_str_equal(dmd_path_base(file), headers[i]))
      return true;
  return false;
}

/* The scopes of dmd.h are used by the program or by this code. */
static kind_t kind_by_name(const char *bare) {
  if (dmd_str_begins(bare, "std::"))
    return IS_LIBRARY;
  if (!dmd_str_begins(bare, "dmd::"))
    return IS_OWN;
  return dmd_str_find(bare, "Scope::") == NULL ? IS_MEASURING : IS_LIBRARY;
}

static kind_t kind_of(const dmd_profile_t *profile, uint32_t frame) {
  dmd_location_t l = dmd_frames_location(&profile->frames, frame);
  if (l.function == NULL)
    return IS_OWN;
  if (is_in_header(l.file) || is_of_list(l.function))
    return IS_MEASURING;
  if (dmd_str_find(l.function, "::") == NULL)
    return IS_OWN;
  dmd_strbuf_t bare;
  dmd_strbuf_init(&bare, profile->env);
  dmd_fnname_bare(&bare, l.function, dmd_str_length(l.function));
  kind_t kind = kind_by_name(bare.text);
  dmd_strbuf_destroy(&bare);
  return kind;
}

size_t dmd_measuring_frames(const dmd_profile_t *profile, const uint32_t *frames, size_t n) {
  size_t n_measuring = 0;
  for (size_t i = 0; i < n; i++) {
    kind_t kind = kind_of(profile, frames[i]);
    if (kind == IS_OWN)
      return n_measuring;
    if (kind == IS_MEASURING)
      n_measuring = i + 1;
  }
  return n_measuring < n ? n_measuring : 0;
}

/* ---- Fields. ---- */

#define NUMBER(field) DMD_RECORD_IS_NUMBER, offsetof(dmd_record_t, field), 0
#define STACK(field, report) DMD_RECORD_IS_STACK, offsetof(dmd_record_t, field), report
#define NAME(report) DMD_RECORD_IS_NAME, 0, report

const dmd_record_field_t dmd_record_fields[DMD_N_RECORD_FIELDS] = {
    [DMD_RECORD_BLOCKS] = {"blocks", NULL, NUMBER(num)},
    [DMD_RECORD_BYTES] = {"bytes", NULL, NUMBER(usable)},
    [DMD_RECORD_REQUESTED] = {"requested", NULL, NUMBER(req)},
    [DMD_RECORD_SLOP] = {"slop", NULL, NUMBER(slop)},
    [DMD_RECORD_EXCESS] = {"excess", NULL, DMD_RECORD_IS_NUMBER, offsetof(dmd_record_t, excess), 2},
    [DMD_RECORD_SIZES] = {"sizes", NULL, DMD_RECORD_IS_SIZES, 0, 0},
    [DMD_RECORD_ALLOCATED_AT] = {"allocatedAt", "Allocated", STACK(stack, 0)},
    [DMD_RECORD_TAG] = {"tag", "Tag", NAME(0)},
    [DMD_RECORD_REPORTER] = {"reporter", "Reporter", NAME(1)},
    [DMD_RECORD_REPORTED_AT] = {"reportedAt", "Reported", STACK(reported[0], 1)},
    [DMD_RECORD_REPORTER_AGAIN] = {"reporterAgain", "Reporter", NAME(2)},
    [DMD_RECORD_REPORTED_AGAIN_AT] = {"reportedAgainAt", "Reported again", STACK(reported[1], 2)},
};
_Static_assert(DMD_REPORTS_KEPT == 2, "a field for each report that is kept");

/* The value of a name field in one of the record's groups. */
static uint32_t name_in_group(const dmd_profile_t *profile, const dmd_group_t *g,
                              const dmd_record_field_t *field) {
  if (field->report == 0)
    return g->tag;
  if (g->reports == DMD_NONE)
    return DMD_NONE;
  return dmd_reports_at(&profile->reports, g->reports)->report[field->report - 1].reporter;
}

uint32_t dmd_record_name(const dmd_records_t *records, const dmd_record_t *r,
                         dmd_record_field_id_t field, bool *several) {
  uint32_t name = DMD_NONE;
  *several = false;
  for (uint32_t i = 0; i < r->n_groups && !*several; i++) {
    const dmd_group_t *g = dmd_record_group(records, r, i);
    uint32_t other = name_in_group(records->profile, g, &dmd_record_fields[field]);
    *several = i > 0 && other != name;
    name = other;
  }
  return *several ? DMD_NONE : name;
}

const char *dmd_record_name_text(const dmd_records_t *records, const dmd_record_t *r,
                                 dmd_record_field_id_t field) {
  const dmd_profile_t *profile = records->profile;
  bool several;
  uint32_t name = dmd_record_name(records, r, field, &several);
  if (name == DMD_NONE)
    return NULL;
  return dmd_intern_get_str(field == DMD_RECORD_TAG ? &profile->tags : &profile->names, name);
}
