/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The view is a separate profile into which the blocks that count are copied, those of the baseline
 * negatively. Thread numbers are reused in it to tell the two apart, so that both values of a
 * record can be recovered.
 */
#include "analyse/limits/causes.h"

#include "analyse/records/plain.h"
#include "base/str.h"
#include "model/profile/translate.h"

enum { THREAD_NOW = 0, THREAD_BEFORE = 1 };

/* Maps frames without lines to their text in the view; DMD_NONE: several texts. */
typedef struct {
  dmd_intern_t plain;
  dmd_pool_t shown;
} lines_t;

/* The frames of one profile while they are added to the view. */
typedef struct {
  dmd_profile_t *view;
  const dmd_profile_t *from;
  lines_t *lines;
} frames_t;

/* ---- Frames. ---- */

/* Records how to show the frames of one profile. What an earlier profile determined for a function
 * has precedence. */
static void note_lines(lines_t *lines, const dmd_profile_t *from) {
  uint32_t n_known = dmd_intern_count(&lines->plain);
  for (uint32_t id = 1; id <= dmd_frames_count(&from->frames); id++) {
    uint32_t plain = dmd_frame_intern_without_line(&lines->plain, &from->frames, id);
    bool is_first = plain > lines->shown.last;
    if (is_first)
      dmd_pool_add(&lines->shown);
    if (plain > n_known)
      *DMD_POOL_AT(&lines->shown, const char *, plain) =
          is_first ? dmd_frames_text(&from->frames, id) : dmd_intern_get_str(&lines->plain, plain);
  }
}

static uint32_t add_frame(void *ctx, uint32_t id) {
  const frames_t *f = ctx;
  uint32_t plain = dmd_frame_intern_without_line(&f->lines->plain, &f->from->frames, id);
  return dmd_frames_read_text(&f->view->frames,
                              *DMD_POOL_AT(&f->lines->shown, const char *, plain));
}

/* ---- Blocks. ---- */

static void copy_blocks(dmd_profile_t *view, const dmd_subject_t *of, const dmd_limit_t *limit,
                        lines_t *lines, bool is_before) {
  const dmd_subject_t *subject = dmd_gate_subject(of, limit->what);
  const dmd_profile_t *from = subject->profile;
  frames_t frames = {view, from, lines};
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, view, from, lines != NULL ? add_frame : NULL, &frames);
  dmd_selector_t selector;
  dmd_selector_init(&selector, subject, limit->what, limit->name);
  for (uint32_t id = 1; id <= dmd_groups_count(&from->groups); id++) {
    const dmd_group_t *group = dmd_groups_at(&from->groups, id);
    if (!dmd_gate_counts(&selector, group))
      continue;
    dmd_group_t g = dmd_translation_group(&ids, group);
    g.thread = is_before ? THREAD_BEFORE : THREAD_NOW;
    /* Causes must add up to the metric, so a block has as many bytes as it counts for. */
    uint64_t counted_szB = dmd_gate_counted_szB(&selector, group);
    if (counted_szB != g.req + g.slop) {
      g.req = g.req < counted_szB ? g.req : counted_szB;
      g.slop = counted_szB - g.req;
    }
    if (is_before)
      g.num = -g.num;
    dmd_groups_add(&view->groups, &g);
  }
  dmd_selector_destroy(&selector);
  dmd_translation_destroy(&ids);
}

/* ---- Records. ---- */

static bool grew(void *ctx, const dmd_records_t *records, const dmd_record_t *r) {
  (void)records;
  dmd_causes_t *causes = ctx;
  if (r->usable < 0) {
    causes->n_shrunk++;
    causes->shrunk -= r->usable;
  }
  return r->usable > 0;
}

void dmd_causes_init(dmd_causes_t *causes, const dmd_finding_t *finding, const dmd_subject_t *now,
                     const dmd_subject_t *before, uint32_t max_frames) {
  const dmd_env_t *env = now->profile->env;
  const dmd_limit_t *limit = finding->limit;
  bool by_reports = limit->what == DMD_TWICE || limit->what == DMD_EXCESS;
  *causes = (dmd_causes_t){.section = by_reports ? DMD_SECTION_TWICE : DMD_SECTION_ALL};
  dmd_profile_init(&causes->view, env);
  causes->view.mode = by_reports ? DMD_MODE_DARK_MATTER : DMD_MODE_LIVE;
  if (before == NULL) {
    copy_blocks(&causes->view, now, limit, NULL, false);
  } else {
    lines_t lines;
    dmd_intern_init(&lines.plain, env, "dmd.causes");
    dmd_pool_init(&lines.shown, env, "dmd.causes", sizeof(const char *));
    note_lines(&lines, now->profile);
    note_lines(&lines, before->profile);
    copy_blocks(&causes->view, now, limit, &lines, false);
    copy_blocks(&causes->view, before, limit, &lines, true);
    dmd_pool_destroy(&lines.shown);
    dmd_intern_destroy(&lines.plain);
  }
  dmd_records_init(&causes->records, &causes->view, max_frames, DMD_SORT_USABLE);
  dmd_records_filter(&causes->records, grew, causes);
  causes->n = causes->records.section[causes->section].n;
}

void dmd_causes_destroy(dmd_causes_t *causes) {
  dmd_records_destroy(&causes->records);
  dmd_profile_destroy(&causes->view);
}

dmd_metric_t dmd_causes_before(const dmd_causes_t *causes, const dmd_record_t *r) {
  dmd_metric_t before = {.sampled = r->sampled};
  for (uint32_t i = 0; i < r->n_groups; i++) {
    const dmd_group_t *g = dmd_record_group(&causes->records, r, i);
    if (g->thread != THREAD_BEFORE)
      continue;
    before.num -= dmd_group_blocks(&causes->view, g);
    before.bytes -= dmd_group_usable(&causes->view, g);
    dmd_variance_add(&before.variance, dmd_group_variance(&causes->view, g));
  }
  return before;
}

uint32_t *dmd_misreports(const dmd_profile_t *profile, uint32_t *n) {
  uint32_t *ids = dmd_faults_sorted(&profile->faults, profile->env);
  *n = 0;
  while (*n < dmd_faults_count(&profile->faults) &&
         dmd_fault_is_misreport(dmd_faults_at(&profile->faults, ids[*n])->kind))
    ++*n;
  return ids;
}
