/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spell.h"

void spell_stack(dmd_out_t *out, const dmd_profile_t *profile, uint32_t stack, size_t max) {
  if (stack == DMD_NONE) {
    dmd_out_str(out, "(none)");
    return;
  }
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  for (size_t i = 0; i < n && i < max; i++) {
    dmd_out_char(out, '<');
    dmd_out_str(out, dmd_frames_text(&profile->frames, frames[i]));
    dmd_out_char(out, '>');
  }
}

static void spell_number(dmd_out_t *out, const char *what, uint64_t number) {
  dmd_out_str(out, what);
  dmd_out_u64(out, number);
}

/* The number of reports, and each report that is kept. */
static void spell_reports(dmd_out_t *out, const dmd_profile_t *profile, uint32_t reports) {
  if (reports == DMD_NONE)
    return;
  bool is_shared = dmd_reports_are_shared(&profile->reports, reports);
  spell_number(out, is_shared ? ", shared " : ", reported ",
               dmd_reports_at(&profile->reports, reports)->count);
  uint32_t n = dmd_reports_n_kept(&profile->reports, reports);
  dmd_report_t *list = dmd_env_alloc(profile->env, "spell", n * sizeof *list);
  dmd_reports_list(&profile->reports, reports, list);
  for (uint32_t i = 0; i < n; i++) {
    const dmd_report_t *report = &list[i];
    dmd_out_str(out, "; by ");
    spell_stack(out, profile, report->stack, SIZE_MAX);
    dmd_out_str(out, report->reporter != DMD_NONE ? " as " : " as nobody");
    if (report->reporter != DMD_NONE)
      dmd_out_str(out, dmd_intern_get_str(&profile->names, report->reporter));
  }
  dmd_env_free(profile->env, list);
}

void spell_group(dmd_out_t *out, const dmd_profile_t *profile, const dmd_group_t *group) {
  spell_number(out, "", group->num);
  spell_number(out, " x ", group->req);
  spell_number(out, "+", group->slop);
  spell_number(out, group->sampled ? " sampled in thread " : " in thread ", group->thread);
  dmd_out_str(out, " at ");
  spell_stack(out, profile, group->stack, SIZE_MAX);
  if (group->tag != DMD_NONE) {
    dmd_out_str(out, ", tag ");
    dmd_out_str(out, dmd_intern_get_str(&profile->tags, group->tag));
  }
  spell_reports(out, profile, group->reports);
  dmd_out_str(out, group->after_peak ? ", after the peak" : "");
  dmd_out_str(out, group->never_measured ? ", never measured" : "");
  dmd_out_char(out, '\n');
}

static void spell_scanned(dmd_out_t *out, const dmd_scanned_t *scanned,
                          const dmd_scanned_block_t *block) {
  spell_number(out, "at ", block->addr);
  for (uint32_t i = 0; i < block->n_words; i++)
    spell_number(out, " ", *dmd_scanned_word(scanned, block, i));
  dmd_out_str(out, "\n");
}

static void spell_lifetimes(dmd_out_t *out, const dmd_profile_t *profile) {
  for (uint32_t id = 1; id <= dmd_lifetimes_count(&profile->lifetimes); id++) {
    const dmd_lifetime_t *lifetime = dmd_lifetimes_at(&profile->lifetimes, id);
    spell_number(out, "lives: ", lifetime->n_allocs);
    spell_number(out, " of ", lifetime->alloc_szB);
    spell_number(out, ", freed ", lifetime->n_freed);
    spell_number(out, ", at once ", lifetime->n_temporary);
    spell_number(out, ", at most ", lifetime->most_szB);
    spell_number(out, ", after ", dmd_lifetime_mean(lifetime));
    for (int i = 0; i < DMD_LIFETIME_CLASSES; i++)
      spell_number(out, " ", lifetime->classes[i]);
    dmd_out_str(out, " at ");
    spell_stack(out, profile, lifetime->stack, SIZE_MAX);
    dmd_out_str(out, "\n");
  }
}

static void spell_beside(dmd_out_t *out, const dmd_profile_t *profile, const char *what,
                         const dmd_groups_t *groups) {
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    dmd_out_str(out, what);
    spell_group(out, profile, dmd_groups_at(groups, id));
  }
}

void spell_groups(dmd_out_t *out, const dmd_profile_t *profile) {
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_scanned_block_t *block = dmd_scanned_of(&profile->scanned, id);
    spell_group(out, profile, dmd_groups_at(&profile->groups, id));
    if (block != NULL)
      spell_scanned(out, &profile->scanned, block);
  }
  spell_beside(out, profile, "gone: ", &profile->gone);
  spell_beside(out, profile, "recent: ", &profile->recent);
  spell_lifetimes(out, profile);
}

static void spell_part(dmd_out_t *out, const char *what, const char *part) {
  dmd_out_str(out, what);
  dmd_out_str(out, part != NULL ? part : "(unknown)");
}

void spell_frames(dmd_out_t *out, const dmd_profile_t *profile) {
  for (uint32_t id = 1; id <= dmd_frames_count(&profile->frames); id++) {
    dmd_location_t location = dmd_frames_location(&profile->frames, id);
    spell_part(out, "", dmd_frames_text(&profile->frames, id));
    spell_part(out, ": function ", location.function);
    spell_part(out, ", file ", location.file);
    spell_number(out, ", line ", location.line);
    spell_part(out, ", object ", location.object);
    spell_part(out, ", build id ", location.build_id);
    spell_number(out, ", offset ", location.offset);
    dmd_out_str(out, "\n");
  }
}

static void spell_point(dmd_out_t *out, const dmd_timepoint_t *point) {
  spell_number(out, "at ", point->ms);
  spell_number(out, " ms: ", point->szB);
  spell_number(out, " in ", point->n_blocks);
  spell_number(out, " of ", point->alloc_szB);
  spell_number(out, ", resident ", point->resident_szB);
  spell_number(out, ", least ", point->least_szB);
  spell_number(out, ", instructions ", point->n_instructions);
}

/* By frames, since ids differ from one profile to another. */
static void spell_breakdowns(dmd_out_t *out, const dmd_profile_t *profile) {
  const dmd_timeline_t *timeline = &profile->timeline;
  for (uint32_t i = 0; i < timeline->n_breakdowns; i++) {
    const dmd_breakdown_t *breakdown = &timeline->breakdowns[i];
    spell_point(out, &breakdown->at);
    for (uint32_t k = 0; k < timeline->stacks.last; k++) {
      size_t n;
      const uint32_t *frames = dmd_profile_frames(profile, *dmd_timeline_stack(timeline, k), &n);
      spell_number(out, "\n  ", breakdown->stacks[k]);
      for (size_t f = 0; f < n; f++)
        spell_part(out, " ", dmd_frames_text(&profile->frames, frames[f]));
    }
    for (uint32_t k = 0; k < timeline->tags.last; k++) {
      spell_number(out, "\n  ", breakdown->tags[k]);
      spell_part(out, " ", dmd_intern_get_str(&profile->tags, *dmd_timeline_tag(timeline, k)));
    }
    dmd_out_str(out, "\n");
  }
}

void spell_timeline(dmd_out_t *out, const dmd_profile_t *profile) {
  const dmd_timeline_t *timeline = &profile->timeline;
  spell_number(out, timeline->is_forked ? "forked, every " : "every ", timeline->spacing_ms);
  dmd_out_str(out, " ms\n");
  for (uint32_t id = 1; id <= timeline->points.last; id++) {
    spell_point(out, dmd_timeline_point(timeline, id));
    dmd_out_str(out, "\n");
  }
  for (uint32_t id = 1; id <= timeline->marks.last; id++) {
    const dmd_timemark_t *mark = dmd_timeline_mark(timeline, id);
    spell_point(out, &mark->at);
    spell_number(out, ", dump ", mark->dump);
    dmd_out_str(out, mark->text != DMD_NONE ? ": " : "");
    dmd_out_str(out, mark->text != DMD_NONE ? dmd_intern_get_str(&profile->names, mark->text) : "");
    dmd_out_str(out, "\n");
  }
  spell_breakdowns(out, profile);
}
