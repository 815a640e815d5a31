/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv merge: one profile of the blocks of many, such as those of a program's processes.
 *
 * What the files say of their runs is added up where it can be. Where the runs differ, the result
 * says "mixed", nothing, or the lesser claim: partial stacks, the higher sampling limit. It has a
 * "dmd" object if all of the files have one.
 */
#include "analysis/combine.h"
#include "profile/json.h"
#include "reader/command/commands.h"
#include "reader/command/show.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"

#include <stdio.h>
#include <string.h>

/* What the reader takes back: load.c refuses larger numbers and sums. */
static const uint64_t MAX_COUNT = UINT64_C(1) << 53;
static const double MAX_TOTAL = 2305843009213693952.0;

typedef struct {
  const char *output; /* NULL: standard output */
  dmdv_files_t files;
} options_t;

static const dmd_option_t options[] = {
    {"output", "FILE", NULL,
     "write there instead of to standard output; gzipped if FILE ends in .gz", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, output), .letter = 'o', .is_file = true},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv merge [OPTION...] FILE...\n"
             "\n"
             "Writes one profile of the blocks of all FILEs, which must be of one mode: those\n"
             "of a program's processes, for example. - is standard input.\n"
             "\n",
     .options = &table},
    {0},
};

/* ---- What the processes took up. ---- */

/* The sum, where both are known. */
static void join_figure(uint64_t *to, uint64_t from) {
  if (*to != DMD_MEMORY_UNKNOWN)
    *to = from == DMD_MEMORY_UNKNOWN ? from : *to + from;
}

static void join_memory(dmd_footprint_t *to, const dmd_footprint_t *from) {
  join_figure(&to->heap_allocated, from->heap_allocated);
  join_figure(&to->heap_overhead, from->heap_overhead);
  join_figure(&to->resident, from->resident);
  join_figure(&to->resident_unique, from->resident_unique);
}

/* ---- How the data came about. ---- */

static bool same(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void join(const char **to, const char *from, const char *otherwise) {
  if (!same(*to, from))
    *to = otherwise;
}

static void start_run(dmd_profile_t *to, const dmd_profile_t *first) {
  const dmd_run_t *run = &first->run;
  to->mode = first->mode;
  to->options = dmd_profile_keep(to, first->options);
  to->run = *run;
  to->memory = first->memory;
  to->run.version = dmd_profile_keep(to, run->version);
  to->run.valgrind_version = dmd_profile_keep(to, run->valgrind_version);
  to->run.label = dmd_profile_keep(to, run->label);
  to->run.allocator = dmd_profile_keep(to, run->allocator);
  to->run.allocator_chosen = dmd_profile_keep(to, run->allocator_chosen);
}

static void join_runs(dmd_profile_t *to, const dmd_profile_t *from) {
  dmd_run_t *a = &to->run;
  const dmd_run_t *b = &from->run;
  a->is_known &= b->is_known;
  join(&to->options, from->options, NULL);
  join(&a->version, b->version, "mixed");
  join(&a->valgrind_version, b->valgrind_version, "mixed");
  join(&a->label, b->label, NULL);
  join(&a->allocator, b->allocator, "mixed");
  join(&a->allocator_chosen, b->allocator_chosen, NULL);
  a->word_szB = a->word_szB > b->word_szB ? a->word_szB : b->word_szB;
  a->partial_stacks |= b->partial_stacks;
  a->sample_below = a->sample_below > b->sample_below ? a->sample_below : b->sample_below;
  a->seed = a->seed == b->seed ? a->seed : 0;
  a->n_allocs += b->n_allocs;
  a->n_frees += b->n_frees;
  a->alloc_szB += b->alloc_szB;
  a->in_use_szB += b->in_use_szB;
  a->in_use_blocks += b->in_use_blocks;
  a->freed_reported += b->freed_reported;
  join_memory(&to->memory, &from->memory);
}

/* The merged profile is of no process and no dump. */
static void finish_run(dmd_profile_t *merged, int n) {
  dmd_run_t *run = &merged->run;
  char command[64];
  snprintf(command, sizeof command, "merged from %d file%s", n, n == 1 ? "" : "s");
  run->command = dmd_profile_keep(merged, command);
  run->trigger = "merge";
  run->pid = 0;
  run->dump_number = 0;
  /* A file may leave out what every file of dmd says. */
  const char **texts[] = {&run->version, &run->valgrind_version, &run->allocator};
  for (int i = 0; i < 3; i++)
    if (*texts[i] == NULL)
      *texts[i] = "unknown";
}

/* ---- The whole. ---- */

/* Whether the result can be read back. Every file's own numbers are in these limits, so that none
 * has overflowed when this is asked after each. */
static bool fits(const dmd_profile_t *merged) {
  const dmd_run_t *run = &merged->run;
  const uint64_t counts[] = {run->n_allocs,   run->n_frees,       run->alloc_szB,
                             run->in_use_szB, run->in_use_blocks, run->freed_reported};
  const uint64_t figures[] = {merged->memory.heap_allocated, merged->memory.heap_overhead,
                              merged->memory.resident, merged->memory.resident_unique};
  double total = 0;
  bool good = dmd_intern_count(&merged->tags) <= DMD_MAX_TAGS;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    good &= counts[i] <= MAX_COUNT;
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
    good &= figures[i] <= MAX_COUNT || figures[i] == DMD_MEMORY_UNKNOWN;
  uint64_t faults = 0, advised = 0, advised_blocks = 0;
  for (uint32_t id = 1; id <= dmd_faults_count(&merged->faults); id++)
    faults += dmd_faults_at(&merged->faults, id)->num;
  for (uint32_t id = 1; id <= dmd_groups_count(&merged->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&merged->groups, id);
    total += (double)g->num * ((double)g->req + (double)g->slop);
    good &= g->num <= MAX_COUNT;
  }
  for (uint32_t id = 1; id <= dmd_advices_count(&merged->advices); id++) {
    const dmd_advice_t *a = dmd_advices_at(&merged->advices, id);
    advised += a->bytes;
    advised_blocks += a->blocks;
  }
  return good && total <= MAX_TOTAL && faults <= MAX_COUNT && advised <= MAX_COUNT &&
         advised_blocks <= MAX_COUNT;
}

/* False where there is too much for one profile. */
static bool add_profile(dmd_profile_t *merged, const dmd_profile_t *profile) {
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, merged, profile, NULL, NULL);
  dmd_combine(&ids);
  dmd_translation_add_faults(&ids, &profile->faults);
  dmd_translation_add_advices(&ids, &profile->advices);
  bool good = dmd_translation_add_memreports(&ids, &profile->memreports);
  dmd_translation_destroy(&ids);
  return good && fits(merged);
}

static bool add_file(dmd_profile_t *merged, char **files, int i) {
  dmd_profile_t profile;
  if (!dmdv_load_or_say(&profile, files[i], &(dmdv_load_options_t){0}))
    return false;
  bool good = true;
  if (i == 0)
    start_run(merged, &profile);
  else if (profile.mode != merged->mode)
    good = dmdv_error("merge: %s is of mode %s and %s of mode %s: they cannot be merged", files[0],
                      dmd_mode_name(merged->mode), files[i], dmd_mode_name(profile.mode));
  else
    join_runs(merged, &profile);
  if (good)
    good = add_profile(merged, &profile) ||
           dmdv_error("merge: with %s there is more than one profile can "
                      "hold (2^61 bytes, 2^53 of any count, %d tags, %d memory reports)",
                      files[i], DMD_MAX_TAGS, DMD_MEMREPORTS_MAX);
  dmd_profile_destroy(&profile);
  return good;
}

static bool write_merged(const dmd_profile_t *merged, const char *output) {
  dmdv_outfile_t *file = dmdv_outfile_open(output, dmdv_outfile_is_gzip(output));
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_outfile_write, file);
  dmd_json_write(&out, merged);
  dmd_out_flush(&out);
  return dmdv_outfile_close(file, true);
}

static bool merge(char **files, int n, const char *output) {
  dmd_profile_t merged;
  dmd_profile_init(&merged, &dmdv_env);
  bool good = true;
  for (int i = 0; i < n && good; i++)
    good = add_file(&merged, files, i);
  if (good) {
    finish_run(&merged, n);
    good = write_merged(&merged, output);
  }
  dmd_profile_destroy(&merged);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_merge_command, &o, argc, argv, &o.files);
  if (status >= 0)
    return status;
  if (o.files.n == 0) {
    dmdv_error("merge: give the files to merge; see dmdv merge --help");
    return 2;
  }
  return merge(o.files.names, o.files.n, o.output) ? 0 : 2;
}

const dmdv_command_t dmdv_merge_command = {
    "merge", "make one profile of many, such as those of many processes", parts, run};
