/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory reports as Firefox's about:memory saves and loads them.
 *
 * The reports are those that dmdv tree shows (profile_amounts.h), without heap-unclassified, which
 * Firefox computes itself. It also wants to know how much memory is resident; where a profile does
 * not say, the heap is the part of it that is known.
 */
#include "export/export.h"

#include "analysis/profile_amounts.h"
#include "base/jsonout.h"

static void write_report(dmd_jsonout_t *j, const dmd_memreport_t *report) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "process", report->process);
  dmd_jsonout_key_str(j, "path", report->path);
  dmd_jsonout_key_u64(j, "kind", report->kind);
  dmd_jsonout_key_u64(j, "units", report->units);
  dmd_jsonout_key(j, "amount");
  dmd_jsonout_i64(j, report->amount);
  dmd_jsonout_key_str(j, "description", report->description);
  dmd_jsonout_end(j);
}

static void write_reports(dmd_jsonout_t *j, const dmd_amounts_t *m, const char *process,
                          int64_t heap_szB, const dmd_footprint_t *memory) {
  for (uint32_t i = 0; i < m->n_order; i++) {
    const dmd_amount_t *a = dmd_amounts_at(m, m->order[i]);
    dmd_memreport_t report = {.process = dmd_amounts_process(m, m->order[i]),
                              .path = dmd_amounts_path(m, m->order[i]),
                              .description = dmd_intern_get_str(&m->strings, a->description),
                              .amount = a->amount,
                              .kind = a->kind,
                              .units = a->units};
    write_report(j, &report);
  }
  const struct {
    const char *path;
    uint64_t szB;
  } wanted[] = {{"resident", memory->resident}, {"resident-unique", memory->resident_unique}};
  for (int i = 0; i < 2; i++) {
    dmd_memreport_t report = {.process = process,
                              .path = wanted[i].path,
                              .description = "A lower bound: the heap alone. The profile does not "
                                             "say how much memory is resident.",
                              .amount = heap_szB,
                              .kind = DMD_MEMREPORT_OTHER,
                              .units = DMD_MEMREPORT_BYTES};
    if (wanted[i].szB == DMD_MEMORY_UNKNOWN)
      write_report(j, &report);
  }
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

const char *dmd_export_about_memory(const dmd_profile_t *profile, dmd_out_t *out,
                                    const dmd_export_options_t *options) {
  (void)options;
  const dmd_env_t *env = profile->env;
  dmd_amounts_t amounts;
  dmd_amounts_init(&amounts, env, false);
  char *process = dmd_process_name(profile);
  dmd_coverage_t coverage;
  const char *path;
  const char *why = dmd_amounts_of_profile(&amounts, profile, process, &coverage);
  if (why == NULL)
    why = dmd_amounts_settle(&amounts, &path);
  if (why == NULL)
    write_document(out, &amounts, process, coverage.heap_szB, &profile->memory);
  dmd_env_free(env, process);
  dmd_amounts_destroy(&amounts);
  return why;
}
