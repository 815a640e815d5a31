/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks name their stacks by trace ids, traces name frames by frame ids, and either table may come
 * after what refers to it. So while the file is read, every id is a small number in the order of
 * first sight, and groups and report sets hold such trace numbers instead of stacks. When all has
 * been read, the numbers are replaced by the profile's ids in place.
 */
#include "reader/input/load.h"

#include "analysis/allocfns.h"
#include "reader/host/host.h"
#include "reader/input/loader.h"

#include <string.h>

/* ---- Blocks. ---- */

/* What a block's members say, before it is a group. */
typedef struct {
  dmd_group_t group;
  const cJSON *reps, *reporters, *sharers;
  uint64_t n_reports; /* 0: not given */
  const char *addr;   /* in scan mode; NULL: not given */
} block_t;

/* All at once: a set of each part of them would take up far more than the file. */
static uint32_t load_sharers(dmdv_loader_t *l, const cJSON *sharers) {
  dmd_report_t list[DMD_REPORTS_COUNTED];
  uint32_t n = 0;
  uint64_t room = DMD_REPORTS_COUNTED; /* what is beyond the highest count changes nothing */
  const cJSON *array = cJSON_IsArray(sharers) ? sharers : NULL, *sharer;
  cJSON_ArrayForEach(sharer, array) {
    uint32_t stack = dmdv_load_get_trace(l, sharer, "at"),
             reporter = dmdv_load_get_name(l, sharer, "reporter");
    uint64_t num = dmdv_load_get_times(l, sharer, "num");
    if (stack == DMD_NONE)
      dmdv_cutter_reject(&l->cutter, "a sharer has no \"at\"");
    num = num > room ? room : num;
    if (num == 0)
      continue;
    uint32_t i = 0;
    while (i < n && (list[i].stack != stack || list[i].reporter != reporter))
      i++;
    if (i < n)
      list[i].further += (uint16_t)num;
    else
      list[n++] = (dmd_report_t){.stack = stack,
                                 .reporter = reporter,
                                 .flags = DMD_REPORT_SHARED,
                                 .further = (uint16_t)(num - 1)};
    room -= num;
  }
  if (n > 0)
    return dmd_reports_intern_sharers(&l->profile->reports, list, n);
  dmdv_cutter_reject(&l->cutter, "\"sharers\" is not an array with reports");
  return DMD_NONE;
}

static uint32_t load_reports(dmdv_loader_t *l, const block_t *r) {
  if (r->sharers != NULL)
    return load_sharers(l, r->sharers);
  if (r->reps == NULL)
    return DMD_NONE;
  int n = cJSON_IsArray(r->reps) ? cJSON_GetArraySize(r->reps) : 0;
  if (n < 1 || n > DMD_REPORTS_KEPT) {
    dmdv_cutter_reject(&l->cutter, "\"reps\" is not an array of one or two trace ids");
    return DMD_NONE;
  }
  dmd_report_set_t set = {.count = (uint32_t)n};
  for (int i = 0; i < n; i++) {
    const cJSON *rep = cJSON_GetArrayItem(r->reps, i);
    const cJSON *reporter = cJSON_GetArrayItem(r->reporters, i);
    if (!cJSON_IsString(rep)) {
      dmdv_cutter_reject(&l->cutter, "\"reps\" holds something that is not a trace id");
      return DMD_NONE;
    }
    set.report[i].stack = dmdv_load_trace_number(l, rep->valuestring);
    if (cJSON_IsString(reporter))
      set.report[i].reporter = dmd_intern_str(&l->profile->names, reporter->valuestring);
  }
  if (n == DMD_REPORTS_KEPT && r->n_reports > DMD_REPORTS_KEPT)
    set.count = r->n_reports > DMD_REPORTS_COUNTED ? DMD_REPORTS_COUNTED : (uint32_t)r->n_reports;
  return dmd_reports_intern(&l->profile->reports, &set);
}

static uint16_t load_tag(dmdv_loader_t *l, const char *name) {
  uint32_t id = name == NULL ? DMD_NONE : dmd_intern_str(&l->profile->tags, name);
  if (id <= DMD_MAX_TAGS)
    return (uint16_t)id;
  dmdv_cutter_reject(&l->cutter, "more than %d different tags", DMD_MAX_TAGS);
  return DMD_NONE;
}

static void load_member(dmdv_loader_t *l, const cJSON *item, block_t *b) {
  const char *key = item->string;
  const char *text;
  if (strcmp(key, "req") == 0)
    b->group.req = dmdv_load_number_in(l, item, 0);
  else if (strcmp(key, "slop") == 0)
    b->group.slop = dmdv_load_number_in(l, item, 0);
  else if (strcmp(key, "num") == 0)
    b->group.num = dmdv_load_number_in(l, item, 1);
  else if (strcmp(key, "alloc") == 0 && (text = dmdv_load_string_in(l, item)) != NULL)
    b->group.stack = dmdv_load_trace_number(l, text);
  else if (strcmp(key, "reps") == 0)
    b->reps = item;
  else if (strcmp(key, "reporters") == 0)
    b->reporters = item;
  else if (strcmp(key, "sharers") == 0)
    b->sharers = item;
  else if (strcmp(key, "reports") == 0)
    b->n_reports = dmdv_load_number_in(l, item, 1);
  else if (strcmp(key, "tag") == 0)
    b->group.tag = load_tag(l, dmdv_load_string_in(l, item));
  else if (strcmp(key, "thread") == 0)
    b->group.thread = dmdv_load_number_in(l, item, 0) & DMD_MAX_THREAD;
  else if (strcmp(key, "sampled") == 0)
    b->group.sampled = cJSON_IsTrue(item);
  else if (strcmp(key, "addr") == 0)
    b->addr = dmdv_load_string_in(l, item);
}

/* Blocks with addresses are groups of their own, and from the first of them on all blocks are, so
 * that addresses are found by group id. */
static void keep_block(dmdv_loader_t *l, const block_t *b) {
  dmd_profile_t *profile = l->profile;
  if (b->addr == NULL && profile->addresses.last == 0) {
    dmd_groups_add(&profile->groups, &b->group);
    return;
  }
  uint32_t id = dmd_groups_append(&profile->groups, &b->group);
  dmd_pool_reach(&profile->addresses, id);
  if (b->addr != NULL)
    *DMD_POOL_AT(&profile->addresses, uint32_t, id) = dmd_intern_str(&profile->names, b->addr);
}

static bool load_block(dmdv_loader_t *l, const cJSON *block) {
  if (!cJSON_IsObject(block))
    return dmdv_cutter_reject(&l->cutter, "an element of \"blockList\" is not an object");
  block_t b = {.group = {.req = UINT64_MAX, .num = 1, .thread = 1}};
  const cJSON *item;
  cJSON_ArrayForEach(item, block) load_member(l, item, &b);
  if (b.group.req == UINT64_MAX)
    return dmdv_cutter_reject(&l->cutter, "a block has no \"req\"");
  b.group.reports = load_reports(l, &b);
  l->blocks += b.group.num;
  if (l->blocks > (uint64_t)DMDV_LOAD_MAX_NUMBER)
    return dmdv_cutter_reject(&l->cutter, "more than 2^53 blocks");
  l->total += (double)b.group.num * ((double)b.group.req + (double)b.group.slop);
  if (l->total > DMDV_LOAD_MAX_TOTAL)
    return dmdv_cutter_reject(&l->cutter, "the sizes add up to more than 2^61 bytes");
  if (!dmdv_cutter_failed(&l->cutter))
    keep_block(l, &b);
  return !dmdv_cutter_failed(&l->cutter);
}

static bool load_blocks(void *ctx) {
  dmdv_loader_t *l = ctx;
  dmdv_cutter_enter(&l->cutter, '[');
  while (dmdv_cutter_next_element(&l->cutter)) {
    cJSON *block = dmdv_cutter_value(&l->cutter);
    if (block != NULL)
      load_block(l, block);
    cJSON_Delete(block);
  }
  return !dmdv_cutter_failed(&l->cutter);
}

/* ---- Tables. ---- */

static bool load_trace(dmdv_loader_t *l, uint32_t number, const cJSON *frames) {
  if (!cJSON_IsArray(frames))
    return dmdv_cutter_reject(&l->cutter, "a trace is not an array of frame ids");
  size_t n = (size_t)cJSON_GetArraySize(frames), i = 0;
  uint32_t *numbers = dmd_env_alloc(&dmdv_env, "dmdv.trace", (n + 1) * sizeof *numbers);
  const cJSON *frame;
  cJSON_ArrayForEach(frame, frames) {
    if (!cJSON_IsString(frame)) {
      dmdv_cutter_reject(&l->cutter, "a trace holds something that is not a frame id");
      break;
    }
    numbers[i++] = dmdv_load_frame_number(l, frame->valuestring);
  }
  *DMD_POOL_AT(&l->traces, uint32_t, number) =
      dmd_intern_bytes(&l->raw_stacks, numbers, i * sizeof *numbers);
  dmd_env_free(&dmdv_env, numbers);
  return !dmdv_cutter_failed(&l->cutter);
}

static bool load_traces(void *ctx) {
  dmdv_loader_t *l = ctx;
  const char *id;
  dmdv_cutter_enter(&l->cutter, '{');
  while (dmdv_cutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmdv_load_trace_number(l, id);
    cJSON *frames = dmdv_cutter_value(&l->cutter);
    if (frames != NULL)
      load_trace(l, number, frames);
    cJSON_Delete(frames);
  }
  return !dmdv_cutter_failed(&l->cutter);
}

/* The text of a frame without its number, which is always "#00: ": records number frames anew. */
static const char *without_number(const char *text) {
  bool numbered = text[0] == '#' && strlen(text) >= 5 && memcmp(text + 3, ": ", 2) == 0;
  return numbered ? text + 5 : text;
}

static bool load_frames(void *ctx) {
  dmdv_loader_t *l = ctx;
  const char *id;
  dmdv_cutter_enter(&l->cutter, '{');
  while (dmdv_cutter_next_key(&l->cutter, &id)) {
    uint32_t number = dmdv_load_frame_number(l, id);
    cJSON *text = dmdv_cutter_value(&l->cutter);
    if (cJSON_IsString(text))
      *DMD_POOL_AT(&l->frames, uint32_t, number) =
          dmd_intern_str(&l->profile->frames, without_number(text->valuestring));
    else
      dmdv_cutter_reject(&l->cutter, "a frame is not a string");
    cJSON_Delete(text);
  }
  return !dmdv_cutter_failed(&l->cutter);
}

/* ---- The rest. ---- */

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
    dmdv_cutter_reject(&l->cutter, "\"mode\" is none of dark-matter, live, cumulative, scan");
  else
    l->profile->mode = i;
  cJSON_Delete(invocation);
  return !dmdv_cutter_failed(&l->cutter);
}

/* ---- The whole. ---- */

static const dmdv_part_t parts[] = {
    {"invocation", load_invocation, true}, {"blockList", load_blocks, true},
    {"traceTable", load_traces, true},     {"frameTable", load_frames, true},
    {"dmd", dmdv_load_run, false},
};
static const dmdv_format_t profile_format = {5, "\"version\" is not 5, the one that dmdv reads",
                                             parts, sizeof parts / sizeof parts[0]};

/* The profile's stack of a trace, without leading allocation functions where that is asked for. */
static bool resolve_trace(dmdv_loader_t *l, uint32_t number, uint32_t *stack) {
  uint32_t raw = *DMD_POOL_AT(&l->traces, uint32_t, number);
  if (raw == DMD_NONE)
    return dmdv_cutter_reject(&l->cutter, "trace id \"%.40s\" is not in \"traceTable\"",
                              dmd_intern_get_str(&l->trace_ids, number));
  size_t n;
  const uint32_t *numbers = dmd_intern_get(&l->raw_stacks, raw, &n);
  n /= sizeof *numbers;
  uint32_t *frames = dmd_env_alloc(&dmdv_env, "dmdv.stack", (n + 1) * sizeof *frames);
  size_t n_kept = 0;
  bool good = true;
  for (size_t i = 0; i < n && good; i++) {
    uint32_t frame = *DMD_POOL_AT(&l->frames, uint32_t, numbers[i]);
    if (frame == DMD_NONE)
      good = dmdv_cutter_reject(&l->cutter, "frame id \"%.40s\" is not in \"frameTable\"",
                                dmd_intern_get_str(&l->frame_ids, numbers[i]));
    else if (n_kept > 0 || !l->options->ignore_alloc_fns ||
             !dmd_is_alloc_fn(dmd_intern_get_str(&l->profile->frames, frame)))
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

/* Replaces trace numbers by stack ids in all that holds them. */
static bool resolve(dmdv_loader_t *l) {
  dmd_profile_t *profile = l->profile;
  uint32_t n = dmd_intern_count(&l->trace_ids);
  uint32_t *stacks = dmd_env_alloc(&dmdv_env, "dmdv.stacks", (n + 1) * sizeof *stacks);
  stacks[DMD_NONE] = DMD_NONE;
  bool good = true;
  for (uint32_t number = 1; number <= n && good; number++)
    good = resolve_trace(l, number, &stacks[number]);
  if (good) {
    for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
      dmd_groups_at(&profile->groups, id)->stack =
          stacks[dmd_groups_at(&profile->groups, id)->stack];
    for (uint32_t id = 1; id <= profile->reports.pool.last; id++)
      for (int i = 0; i < DMD_REPORTS_KEPT; i++) {
        uint32_t *stack =
            &DMD_POOL_AT(&profile->reports.pool, dmd_report_set_t, id)->report[i].stack;
        *stack = stacks[*stack];
      }
    for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++) {
      dmd_fault_t *fault = DMD_POOL_AT(&profile->faults.pool, dmd_fault_t, id);
      dmd_fault_translate(fault, resolved, same, stacks);
    }
    for (uint32_t id = 1; id <= dmd_advices_count(&profile->advices); id++) {
      dmd_advice_t *advice = DMD_POOL_AT(&profile->advices.pool, dmd_advice_t, id);
      dmd_advice_translate(advice, resolved, same, stacks);
    }
  }
  dmd_env_free(&dmdv_env, stacks);
  return good;
}

/* Reads the document, whose format is one of n. Returns it; NULL, with *fail filled in, when that
 * cannot be done. */
static const dmdv_format_t *load(dmdv_loader_t *l, dmdv_input_t *input,
                                 const dmdv_format_t *const *formats, int n, dmdv_fail_t *fail) {
  dmdv_cutter_init(&l->cutter, input);
  dmd_intern_init(&l->trace_ids, &dmdv_env, "dmdv.trace_ids");
  dmd_intern_init(&l->frame_ids, &dmdv_env, "dmdv.frame_ids");
  dmd_intern_init(&l->raw_stacks, &dmdv_env, "dmdv.raw_stacks");
  dmd_pool_init(&l->traces, &dmdv_env, "dmdv.traces", sizeof(uint32_t));
  dmd_pool_init(&l->frames, &dmdv_env, "dmdv.frames", sizeof(uint32_t));

  const dmdv_format_t *format =
      dmdv_load_document(&l->cutter, formats, n,
                         "is neither a profile (no \"blockList\") nor a file of memory reports (no "
                         "\"reports\")",
                         l);
  if (format == &profile_format && !resolve(l))
    format = NULL;
  *fail = l->cutter.fail;

  dmd_pool_destroy(&l->frames);
  dmd_pool_destroy(&l->traces);
  dmd_intern_destroy(&l->raw_stacks);
  dmd_intern_destroy(&l->frame_ids);
  dmd_intern_destroy(&l->trace_ids);
  dmdv_cutter_destroy(&l->cutter);
  return format;
}

bool dmdv_load_input(dmd_profile_t *profile, dmdv_input_t *input,
                     const dmdv_load_options_t *options, dmdv_fail_t *fail) {
  static const dmdv_format_t *const formats[] = {&profile_format};
  dmdv_loader_t l = {.profile = profile, .options = options};
  return load(&l, input, formats, 1, fail) != NULL;
}

bool dmdv_load(dmd_profile_t *profile, const char *name, const dmdv_load_options_t *options,
               dmdv_fail_t *fail) {
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  bool good = dmdv_load_input(profile, input, options, fail);
  dmdv_input_close(input);
  return good;
}

bool dmdv_load_reports_input(dmd_memreports_t *reports, dmdv_input_t *input, dmdv_fail_t *fail) {
  static const dmdv_format_t *const formats[] = {&dmdv_reports_format};
  dmdv_loader_t l = {.reports = reports};
  return load(&l, input, formats, 1, fail) != NULL;
}

bool dmdv_load_either(dmd_profile_t *profile, dmd_memreports_t *reports, const char *name,
                      bool *is_profile, dmdv_fail_t *fail) {
  static const dmdv_format_t *const formats[] = {&profile_format, &dmdv_reports_format};
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  const dmdv_load_options_t options = {0};
  dmdv_loader_t l = {.profile = profile, .options = &options, .reports = reports};
  const dmdv_format_t *format = load(&l, input, formats, 2, fail);
  *is_profile = format == &profile_format;
  dmdv_input_close(input);
  return format != NULL;
}
