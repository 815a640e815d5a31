/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes "timeline".
 */
#include "files/profile/profilewriter.h"

static void write_point(dmd_jsonout_t *j, const dmd_timeline_t *timeline,
                        const dmd_timepoint_t *point) {
  bool has_least = point->least_szB != point->szB;
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  dmd_jsonout_u64(j, point->ms);
  dmd_jsonout_u64(j, point->szB);
  dmd_jsonout_u64(j, point->n_blocks);
  dmd_jsonout_u64(j, point->alloc_szB);
  if (point->resident_szB != DMD_MEMORY_UNKNOWN)
    dmd_jsonout_u64(j, point->resident_szB);
  else if (has_least || timeline->counts_instructions)
    dmd_jsonout_null(j);
  if (has_least)
    dmd_jsonout_u64(j, point->least_szB);
  else if (timeline->counts_instructions)
    dmd_jsonout_null(j);
  if (timeline->counts_instructions)
    dmd_jsonout_u64(j, point->n_instructions);
  dmd_jsonout_end(j);
}

static void write_mark(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_timemark_t *mark) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  if (mark->text != DMD_NONE)
    dmd_jsonout_key_str(j, "text", dmd_intern_get_str(&profile->names, mark->text));
  if (mark->dump > 0)
    dmd_jsonout_key_u64(j, "dump", mark->dump);
  dmd_jsonout_key_u64(j, "milliseconds", mark->at.ms);
  dmd_jsonout_key_u64(j, "bytes", mark->at.szB);
  dmd_jsonout_key_u64(j, "blocks", mark->at.n_blocks);
  dmd_jsonout_key_u64(j, "allocated", mark->at.alloc_szB);
  if (mark->at.resident_szB != DMD_MEMORY_UNKNOWN)
    dmd_jsonout_key_u64(j, "resident", mark->at.resident_szB);
  if (profile->timeline.counts_instructions)
    dmd_jsonout_key_u64(j, "instructions", mark->at.n_instructions);
  dmd_jsonout_end(j);
}

static void write_amounts(dmd_jsonout_t *j, const uint64_t *amounts, uint32_t n) {
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < n; i++)
    dmd_jsonout_u64(j, amounts[i]);
  dmd_jsonout_end(j);
}

static void write_breakdown(dmd_jsonout_t *j, const dmd_timeline_t *timeline,
                            const dmd_breakdown_t *breakdown) {
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  dmd_jsonout_u64(j, breakdown->at.ms);
  dmd_jsonout_u64(j, breakdown->at.szB);
  dmd_jsonout_u64(j, breakdown->at.n_blocks);
  dmd_jsonout_u64(j, breakdown->at.alloc_szB);
  write_amounts(j, breakdown->stacks, timeline->stacks.last);
  write_amounts(j, breakdown->tags, timeline->tags.last);
  if (timeline->counts_instructions)
    dmd_jsonout_u64(j, breakdown->at.n_instructions);
  dmd_jsonout_end(j);
}

static void write_breakdowns(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  const dmd_timeline_t *timeline = &profile->timeline;
  if (timeline->n_breakdowns == 0)
    return;
  dmd_jsonout_key(j, "stacks");
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < timeline->stacks.last; i++)
    dmd_jsonout_id(j, *dmd_timeline_stack(timeline, i));
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "tags");
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < timeline->tags.last; i++)
    dmd_jsonout_str(j, dmd_intern_get_str(&profile->tags, *dmd_timeline_tag(timeline, i)));
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "breakdowns");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < timeline->n_breakdowns; i++)
    write_breakdown(j, timeline, &timeline->breakdowns[i]);
  dmd_jsonout_end(j);
}

void dmd_json_write_timeline(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  const dmd_timeline_t *timeline = &profile->timeline;
  if (!dmd_timeline_is_known(timeline))
    return;
  dmd_jsonout_key(j, "timeline");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(j, "spacing", timeline->spacing_ms);
  if (timeline->is_forked)
    dmd_jsonout_key_bool(j, "forked", true);
  dmd_jsonout_key(j, "points");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= timeline->points.last; id++)
    write_point(j, timeline, dmd_timeline_point(timeline, id));
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "marks");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= timeline->marks.last; id++)
    write_mark(j, profile, dmd_timeline_mark(timeline, id));
  dmd_jsonout_end(j);
  write_breakdowns(j, profile);
  dmd_jsonout_end(j);
}
