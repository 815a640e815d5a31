/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/profile.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"

/* ---- Runs of reporters. ---- */

static bool run_equal(const void *owner, uint32_t id, const void *key) {
  return dmd_reporter_runs_at(owner, id)->reporter == *(const uint32_t *)key;
}

void dmd_reporter_runs_init(dmd_reporter_runs_t *runs, const dmd_env_t *env) {
  dmd_pool_init(&runs->pool, env, "dmd.reporterruns", sizeof(dmd_reporter_run_t));
  dmd_table_init(&runs->index, env, "dmd.reporterruns.index", run_equal, runs);
}

void dmd_reporter_runs_destroy(dmd_reporter_runs_t *runs) {
  dmd_table_destroy(&runs->index);
  dmd_pool_destroy(&runs->pool);
}

void dmd_reporter_runs_add(dmd_reporter_runs_t *runs, uint32_t reporter, uint64_t n) {
  uint64_t hash = dmd_table_hash(&runs->index, reporter);
  uint32_t id = dmd_table_find(&runs->index, hash, &reporter);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&runs->pool);
    *DMD_POOL_AT(&runs->pool, dmd_reporter_run_t, id) = (dmd_reporter_run_t){.reporter = reporter};
    dmd_table_add(&runs->index, hash, id);
  }
  DMD_POOL_AT(&runs->pool, dmd_reporter_run_t, id)->n += n;
}

/* ---- Contents of blocks. ---- */

void dmd_scanned_init(dmd_scanned_t *scanned, const dmd_env_t *env) {
  dmd_pool_init(&scanned->blocks, env, "dmd.scanned.blocks", sizeof(dmd_scanned_block_t));
  dmd_pool_init(&scanned->words, env, "dmd.scanned.words", sizeof(uint64_t));
}

void dmd_scanned_destroy(dmd_scanned_t *scanned) {
  dmd_pool_destroy(&scanned->words);
  dmd_pool_destroy(&scanned->blocks);
}

void dmd_scanned_add(dmd_scanned_t *scanned, uint32_t group, uint64_t addr) {
  dmd_pool_reach(&scanned->blocks, group);
  *DMD_POOL_AT(&scanned->blocks, dmd_scanned_block_t, group) =
      (dmd_scanned_block_t){.addr = addr, .first = scanned->words.last + 1};
}

void dmd_scanned_add_word(dmd_scanned_t *scanned, uint64_t word) {
  uint32_t place = dmd_pool_add(&scanned->words);
  *DMD_POOL_AT(&scanned->words, uint64_t, place) = word;
  DMD_POOL_AT(&scanned->blocks, dmd_scanned_block_t, scanned->blocks.last)->n_words++;
}

/* ---- Profiles. ---- */

const char *dmd_mode_name(dmd_mode_t mode) {
  static const char *const names[] = {"dark-matter", "live", "cumulative", "scan"};
  return names[mode];
}

#define TOTAL(field) offsetof(dmd_run_t, field)
#define MEMORY(field) offsetof(dmd_footprint_t, field)

const dmd_metric_field_t dmd_total_fields[DMD_N_TOTAL_FIELDS] = {
    {"allocs", TOTAL(n_allocs), false},           {"frees", TOTAL(n_frees), false},
    {"allocBytes", TOTAL(alloc_szB), false},      {"inUseBytes", TOTAL(in_use_szB), false},
    {"inUseBlocks", TOTAL(in_use_blocks), false}, {"freedReported", TOTAL(freed_reported), false},
    {"nestedBytes", TOTAL(nested_szB), true},
};

const dmd_metric_field_t dmd_memory_fields[DMD_N_MEMORY_FIELDS] = {
    {"heapAllocated", MEMORY(heap_allocated), false},
    {"heapOverhead", MEMORY(heap_overhead), false},
    {"resident", MEMORY(resident), false},
    {"residentUnique", MEMORY(resident_unique), false},
};

#define STRING(field) offsetof(dmd_run_t, field)

const size_t dmd_run_strings[DMD_N_RUN_STRINGS] = {
    STRING(version),      STRING(valgrind_version),
    STRING(command),      STRING(folder),
    STRING(host),         STRING(time),
    STRING(label),        STRING(trigger),
    STRING(allocator),    STRING(allocator_chosen),
    STRING(replaced_new),
};

void dmd_profile_init(dmd_profile_t *profile, const dmd_env_t *env) {
  dmd_mem_zero(profile, sizeof *profile);
  profile->env = env;
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++)
    *dmd_metric_at(&dmd_memory_fields[i], &profile->memory) = DMD_MEMORY_UNKNOWN;
  dmd_frames_init(&profile->frames, env);
  dmd_intern_init(&profile->stacks, env, "dmd.profile.stacks");
  dmd_intern_init(&profile->names, env, "dmd.profile.names");
  dmd_pool_init(&profile->arguments, env, "dmd.profile.arguments", sizeof(uint32_t));
  dmd_intern_init(&profile->tags, env, "dmd.profile.tags");
  dmd_reports_init(&profile->reports, env);
  dmd_groups_init(&profile->groups, env);
  dmd_faults_init(&profile->faults, env);
  dmd_hints_init(&profile->hints, env);
  dmd_memreports_init(&profile->memreports, env);
  dmd_intern_init(&profile->processes, env, "dmd.profile.processes");
  dmd_pool_init(&profile->process_memory, env, "dmd.profile.processes", sizeof(dmd_footprint_t));
  dmd_reporter_runs_init(&profile->reporter_runs, env);
  dmd_scanned_init(&profile->scanned, env);
  dmd_groups_init(&profile->gone, env);
  dmd_groups_init(&profile->recent, env);
  dmd_timeline_init(&profile->timeline, env);
  dmd_lifetimes_init(&profile->lifetimes, env);
  dmd_mapped_init(&profile->mapped, env);
}

void dmd_profile_destroy(dmd_profile_t *profile) {
  dmd_mapped_destroy(&profile->mapped);
  dmd_lifetimes_destroy(&profile->lifetimes);
  dmd_timeline_destroy(&profile->timeline);
  dmd_groups_destroy(&profile->recent);
  dmd_groups_destroy(&profile->gone);
  dmd_scanned_destroy(&profile->scanned);
  dmd_hints_destroy(&profile->hints);
  dmd_pool_destroy(&profile->process_memory);
  dmd_intern_destroy(&profile->processes);
  dmd_reporter_runs_destroy(&profile->reporter_runs);
  dmd_memreports_destroy(&profile->memreports);
  dmd_faults_destroy(&profile->faults);
  dmd_groups_destroy(&profile->groups);
  dmd_reports_destroy(&profile->reports);
  dmd_intern_destroy(&profile->tags);
  dmd_pool_destroy(&profile->arguments);
  dmd_intern_destroy(&profile->names);
  dmd_intern_destroy(&profile->stacks);
  dmd_frames_destroy(&profile->frames);
}

const char *dmd_profile_keep(dmd_profile_t *profile, const char *s) {
  if (s == NULL)
    return NULL;
  return dmd_intern_get_str(&profile->names, dmd_intern_str(&profile->names, s));
}

void dmd_profile_set_run(dmd_profile_t *profile, const dmd_run_t *run) {
  profile->run = *run;
  for (size_t i = 0; i < DMD_N_RUN_STRINGS; i++) {
    const char **string = dmd_run_string(&profile->run, i);
    *string = dmd_profile_keep(profile, *string);
  }
}

void dmd_profile_take_run(dmd_profile_t *profile, const dmd_profile_t *from) {
  profile->mode = from->mode;
  profile->options = dmd_profile_keep(profile, from->options);
  profile->memory = from->memory;
  dmd_profile_set_run(profile, &from->run);
}

void dmd_profile_add_argument(dmd_profile_t *profile, const char *argument) {
  uint32_t number = dmd_pool_add(&profile->arguments);
  *DMD_POOL_AT(&profile->arguments, uint32_t, number) = dmd_intern_str(&profile->names, argument);
}

const char *dmd_profile_argument(const dmd_profile_t *profile, uint32_t i) {
  return dmd_intern_get_str(&profile->names, *DMD_POOL_AT(&profile->arguments, uint32_t, i + 1));
}

const char *dmd_profile_program(const dmd_profile_t *profile, size_t *n) {
  bool has_arguments = dmd_profile_n_arguments(profile) > 0;
  const char *program = has_arguments ? dmd_profile_argument(profile, 0) : profile->run.command;
  if (!profile->run.is_known || program == NULL || program[0] == '\0')
    return NULL;
  *n = has_arguments ? dmd_str_length(program) : dmd_str_span_without(program, " ");
  return program;
}

uint32_t dmd_profile_stack(dmd_profile_t *profile, const uint32_t *frames, size_t n) {
  return dmd_intern_bytes(&profile->stacks, frames, n * sizeof *frames);
}

const uint32_t *dmd_profile_frames(const dmd_profile_t *profile, uint32_t stack, size_t *n) {
  if (stack == DMD_NONE) {
    *n = 0;
    return NULL;
  }
  const uint32_t *frames = dmd_intern_get(&profile->stacks, stack, n);
  *n /= sizeof *frames;
  return frames;
}

static void join_figure(uint64_t *to, uint64_t from) {
  if (*to != DMD_MEMORY_UNKNOWN)
    *to = from == DMD_MEMORY_UNKNOWN ? from : *to + from;
}

void dmd_footprint_add(dmd_footprint_t *to, const dmd_footprint_t *from) {
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++)
    join_figure(dmd_metric_at(&dmd_memory_fields[i], to),
                dmd_metric_of(&dmd_memory_fields[i], from));
}

dmd_footprint_t *dmd_profile_add_process(dmd_profile_t *profile, const char *name,
                                         const dmd_footprint_t *memory) {
  uint32_t process = dmd_intern_str(&profile->processes, name);
  bool is_new = process > profile->process_memory.last;
  dmd_pool_reach(&profile->process_memory, process);
  dmd_footprint_t *sum = DMD_POOL_AT(&profile->process_memory, dmd_footprint_t, process);
  if (is_new)
    *sum = *memory;
  else
    dmd_footprint_add(sum, memory);
  return sum;
}

/* ---- The dump or the peak. ---- */

/* The heap at the end is at most this share of a peak that matters. */
enum { END_SHARE = 2 };

/* Reports on allocation need no reporter to run. */
static bool any_reported(const dmd_profile_t *profile) {
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
    if (dmd_groups_at(&profile->groups, id)->reports != DMD_NONE)
      return true;
  return false;
}

bool dmd_run_is_at_exit(const dmd_run_t *run) {
  return run->trigger != NULL && dmd_str_equal(run->trigger, "exit");
}

bool dmd_run_is_at_end(const dmd_run_t *run) {
  return dmd_run_is_at_exit(run) || (run->trigger != NULL && dmd_str_equal(run->trigger, "detach"));
}

bool dmd_peak_matters(const dmd_profile_t *profile) {
  const dmd_run_t *run = &profile->run;
  return profile->has_peak && run->peak.szB > 0 && dmd_run_is_at_end(run) &&
         run->in_use_szB <= run->peak.szB / END_SHARE && run->freed_reported == 0 &&
         dmd_reporter_runs_count(&profile->reporter_runs) == 0 &&
         dmd_memreports_count(&profile->memreports) == 0 && !any_reported(profile);
}

/* ---- The groups of one moment. ---- */

static void add_of_peak(dmd_groups_t *to, const dmd_groups_t *from, bool with_reports) {
  for (uint32_t id = 1; id <= dmd_groups_count(from); id++) {
    dmd_group_t group = *dmd_groups_at(from, id);
    group.reports = with_reports ? group.reports : DMD_NONE;
    if (!group.after_peak)
      dmd_groups_add(to, &group);
  }
}

static dmd_pool_t groups_of_peak(const dmd_profile_t *profile, bool with_reports) {
  dmd_groups_t groups;
  dmd_groups_init(&groups, profile->env);
  add_of_peak(&groups, &profile->groups, with_reports);
  add_of_peak(&groups, &profile->gone, with_reports);
  dmd_groups_finish(&groups);
  return groups.pool;
}

static dmd_pool_t groups_of_recent(const dmd_profile_t *profile) {
  dmd_groups_t groups;
  dmd_groups_init(&groups, profile->env);
  add_of_peak(&groups, &profile->recent, false);
  dmd_groups_finish(&groups);
  return groups.pool;
}

/* Blocks of a scan stay separate groups, because each has its own address. */
static void drop_peak(dmd_profile_t *profile) {
  bool any = false;
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    dmd_group_t *group = dmd_groups_at(&profile->groups, id);
    any |= group->after_peak;
    group->after_peak = false;
  }
  if (any && dmd_scanned_is_empty(&profile->scanned))
    dmd_groups_join(&profile->groups);
}

static void add_never_measured(const dmd_profile_t *profile, const dmd_groups_t *groups,
                               uint64_t *szB, uint64_t *n_blocks) {
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *group = dmd_groups_at(groups, id);
    if (!group->never_measured || group->after_peak)
      continue;
    *szB += (uint64_t)dmd_group_bytes(profile, group, group->req);
    *n_blocks += (uint64_t)dmd_group_blocks(profile, group);
  }
}

void dmd_peak_add_up_never_measured(dmd_profile_t *profile) {
  uint64_t *szB = &profile->run.never_measured_szB, *n_blocks = &profile->run.never_measured_blocks;
  *szB = *n_blocks = 0;
  if (!profile->has_peak)
    return;
  add_never_measured(profile, &profile->groups, szB, n_blocks);
  add_never_measured(profile, &profile->gone, szB, n_blocks);
}

/* ---- The moment that is not shown. ---- */

static void init_side(dmd_moment_side_t *side, const dmd_profile_t *profile, dmd_pool_t groups) {
  *side = (dmd_moment_side_t){.groups = groups,
                              .mode = DMD_MODE_LIVE,
                              .peak = profile->run.peak,
                              .never_measured_szB = profile->run.never_measured_szB,
                              .never_measured_blocks = profile->run.never_measured_blocks,
                              .is_peak = true};
  dmd_scanned_init(&side->scanned, profile->env);
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++)
    *dmd_metric_at(&dmd_memory_fields[i], &side->memory) = DMD_MEMORY_UNKNOWN;
}

static void init_peak(dmd_moment_side_t *side, const dmd_profile_t *profile, bool with_reports) {
  init_side(side, profile, groups_of_peak(profile, with_reports));
  if (with_reports)
    side->mode = profile->mode;
}

/* The reporters of a block at the peak are unknown. */
void dmd_moment_side_init_peak(dmd_moment_side_t *side, const dmd_profile_t *profile) {
  init_peak(side, profile, false);
}

void dmd_moment_side_init_recent(dmd_moment_side_t *side, const dmd_profile_t *profile) {
  init_side(side, profile, groups_of_recent(profile));
  side->peak = profile->run.recent_peak;
  side->never_measured_szB = side->never_measured_blocks = 0;
  add_never_measured(profile, &profile->recent, &side->never_measured_szB,
                     &side->never_measured_blocks);
  side->is_recent = true;
}

void dmd_moment_side_destroy(dmd_moment_side_t *side) {
  dmd_pool_destroy(&side->groups);
  dmd_scanned_destroy(&side->scanned);
}

void dmd_moment_swap(dmd_profile_t *profile, dmd_moment_side_t *side) {
  dmd_moment_side_t shown = {.groups = profile->groups.pool,
                             .mode = profile->mode,
                             .scanned = profile->scanned,
                             .memory = profile->memory,
                             .peak = profile->run.peak,
                             .never_measured_szB = profile->run.never_measured_szB,
                             .never_measured_blocks = profile->run.never_measured_blocks,
                             .is_peak = profile->shows_peak,
                             .is_recent = profile->shows_recent};
  profile->groups.pool = side->groups;
  profile->mode = side->mode;
  profile->scanned = side->scanned;
  profile->memory = side->memory;
  profile->run.peak = side->peak;
  profile->run.never_measured_szB = side->never_measured_szB;
  profile->run.never_measured_blocks = side->never_measured_blocks;
  profile->shows_peak = side->is_peak;
  profile->shows_recent = side->is_recent;
  *side = shown;
}

void dmd_peak_view_init(dmd_peak_view_t *view, const dmd_profile_t *profile, bool with_reports) {
  view->profile = *profile;
  init_peak(&view->side, profile, with_reports);
  dmd_moment_swap(&view->profile, &view->side);
}

void dmd_peak_view_destroy(dmd_peak_view_t *view) {
  dmd_moment_swap(&view->profile, &view->side);
  dmd_moment_side_destroy(&view->side);
}

/* ---- Choosing one of them. ---- */

static void drop_end(dmd_profile_t *profile, bool is_recent) {
  dmd_moment_side_t side;
  if (is_recent)
    dmd_moment_side_init_recent(&side, profile);
  else
    dmd_moment_side_init_peak(&side, profile);
  dmd_moment_swap(profile, &side);
  dmd_moment_side_destroy(&side);
  dmd_hints_destroy(&profile->hints);
  dmd_hints_init(&profile->hints, profile->env);
}

static void drop_groups(dmd_groups_t *groups, const dmd_env_t *env) {
  dmd_groups_destroy(groups);
  dmd_groups_init(groups, env);
}

void dmd_moment_choose(dmd_profile_t *profile, dmd_moment_choice_t choice) {
  if (choice == DMD_MOMENT_ALL && profile->has_peak)
    return;
  bool takes_peak = choice == DMD_MOMENT_AUTO ? dmd_peak_matters(profile)
                                              : choice != DMD_MOMENT_END && profile->has_peak;
  if (takes_peak)
    drop_end(profile, choice == DMD_MOMENT_RECENT && profile->has_recent);
  else
    drop_peak(profile);
  drop_groups(&profile->gone, profile->env);
  drop_groups(&profile->recent, profile->env);
  profile->has_peak = profile->has_recent = false;
}

/* ---- Sampled blocks. ---- */

/* 1 - e^-x for x > 0, accurate for small and large x: up to 1/2 by its series, beyond that by
 * doubling, since 1 - e^-2x = a (2 - a) with a = 1 - e^-x. */
static double chance(double x) {
  if (x > 64)
    return 1;
  int n_doublings = 0;
  for (; x > 0.5; x /= 2)
    n_doublings++;
  double term = x, a = 0;
  for (int k = 2; k < 20; k++) {
    a += term;
    term *= -x / k;
  }
  for (; n_doublings > 0; n_doublings--)
    a *= 2 - a;
  return a;
}

double dmd_sampled_weight(uint64_t interval, uint64_t req) {
  return 1 / chance((double)(req > 0 ? req : 1) / (double)interval);
}

static double weight_of(const dmd_profile_t *profile, const dmd_group_t *g) {
  return dmd_sampled_weight(profile->run.sample_interval, g->req);
}

/* x >= 0; at most DMD_MAX_TOTAL */
static int64_t round_by(double x, double up) {
  return x < (double)DMD_MAX_TOTAL ? (int64_t)(x + up) : (int64_t)DMD_MAX_TOTAL;
}

/* A number in [0, 1) from a hash of the group. */
static double lot_of(const dmd_group_t *g) {
  uint64_t num = dmd_magnitude((int64_t)g->num);
  uint64_t h = dmd_hash_u64(g->req ^ dmd_hash_u64(g->slop ^ dmd_hash_u64(num)));
  return (double)(h >> 11) * (1.0 / 9007199254740992.0);
}

int64_t dmd_group_blocks(const dmd_profile_t *profile, const dmd_group_t *g) {
  int64_t num = (int64_t)g->num;
  if (!dmd_group_is_estimated(profile, g))
    return num;
  int64_t n = round_by((double)dmd_magnitude(num) * weight_of(profile, g), lot_of(g));
  return num < 0 ? -n : n;
}

int64_t dmd_group_bytes(const dmd_profile_t *profile, const dmd_group_t *g, uint64_t szB_each) {
  int64_t num = (int64_t)g->num;
  if (!dmd_group_is_estimated(profile, g))
    return (int64_t)(g->num * szB_each);
  int64_t szB =
      round_by((double)dmd_magnitude(num) * weight_of(profile, g) * (double)szB_each, 0.5);
  return num < 0 ? -szB : szB;
}

uint64_t dmd_szB_times(uint64_t szB, uint32_t times) {
  return times > 0 && szB > DMD_MAX_TOTAL / times ? DMD_MAX_TOTAL : szB * times;
}

int64_t dmd_group_excess(const dmd_profile_t *profile, const dmd_group_t *g) {
  uint32_t times = g->reports == DMD_NONE ? 0 : dmd_reports_excess(&profile->reports, g->reports);
  return times == 0 ? 0 : dmd_group_bytes(profile, g, dmd_szB_times(g->req + g->slop, times));
}

dmd_variance_t dmd_group_variance(const dmd_profile_t *profile, const dmd_group_t *g) {
  if (!dmd_group_is_estimated(profile, g))
    return (dmd_variance_t){0, 0};
  double weight = weight_of(profile, g), usable = (double)g->req + (double)g->slop;
  double blocks = (double)dmd_magnitude((int64_t)g->num) * weight * (weight - 1);
  return (dmd_variance_t){blocks, blocks * usable * usable};
}

dmd_blocksum_t dmd_group_sum(const dmd_profile_t *profile, const dmd_group_t *g,
                             uint64_t szB_each) {
  return (dmd_blocksum_t){.bytes = dmd_group_bytes(profile, g, szB_each),
                          .blocks = dmd_group_blocks(profile, g),
                          .sampled = g->sampled,
                          .variance = dmd_group_variance(profile, g)};
}

static void add_up(const dmd_profile_t *profile, const dmd_groups_t *groups, double *blocks,
                   double *szB) {
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *g = dmd_groups_at(groups, id);
    double n = (double)g->num;
    if (dmd_group_is_estimated(profile, g))
      n *= weight_of(profile, g);
    *blocks += n;
    *szB += n * ((double)g->req + (double)g->slop);
  }
}

bool dmd_sampled_fits(const dmd_profile_t *profile) {
  double blocks = 0, szB = 0;
  if (profile->run.sample_interval == 0)
    return true;
  add_up(profile, &profile->groups, &blocks, &szB);
  add_up(profile, &profile->gone, &blocks, &szB);
  add_up(profile, &profile->recent, &blocks, &szB);
  return blocks <= (double)DMD_MAX_COUNT && szB <= (double)DMD_MAX_TOTAL;
}
