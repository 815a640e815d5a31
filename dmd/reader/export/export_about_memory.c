/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory reports as Firefox's about:memory saves and loads them.
 *
 * The reports are those that dmdv tree shows (sources.h), without heap-unclassified, which Firefox
 * computes itself. It also wants to know how much memory is resident; where a profile does not say,
 * the heap is the part of it that is known.
 */
#include "reader/export/export.h"

#include "base/jsonout.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/report/source_profile.h"

static void write_report(dmd_jsonout_t *j, const char *process, const char *path,
                         dmd_memreport_kind_t kind, dmd_memreport_units_t units, int64_t amount,
                         const char *description) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "process", process);
  dmd_jsonout_key_str(j, "path", path);
  dmd_jsonout_key_u64(j, "kind", kind);
  dmd_jsonout_key_u64(j, "units", units);
  dmd_jsonout_key(j, "amount");
  dmd_jsonout_i64(j, amount);
  dmd_jsonout_key_str(j, "description", description);
  dmd_jsonout_end(j);
}

static void write_reports(dmd_jsonout_t *j, const dmd_amounts_t *m, const char *process,
                          int64_t heap_szB, const dmd_footprint_t *memory) {
  for (uint32_t i = 0; i < m->n_order; i++) {
    const dmd_amount_t *r = dmd_amounts_at(m, m->order[i]);
    write_report(j, dmd_amounts_process(m, m->order[i]), dmd_amounts_path(m, m->order[i]), r->kind,
                 r->units, r->amount, dmd_intern_get_str(&m->strings, r->description));
  }
  const struct {
    const char *path;
    uint64_t szB;
  } wanted[] = {{"resident", memory->resident}, {"resident-unique", memory->resident_unique}};
  for (int i = 0; i < 2; i++)
    if (wanted[i].szB == DMD_MEMORY_UNKNOWN)
      write_report(j, process, wanted[i].path, DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, heap_szB,
                   "A lower bound: the heap alone. The profile does not say how much memory is "
                   "resident.");
}

static void write_document(dmd_out_t *out, const dmd_amounts_t *m, const char *process,
                           int64_t heap_szB, const dmd_footprint_t *memory) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(&j, "version", 1);
  dmd_jsonout_key_bool(&j, "hasMozMallocUsableSize", true);
  dmd_jsonout_key(&j, "reports");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  write_reports(&j, m, process, heap_szB, memory);
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}

bool dmdv_export_about_memory(dmd_profile_t *profile, dmd_out_t *out) {
  dmd_amounts_t reports;
  dmd_amounts_init(&reports, &dmdv_env, false);
  char *process = dmdv_process_name(&dmdv_env, profile);
  dmdv_coverage_t coverage;
  const char *path;
  const char *why = dmdv_memreports_from_profile(&reports, profile, process, &coverage);
  if (why == NULL)
    why = dmd_amounts_settle(&reports, &path);
  if (why == NULL)
    write_document(out, &reports, process, coverage.heap_szB, &profile->memory);
  else
    dmdv_error("about-memory: a memory report of this profile %s", why);
  dmd_env_free(&dmdv_env, process);
  dmd_amounts_destroy(&reports);
  return why == NULL;
}
