/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/export/exportmetrics.h"

#include "analyse/tree/profile_amounts.h"
#include "base/format.h"
#include "base/utf8.h"

void dmd_exportfigures_begin(dmd_exportfigures_t *e, const dmd_env_t *env,
                             dmd_metrics_format_t format, size_t n, dmd_out_t *out) {
  *e = (dmd_exportfigures_t){.format = format, .env = env, .is_alone = n == 1, .out = out};
  dmd_intern_init(&e->seen, env, "dmd.metrics");
  dmd_openmetrics_init(&e->metrics, env);
  if (format == DMD_METRICS_BENCHMARK) {
    dmd_jsonout_init(&e->json, out);
    dmd_jsonout_array(&e->json, DMD_JSONOUT_LINES);
  }
}

void dmd_exportfigures_end(dmd_exportfigures_t *e) {
  if (e->format == DMD_METRICS_BENCHMARK)
    dmd_jsonout_end(&e->json);
  else
    dmd_openmetrics_write(&e->metrics, e->out);
  dmd_openmetrics_destroy(&e->metrics);
  dmd_intern_destroy(&e->seen);
}

/* ---- A profile. ---- */

typedef struct {
  dmd_exportfigures_t *e;
  const char *process, *moment;
  dmd_metric_label_t labels[3];
  size_t n_labels;
} adding_t;

static void add_metric(void *ctx, dmd_metric_kind_t kind, const char *name, int64_t value) {
  adding_t *a = ctx;
  dmd_openmetrics_add(&a->e->metrics, kind, name, a->labels, a->n_labels, value, NULL);
}

void dmd_benchmark_write(dmd_jsonout_t *json, const dmd_benchmark_t *benchmark) {
  dmd_jsonout_object(json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(json, "name", benchmark->name);
  dmd_jsonout_key_str(json, "unit", benchmark->kind == DMD_METRIC_FAULTS ? "faults" : "bytes");
  dmd_jsonout_key(json, "value");
  dmd_jsonout_i64(json, benchmark->value);
  if (benchmark->range != NULL)
    dmd_jsonout_key_str(json, "range", benchmark->range);
  dmd_jsonout_key_str(json, "extra", benchmark->extra);
  dmd_jsonout_end(json);
}

static void add_benchmark(void *ctx, dmd_metric_kind_t kind, const char *name, int64_t value) {
  const adding_t *a = ctx;
  dmd_strbuf_t full;
  dmd_strbuf_init(&full, a->e->env);
  if (!a->e->is_alone) {
    dmd_strbuf_str(&full, a->process);
    dmd_strbuf_str(&full, ": ");
  }
  dmd_strbuf_str(&full, dmd_metric_kind_name(kind));
  dmd_strbuf_str(&full, name[0] == '\0' ? "" : " ");
  dmd_strbuf_str(&full, name);
  dmd_benchmark_write(&a->e->json, &(dmd_benchmark_t){kind, full.text, value, NULL, a->moment});
  dmd_strbuf_destroy(&full);
}

/* Two profiles of one process at one moment would be two values of one series, so only the first is
 * accepted. */
static bool is_first(dmd_exportfigures_t *e, const char *process, const char *moment) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, e->env);
  dmd_strbuf_str(&key, process);
  dmd_strbuf_str(&key, "\n");
  dmd_strbuf_str(&key, moment);
  bool good = dmd_intern_str(&e->seen, key.text) == ++e->n;
  dmd_strbuf_destroy(&key);
  return good;
}

/* Where the process's number begins: `app (pid 12)`. It is part of the label only if there are
 * several processes, because a label that changes with each run makes a new series each time. */
static size_t program_length(const dmd_profile_t *profile, const char *process) {
  char pid[DMD_FORMAT_MAX];
  bool has_number = profile->run.is_known && profile->run.pid != 0;
  size_t n = 0;
  while (process[n] != '\0')
    n++;
  return has_number ? n - sizeof " (pid )" + 1 - dmd_format_u64(pid, profile->run.pid) : n;
}

const char *dmd_exportfigures_add(dmd_exportfigures_t *e, dmd_profile_t *profile) {
  const char *why = NULL, *moment = dmd_metrics_moment(profile);
  char pid[DMD_FORMAT_MAX], *process = dmd_process_name(profile);
  dmd_strbuf_t program;
  dmd_strbuf_init(&program, e->env);
  dmd_strbuf_bytes(&program, process, program_length(profile, process));
  dmd_format_u64(pid, profile->run.pid);
  adding_t a = {e,
                process,
                moment,
                {{"program", program.text}, {"moment", moment}, {"pid", pid}},
                e->is_alone ? 2 : 3};
  if (is_first(e, process, moment))
    dmd_metrics_visit(profile, e->format == DMD_METRICS_BENCHMARK ? add_benchmark : add_metric, &a);
  else
    why = "two of these profiles are of one process at one moment";
  dmd_strbuf_destroy(&program);
  dmd_env_free(profile->env, process);
  return why;
}

/* ---- OpenMetrics. ---- */

typedef struct {
  const char *name, *help;
  bool is_bytes;
  const char *label; /* label for the metric's name; NULL: no label */
} family_t;

static const family_t kinds[DMD_N_FAMILIES] = {
    [DMD_METRIC_HEAP] = {"dmd_heap_bytes", "Usable bytes of all heap blocks.", true, NULL},
    [DMD_METRIC_UNREPORTED] = {"dmd_unreported_bytes", "Bytes that no reporter measured.", true,
                               NULL},
    [DMD_METRIC_ONCE] = {"dmd_once_reported_bytes", "Bytes that were reported once.", true, NULL},
    [DMD_METRIC_EXCESS] = {"dmd_excess_bytes", "Bytes that reports count too often.", true, NULL},
    [DMD_METRIC_TWICE] = {"dmd_twice_reported_bytes", "Bytes that were reported twice or more.",
                          true, NULL},
    [DMD_METRIC_RESIDENT] = {"dmd_resident_bytes", "Bytes in physical memory, without the tool's.",
                             true, NULL},
    [DMD_METRIC_FAULTS] = {"dmd_faults", "What the program did wrong with its heap and reports.",
                           false, NULL},
    [DMD_METRIC_REPORTER] = {"dmd_reporter_bytes", "Bytes that a reporter measured, and all below.",
                             true, "reporter"},
    [DMD_METRIC_TAG] = {"dmd_tag_bytes", "Bytes that bear a tag.", true, "tag"},
    [DMD_METRIC_LIBRARY] = {"dmd_library_bytes", "Bytes that a library allocated.", true,
                            "library"},
    [DMD_METRIC_PEAK] = {"dmd_peak_bytes", "Requested bytes of all heap blocks at the peak.", true,
                         NULL},
    [DMD_METRIC_WASTE] = {"dmd_waste_bytes", "Bytes of the heap that would be saved.", true, NULL},
    [DMD_METRIC_RESIDENT_PEAK] = {"dmd_resident_peak_bytes",
                                  "The most bytes in physical memory, without the tool's.", true,
                                  NULL},
    [DMD_OPENMETRICS_BUILDS] = {"dmd_build_info", "A build, when it was made.", false, "build"},
};

void dmd_openmetrics_init(dmd_openmetrics_t *m, const dmd_env_t *env) {
  for (unsigned i = 0; i < DMD_N_FAMILIES; i++)
    dmd_strbuf_init(&m->families[i], env);
}

void dmd_openmetrics_destroy(dmd_openmetrics_t *m) {
  for (unsigned i = 0; i < DMD_N_FAMILIES; i++)
    dmd_strbuf_destroy(&m->families[i]);
}

/* Writes a control byte like dmd_out_safe, as \xNN. This is not an escape of the format: readers
 * get these four characters. */
static void add_control(dmd_strbuf_t *to, unsigned char byte) {
  static const char digits[] = "0123456789abcdef";
  const char text[] = {'\\', '\\', 'x', digits[byte >> 4], digits[byte & 15]};
  dmd_strbuf_bytes(to, text, sizeof text);
}

/* The format requires three characters to be escaped. */
void dmd_openmetrics_label(dmd_strbuf_t *to, const char *separator, const char *name,
                           const char *value) {
  dmd_strbuf_str(to, separator);
  dmd_strbuf_str(to, name);
  dmd_strbuf_str(to, "=\"");
  for (size_t n; *value != '\0'; value += n) {
    n = dmd_utf8_length(value);
    n = n > 0 ? n : 1;
    if (*value == '\\' || *value == '"')
      dmd_strbuf_str(to, "\\");
    if (*value == '\n')
      dmd_strbuf_str(to, "\\n");
    else if (dmd_utf8_is_unsafe(value))
      for (size_t i = 0; i < n; i++)
        add_control(to, (unsigned char)value[i]);
    else
      dmd_strbuf_bytes(to, value, n);
  }
  dmd_strbuf_str(to, "\"");
}

void dmd_openmetrics_add(dmd_openmetrics_t *m, unsigned family, const char *name,
                         const dmd_metric_label_t *labels, size_t n_labels, int64_t value,
                         const int64_t *seconds) {
  dmd_strbuf_t *to = &m->families[family];
  const char *separator = "{";
  dmd_strbuf_str(to, kinds[family].name);
  if (kinds[family].label != NULL) {
    dmd_openmetrics_label(to, separator, kinds[family].label, name);
    separator = ",";
  }
  for (size_t i = 0; i < n_labels; i++) {
    dmd_openmetrics_label(to, separator, labels[i].name, labels[i].value);
    separator = ",";
  }
  dmd_strbuf_str(to, separator[0] == ',' ? "} " : " ");
  dmd_strbuf_i64(to, value);
  if (seconds != NULL) {
    dmd_strbuf_str(to, " ");
    dmd_strbuf_i64(to, *seconds);
  }
  dmd_strbuf_str(to, "\n");
}

static void write_line(dmd_out_t *out, const char *keyword, const char *name, const char *text) {
  dmd_out_str(out, "# ");
  dmd_out_str(out, keyword);
  dmd_out_char(out, ' ');
  dmd_out_str(out, name);
  dmd_out_char(out, ' ');
  dmd_out_str(out, text);
  dmd_out_char(out, '\n');
}

void dmd_openmetrics_write(const dmd_openmetrics_t *m, dmd_out_t *out) {
  for (unsigned i = 0; i < DMD_N_FAMILIES; i++) {
    if (m->families[i].n == 0)
      continue;
    write_line(out, "TYPE", kinds[i].name, "gauge");
    if (kinds[i].is_bytes)
      write_line(out, "UNIT", kinds[i].name, "bytes");
    write_line(out, "HELP", kinds[i].name, kinds[i].help);
    dmd_out_bytes(out, m->families[i].text, m->families[i].n);
  }
  dmd_out_str(out, "# EOF\n");
}
