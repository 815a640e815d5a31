/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks name their stacks by trace ids, traces name frames by frame ids, and either table may come
 * after what refers to it. So while the file is read, every id is a small number in the order of
 * first sight, and groups and report sets hold such trace numbers instead of stacks. When all has
 * been read, the numbers are replaced by the profile's ids in place. Faults and advices, which are
 * few and told apart by their stacks, are collected under trace numbers and added to the profile
 * then.
 */
#include "reader/input/load.h"

#include "analysis/allocfns.h"
#include "reader/host/host.h"
#include "reader/input/graphparts.h"
#include "reader/input/loader.h"

#include <string.h>

/* ---- The small part. ---- */

static bool load_invocation(void *ctx) {
  dmdv_loader_t *l = ctx;
  cJSON *invocation = dmdv_cutter_value(&l->cutter);
  if (invocation == NULL)
    return false;
  l->profile->options =
      dmd_profile_keep(l->profile, dmdv_load_get_string(l, invocation, "dmdEnvVar"));
  const char *mode = dmdv_load_get_string(l, invocation, "mode");
  int i = 0;
  while (mode != NULL && i <= DMD_MODE_SCAN && strcmp(mode, dmd_mode_name(i)) != 0)
    i++;
  if (mode == NULL || i > DMD_MODE_SCAN)
    dmdv_cutter_reject(&l->cutter, "\"mode\" is not one of dark-matter, live, cumulative, scan");
  else
    l->profile->mode = i;
  cJSON_Delete(invocation);
  return !dmdv_cutter_failed(&l->cutter);
}

/* ---- The whole. ---- */

static const dmdv_part_t parts[] = {
    {"invocation", load_invocation, true},  {"blockList", dmdv_load_blocks, true},
    {"traceTable", dmdv_load_traces, true}, {"frameTable", dmdv_load_frames, true},
    {"dmd", dmdv_load_run, false},
};
static const dmdv_format_t profile_format = {5, "\"version\" is not 5, the one that dmdv reads",
                                             parts, sizeof parts / sizeof parts[0]};

/* The profile's stack of a trace, without leading allocation functions where that is asked for. */
static bool resolve_trace(dmdv_loader_t *l, dmd_allocfns_t *fns, uint32_t number, uint32_t *stack) {
  uint32_t raw = *dmdv_ids_meaning(&l->traces, number);
  if (raw == DMD_NONE)
    return dmdv_cutter_reject(&l->cutter, "trace id \"%.40s\" is not in \"traceTable\"",
                              dmdv_ids_text(&l->traces, number));
  size_t n;
  const uint32_t *numbers = dmd_intern_get(&l->raw_stacks, raw, &n);
  n /= sizeof *numbers;
  uint32_t *frames = dmd_env_alloc(&dmdv_env, "dmdv.stack", (n + 1) * sizeof *frames);
  size_t n_kept = 0;
  bool good = true;
  for (size_t i = 0; i < n && good; i++) {
    uint32_t frame = *dmdv_ids_meaning(&l->frames, numbers[i]);
    if (frame == DMD_NONE)
      good = dmdv_cutter_reject(&l->cutter, "frame id \"%.40s\" is not in \"frameTable\"",
                                dmdv_ids_text(&l->frames, numbers[i]));
    else if (n_kept > 0 || !l->options->ignore_alloc_fns || !dmd_allocfns_has(fns, frame))
      frames[n_kept++] = frame;
  }
  if (good)
    *stack = dmd_profile_stack(l->profile, frames, n_kept);
  dmd_env_free(&dmdv_env, frames);
  return good;
}

static uint32_t resolved(void *stacks, uint32_t number) {
  return ((const uint32_t *)stacks)[number];
}

static uint32_t same(void *ctx, uint32_t id) {
  (void)ctx;
  return id;
}

/* Those that read the same, now that allocation functions may be gone, become one. */
static void add_collected(dmdv_loader_t *l, uint32_t *stacks) {
  for (uint32_t id = 1; id <= dmd_faults_count(&l->collected_faults); id++) {
    dmd_fault_t fault = *dmd_faults_at(&l->collected_faults, id);
    dmd_fault_translate(&fault, resolved, same, stacks);
    dmd_faults_add(&l->profile->faults, &fault);
  }
  for (uint32_t id = 1; id <= dmd_advices_count(&l->collected_advices); id++) {
    dmd_advice_t advice = *dmd_advices_at(&l->collected_advices, id);
    dmd_advice_translate(&advice, resolved, same, stacks);
    dmd_advices_add(&l->profile->advices, &advice);
  }
}

/* Replaces trace numbers by stack ids in all that holds them. */
static bool resolve(dmdv_loader_t *l) {
  dmd_profile_t *profile = l->profile;
  uint32_t n = dmdv_ids_count(&l->traces);
  uint32_t *stacks = dmd_env_alloc(&dmdv_env, "dmdv.stacks", (n + 1) * sizeof *stacks);
  stacks[DMD_NONE] = DMD_NONE;
  dmdv_load_resolve_frames(l);
  dmd_allocfns_t fns;
  dmd_allocfns_init(&fns, profile);
  bool good = true;
  for (uint32_t number = 1; number <= n && good; number++)
    good = resolve_trace(l, &fns, number, &stacks[number]);
  dmd_allocfns_destroy(&fns);
  if (good) {
    for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
      dmd_groups_at(&profile->groups, id)->stack =
          stacks[dmd_groups_at(&profile->groups, id)->stack];
    for (uint32_t id = 1; id <= dmd_reports_count(&profile->reports); id++)
      for (int i = 0; i < DMD_REPORTS_KEPT; i++) {
        uint32_t *stack =
            &DMD_POOL_AT(&profile->reports.pool, dmd_report_set_t, id)->report[i].stack;
        *stack = stacks[*stack];
      }
    add_collected(l, stacks);
  }
  dmd_env_free(&dmdv_env, stacks);
  return good;
}

/* Reads the document, whose format is one of n. Returns it; NULL, with *fail filled in, when that
 * cannot be done. */
static const dmdv_format_t *load(dmdv_loader_t *l, dmdv_input_t *input,
                                 const dmdv_format_t *const *formats, int n, dmdv_fail_t *fail) {
  dmdv_cutter_init(&l->cutter, input);
  dmdv_ids_init(&l->traces, "dmdv.traces");
  dmdv_ids_init(&l->frames, "dmdv.frames");
  dmd_pool_init(&l->frame_order, &dmdv_env, "dmdv.frames", sizeof(uint32_t));
  dmd_pool_init(&l->frame_notes, &dmdv_env, "dmdv.frames", sizeof(frame_note_t));
  dmd_pool_init(&l->objects, &dmdv_env, "dmdv.frames", sizeof(uint32_t));
  dmd_intern_init(&l->frame_strings, &dmdv_env, "dmdv.frames");
  dmd_intern_init(&l->raw_stacks, &dmdv_env, "dmdv.raw_stacks");
  dmd_faults_init(&l->collected_faults, &dmdv_env);
  dmd_advices_init(&l->collected_advices, &dmdv_env);

  const dmdv_format_t *format =
      dmdv_load_document(&l->cutter, formats, n,
                         "is neither a profile (no \"blockList\") nor a file of memory reports (no "
                         "\"reports\")",
                         l);
  if (format == &profile_format && !resolve(l))
    format = NULL;
  if (format == &profile_format)
    dmd_groups_finish(&l->profile->groups);
  *fail = l->cutter.fail;

  dmd_advices_destroy(&l->collected_advices);
  dmd_faults_destroy(&l->collected_faults);
  dmd_intern_destroy(&l->raw_stacks);
  dmd_intern_destroy(&l->frame_strings);
  dmd_pool_destroy(&l->objects);
  dmd_pool_destroy(&l->frame_notes);
  dmd_pool_destroy(&l->frame_order);
  dmdv_ids_destroy(&l->frames);
  dmdv_ids_destroy(&l->traces);
  dmdv_cutter_destroy(&l->cutter);
  return format;
}

bool dmdv_load_input(dmd_profile_t *profile, dmdv_input_t *input,
                     const dmdv_load_options_t *options, dmdv_fail_t *fail) {
  static const dmdv_format_t *const formats[] = {&profile_format};
  dmdv_loader_t l = {.profile = profile, .options = options};
  profile->frame_view = options->frame_view;
  return load(&l, input, formats, 1, fail) != NULL;
}

/* A heap graph is none. */
static dmdv_input_t *open_document(const char *name, dmdv_fail_t *fail) {
  dmdv_input_t *input = dmdv_input_open(name, fail);
  const char *bytes;
  size_t n;
  bool good = input != NULL && dmdv_input_peek(input, &bytes, &n, fail);
  if (good && dmdv_is_graph(bytes, n))
    good = dmdv_fail(fail, "is a heap graph: dmdv census and the commands after it in dmdv --help "
                           "read these");
  if (input != NULL && !good)
    dmdv_input_close(input);
  return good ? input : NULL;
}

bool dmdv_load(dmd_profile_t *profile, const char *name, const dmdv_load_options_t *options,
               dmdv_fail_t *fail) {
  dmdv_input_t *input = open_document(name, fail);
  if (input == NULL)
    return false;
  bool good = dmdv_load_input(profile, input, options, fail);
  dmdv_input_close(input);
  return good;
}

bool dmdv_load_reports_input(dmd_amounts_t *amounts, dmdv_input_t *input, dmdv_fail_t *fail) {
  static const dmdv_format_t *const formats[] = {&dmdv_reports_format};
  dmdv_loader_t l = {.amounts = amounts};
  return load(&l, input, formats, 1, fail) != NULL;
}

bool dmdv_load_either(dmd_profile_t *profile, dmd_amounts_t *amounts, const char *name,
                      bool *is_profile, dmdv_fail_t *fail) {
  static const dmdv_format_t *const formats[] = {&profile_format, &dmdv_reports_format};
  dmdv_input_t *input = open_document(name, fail);
  if (input == NULL)
    return false;
  const dmdv_load_options_t options = {0};
  dmdv_loader_t l = {.profile = profile, .options = &options, .amounts = amounts};
  const dmdv_format_t *format = load(&l, input, formats, 2, fail);
  *is_profile = format == &profile_format;
  dmdv_input_close(input);
  return format != NULL;
}
