/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exports memory reports as Firefox's about:memory saves and loads them.
 *
 * The reports are those that dmdv tree shows (profile_amounts.h), without heap-unclassified, which
 * Firefox computes itself. Firefox also requires the resident memory; if the profile does not have
 * it, the heap is a lower bound.
 */
#include "show/export/export.h"

#include "analyse/tree/profile_amounts.h"
#include "base/jsonout.h"
#include "base/str.h"

static void write_report(dmd_jsonout_t *j, const dmd_memreport_t *report) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "process", report->process);
  dmd_jsonout_key_str(j, "path", report->path);
  dmd_jsonout_key_u64(j, "kind", report->kind);
  dmd_jsonout_key_u64(j, "units", report->units);
  dmd_jsonout_key(j, "amount");
  dmd_jsonout_i64(j, report->amount);
  dmd_jsonout_key_str(j, "description", report->description != NULL ? report->description : "");
  dmd_jsonout_end(j);
}

/* Writes heap-allocated for one process, the reports order[from] to order[to], exclusive, because
 * Firefox warns of an explicit tree without it. Reports published for a process other than the
 * profile's lack it; that process's heap is at least what was published as heap. */
static void write_heap(dmd_jsonout_t *j, const dmd_amounts_t *m, uint32_t from, uint32_t to) {
  static const char EXPLICIT[] = "explicit/";
  bool has_explicit = false;
  dmd_memreport_t heap = {.process = dmd_amounts_process(m, m->order[from]),
                          .path = "heap-allocated",
                          .description = "A lower bound: the heap that is published for this "
                                         "process. The profile does not say how much there is.",
                          .kind = DMD_MEMREPORT_OTHER,
                          .units = DMD_MEMREPORT_BYTES};
  for (uint32_t i = from; i < to; i++) {
    const char *path = dmd_amounts_path(m, m->order[i]);
    if (dmd_str_equal(path, heap.path))
      return;
    if (dmd_str_begins(path, EXPLICIT)) {
      has_explicit = true;
      heap.amount += dmd_amounts_at(m, m->order[i])->heap;
    }
  }
  if (has_explicit)
    write_report(j, &heap);
}

static void write_amounts(dmd_jsonout_t *j, const dmd_amounts_t *m) {
  for (uint32_t i = 0, from = 0; i < m->n_order; i++) {
    const dmd_amount_t *a = dmd_amounts_at(m, m->order[i]);
    dmd_memreport_t report = {.process = dmd_amounts_process(m, m->order[i]),
                              .path = dmd_amounts_path(m, m->order[i]),
                              .description = a->description == DMD_NONE
                                                 ? NULL
                                                 : dmd_intern_get_str(&m->strings, a->description),
                              .amount = a->amount,
                              .kind = a->kind,
                              .units = a->units};
    write_report(j, &report);
    if (i + 1 == m->n_order || dmd_amounts_at(m, m->order[i + 1])->process != a->process) {
      write_heap(j, m, from, i + 1);
      from = i + 1;
    }
  }
}

/* Adds a value of the profile's process that is not a memory report in the profile. */
static const char *add_figure(dmd_amounts_t *m, const char *process, const char *path, int64_t szB,
                              const char *description) {
  return dmd_amounts_add(m,
                         &(dmd_memreport_t){.process = process,
                                            .path = path,
                                            .description = description,
                                            .amount = szB,
                                            .times = 1,
                                            .kind = DMD_MEMREPORT_OTHER,
                                            .units = DMD_MEMREPORT_BYTES},
                         0);
}

static const char *add_figures(dmd_amounts_t *m, const char *process,
                               const dmd_coverage_t *coverage, const dmd_footprint_t *memory) {
  static const char at_least[] =
      "A lower bound: the heap alone. The profile does not say how much memory is resident.";
  const char *why = NULL;
  if (memory->resident == DMD_MEMORY_UNKNOWN)
    why = add_figure(m, process, "resident", coverage->heap_szB, at_least);
  if (why == NULL && memory->resident_unique == DMD_MEMORY_UNKNOWN)
    why = add_figure(m, process, "resident-unique", coverage->heap_szB, at_least);
  if (why == NULL && coverage->twice_szB > 0)
    why = add_figure(m, process, "twice-reported", coverage->excess_szB,
                     "What is counted too often under explicit, since blocks were reported more "
                     "than once. That makes heap-unclassified smaller by as much. dmdv print shows "
                     "these blocks.");
  return why;
}

static const char *add_profile(dmd_amounts_t *all, const dmd_profile_t *profile, const char *file) {
  dmd_amounts_t one;
  dmd_coverage_t coverage;
  const char *path;
  char *process = dmd_process_name(profile);
  dmd_amounts_init(&one, all->env, false);
  const char *why = dmd_amounts_of_profile(&one, profile, process, &coverage);
  if (why == NULL)
    why = add_figures(&one, process, &coverage, &profile->memory);
  if (why == NULL)
    why = dmd_amounts_join(all, &one, file, &path);
  dmd_amounts_destroy(&one);
  dmd_env_free(profile->env, process);
  return why;
}

/* Adds each of the processes that a profile keeps separate, or the profile's only one. */
static const char *add_processes(dmd_amounts_t *all, const dmd_profile_t *profile,
                                 const char *file) {
  size_t n;
  dmd_profile_t *parts = dmd_processes_split(profile, &n);
  const char *why = parts == NULL ? add_profile(all, profile, file) : NULL;
  for (size_t i = 0; i < n && why == NULL; i++)
    why = add_profile(all, &parts[i], file);
  dmd_processes_free(parts, n);
  return why;
}

void dmd_export_amounts(const dmd_amounts_t *m, dmd_out_t *out) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  /* If the file is gzipped, Firefox decodes each byte as one character. */
  dmd_jsonout_ascii(&j);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(&j, "version", 1);
  dmd_jsonout_key_bool(&j, "hasMozMallocUsableSize", true);
  dmd_jsonout_key(&j, "reports");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  write_amounts(&j, m);
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}

const char *dmd_export_processes(const dmd_profile_t *profiles, char *const *files, size_t n,
                                 dmd_out_t *out) {
  dmd_amounts_t all;
  const char *path, *why = NULL;
  dmd_amounts_init(&all, profiles[0].env, false);
  for (size_t i = 0; i < n && why == NULL; i++)
    why = add_processes(&all, &profiles[i], files[i]);
  if (why == NULL)
    why = dmd_amounts_settle(&all, &path);
  if (why == NULL)
    dmd_export_amounts(&all, out);
  dmd_amounts_destroy(&all);
  return why;
}

const char *dmd_export_about_memory(const dmd_profile_t *profile, dmd_out_t *out,
                                    const dmd_export_options_t *options) {
  static char file[] = "";
  char *const files[] = {file};
  (void)options;
  return dmd_export_processes(profile, files, 1, out);
}
