/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/tree/profile_amounts.h"

#include "analyse/records/record.h"
#include "base/path.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "model/profile/measured.h"
#include "model/profile/translate.h"

static const char EXPLICIT[] = "explicit/";
static const char TAGS[] = "explicit/tags/";

/* The state while the amounts of one profile are made. */
typedef struct {
  dmd_amounts_t *m;
  const dmd_profile_t *profile;
  const char *process;
  dmd_measured_t measured;
  int64_t *by_tag;        /* unreported bytes by tag; 0 for tags that the program published */
  dmd_intern_t tag_paths; /* paths of published tags */
  int64_t published_heap; /* published heap bytes that no reporter measured */
  /* Trees, as "root/", and single paths, with the units of each: trees[i] has tree_units[i]. */
  dmd_intern_t trees;
  dmd_pool_t tree_units;
  const char *why; /* why an amount could not be added; NULL so far */
} maker_t;

/* ---- Blocks. ---- */

static void add_up(maker_t *k, dmd_coverage_t *coverage) {
  const dmd_profile_t *profile = k->profile;
  *coverage = (dmd_coverage_t){0};
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    int64_t szB = dmd_group_usable(profile, g);
    coverage->heap_szB += szB;
    if (g->reports == DMD_NONE) {
      k->by_tag[g->tag] += szB;
    } else if (dmd_section_of_group(profile, g) == DMD_SECTION_TWICE) {
      coverage->twice_szB += szB;
      coverage->twice_blocks += dmd_group_blocks(profile, g);
      coverage->excess_szB =
          (int64_t)((uint64_t)coverage->excess_szB + (uint64_t)dmd_group_excess(profile, g));
    }
  }
}

/* ---- Adding. ---- */

/* The id of the tree that contains a path; a path without '/' is a tree by itself. */
static uint32_t tree_of(maker_t *k, const char *path) {
  size_t n = dmd_str_span_without(path, "/");
  if (path[n] == '/')
    n++;
  return dmd_intern_bytes(&k->trees, path, n);
}

/* Sets the units of a tree, unless already set; returns false if they differ. */
static bool tree_is_of(maker_t *k, const char *path, dmd_memreport_units_t units) {
  uint32_t tree = tree_of(k, path);
  if (tree > k->tree_units.last) {
    dmd_pool_add(&k->tree_units);
    *DMD_POOL_AT(&k->tree_units, uint32_t, tree) = units;
  }
  return *DMD_POOL_AT(&k->tree_units, uint32_t, tree) == units;
}

/* Names for which this file derives amounts. */
static bool is_derived(const char *path) {
  static const char *const derived[] = {"heap-allocated",
                                        "heap-overhead",
                                        "resident",
                                        "resident-unique",
                                        "thread-stacks",
                                        "twice-reported",
                                        "explicit/heap-unclassified"};
  for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++)
    if (dmd_path_is_at_or_below(path, derived[i]))
      return true;
  return false;
}

/* shared: as for dmd_amounts_add. */
static void add(maker_t *k, const dmd_memreport_t *report, int64_t shared) {
  tree_is_of(k, report->path, report->units);
  if (k->why == NULL)
    k->why = dmd_amounts_add(k->m, report, shared);
}

/* Adds the report with " (word)" after the first n characters of its path. */
static void add_with_word(maker_t *k, const dmd_memreport_t *report, size_t n, const char *word,
                          int64_t shared) {
  dmd_memreport_t changed = *report;
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, k->m->env);
  dmd_strbuf_bytes(&path, report->path, n);
  dmd_strbuf_str(&path, " (");
  dmd_strbuf_str(&path, word);
  dmd_strbuf_str(&path, ")");
  dmd_strbuf_str(&path, report->path + n);
  changed.path = path.text;
  add(k, &changed, shared);
  dmd_strbuf_destroy(&path);
}

/* Adds usable bytes of blocks. */
static dmd_memreport_t bytes_at(const maker_t *k, const char *path, dmd_memreport_kind_t kind,
                                int64_t amount, const char *description) {
  return (dmd_memreport_t){.process = k->process,
                           .path = path,
                           .description = description,
                           .amount = amount,
                           .times = 1,
                           .kind = kind,
                           .units = DMD_MEMREPORT_BYTES};
}

static void add_heap(maker_t *k, const char *path, int64_t amount, int64_t shared,
                     const char *description) {
  dmd_memreport_t report = bytes_at(k, path, DMD_MEMREPORT_HEAP, amount, description);
  if (is_derived(path))
    add_with_word(k, &report, dmd_str_length(path), "reporter", shared);
  else
    add(k, &report, shared);
}

/* ---- Published values and other sources. ---- */

/* True if the tree has a better amount: reporters measured this path, or the amount is the sum of
 * what they measured below it, which the tree adds up itself. */
static bool is_measured(const maker_t *k, const dmd_memreport_t *report) {
  if (report->units != DMD_MEMREPORT_BYTES || report->process != NULL)
    return false;
  return dmd_measured_at(&k->measured, report->path) > 0 ||
         (report->amount > 0 &&
          dmd_measured_at_or_below(&k->measured, report->path) == report->amount);
}

/* What the program published are amounts at the end. */
static uint32_t n_published(const dmd_profile_t *profile) {
  return profile->shows_peak ? 0 : dmd_memreports_count(&profile->memreports);
}

/* Heap amounts that the program published consist of blocks, which must not count twice: if the
 * path or the amount is that of a tag, they are the tag's blocks; otherwise they were reported
 * outside of any reporter, if at all. */
static void match_published(maker_t *k) {
  const dmd_memreports_t *reports = &k->profile->memreports;
  uint32_t n_tags = dmd_intern_count(&k->profile->tags);
  dmd_intern_t amounts; /* of the tags; tags with equal amounts are matched once */
  dmd_intern_init(&amounts, k->m->env, "dmd.amounts.amounts");
  uint32_t *tag_of = dmd_env_alloc(k->m->env, "dmd.amounts.amounts", (n_tags + 1) * sizeof *tag_of);
  for (uint32_t tag = 1; tag <= n_tags; tag++)
    tag_of[dmd_intern_bytes(&amounts, &k->by_tag[tag], sizeof k->by_tag[tag])] = tag;
  uint32_t n_amounts = dmd_intern_count(&amounts);
  for (uint32_t id = 1; id <= n_published(k->profile); id++) {
    dmd_memreport_t report = dmd_memreports_get(reports, id);
    if (report.kind != DMD_MEMREPORT_HEAP || report.process != NULL || report.amount <= 0 ||
        !dmd_str_begins(report.path, EXPLICIT) || is_measured(k, &report))
      continue;
    uint32_t amount = dmd_intern_bytes(&amounts, &report.amount, sizeof report.amount);
    if (dmd_str_begins(report.path, TAGS))
      dmd_intern_str(&k->tag_paths, report.path);
    else if (amount <= n_amounts)
      k->by_tag[tag_of[amount]] = 0;
    else if (k->published_heap < INT64_MAX / 2)
      k->published_heap += report.amount;
  }
  dmd_env_free(k->m->env, tag_of);
  dmd_intern_destroy(&amounts);
}

/* ---- Amounts of blocks. ---- */

static void add_reporters(maker_t *k) {
  static const char UNNAMED[] = "explicit/(unnamed reporter)";
  const int64_t *by_reporter = k->measured.by_reporter;
  int64_t unnamed = by_reporter[DMD_NONE] - k->published_heap;
  if (unnamed > 0)
    add_heap(
        k, UNNAMED, unnamed, k->measured.shared[DMD_NONE],
        "Blocks that were reported outside of any reporter, minus heap amounts that the program "
        "published under paths of no reporter.");
  for (uint32_t id = 1; id <= dmd_intern_count(&k->profile->names); id++) {
    const char *path = dmd_intern_get_str(&k->profile->names, id);
    if (by_reporter[id] > 0)
      add_heap(k, path[0] != '\0' ? path : UNNAMED, by_reporter[id], k->measured.shared[id],
               "Usable bytes of the blocks that this reporter reported.");
  }
}

static void add_tags(maker_t *k) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, k->m->env);
  dmd_strbuf_str(&path, TAGS);
  for (uint32_t id = 1; id <= dmd_intern_count(&k->profile->tags); id++) {
    if (k->by_tag[id] <= 0)
      continue;
    dmd_strbuf_cut(&path, sizeof TAGS - 1);
    dmd_strbuf_str(&path, dmd_intern_get_str(&k->profile->tags, id));
    if (dmd_intern_find_str(&k->tag_paths, path.text) == DMD_NONE)
      add_heap(k, path.text, k->by_tag[id], 0, "Usable bytes of unreported blocks with this tag.");
  }
  dmd_strbuf_destroy(&path);
}

/* ---- Measured by the tool. ---- */

static void add_figure(maker_t *k, const char *path, uint64_t szB, const char *description) {
  dmd_memreport_t report = bytes_at(k, path, DMD_MEMREPORT_OTHER, (int64_t)szB, description);
  if (szB != DMD_MEMORY_UNKNOWN)
    add(k, &report, 0);
}

static void add_memory(maker_t *k, int64_t heap_szB) {
  const dmd_footprint_t *memory = &k->profile->memory;
  const char *what =
      dmd_profile_is_sampled(k->profile)
          ? "Usable bytes of all blocks. They were sampled: all amounts of "
            "blocks are estimates."
      : k->profile->mode == DMD_MODE_CUMULATIVE
          ? "Usable bytes of all blocks ever allocated (mode cumulative). This applies "
            "to all amounts of blocks."
          : "Usable bytes of all blocks.";
  add_figure(k, "heap-allocated", (uint64_t)heap_szB, what);
  add_figure(k, "heap-overhead", memory->heap_overhead,
             "Overhead of Valgrind's arena beyond the blocks: its own records, and free space. "
             "The program's own allocator has a different overhead.");
  add_figure(k, "resident", memory->resident,
             "Physical memory of the program, without Valgrind's.");
  add_figure(k, "resident-unique", memory->resident_unique,
             "The part of resident that no other process shares.");
}

static void add_nonheap(maker_t *k, const char *path, uint64_t szB, const char *description) {
  dmd_memreport_t report = bytes_at(k, path, DMD_MEMREPORT_NONHEAP, (int64_t)szB, description);
  if (path[0] != '\0' && tree_is_of(k, path, report.units) && !is_derived(path))
    add(k, &report, 0);
}

/* Bytes that the program published as nonheap under explicit: they are mapped memory, most likely,
 * and must not count twice. */
static int64_t published_nonheap(const maker_t *k) {
  int64_t szB = 0;
  for (uint32_t id = 1; id <= n_published(k->profile); id++) {
    dmd_memreport_t report = dmd_memreports_get(&k->profile->memreports, id);
    if (report.kind == DMD_MEMREPORT_NONHEAP && report.units == DMD_MEMREPORT_BYTES &&
        report.process == NULL && report.amount > 0 && dmd_str_begins(report.path, EXPLICIT) &&
        szB < INT64_MAX / 2)
      szB += report.amount;
  }
  return szB;
}

/* Mappings are those of the dump, not of the peak. */
static void add_mapped(maker_t *k) {
  const dmd_mapped_t *mapped = &k->profile->mapped;
  if (k->profile->shows_peak || k->profile->mode != DMD_MODE_DARK_MATTER)
    return;
  for (uint32_t id = 1; id <= dmd_mapped_count(mapped); id++) {
    const dmd_mapped_entry_t *entry = dmd_mapped_at(mapped, id);
    const char *path = entry->reporter != DMD_NONE
                           ? dmd_intern_get_str(&k->profile->names, entry->reporter)
                           : "explicit/(unnamed reporter)";
    if (entry->is_reported)
      add_nonheap(k, path, entry->szB,
                  "Memory that the program mapped and this reporter reported.");
  }
  int64_t dark = (int64_t)dmd_mapped_sum(mapped, false, true).szB - published_nonheap(k);
  if (dark > 0)
    add_nonheap(k, "explicit/mapped-unclassified", (uint64_t)dark,
                "Memory that the program mapped, by mmap and the like, and nobody reported, minus "
                "what the program published as nonheap under explicit.");
  uint64_t stacks = dmd_mapped_sum(mapped, true, true).szB;
  if (stacks > 0)
    add_figure(k, "thread-stacks", stacks,
               "Address space of the stacks of threads that nobody reported. Most of it is not "
               "resident.");
}

/* ---- Published by the program. ---- */

static void add_published(maker_t *k, dmd_memreport_t report) {
  static const char *const words[] = {"bytes", "count", "cumulative", "percentage"};
  const char *path = report.path;
  bool is_own = report.process == NULL;
  if (is_measured(k, &report))
    return;
  if (is_own)
    report.process = k->process;
  if (report.description == NULL)
    report.description = "Published by the program.";
  size_t n_root = dmd_str_span_without(path, "/");
  if (is_derived(path) && is_own)
    add_with_word(k, &report, dmd_str_length(path), "published", 0);
  else if (dmd_str_begins(path, EXPLICIT) && report.kind == DMD_MEMREPORT_OTHER &&
           report.units == DMD_MEMREPORT_BYTES)
    add_with_word(k, &report, n_root, "other", 0);
  else if (tree_is_of(k, path, report.units))
    add(k, &report, 0);
  else
    add_with_word(k, &report, n_root, words[report.units], 0);
}

const char *dmd_amounts_of_profile(dmd_amounts_t *m, const dmd_profile_t *profile,
                                   const char *process, dmd_coverage_t *coverage) {
  maker_t k = {.m = m, .profile = profile, .process = process};
  size_t n_tags = (size_t)dmd_intern_count(&profile->tags) + 1;
  k.by_tag = dmd_env_alloc(m->env, "dmd.amounts.sums", n_tags * sizeof *k.by_tag);
  dmd_mem_zero(k.by_tag, n_tags * sizeof *k.by_tag);
  add_up(&k, coverage);
  dmd_measured_init(&k.measured, profile);
  dmd_intern_init(&k.trees, m->env, "dmd.amounts.trees");
  dmd_intern_init(&k.tag_paths, m->env, "dmd.amounts.tag_paths");
  dmd_pool_init(&k.tree_units, m->env, "dmd.amounts.trees", sizeof(uint32_t));

  tree_is_of(&k, EXPLICIT, DMD_MEMREPORT_BYTES);
  match_published(&k);
  add_reporters(&k);
  add_tags(&k);
  add_memory(&k, coverage->heap_szB);
  add_mapped(&k);
  for (uint32_t id = 1; id <= n_published(profile); id++)
    add_published(&k, dmd_memreports_get(&profile->memreports, id));

  dmd_pool_destroy(&k.tree_units);
  dmd_intern_destroy(&k.tag_paths);
  dmd_intern_destroy(&k.trees);
  dmd_measured_destroy(&k.measured);
  dmd_env_free(m->env, k.by_tag);
  return k.why;
}

char *dmd_process_name(const dmd_profile_t *profile) {
  static const char unknown[] = "(unknown process)";
  const dmd_run_t *run = &profile->run;
  size_t n = sizeof unknown - 1;
  const char *program = dmd_profile_program(profile, &n);
  if (program == NULL)
    program = unknown;
  size_t start = n;
  while (start > 0 && program[start - 1] != '/')
    start--;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, profile->env);
  dmd_strbuf_bytes(&name, program + start, n - start);
  if (run->is_known && run->pid != 0) {
    dmd_strbuf_str(&name, " (pid ");
    dmd_strbuf_u64(&name, run->pid);
    dmd_strbuf_str(&name, ")");
  }
  return dmd_strbuf_take(&name);
}

/* ---- Processes. ---- */

typedef struct {
  const dmd_profile_t *from;
  dmd_profile_t *parts;   /* process i has part i - 1; the last is for no process */
  dmd_translation_t *ids; /* one for each part */
} splitter_t;

/* Initialises a part as a run of its own. */
static void start(splitter_t *s, size_t i, const char *process) {
  dmd_profile_t *part = &s->parts[i];
  dmd_profile_init(part, s->from->env);
  part->mode = s->from->mode;
  part->run.is_known = true;
  part->run.word_szB = s->from->run.word_szB;
  part->run.sample_below = s->from->run.sample_below;
  dmd_profile_add_argument(part, process);
  dmd_translation_init_profile(&s->ids[i], part, s->from, NULL, NULL);
}

static size_t part_of_process(const splitter_t *s, const char *name) {
  uint32_t process = dmd_intern_find_str(&s->from->processes, name);
  return process != DMD_NONE ? process - 1 : dmd_intern_count(&s->from->processes);
}

static size_t part_of_stack(const splitter_t *s, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(s->from, stack, &n);
  const char *outermost = n > 0 ? dmd_frames_text(&s->from->frames, frames[n - 1]) : "";
  return part_of_process(s, outermost);
}

static void split_blocks(const splitter_t *s) {
  for (uint32_t id = 1; id <= dmd_groups_count(&s->from->groups); id++) {
    const dmd_group_t *group = dmd_groups_at(&s->from->groups, id);
    size_t i = part_of_stack(s, group->stack);
    dmd_group_t g = dmd_translation_group(&s->ids[i], group);
    dmd_groups_add(&s->parts[i].groups, &g);
  }
}

/* A report about a process that has no blocks here keeps that process's name. */
static void split_memory_reports(const splitter_t *s) {
  for (uint32_t id = 1; id <= dmd_memreports_count(&s->from->memreports); id++) {
    dmd_memreport_t report = dmd_memreports_get(&s->from->memreports, id);
    size_t i = part_of_process(s, report.process == NULL ? "" : report.process);
    bool is_own = i < dmd_intern_count(&s->from->processes);
    report.stack = DMD_NONE;
    if (is_own)
      report.process = NULL;
    dmd_memreports_add(&s->parts[is_own ? i : 0].memreports, &report);
  }
}

dmd_profile_t *dmd_processes_split(const dmd_profile_t *profile, size_t *n) {
  uint32_t n_processes = dmd_intern_count(&profile->processes);
  *n = 0;
  if (n_processes == 0)
    return NULL;
  const dmd_env_t *env = profile->env;
  size_t n_parts = (size_t)n_processes + 1;
  splitter_t s = {.from = profile};
  s.parts = dmd_env_alloc(env, "dmd.processes", n_parts * sizeof *s.parts);
  s.ids = dmd_env_alloc(env, "dmd.processes", n_parts * sizeof *s.ids);
  for (uint32_t i = 0; i < n_processes; i++) {
    start(&s, i, dmd_intern_get_str(&profile->processes, i + 1));
    s.parts[i].memory = *dmd_profile_process_memory(profile, i + 1);
  }
  start(&s, n_processes, "(other processes)");
  split_blocks(&s);
  split_memory_reports(&s);
  for (size_t i = 0; i < n_parts; i++)
    dmd_translation_destroy(&s.ids[i]);
  dmd_env_free(env, s.ids);
  *n = n_parts;
  if (dmd_groups_count(&s.parts[n_processes].groups) == 0)
    dmd_profile_destroy(&s.parts[--*n]);
  return s.parts;
}

void dmd_processes_free(dmd_profile_t *parts, size_t n) {
  if (parts == NULL)
    return;
  const dmd_env_t *env = parts->env;
  for (size_t i = 0; i < n; i++)
    dmd_profile_destroy(&parts[i]);
  dmd_env_free(env, parts);
}
