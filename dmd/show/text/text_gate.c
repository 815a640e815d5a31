/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_gate.h"

#include "analyse/limits/gate.h"
#include "analyse/records/allocfns.h"
#include "analyse/records/record.h"
#include "analyse/tree/pathsums.h"
#include "base/format.h"
#include "base/str.h"
#include "show/text/print.h"

/* ---- Words and numbers. ---- */

static void bytes(dmd_out_t *out, int64_t n, bool sampled) {
  dmd_print_count(out, n, sampled, "byte", "bytes");
}

static void estimate(dmd_out_t *out, int64_t n, bool sampled, double variance, const char *one,
                     const char *many) {
  dmd_print_number(out, n, sampled);
  dmd_print_error(out, variance);
  dmd_out_str(out, n == 1 ? one : many);
}

static void bytes_in_blocks(dmd_out_t *out, dmd_blocksum_t f) {
  estimate(out, f.bytes, f.sampled, f.variance.bytes, " byte in ", " bytes in ");
  estimate(out, f.blocks, f.sampled, f.variance.blocks, " block", " blocks");
}

/* ` (12.34%of)`; nothing if the whole is 0. */
static void share(dmd_out_t *out, int64_t part, int64_t whole, const char *of) {
  if (whole == 0)
    return;
  dmd_out_str(out, " (");
  dmd_print_percent(out, part, whole);
  dmd_out_str(out, of);
  dmd_out_char(out, ')');
}

void dmd_print_limit(dmd_out_t *out, const dmd_limit_t *limit) {
  dmd_out_str(out, "--");
  dmd_out_str(out, limit->option);
  dmd_out_char(out, '=');
  dmd_out_safe(out, limit->value);
  if (limit->growth && limit->what != DMD_NAMED) {
    dmd_out_str(out, " (");
    dmd_out_str(out, dmd_what_name(limit));
    dmd_out_char(out, ')');
  }
}

static void print_growth(dmd_out_t *out, const dmd_finding_t *f) {
  int64_t grown = f->now.bytes - f->before.bytes;
  bool sampled = f->now.sampled || f->before.sampled;
  if (grown == 0) {
    dmd_out_str(out, "unchanged at ");
    bytes(out, f->now.bytes, sampled);
  } else {
    dmd_out_str(out, grown > 0 ? "grew by " : "shrank by ");
    estimate(out, grown > 0 ? grown : -grown, sampled,
             f->now.variance.bytes + f->before.variance.bytes, " byte", " bytes");
    share(out, grown > 0 ? grown : -grown, f->before.bytes, "");
    dmd_out_str(out, " to ");
    dmd_print_number(out, f->now.bytes, sampled);
  }
  dmd_out_str(out, "; growth by ");
  dmd_print_number(out, f->ceiling - f->before.bytes, false);
  dmd_out_str(out, " allowed");
}

void dmd_print_finding(dmd_out_t *out, const dmd_finding_t *f, bool has_blocks) {
  dmd_out_safe(out, dmd_what_name(f->limit));
  dmd_out_str(out, ": ");
  if (f->limit->growth) {
    print_growth(out, f);
  } else {
    if (f->limit->what == DMD_MISREPORTS) {
      dmd_print_number(out, f->now.bytes, false);
    } else if (f->limit->what == DMD_MOST_RESIDENT) {
      bytes(out, f->now.bytes, false);
    } else {
      if (has_blocks)
        bytes_in_blocks(out, f->now);
      else
        bytes(out, f->now.bytes, false);
      if (f->limit->what != DMD_AT_PEAK)
        share(out, f->now.bytes, f->heap, " of the heap");
    }
    dmd_out_str(out, "; ");
    dmd_print_number(out, f->ceiling, false);
    dmd_out_str(out, " allowed");
  }
  if (f->broken) {
    dmd_out_str(out, ", ");
    dmd_print_number(out, f->now.bytes - f->ceiling, f->now.sampled || f->before.sampled);
    dmd_out_str(out, f->limit->growth ? " too much" : " too many");
  }
}

/* ---- Causes. ---- */

static size_t at_most(size_t n, size_t most) {
  return n < most ? n : most;
}

static void print_allocation(dmd_out_t *out, const dmd_causes_t *causes, const dmd_record_t *r) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(&causes->records, r->stack, &n);
  if (n == 0) {
    dmd_out_str(out, "     #01: (no stack trace recorded)\n");
    return;
  }
  dmd_allocfns_t fns;
  dmd_allocfns_init(&fns, &causes->view);
  size_t first = dmd_first_own_frame(&fns, frames, n);
  dmd_allocfns_destroy(&fns);
  dmd_print_frames(out, "     ", &causes->view, frames, first,
                   at_most(n, first + DMD_MAX_CAUSE_FRAMES));
}

static void print_report(dmd_out_t *out, const dmd_causes_t *causes, const dmd_record_t *r,
                         dmd_record_field_id_t at, dmd_record_field_id_t by) {
  const dmd_record_field_t *field = &dmd_record_fields[at];
  if (!dmd_record_has_report(field, r))
    return;
  size_t n;
  const uint32_t *frames = dmd_records_frames(&causes->records, dmd_record_stack(field, r), &n);
  const char *reporter = dmd_record_name_text(&causes->records, r, by);
  dmd_out_str(out, "     ");
  dmd_out_str(out, field->words);
  if (reporter != NULL) {
    dmd_out_str(out, " by ");
    dmd_out_safe(out, reporter);
  }
  dmd_out_str(out, " at\n");
  dmd_print_frames(out, "       ", &causes->view, frames, 0, at_most(n, DMD_MAX_REPORT_FRAMES));
}

static void print_reports(dmd_out_t *out, const dmd_causes_t *causes, const dmd_record_t *r) {
  print_report(out, causes, r, DMD_RECORD_REPORTED_AT, DMD_RECORD_REPORTER);
  print_report(out, causes, r, DMD_RECORD_REPORTED_AGAIN_AT, DMD_RECORD_REPORTER_AGAIN);
}

static void print_tag(dmd_out_t *out, const dmd_causes_t *causes, const dmd_record_t *r) {
  const char *tag = dmd_record_name_text(&causes->records, r, DMD_RECORD_TAG);
  if (tag == NULL)
    return;
  dmd_out_str(out, "     Tag: ");
  dmd_out_safe(out, tag);
  dmd_out_char(out, '\n');
}

/* whole: the sum of all records. */
static void print_record(dmd_out_t *out, const dmd_causes_t *causes, uint32_t i, bool growth,
                         int64_t whole) {
  const dmd_record_t *r = dmd_causes_at(causes, i);
  dmd_blocksum_t before = dmd_causes_before(causes, r);
  dmd_blocksum_t now = {.bytes = r->usable + before.bytes,
                        .blocks = r->num + before.blocks,
                        .sampled = r->sampled,
                        .variance = {r->variance.blocks - before.variance.blocks,
                                     r->variance.bytes - before.variance.bytes}};
  dmd_out_str(out, "  ");
  dmd_out_u64(out, i + 1);
  dmd_out_str(out, ". ");
  if (growth) {
    dmd_out_char(out, '+');
    estimate(out, r->usable, r->sampled, r->variance.bytes, " byte: ", " bytes: ");
  }
  bytes_in_blocks(out, now);
  if (!growth) {
    share(out, now.bytes, whole, "");
  } else if (before.blocks == 0) {
    dmd_out_str(out, ", new");
  } else {
    dmd_out_str(out, ", was ");
    bytes_in_blocks(out, before);
  }
  dmd_out_char(out, '\n');
  print_allocation(out, causes, r);
  print_tag(out, causes, r);
  print_reports(out, causes, r);
}

/* Prints the sum of the records that are not shown. */
static void print_others(dmd_out_t *out, const dmd_causes_t *causes, uint32_t n_shown,
                         bool growth) {
  int64_t rest = 0;
  for (uint32_t i = n_shown; i < causes->n; i++)
    rest += dmd_causes_at(causes, i)->usable;
  bool sampled = causes->records.heap.sampled;
  if (n_shown < causes->n) {
    dmd_out_str(out, "  and ");
    dmd_print_count(out, causes->n - n_shown, false, "further record: ", "further records: ");
    if (growth)
      dmd_out_char(out, '+');
    bytes(out, rest, sampled);
    dmd_out_char(out, '\n');
  }
  if (causes->n_shrunk > 0) {
    dmd_out_str(out, "  less ");
    dmd_print_count(out, causes->n_shrunk, false, "record that shrank: -",
                    "records that shrank: -");
    bytes(out, causes->shrunk, sampled);
    dmd_out_char(out, '\n');
  }
}

static void print_misreports(dmd_out_t *out, const dmd_verdict_t *v) {
  const dmd_profile_t *profile = v->now.profile;
  uint32_t n;
  uint32_t *ids = dmd_misreports(profile, &n);
  for (uint32_t i = 0; i < n && i < DMD_MAX_CAUSES; i++) {
    const dmd_fault_t *fault = dmd_faults_at(&profile->faults, ids[i]);
    dmd_out_str(out, "  ");
    dmd_out_u64(out, i + 1);
    dmd_out_str(out, ". ");
    dmd_out_str(out, dmd_fault_text(fault->kind));
    dmd_out_str(out, ", ");
    dmd_print_count(out, (int64_t)fault->num, false, "time\n", "times\n");
    size_t n_frames;
    const uint32_t *frames = dmd_profile_frames(profile, fault->stack, &n_frames);
    dmd_print_frames(out, "     ", profile, frames, 0, at_most(n_frames, DMD_MAX_CAUSE_FRAMES));
    if (fault->reporter != DMD_NONE) {
      dmd_out_str(out, "     Reporter: ");
      dmd_out_safe(out, dmd_intern_get_str(&profile->names, fault->reporter));
      dmd_out_char(out, '\n');
    }
    if (fault->n_names > 0) {
      dmd_out_str(out, "     Reporters: ");
      dmd_print_number(out, fault->n_names, false);
      dmd_out_str(out, ", such as ");
      dmd_out_safe(out, dmd_intern_get_str(&profile->names, fault->names[0]));
      dmd_out_char(out, '\n');
    }
    if (dmd_fault_numbers(fault->kind) & DMD_FAULT_HAS_AMOUNTS)
      dmd_print_amounts(out, "     ", fault);
  }
  if (n > DMD_MAX_CAUSES) {
    dmd_out_str(out, "  and ");
    dmd_print_count(out, n - DMD_MAX_CAUSES, false, "further place\n", "further places\n");
  }
  dmd_env_free(profile->env, ids);
}

static void print_wasted(dmd_out_t *out, const dmd_wasted_t *wasted, const char *kind) {
  enum { INDENT = 5 };
  uint32_t n;
  uint32_t *ids = dmd_wasted_sorted(wasted, kind, &n);
  for (uint32_t i = 0; i < n && i < DMD_MAX_CAUSES; i++) {
    const dmd_wasted_finding_t *finding = dmd_wasted_at(wasted, ids[i]);
    dmd_out_str(out, "  ");
    dmd_out_u64(out, i + 1);
    dmd_out_str(out, ". ");
    bytes(out, (int64_t)dmd_wasted_bytes(finding, kind), false);
    dmd_out_str(out, " of ");
    dmd_print_count(out, (int64_t)finding->blocks, false, "block: ", "blocks: ");
    dmd_out_str(out, finding->kind);
    dmd_out_char(out, '\n');
    dmd_out_left(out, "", INDENT);
    dmd_print_wrapped(out, finding->what, INDENT);
    dmd_out_left(out, "", INDENT);
    dmd_print_wrapped(out, finding->advice, INDENT);
  }
  if (n > DMD_MAX_CAUSES) {
    dmd_out_str(out, "  and ");
    dmd_print_count(out, n - DMD_MAX_CAUSES, false, "further finding\n", "further findings\n");
  }
  dmd_env_free(wasted->env, ids);
}

static void print_hint(dmd_out_t *out, const dmd_verdict_t *v, const dmd_limit_t *limit) {
  static const char *const hint[] = {
      [DMD_UNREPORTED] = "  What to do: let a reporter measure these blocks, or put their stacks "
                         "into an\n  ignore file, with the reason (--ignore=FILE).\n",
      [DMD_TWICE] = "  What to do: only one reporter may measure a block; take it out of the "
                    "other.\n",
      [DMD_EXCESS] = "  What to do: a reporter may count a block once, however many pointers lead "
                     "to it.\n"};
  if (limit->growth) {
    dmd_out_str(out, "  All that changed: dmdv diff ");
    dmd_out_safe(out, v->baseline);
    dmd_out_char(out, ' ');
    dmd_out_safe(out, v->file);
    dmd_out_char(out, '\n');
  } else if (limit->what == DMD_MISREPORTS) {
    dmd_out_str(out, "  What is wrong with each: dmdv print --section=misreported ");
    dmd_out_safe(out, v->file);
    dmd_out_char(out, '\n');
  } else if (limit->what == DMD_LEAKED) {
    dmd_out_str(
        out,
        "  What to do: free these blocks, or keep a pointer to them; dmdv leaks shows more. Or "
        "put\n  their stacks into an ignore file, with the reason (--ignore=FILE).\n");
  } else if (limit->what == DMD_AT_PEAK) {
    dmd_out_str(out, "  Its blocks: dmdv print --moment=peak ");
    dmd_out_safe(out, v->file);
    dmd_out_char(out, '\n');
  } else if (limit->what == DMD_WASTED) {
    dmd_out_str(out, "  All of them: dmdv waste, with the heap graph beside the profile. Or put "
                     "their stacks\n  into an ignore file, with the reason (--ignore=FILE).\n");
  } else if (limit->what == DMD_MOST_RESIDENT) {
    dmd_out_str(out, "  When it grew: dmdv timeline ");
    dmd_out_safe(out, v->file);
    dmd_out_char(out, '\n');
  } else if (limit->what < sizeof hint / sizeof *hint && hint[limit->what] != NULL) {
    dmd_out_str(out, hint[limit->what]);
  }
}

/* The parts of a budget in memory reports that are largest, or that grew most. */
static void print_parts(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f) {
  bool growth = f->limit->growth;
  size_t n, n_shown = 0;
  dmd_pathpart_t *parts =
      dmd_pathparts(v->now.amounts, growth ? v->before.amounts : NULL, f->limit->name, &n);
  for (; n_shown < n && n_shown < DMD_MAX_CAUSES; n_shown++) {
    const dmd_pathpart_t *part = &parts[n_shown];
    if (part->now <= part->before)
      break;
    dmd_out_str(out, "  ");
    dmd_out_u64(out, n_shown + 1);
    dmd_out_str(out, growth ? ". +" : ". ");
    bytes(out, part->now - part->before, false);
    if (growth) {
      dmd_out_str(out, " to ");
      dmd_print_number(out, part->now, false);
    } else {
      share(out, part->now, f->now.bytes, "");
    }
    dmd_out_str(out, ": ");
    dmd_out_safe(out, part->path);
    dmd_out_char(out, '\n');
  }
  dmd_out_str(out,
              growth ? "  All that changed: dmdv tree --diff " : "  The whole tree: dmdv tree ");
  if (growth) {
    dmd_out_safe(out, v->baseline);
    dmd_out_char(out, ' ');
  }
  dmd_out_safe(out, v->file);
  dmd_out_char(out, '\n');
  dmd_env_free(v->now.amounts->env, parts);
}

void dmd_print_causes(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *finding) {
  const dmd_limit_t *limit = finding->limit;
  if (v->now.amounts != NULL) {
    print_parts(out, v, finding);
    return;
  }
  if (limit->what == DMD_MISREPORTS) {
    print_misreports(out, v);
  } else if (limit->what == DMD_WASTED) {
    print_wasted(out, v->now.wasted, limit->name);
  } else {
    dmd_causes_t causes;
    dmd_causes_init(&causes, finding, &v->now, limit->growth ? &v->before : NULL, v->max_frames);
    uint32_t n_shown = (uint32_t)at_most(causes.n, DMD_MAX_CAUSES);
    for (uint32_t i = 0; i < n_shown; i++)
      print_record(out, &causes, i, limit->growth, finding->now.bytes);
    print_others(out, &causes, n_shown, limit->growth);
    dmd_causes_destroy(&causes);
  }
  print_hint(out, v, limit);
}

/* ---- The report. ---- */

void dmd_print_verdict(dmd_out_t *out, const dmd_verdict_t *v) {
  size_t n_broken = dmd_verdict_n_broken(v);
  dmd_out_str(out, n_broken > 0 ? "refused: " : "passed: ");
  dmd_out_safe(out, v->file);
  dmd_out_str(out, n_broken > 0 ? " breaks " : " keeps ");
  dmd_out_u64(out, n_broken > 0 ? n_broken : v->n);
  dmd_out_str(out, " of ");
  dmd_print_count(out, (int64_t)v->n, false, "limit", "limits");
  const char *before = ": ";
  for (size_t i = 0; i < v->n; i++) {
    if (!v->findings[i].broken)
      continue;
    dmd_out_str(out, before);
    dmd_print_limit(out, v->findings[i].limit);
    before = ", ";
  }
  dmd_out_char(out, '\n');
}

static void print_ignored(dmd_out_t *out, const dmd_verdict_t *v) {
  if (v->ignore_name == NULL)
    return;
  dmd_blocksum_t all = {0};
  for (size_t i = 0; i < v->ignore->n; i++)
    dmd_blocksum_add(&all, v->ignore->patterns[i].sum);
  dmd_out_str(out, "ignored, as ");
  dmd_out_safe(out, v->ignore_name);
  dmd_out_str(out, " says: ");
  bytes_in_blocks(out, all);
  dmd_out_char(out, '\n');
  for (size_t i = 0; i < v->ignore->n; i++) {
    const dmd_pattern_t *p = &v->ignore->patterns[i];
    if (p->sum.blocks == 0)
      continue;
    dmd_out_str(out, "  ");
    bytes_in_blocks(out, p->sum);
    dmd_out_str(out, ": ");
    dmd_out_safe(out, p->text);
    dmd_out_str(out, "  # ");
    dmd_out_safe(out, p->reason);
    dmd_out_char(out, '\n');
  }
  dmd_out_char(out, '\n');
}

static void print_other_faults(dmd_out_t *out, const dmd_profile_t *profile) {
  uint64_t n = dmd_count_other_faults(profile);
  if (n == 0)
    return;
  dmd_out_str(out, "not counted as misreports: ");
  dmd_print_count(out, (int64_t)n, false, "other fault", "other faults");
  dmd_out_str(out, " (invalid frees and the like; dmdv print lists them)\n\n");
}

void dmd_print_gate_text(dmd_out_t *out, const dmd_verdict_t *v) {
  for (size_t i = 0; i < v->n; i++) {
    const dmd_finding_t *f = &v->findings[i];
    dmd_out_str(out, f->broken ? "refused " : "passed  ");
    dmd_print_limit(out, f->limit);
    dmd_out_str(out, "\n  ");
    dmd_print_finding(out, f, v->now.amounts == NULL);
    dmd_out_char(out, '\n');
    if (f->broken)
      dmd_print_causes(out, v, f);
    dmd_out_char(out, '\n');
  }
  print_ignored(out, v);
  print_other_faults(out, v->now.profile);
  dmd_print_verdict(out, v);
}

/* ---- Calibration. ---- */

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
