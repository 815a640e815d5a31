/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/findings/findings.h"

#include "base/format.h"
#include "base/sort.h"

enum { LEAST_PERCENT = 1, LEAST_WASTE_PERCENT = 3 };

const char *dmd_finding_kind_name(dmd_finding_kind_t kind) {
  static const char *const names[DMD_N_FINDING_KINDS] = {"place",  "unreported", "twice",
                                                         "growth", "waste",      "claim"};
  return names[kind];
}

dmd_section_t dmd_findings_section(const dmd_profile_t *profile) {
  return profile->mode == DMD_MODE_DARK_MATTER ? DMD_SECTION_UNREPORTED : DMD_SECTION_ALL;
}

static void add(dmd_findings_t *f, dmd_finding_t finding) {
  uint32_t at = f->n++;
  for (; at > 0 && f->all[at - 1].bytes < finding.bytes; at--)
    f->all[at] = f->all[at - 1];
  f->all[at] = finding;
}

static bool matters(int64_t bytes, int64_t whole) {
  return dmd_percent(bytes, whole) >= LEAST_PERCENT;
}

static bool waste_matters(const dmd_waste_finding_t *waste, int64_t whole) {
  return dmd_percent((int64_t)waste->bytes, whole) >=
         (waste->kind == DMD_WASTE_LOST ? LEAST_PERCENT : LEAST_WASTE_PERCENT);
}

static void add_places(dmd_findings_t *f) {
  const dmd_records_t *records = f->of->records;
  for (uint32_t i = 0; i < f->places.n && i < DMD_FINDINGS_OF_KIND; i++) {
    const dmd_tally_t *row = dmd_rows_at(&f->places, i);
    if (i > 0 && !matters(row->total, records->heap.bytes))
      break;
    add(f, (dmd_finding_t){
               .kind = DMD_FINDING_PLACE, .id = i, .bytes = row->total, .blocks = row->num});
  }
}

static void add_records(dmd_findings_t *f, dmd_section_t section, dmd_finding_kind_t kind) {
  const dmd_records_t *records = f->of->records;
  const dmd_section_records_t *s = &records->section[section];
  for (uint32_t i = 0; i < s->n && i < DMD_FINDINGS_OF_KIND; i++) {
    const dmd_record_t *r = dmd_records_at(records, s->ids[i]);
    if (i > 0 && !matters(r->usable, records->heap.bytes))
      break;
    add(f, (dmd_finding_t){.kind = kind, .id = s->ids[i], .bytes = r->usable, .blocks = r->num});
  }
}

static void add_growth(dmd_findings_t *f) {
  const dmd_growth_t *growth = f->of->growth;
  double s = (double)(growth->to_ms - growth->from_ms) / 1000, szB = s * (double)growth->szB_per_s;
  add(f, (dmd_finding_t){.kind = DMD_FINDING_GROWTH,
                         .bytes = szB < (double)INT64_MAX ? (int64_t)szB : INT64_MAX});
}

static void add_waste(dmd_findings_t *f) {
  const dmd_waste_t *waste = f->of->waste;
  unsigned seen = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < waste->n && n < DMD_FINDINGS_OF_KIND; i++) {
    const dmd_waste_finding_t *finding = dmd_waste_at(waste, i);
    if (finding->counted == 0 || seen >> finding->kind & 1 ||
        !waste_matters(finding, f->of->records->heap.bytes))
      continue;
    seen |= 1u << finding->kind;
    n++;
    add(f, (dmd_finding_t){.kind = DMD_FINDING_WASTE,
                           .id = i,
                           .bytes = (int64_t)finding->bytes,
                           .blocks = (int64_t)finding->blocks});
  }
}

/* For each function with a rule: the wrong size that it returned most often. A function without a
 * rule may mean something else by a size. */
static void add_claims(dmd_findings_t *f) {
  const dmd_claimrules_t *claims = f->of->claims;
  uint32_t n = 0;
  for (uint32_t id = 1; id <= claims->verdicts.last && n < DMD_FINDINGS_OF_KIND; id++) {
    const dmd_claim_verdict_t *v = dmd_claimrules_at(claims, id);
    if (v->n_findings == 0 || !v->has_rule)
      continue;
    const dmd_claim_finding_t *finding = dmd_claimrules_finding(claims, v, 0);
    uint64_t least = dmd_magnitude(finding->least), most = dmd_magnitude(finding->most);
    n++;
    add(f, (dmd_finding_t){.kind = DMD_FINDING_CLAIM,
                           .id = v->first_finding,
                           .of = id,
                           .bytes = (int64_t)(least > most ? least : most),
                           .blocks = (int64_t)finding->count});
  }
}

void dmd_findings_init(dmd_findings_t *f, const dmd_findings_of_t *of) {
  f->of = of;
  f->n = 0;
  if (of->has_reports) {
    add_records(f, DMD_SECTION_UNREPORTED, DMD_FINDING_UNREPORTED);
    add_records(f, DMD_SECTION_TWICE, DMD_FINDING_TWICE);
  } else {
    dmd_rows_init(&f->places, of->records, DMD_BY_LINE,
                  1u << dmd_findings_section(of->records->profile));
    add_places(f);
  }
  if (of->growth != NULL)
    add_growth(f);
  if (of->waste != NULL)
    add_waste(f);
  if (of->claims != NULL)
    add_claims(f);
}

void dmd_findings_destroy(dmd_findings_t *f) {
  if (!f->of->has_reports)
    dmd_rows_destroy(&f->places);
}

bool dmd_findings_are_scattered(const dmd_findings_t *f) {
  int64_t szB = 0;
  for (uint32_t i = 0; i < f->n; i++)
    szB += f->all[i].kind == DMD_FINDING_PLACE ? f->all[i].bytes : 0;
  return szB > 0 && szB < f->of->records->heap.bytes / 2;
}
