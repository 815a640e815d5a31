/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_calibration.h"

#include "base/format.h"
#include "base/str.h"
#include "show/text/print.h"

enum { N_COLUMNS = 5, WIDTH = 15, PERCENT_WIDTH = 7 };

/* ---- The table. ---- */

static void print_row(dmd_out_t *out, const char *label, dmd_noise_t noise) {
  const int64_t numbers[N_COLUMNS] = {noise.least, noise.median, noise.most, noise.expected,
                                      noise.most - noise.least};
  for (int i = 0; i < N_COLUMNS; i++) {
    dmd_out_str(out, "  ");
    dmd_print_number_column(out, numbers[i], WIDTH);
  }
  dmd_out_str(out, "  ");
  dmd_print_percent_column(out, noise.most - noise.least, noise.median, PERCENT_WIDTH);
  dmd_out_str(out, "  ");
  dmd_out_safe(out, label);
  dmd_out_char(out, '\n');
}

static void print_table(dmd_out_t *out, const dmd_calibration_t *c) {
  static const char *const heads[N_COLUMNS] = {"least", "median", "most", "to expect",
                                               "difference"};
  dmd_out_str(out, "Usable bytes in ");
  dmd_out_u64(out, c->n_runs);
  dmd_out_str(out, " runs\n\n");
  for (int i = 0; i < N_COLUMNS; i++) {
    dmd_out_str(out, "  ");
    dmd_out_right(out, heads[i], WIDTH);
  }
  dmd_out_char(out, '\n');
  print_row(out, "total", c->bytes[DMD_TOTAL]);
  print_row(out, "total, in blocks", c->blocks[DMD_TOTAL]);
  if (c->knows_reports) {
    print_row(out, "unreported", c->bytes[DMD_UNREPORTED]);
    print_row(out, "unreported, in blocks", c->blocks[DMD_UNREPORTED]);
    print_row(out, "twice-reported", c->bytes[DMD_TWICE]);
    print_row(out, "twice-reported, in blocks", c->blocks[DMD_TWICE]);
  }
  if (c->knows_misreports)
    print_row(out, "misreports, in number", c->bytes[DMD_MISREPORTS]);
  for (uint32_t i = 0; i < c->n_names; i++)
    print_row(out, dmd_calibration_name(c, i), c->named[i]);
}

/* ---- The command line. ---- */

static void print_option(dmd_out_t *out, const char *option, const char *argument) {
  dmd_out_str(out, " \\\n    --");
  dmd_out_str(out, option);
  if (argument != NULL) {
    dmd_out_char(out, '=');
    dmd_print_quoted(out, argument);
  }
}

static void print_limit(dmd_out_t *out, const char *option, int64_t v) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_u64(buf, (uint64_t)v);
  print_option(out, option, buf);
}

static void print_command(dmd_out_t *out, const dmd_calibration_t *c,
                          const dmd_calibration_command_t *command) {
  dmd_out_str(out, "\nLimits, in bytes, that all but about one of ");
  dmd_out_u64(out, DMD_CALIBRATION_RUNS);
  dmd_out_str(out, " equal runs keep:\n\n  dmdv check FILE");
  if (command->ignore_alloc_fns)
    print_option(out, "ignore-alloc-fns", NULL);
  for (size_t i = 0; i < command->view->n_alloc_fns; i++)
    print_option(out, "alloc-fn", command->view->alloc_fns[i]);
  if (command->ignore_name != NULL)
    print_option(out, "ignore", command->ignore_name);
  print_option(out, "baseline", command->baseline);
  print_limit(out, "max-growth", c->growth);
  if (c->knows_reports) {
    print_limit(out, "max-unreported", c->bytes[DMD_UNREPORTED].expected);
    print_limit(out, "max-twice-reported", c->bytes[DMD_TWICE].expected);
  }
  if (c->knows_misreports)
    print_limit(out, "max-misreports", c->bytes[DMD_MISREPORTS].expected);
  for (uint32_t i = 0; i < c->n_names; i++) {
    if (!dmd_calibration_is_in_first(c, i))
      continue;
    dmd_out_str(out, " \\\n    --budget ");
    dmd_print_quoted(out, dmd_calibration_name(c, i));
    dmd_out_char(out, '=');
    dmd_out_u64(out, (uint64_t)c->named[i].expected);
  }
  dmd_out_char(out, '\n');
}

/* A budget cannot be checked for a name that is in neither the baseline nor the profile. */
static void print_left_out(dmd_out_t *out, const dmd_calibration_t *c, const char *baseline) {
  const char *before = NULL;
  for (uint32_t i = 0; i < c->n_names; i++) {
    if (dmd_calibration_is_in_first(c, i))
      continue;
    if (before == NULL) {
      dmd_out_str(out, "\nWithout a budget, since ");
      dmd_out_safe(out, baseline);
      dmd_out_str(out, " does not have them:");
    }
    dmd_out_str(out, before == NULL ? " " : before);
    dmd_out_safe(out, dmd_calibration_name(c, i));
    before = ", ";
  }
  if (before != NULL)
    dmd_out_char(out, '\n');
}

void dmd_calibration_print(dmd_out_t *out, const dmd_calibration_t *c,
                           const dmd_calibration_command_t *command) {
  print_table(out, c);
  print_command(out, c, command);
  print_left_out(out, c, command->baseline);
}
