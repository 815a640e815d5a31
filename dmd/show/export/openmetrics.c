/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/export/openmetrics.h"

#include "base/utf8.h"

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

/* A label with its value. The format requires three characters to be escaped. */
static void add_label(dmd_strbuf_t *to, const char *separator, const char *name,
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
    add_label(to, separator, kinds[family].label, name);
    separator = ",";
  }
  for (size_t i = 0; i < n_labels; i++) {
    add_label(to, separator, labels[i].name, labels[i].value);
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
