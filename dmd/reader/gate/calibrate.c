/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/gate/calibrate.h"

#include "base/format.h"
#include "base/sort.h"
#include "reader/gate/gate_text.h"

#include <stdlib.h>
#include <string.h>

/* One figure of all runs. */
typedef struct {
  int64_t least, median, most;
} noise_t;

/* The distinct reporters and tags of all runs, by name. */
typedef struct {
  dmd_intern_t names;
  uint32_t *order;
} names_t;

/* ---- Figures. ---- */

static int compare_values(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* With blocks, that of their number. The median of an even number of runs is the mean of the two in
 * the middle, rounded down. */
static noise_t measure(const dmdv_calibration_t *c, dmd_what_t what, const char *name,
                       bool blocks) {
  const dmd_env_t *env = c->runs[0].profile->env;
  int64_t *values = dmd_env_alloc(env, "dmdv.calibrate", c->n * sizeof *values);
  for (size_t i = 0; i < c->n; i++) {
    dmd_figure_t figure = dmd_gate_figure(&c->runs[i], what, name);
    values[i] = blocks ? figure.num : figure.bytes;
  }
  qsort(values, c->n, sizeof *values, compare_values);
  int64_t low = values[(c->n - 1) / 2], high = values[c->n / 2];
  noise_t noise = {values[0], low + (high - low) / 2, values[c->n - 1]};
  dmd_env_free(env, values);
  return noise;
}

static bool knows_reports(const dmdv_calibration_t *c) {
  return c->runs[0].profile->mode == DMD_MODE_DARK_MATTER;
}

static bool knows_misreports(const dmdv_calibration_t *c) {
  bool known = true;
  for (size_t i = 0; i < c->n; i++)
    known &= c->runs[i].profile->run.is_known;
  return known;
}

/* ---- Names. ---- */

static void collect_names(dmd_intern_t *names, const dmd_profile_t *profile) {
  for (uint32_t id = 1; id <= profile->reports.pool.last; id++)
    for (int i = 0; i < DMD_REPORTS_KEPT; i++) {
      uint32_t reporter = dmd_reports_at(&profile->reports, id)->report[i].reporter;
      if (reporter != DMD_NONE)
        dmd_intern_str(names, dmd_intern_get_str(&profile->names, reporter));
    }
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->tags); id++)
    dmd_intern_str(names, dmd_intern_get_str(&profile->tags, id));
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b) {
  return strcmp(dmd_intern_get_str(ctx, a), dmd_intern_get_str(ctx, b));
}

static uint32_t init_names(names_t *n, const dmdv_calibration_t *c) {
  const dmd_env_t *env = c->runs[0].profile->env;
  dmd_intern_init(&n->names, env, "dmdv.calibrate");
  for (size_t i = 0; i < c->n; i++)
    collect_names(&n->names, c->runs[i].profile);
  uint32_t count = dmd_intern_count(&n->names);
  n->order = dmd_env_alloc(env, "dmdv.calibrate", (count + 1) * sizeof *n->order);
  for (uint32_t i = 0; i < count; i++)
    n->order[i] = i + 1;
  dmd_sort(env, n->order, count, compare_names, &n->names);
  return count;
}

static const char *name_at(const names_t *n, uint32_t i) {
  return dmd_intern_get_str(&n->names, n->order[i]);
}

/* ---- The table. ---- */

static void number_column(dmd_out_t *out, int64_t v) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_commas(buf, v);
  dmd_out_str(out, "  ");
  dmd_out_right(out, buf, 15);
}

static void print_row(dmd_out_t *out, const char *label, noise_t noise) {
  char buf[DMD_FORMAT_MAX];
  number_column(out, noise.least);
  number_column(out, noise.median);
  number_column(out, noise.most);
  number_column(out, noise.most - noise.least);
  dmd_format_fixed2(buf, dmd_percent(noise.most - noise.least, noise.median));
  dmd_out_str(out, "  ");
  dmd_out_right(out, buf, 6);
  dmd_out_str(out, "%  ");
  dmd_out_safe(out, label);
  dmd_out_char(out, '\n');
}

static void print_table(dmd_out_t *out, const dmdv_calibration_t *c, const names_t *names,
                        uint32_t n_names) {
  static const char *const heads[] = {"least", "median", "most", "difference"};
  dmd_out_str(out, "Usable bytes in ");
  dmd_out_u64(out, c->n);
  dmd_out_str(out, " runs\n\n");
  for (int i = 0; i < 4; i++) {
    dmd_out_str(out, "  ");
    dmd_out_right(out, heads[i], 15);
  }
  dmd_out_char(out, '\n');
  print_row(out, "total", measure(c, DMD_TOTAL, NULL, false));
  print_row(out, "total, in blocks", measure(c, DMD_TOTAL, NULL, true));
  if (knows_reports(c)) {
    print_row(out, "unreported", measure(c, DMD_UNREPORTED, NULL, false));
    print_row(out, "unreported, in blocks", measure(c, DMD_UNREPORTED, NULL, true));
    print_row(out, "twice-reported", measure(c, DMD_TWICE, NULL, false));
    print_row(out, "twice-reported, in blocks", measure(c, DMD_TWICE, NULL, true));
  }
  if (knows_misreports(c))
    print_row(out, "misreports, in number", measure(c, DMD_MISREPORTS, NULL, false));
  for (uint32_t i = 0; i < n_names; i++)
    print_row(out, name_at(names, i), measure(c, DMD_NAMED, name_at(names, i), false));
}

/* ---- The command line. ---- */

/* An argument as a shell takes it. */
static void print_quoted(dmd_out_t *out, const char *s) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "/._-+:,@%=";
  if (*s != '\0' && s[strspn(s, plain)] == '\0') {
    dmd_out_str(out, s);
    return;
  }
  dmd_out_char(out, '\'');
  while (*s != '\0') {
    size_t n = strcspn(s, "'");
    char *part = strndup(s, n);
    if (part != NULL)
      dmd_out_safe(out, part);
    free(part);
    s += n;
    if (*s == '\'') {
      dmd_out_str(out, "'\\''");
      s++;
    }
  }
  dmd_out_char(out, '\'');
}

static void print_option(dmd_out_t *out, const char *option, const char *argument) {
  dmd_out_str(out, " \\\n    --");
  dmd_out_str(out, option);
  if (argument != NULL) {
    dmd_out_char(out, '=');
    print_quoted(out, argument);
  }
}

static void print_limit(dmd_out_t *out, const char *option, int64_t v) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_u64(buf, (uint64_t)v);
  print_option(out, option, buf);
}

static int64_t difference(const dmdv_calibration_t *c, dmd_what_t what) {
  noise_t noise = measure(c, what, NULL, false);
  return noise.most - noise.least;
}

/* Any of the runs may be the baseline of any other. */
static int64_t most_growth(const dmdv_calibration_t *c) {
  int64_t total = difference(c, DMD_TOTAL);
  int64_t unreported = knows_reports(c) ? difference(c, DMD_UNREPORTED) : 0;
  return total > unreported ? total : unreported;
}

static void print_command(dmd_out_t *out, const dmdv_calibration_t *c, const names_t *names,
                          uint32_t n_names) {
  dmd_out_str(out, "\nThe tightest limits that all of them keep, in bytes:\n\n  dmdv check FILE");
  if (c->ignore_alloc_fns)
    print_option(out, "ignore-alloc-fns", NULL);
  if (c->ignore_name != NULL)
    print_option(out, "ignore", c->ignore_name);
  print_option(out, "baseline", c->files[0]);
  print_limit(out, "max-growth", most_growth(c));
  if (knows_reports(c)) {
    print_limit(out, "max-unreported", measure(c, DMD_UNREPORTED, NULL, false).most);
    print_limit(out, "max-twice-reported", measure(c, DMD_TWICE, NULL, false).most);
  }
  if (knows_misreports(c))
    print_limit(out, "max-misreports", measure(c, DMD_MISREPORTS, NULL, false).most);
  for (uint32_t i = 0; i < n_names; i++) {
    const char *name = name_at(names, i);
    dmd_out_str(out, " \\\n    --budget ");
    print_quoted(out, name);
    dmd_out_char(out, '=');
    dmd_out_u64(out, (uint64_t)measure(c, DMD_NAMED, name, false).most);
  }
  dmd_out_char(out, '\n');
}

void dmdv_print_calibration(dmd_out_t *out, const dmdv_calibration_t *c) {
  names_t names;
  uint32_t n_names = init_names(&names, c);
  print_table(out, c, &names, n_names);
  print_command(out, c, &names, n_names);
  dmd_env_free(c->runs[0].profile->env, names.order);
  dmd_intern_destroy(&names.names);
}
