/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/history/historyprofile.h"

#include "analyse/records/record.h"
#include "base/limits.h"
#include "base/mem.h"

typedef struct {
  dmd_profile_t *profile;
  const dmd_history_t *history;
  uint32_t *frames;       /* of the profile, by frame of the history; DMD_NONE: not added yet */
  uint32_t next;          /* the history's stack that the next record may have */
  uint32_t once, twice;   /* report sets */
  uint64_t bytes, blocks; /* so far */
} filling_t;

static uint32_t frame_of(filling_t *f, uint32_t frame) {
  if (f->frames[frame] == DMD_NONE)
    f->frames[frame] =
        dmd_frames_read_text(&f->profile->frames, dmd_intern_get_str(&f->history->frames, frame));
  return f->frames[frame];
}

/* Records are in the order of the stacks. DMD_NONE: unknown stack. */
static uint32_t stack_of(filling_t *f, int64_t number) {
  const dmd_history_t *h = f->history;
  uint32_t frames[DMD_MAX_FRAMES];
  while (f->next <= h->stacks.last &&
         DMD_POOL_AT(&h->stacks, const dmd_history_stack_t, f->next)->number < number)
    f->next++;
  if (f->next > h->stacks.last)
    return DMD_NONE;
  const dmd_history_stack_t *stack = DMD_POOL_AT(&h->stacks, const dmd_history_stack_t, f->next);
  if (stack->number != number)
    return DMD_NONE;
  uint32_t n = stack->n < DMD_MAX_FRAMES ? stack->n : DMD_MAX_FRAMES;
  for (uint32_t i = 0; i < n; i++)
    frames[i] = frame_of(f, *DMD_POOL_AT(&h->stack_frames, const uint32_t, stack->first + i));
  return n == 0 ? DMD_NONE : dmd_profile_stack(f->profile, frames, n);
}

static bool is_possible(filling_t *f, const dmd_stack_record_t *record) {
  bool is_all = record->section == DMD_SECTION_ALL;
  if (record->bytes < 0 || record->blocks <= 0 ||
      is_all != (f->profile->mode != DMD_MODE_DARK_MATTER))
    return false;
  f->bytes += (uint64_t)record->bytes;
  f->blocks += (uint64_t)record->blocks;
  return (uint64_t)record->bytes <= DMD_MAX_TOTAL && (uint64_t)record->blocks <= DMD_MAX_TOTAL &&
         f->bytes <= DMD_MAX_TOTAL && f->blocks <= DMD_MAX_TOTAL;
}

/* Uses blocks of two sizes if the bytes are not divisible. */
static void add_blocks(filling_t *f, const dmd_stack_record_t *record) {
  uint64_t bytes = (uint64_t)record->bytes, blocks = (uint64_t)record->blocks;
  dmd_group_t group = {.req = bytes / blocks,
                       .num = blocks - bytes % blocks,
                       .stack = stack_of(f, record->stack),
                       .reports = record->section == DMD_SECTION_ONCE    ? f->once
                                  : record->section == DMD_SECTION_TWICE ? f->twice
                                                                         : DMD_NONE};
  dmd_groups_add(&f->profile->groups, &group);
  group.req++;
  group.num = bytes % blocks;
  if (group.num > 0)
    dmd_groups_add(&f->profile->groups, &group);
}

static const char *fill(filling_t *f, const dmd_stackset_t *set) {
  dmd_profile_t *profile = f->profile;
  bool is_dark = set->n == 0 || set->records[0].section != DMD_SECTION_ALL;
  profile->mode = is_dark ? DMD_MODE_DARK_MATTER : DMD_MODE_LIVE;
  f->once = dmd_reports_add(&profile->reports, DMD_NONE, (dmd_report_t){.stack = DMD_NONE});
  f->twice = dmd_reports_add(&profile->reports, f->once, (dmd_report_t){.stack = DMD_NONE});
  for (size_t i = 0; i < set->n; i++) {
    if (!is_possible(f, &set->records[i]))
      return "the history's records of this build are damaged";
    add_blocks(f, &set->records[i]);
  }
  dmd_groups_finish(&profile->groups);
  return NULL;
}

const char *dmd_history_fill(dmd_profile_t *profile, const dmd_history_t *h, uint32_t kept) {
  size_t n = ((size_t)dmd_intern_count(&h->frames) + 1) * sizeof(uint32_t);
  filling_t f = {.profile = profile, .history = h, .next = 1};
  dmd_stackset_t set;
  const char *wrong = "the history's records of this build cannot be read";
  f.frames = dmd_env_alloc(h->env, "dmd.history", n);
  dmd_mem_zero(f.frames, n);
  if (dmd_history_load(&set, h, dmd_history_kept(h, kept)->set))
    wrong = fill(&f, &set);
  dmd_stackset_destroy(&set);
  dmd_env_free(h->env, f.frames);
  return wrong;
}
