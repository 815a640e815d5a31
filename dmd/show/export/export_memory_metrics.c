/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory reports as OpenMetrics: a family for each unit, a sample for each process and path. The
 * library dmd-reporters writes the same families (dmd_reporters_openmetrics).
 */
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "show/export/export.h"
#include "show/export/exportmetrics.h"

static const struct {
  const char *name, *unit, *help;
} families[DMD_MEMREPORT_N_UNITS] = {
    [DMD_MEMREPORT_BYTES] = {"dmd_memory_bytes", "bytes", "Memory."},
    [DMD_MEMREPORT_COUNT] = {"dmd_memory_items", NULL, "Numbers of things."},
    [DMD_MEMREPORT_CUMULATIVE] = {"dmd_memory_events", NULL, "Counts that only grow."},
    [DMD_MEMREPORT_PERCENTAGE] = {"dmd_memory_ratio", "ratio", "Shares, of which 1 is the whole."},
};

static void write_head(dmd_out_t *out, int units) {
  dmd_out_str(out, "# TYPE ");
  dmd_out_str(out, families[units].name);
  dmd_out_str(out, " gauge");
  if (families[units].unit != NULL) {
    dmd_out_str(out, "\n# UNIT ");
    dmd_out_str(out, families[units].name);
    dmd_out_char(out, ' ');
    dmd_out_str(out, families[units].unit);
  }
  dmd_out_str(out, "\n# HELP ");
  dmd_out_str(out, families[units].name);
  dmd_out_char(out, ' ');
  dmd_out_str(out, families[units].help);
  dmd_out_char(out, '\n');
}

/* "app (pid 12)" becomes two labels, others one. */
static void add_process(dmd_strbuf_t *line, const dmd_env_t *env, const char *process) {
  static const char before[] = " (pid ";
  size_t n = dmd_str_length(process), digits = 0, n_before = sizeof before - 1;
  while (n > digits + 1 && process[n - 2 - digits] >= '0' && process[n - 2 - digits] <= '9')
    digits++;
  bool has_pid = n > digits + 1 + n_before && digits > 0 && process[n - 1] == ')' &&
                 dmd_mem_equal(process + n - 1 - digits - n_before, before, n_before);
  dmd_strbuf_t part;
  dmd_strbuf_init(&part, env);
  dmd_strbuf_bytes(&part, process, has_pid ? n - 1 - digits - n_before : n);
  dmd_openmetrics_label(line, "{", "process", part.text);
  dmd_strbuf_cut(&part, 0);
  if (has_pid) {
    dmd_strbuf_bytes(&part, process + n - 1 - digits, digits);
    dmd_openmetrics_label(line, ",", "pid", part.text);
  }
  dmd_strbuf_destroy(&part);
}

/* Percentages are in hundredths. */
static void add_value(dmd_strbuf_t *line, int units, int64_t amount) {
  if (units != DMD_MEMREPORT_PERCENTAGE) {
    dmd_strbuf_i64(line, amount);
    return;
  }
  uint64_t size = dmd_magnitude(amount), rest = size % 10000;
  dmd_strbuf_str(line, amount < 0 ? "-" : "");
  dmd_strbuf_u64(line, size / 10000);
  dmd_strbuf_str(line, ".");
  for (uint64_t digit = 1000; digit > 0; digit /= 10)
    dmd_strbuf_u64(line, rest / digit % 10);
}

static void write_sample(dmd_out_t *out, const dmd_amounts_t *m, uint32_t id) {
  static const char *const kinds[] = {"nonheap", "heap", "other"};
  const dmd_amount_t *a = dmd_amounts_at(m, id);
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, m->env);
  dmd_strbuf_str(&line, families[a->units].name);
  add_process(&line, m->env, dmd_amounts_process(m, id));
  dmd_openmetrics_label(&line, ",", "path", dmd_amounts_path(m, id));
  dmd_openmetrics_label(&line, ",", "kind", kinds[a->kind]);
  dmd_strbuf_str(&line, "} ");
  add_value(&line, a->units, a->amount);
  dmd_strbuf_str(&line, "\n");
  dmd_out_bytes(out, line.text, line.n);
  dmd_strbuf_destroy(&line);
}

void dmd_export_amounts_openmetrics(const dmd_amounts_t *m, dmd_out_t *out) {
  for (int units = 0; units < DMD_MEMREPORT_N_UNITS; units++) {
    bool has_head = false;
    for (uint32_t i = 0; i < m->n_order; i++) {
      if (dmd_amounts_at(m, m->order[i])->units != units)
        continue;
      if (!has_head)
        write_head(out, units);
      has_head = true;
      write_sample(out, m, m->order[i]);
    }
  }
  dmd_out_str(out, "# EOF\n");
}
