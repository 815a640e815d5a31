/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/recordfields.h"

#define NUMBER(field) DMD_RECORD_IS_NUMBER, offsetof(dmd_record_t, field), 0
#define STACK(field, report) DMD_RECORD_IS_STACK, offsetof(dmd_record_t, field), report
#define NAME(report) DMD_RECORD_IS_NAME, 0, report

const dmd_record_field_t dmd_record_fields[DMD_N_RECORD_FIELDS] = {
    [DMD_RECORD_BLOCKS] = {"blocks", NULL, NUMBER(num)},
    [DMD_RECORD_BYTES] = {"bytes", NULL, NUMBER(usable)},
    [DMD_RECORD_REQUESTED] = {"requested", NULL, NUMBER(req)},
    [DMD_RECORD_SLOP] = {"slop", NULL, NUMBER(slop)},
    [DMD_RECORD_EXCESS] = {"excess", NULL, DMD_RECORD_IS_NUMBER, offsetof(dmd_record_t, excess), 2},
    [DMD_RECORD_SIZES] = {"sizes", NULL, DMD_RECORD_IS_SIZES, 0, 0},
    [DMD_RECORD_ALLOCATED_AT] = {"allocatedAt", "Allocated", STACK(stack, 0)},
    [DMD_RECORD_TAG] = {"tag", "Tag", NAME(0)},
    [DMD_RECORD_REPORTER] = {"reporter", "Reporter", NAME(1)},
    [DMD_RECORD_REPORTED_AT] = {"reportedAt", "Reported", STACK(reported[0], 1)},
    [DMD_RECORD_REPORTER_AGAIN] = {"reporterAgain", "Reporter", NAME(2)},
    [DMD_RECORD_REPORTED_AGAIN_AT] = {"reportedAgainAt", "Reported again", STACK(reported[1], 2)},
};
_Static_assert(DMD_REPORTS_KEPT == 2, "a field for each report that is kept");

/* The value of a name field in one of the record's groups. */
static uint32_t name_in_group(const dmd_profile_t *profile, const dmd_group_t *g,
                              const dmd_record_field_t *field) {
  if (field->report == 0)
    return g->tag;
  if (g->reports == DMD_NONE)
    return DMD_NONE;
  return dmd_reports_at(&profile->reports, g->reports)->report[field->report - 1].reporter;
}

uint32_t dmd_record_name(const dmd_records_t *records, const dmd_record_t *r,
                         dmd_record_field_id_t field, bool *several) {
  uint32_t name = DMD_NONE;
  *several = false;
  for (uint32_t i = 0; i < r->n_groups && !*several; i++) {
    const dmd_group_t *g = dmd_record_group(records, r, i);
    uint32_t other = name_in_group(records->profile, g, &dmd_record_fields[field]);
    *several = i > 0 && other != name;
    name = other;
  }
  return *several ? DMD_NONE : name;
}

const char *dmd_record_name_text(const dmd_records_t *records, const dmd_record_t *r,
                                 dmd_record_field_id_t field) {
  const dmd_profile_t *profile = records->profile;
  bool several;
  uint32_t name = dmd_record_name(records, r, field, &several);
  if (name == DMD_NONE)
    return NULL;
  return dmd_intern_get_str(field == DMD_RECORD_TAG ? &profile->tags : &profile->names, name);
}
