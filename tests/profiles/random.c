/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "random.h"

#include "base/format.h"

#include <string.h>

enum { MAX_FRAMES = 12, MAX_STACKS = 12, MAX_DEPTH = 6, MAX_GROUPS = 40, MAX_TEXT = 40 };

/* Up to 2^18 blocks of a group stand for 2^24 times as many, and 40 groups for less than 2^53. */
enum { MAX_INTERVAL_BITS = 24 };

typedef struct {
  dmd_profile_t *profile;
  const random_dice_t *dice;
  uint32_t frames[MAX_FRAMES], stacks[MAX_STACKS];
  uint64_t n_frames, n_stacks;
  bool is_ours; /* a profile of dmd, which has more fields than those of other programs */
} maker_t;

static uint64_t below(const maker_t *m, uint64_t n) {
  return m->dice->below(m->dice->ctx, n);
}

static bool one_in(const maker_t *m, uint64_t n) {
  return below(m, n) == 0;
}

/* Up to 2^bits, bits at most 63; small numbers as likely as large ones. */
static uint64_t number(const maker_t *m, unsigned bits) {
  return below(m, (UINT64_C(1) << below(m, bits + 1)) + 1);
}

/* A text of pieces that are hard to write and to read. */
static const char *text(const maker_t *m, char to[MAX_TEXT]) {
  static const char *const pieces[] = {"f",
                                       "malloc (m.c:1)",
                                       "\"",
                                       "\\",
                                       "\n",
                                       "\x01",
                                       "\x7f",
                                       "/",
                                       "\xc3\xa4",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x8d\xaa",
                                       " ",
                                       "#00: ",
                                       "[",
                                       "]",
                                       "{",
                                       "}",
                                       ",",
                                       ":",
                                       "???",
                                       "explicit/a",
                                       "\xef\xbf\xbd"};
  to[0] = '\0';
  for (uint64_t n = below(m, 5); n > 0; n--) {
    const char *piece = pieces[below(m, sizeof pieces / sizeof pieces[0])];
    if (strlen(to) + strlen(piece) < MAX_TEXT)
      strcat(to, piece);
  }
  return to;
}

static const char *kept_text(const maker_t *m) {
  char buffer[MAX_TEXT];
  return dmd_profile_keep(m->profile, text(m, buffer));
}

static uint32_t any_stack(const maker_t *m) {
  return m->stacks[below(m, m->n_stacks)];
}

static uint32_t any_name(const maker_t *m) {
  char buffer[MAX_TEXT];
  return one_in(m, 3) ? DMD_NONE : dmd_intern_str(&m->profile->names, text(m, buffer));
}

/* A frame given as one text, as in files of other programs, or in parts. */
static uint32_t any_frame(const maker_t *m) {
  char function[MAX_TEXT], file[MAX_TEXT], object[MAX_TEXT];
  if (!m->is_ours || one_in(m, 2))
    return dmd_frames_read_text(&m->profile->frames, text(m, function));
  dmd_location_t location = {.function = one_in(m, 4) ? NULL : text(m, function),
                             .file = one_in(m, 3) ? NULL : text(m, file),
                             .object = one_in(m, 3) ? NULL : text(m, object),
                             .line = number(m, 63),
                             .offset = one_in(m, 3) ? DMD_OFFSET_UNKNOWN : number(m, 53),
                             .build_id = one_in(m, 2)   ? NULL
                                         : one_in(m, 3) ? ""
                                                        : "00a1ff"};
  return dmd_frames_add(&m->profile->frames, &location);
}

static void make_stacks(maker_t *m) {
  m->n_frames = 1 + below(m, MAX_FRAMES);
  for (uint64_t i = 0; i < m->n_frames; i++)
    m->frames[i] = any_frame(m);
  m->n_stacks = 1 + below(m, MAX_STACKS);
  for (uint64_t i = 0; i < m->n_stacks; i++) {
    uint32_t frames[MAX_DEPTH];
    size_t n = (size_t)below(m, MAX_DEPTH + 1);
    for (size_t k = 0; k < n; k++)
      frames[k] = m->frames[below(m, m->n_frames)];
    m->stacks[i] = dmd_profile_stack(m->profile, frames, n);
  }
}

static uint64_t figure(const maker_t *m) {
  return one_in(m, 3) ? DMD_MEMORY_UNKNOWN : number(m, 53);
}

/* The memory of the process, and the values that it published. */
static void make_memory(const maker_t *m) {
  dmd_footprint_t *memory = &m->profile->memory;
  memory->heap_allocated = figure(m);
  memory->heap_overhead = figure(m);
  memory->resident = figure(m);
  memory->resident_unique = figure(m);
  for (uint64_t n = below(m, 6); n > 0; n--) {
    char process[MAX_TEXT], path[MAX_TEXT], description[MAX_TEXT];
    dmd_memreport_t value = {.process = text(m, process),
                             .path = text(m, path),
                             .description = text(m, description),
                             .amount = (int64_t)number(m, 53) - (int64_t)number(m, 53),
                             .times = 1 + number(m, 20),
                             .kind = (uint32_t)below(m, DMD_MEMREPORT_N_KINDS),
                             .units = (uint32_t)below(m, DMD_MEMREPORT_N_UNITS)};
    dmd_memreports_add(&m->profile->memreports, &value);
  }
}

static uint32_t no_or_any_stack(const maker_t *m) {
  return one_in(m, 3) ? DMD_NONE : any_stack(m);
}

/* A number of the fault if faults of this kind have it: any value, as programs may pass any. */
static uint64_t amount(const maker_t *m, const dmd_fault_t *fault, unsigned bit) {
  if (!(dmd_fault_numbers(fault->kind) & bit))
    return 0;
  return one_in(m, 8) ? UINT64_MAX - below(m, 3) : number(m, 63);
}

/* Some of the reporters that a fault may be about. */
static void make_names(const maker_t *m, dmd_fault_t *fault) {
  for (uint64_t i = below(m, DMD_FAULT_NAMES + 1); i > 0; i--) {
    uint32_t name = any_name(m);
    if (name != DMD_NONE)
      dmd_fault_add_name(fault, name);
  }
  if (fault->n_names == DMD_FAULT_NAMES)
    fault->n_names += (uint32_t)below(m, 1000000);
}

static void make_fault(const maker_t *m) {
  dmd_fault_t fault = {.num = 1 + number(m, 40), .kind = (uint32_t)below(m, DMD_N_FAULTS)};
  fault.stack = no_or_any_stack(m);
  fault.reporter = any_name(m);
  fault.reason = one_in(m, 2) ? DMD_REASON_NONE : (uint32_t)below(m, DMD_N_REASONS);
  fault.allocated = no_or_any_stack(m);
  fault.freed = no_or_any_stack(m);
  fault.reported = no_or_any_stack(m);
  fault.other_reporter = any_name(m);
  fault.scope = any_name(m);
  fault.memory = any_name(m);
  fault.bytes = one_in(m, 8) ? UINT64_MAX - below(m, 3) : number(m, 40);
  fault.claimed = amount(m, &fault, DMD_FAULT_HAS_AMOUNTS);
  fault.measured = amount(m, &fault, DMD_FAULT_HAS_AMOUNTS);
  fault.size = amount(m, &fault, DMD_FAULT_HAS_SIZE);
  fault.offset = amount(m, &fault, DMD_FAULT_HAS_OFFSET);
  fault.length = amount(m, &fault, DMD_FAULT_HAS_LENGTH);
  if (one_in(m, 4))
    make_names(m, &fault);
  dmd_faults_add(&m->profile->faults, &fault);
}

static void make_hint(const maker_t *m) {
  dmd_hint_t hint = {.blocks = 1 + number(m, 40),
                     .bytes = number(m, 50),
                     .referrer_kind = (uint32_t)below(m, DMD_N_REFERRER_KINDS)};
  hint.pointed = below(m, hint.blocks + 1);
  hint.referrers = below(m, 20);
  hint.referrers_alike = hint.referrers + number(m, 40);
  hint.before = number(m, 40);
  hint.alloc = no_or_any_stack(m);
  hint.stack = any_stack(m);
  hint.reporter = any_name(m);
  hint.offset = one_in(m, 3) ? DMD_OFFSET_ANY : (uint32_t)number(m, 12);
  dmd_hints_add(&m->profile->hints, &hint);
}

static void make_reporter_run(const maker_t *m) {
  uint32_t reporter = any_name(m);
  if (reporter != DMD_NONE)
    dmd_reporter_runs_add(&m->profile->reporter_runs, reporter, one_in(m, 3) ? 0 : number(m, 48));
}

static void make_process(const maker_t *m) {
  char name[MAX_TEXT];
  dmd_footprint_t memory = {figure(m), figure(m), figure(m), figure(m)};
  if (dmd_intern_find_str(&m->profile->processes, text(m, name)) == DMD_NONE)
    dmd_profile_add_process(m->profile, name, &memory);
}

/* One of the two kinds of sampling, or none. The estimates must not overflow a sum. */
static void make_sampling(const maker_t *m) {
  dmd_run_t *run = &m->profile->run;
  run->sample_interval = one_in(m, 3) ? number(m, MAX_INTERVAL_BITS) : 0;
  run->sample_below = run->sample_interval > 0 || one_in(m, 2) ? 0 : number(m, 20);
}

static void make_attach(const maker_t *m) {
  dmd_attach_t *attach = &m->profile->run.attach;
  dmd_format_time(attach->time, number(m, 32));
  bool is_counted = one_in(m, 2);
  attach->older_blocks = is_counted ? number(m, 53) : DMD_MEMORY_UNKNOWN;
  attach->older_szB = is_counted ? number(m, 53) : DMD_MEMORY_UNKNOWN;
}

static void make_run(const maker_t *m) {
  dmd_run_t *run = &m->profile->run;
  run->is_known = true;
  run->version = kept_text(m);
  run->valgrind_version = kept_text(m);
  run->command = kept_text(m);
  run->folder = one_in(m, 2) ? NULL : kept_text(m);
  run->host = one_in(m, 2) ? NULL : kept_text(m);
  run->time = one_in(m, 2) ? NULL : kept_text(m);
  for (uint64_t n = below(m, 4); n > 0; n--)
    dmd_profile_add_argument(m->profile, kept_text(m));
  run->label = one_in(m, 2) ? NULL : kept_text(m);
  run->trigger = kept_text(m);
  run->allocator = kept_text(m);
  run->allocator_chosen = one_in(m, 2) ? NULL : kept_text(m);
  run->replaced_new = one_in(m, 2) ? NULL : kept_text(m);
  run->pid = number(m, 53);
  run->dump_number = number(m, 53);
  run->word_szB = one_in(m, 2) ? 4 : 8;
  run->partial_stacks = one_in(m, 2);
  run->partial_hint = one_in(m, 4);
  make_sampling(m);
  run->seed = one_in(m, 2) ? UINT64_MAX - below(m, 3) : number(m, 63);
  run->most_resident_szB = one_in(m, 2) ? 0 : number(m, 53);
  run->n_allocs = number(m, 53);
  run->n_frees = number(m, 53);
  run->alloc_szB = number(m, 53);
  run->in_use_szB = number(m, 53);
  run->in_use_blocks = number(m, 53);
  run->freed_reported = number(m, 53);
  run->nested_szB = number(m, 40);
  make_memory(m);
  if (one_in(m, 4))
    make_attach(m);
  for (uint64_t n = below(m, 8); n > 0; n--)
    make_fault(m);
  for (uint64_t n = below(m, 4); n > 0; n--)
    make_hint(m);
  for (uint64_t n = below(m, 6); n > 0; n--)
    make_reporter_run(m);
  for (uint64_t n = below(m, 3); n > 0; n--)
    make_process(m);
}

/* The sharers of a block; a few may be equal. */
static uint32_t make_sharers(const maker_t *m) {
  uint32_t id = DMD_NONE;
  for (uint64_t n = 1 + below(m, one_in(m, 4) ? 120 : 6); n > 0; n--) {
    dmd_report_t report = {
        .stack = any_stack(m), .reporter = any_name(m), .flags = DMD_REPORT_SHARED};
    id = dmd_reports_add(&m->profile->reports, id, report);
  }
  return id;
}

static uint32_t make_reports(const maker_t *m) {
  dmd_report_set_t set = {.count = (uint32_t)below(m, 4)};
  if (set.count == 0)
    return DMD_NONE;
  if (set.count == 3)
    set.count += (uint32_t)below(m, DMD_REPORTS_COUNTED - 2);
  for (uint32_t i = 0; i < set.count && i < DMD_REPORTS_KEPT; i++)
    set.report[i] = (dmd_report_t){.stack = any_stack(m), .reporter = any_name(m)};
  return dmd_reports_intern(&m->profile->reports, &set);
}

static void make_scanned(const maker_t *m, const dmd_group_t *g) {
  dmd_scanned_t *scanned = &m->profile->scanned;
  dmd_scanned_add(scanned, dmd_groups_append(&m->profile->groups, g), 1 + number(m, 63));
  for (uint64_t n = below(m, 5); n > 0; n--)
    dmd_scanned_add_word(scanned, one_in(m, 3) ? UINT64_MAX : number(m, 63));
}

static void make_group(const maker_t *m) {
  char buffer[MAX_TEXT];
  dmd_group_t g = {.req = number(m, 35),
                   .slop = one_in(m, 2) ? 0 : number(m, 12),
                   .num = 1 + (one_in(m, 2) ? 0 : number(m, 18)),
                   .thread = 1};
  g.stack = one_in(m, 6) ? DMD_NONE : any_stack(m);
  g.reports = one_in(m, 2) ? DMD_NONE : one_in(m, 3) ? make_sharers(m) : make_reports(m);
  if (one_in(m, 3))
    g.tag = (uint16_t)dmd_intern_str(&m->profile->tags, text(m, buffer));
  if (one_in(m, 3))
    g.thread = 1 + (below(m, DMD_MAX_THREAD) & (DMD_MAX_THREAD - 1));
  g.sampled = one_in(m, m->profile->run.sample_interval > 0 ? 2 : 8);
  if (m->profile->mode == DMD_MODE_SCAN)
    make_scanned(m, &g);
  else
    dmd_groups_add(&m->profile->groups, &g);
}

static dmd_moment_t make_moment(const maker_t *m) {
  return (dmd_moment_t){.is_known = true,
                        .szB = number(m, 53),
                        .n_blocks = number(m, 53),
                        .ms = number(m, 53),
                        .alloc_szB = number(m, 53),
                        .error_szB = one_in(m, 2) ? 0 : number(m, 53)};
}

static void make_gone(const maker_t *m, dmd_groups_t *to) {
  dmd_group_t g = {.req = number(m, 35), .num = 1 + number(m, 10), .thread = 1};
  g.stack = (uint32_t)below(m, dmd_intern_count(&m->profile->stacks) + 1);
  dmd_groups_add(to, &g);
}

void random_profile(dmd_profile_t *profile, const random_dice_t *dice) {
  maker_t m = {.profile = profile, .dice = dice};
  profile->mode = (dmd_mode_t)below(&m, DMD_MODE_SCAN + 1);
  profile->options = one_in(&m, 2) ? NULL : kept_text(&m);
  m.is_ours = !one_in(&m, 4);
  make_stacks(&m);
  if (m.is_ours)
    make_run(&m);
  for (uint64_t n = below(&m, MAX_GROUPS); n > 0; n--)
    make_group(&m);
}

static void make_lifetime(const maker_t *m) {
  dmd_lifetime_t lifetime = {.alloc_szB = number(m, 40)};
  lifetime.stack = (uint32_t)below(m, dmd_intern_count(&m->profile->stacks) + 1);
  for (uint64_t n = below(m, 5); n > 0; n--) {
    uint64_t freed = number(m, 20);
    lifetime.classes[below(m, DMD_LIFETIME_CLASSES)] += freed;
    lifetime.n_freed += freed;
  }
  lifetime.sum = (double)lifetime.n_freed * (double)number(m, 30);
  lifetime.n_temporary = below(m, lifetime.n_freed + 1);
  lifetime.n_allocs = lifetime.n_freed + number(m, 20);
  lifetime.most_szB = below(m, lifetime.alloc_szB + 1);
  dmd_lifetimes_add(&m->profile->lifetimes, &lifetime);
}

void random_peak(dmd_profile_t *profile, const random_dice_t *dice) {
  maker_t m = {.profile = profile, .dice = dice};
  profile->lifetimes.is_known = profile->run.is_known && one_in(&m, 2);
  for (uint64_t n = profile->lifetimes.is_known ? below(&m, 5) : 0; n > 0; n--)
    make_lifetime(&m);
  if (!profile->run.is_known || one_in(&m, 3))
    return;
  profile->has_peak = true;
  profile->run.peak = make_moment(&m);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    dmd_groups_at(&profile->groups, id)->after_peak = one_in(&m, 2);
    dmd_groups_at(&profile->groups, id)->never_measured = one_in(&m, 2);
  }
  for (uint64_t n = below(&m, 5); n > 0; n--)
    make_gone(&m, &profile->gone);
  if (one_in(&m, 2))
    return;
  profile->has_recent = true;
  profile->run.recent_peak = make_moment(&m);
  for (uint64_t n = below(&m, 5); n > 0; n--)
    make_gone(&m, &profile->recent);
}

/* A point that follows the last one. */
static dmd_timepoint_t make_point(const maker_t *m, const dmd_timepoint_t *last) {
  uint64_t szB = number(m, 53);
  return (dmd_timepoint_t){.ms = last->ms + number(m, 20),
                           .szB = szB,
                           .n_blocks = number(m, 53),
                           .alloc_szB = last->alloc_szB + number(m, 40),
                           .n_instructions = m->profile->timeline.counts_instructions
                                                 ? last->n_instructions + number(m, 40)
                                                 : 0,
                           .resident_szB = one_in(m, 2) ? DMD_MEMORY_UNKNOWN : number(m, 53),
                           .least_szB = szB};
}

static void make_breakdowns(const maker_t *m) {
  dmd_timeline_t *timeline = &m->profile->timeline;
  dmd_timepoint_t at = {0};
  uint64_t n_stacks = dmd_intern_count(&m->profile->stacks);
  for (uint64_t n = n_stacks == 0 ? 0 : below(m, 4); n > 0; n--)
    dmd_timeline_add_stack(timeline, 1 + (uint32_t)below(m, n_stacks));
  for (uint64_t n = below(m, 3); n > 0; n--)
    dmd_timeline_add_tag(timeline, dmd_intern_str(&m->profile->tags, one_in(m, 2) ? "a" : "b"));
  for (uint64_t n = below(m, 4); n > 0; n--) {
    at = make_point(m, &at);
    at.resident_szB = DMD_MEMORY_UNKNOWN;
    dmd_breakdown_t *breakdown = dmd_timeline_add_breakdown(timeline, &at);
    for (uint32_t i = 0; i < timeline->stacks.last; i++)
      breakdown->stacks[i] = number(m, 40);
    for (uint32_t i = 0; i < timeline->tags.last; i++)
      breakdown->tags[i] = number(m, 53);
  }
  dmd_timeline_join_stacks(timeline);
}

void random_timeline(dmd_profile_t *profile, const random_dice_t *dice) {
  maker_t m = {.profile = profile, .dice = dice};
  dmd_timepoint_t point = {0};
  dmd_timemark_t mark = {.text = DMD_NONE};
  if (!profile->run.is_known || one_in(&m, 3))
    return;
  profile->timeline.spacing_ms = 1 + number(&m, 30);
  profile->timeline.is_forked = one_in(&m, 4);
  profile->timeline.counts_instructions = one_in(&m, 2);
  for (uint64_t n = 1 + below(&m, 6); n > 0; n--) {
    point = make_point(&m, &point);
    point.least_szB = one_in(&m, 2) ? point.szB : below(&m, point.szB + 1);
    dmd_timeline_add_point(&profile->timeline, &point);
  }
  for (uint64_t n = below(&m, 4); n > 0; n--) {
    mark.at = make_point(&m, &mark.at);
    mark.dump = one_in(&m, 2) ? 0 : 1 + number(&m, 20);
    mark.text = any_name(&m);
    dmd_timeline_add_mark(&profile->timeline, &mark);
  }
  make_breakdowns(&m);
}
