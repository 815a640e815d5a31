/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text.h"

#include "analyse/records/hintsum.h"
#include "base/format.h"
#include "base/mem.h"
#include "show/text/printer.h"

static void print_section(const dmd_printer_t *p, dmd_section_t section) {
  dmd_out_t *out = p->out;
  if (p->only != 0 && !(p->only & 1u << section))
    return;
  const dmd_section_records_t *s = &p->records->section[section];
  dmd_out_str(out, DMD_SEPARATOR);
  dmd_out_char(out, '\n');
  if (s->n_all == 0) {
    dmd_out_str(out, "# no ");
    dmd_out_str(out, dmd_print_section_name(p, section));
    dmd_out_str(out, " heap blocks\n\n");
  }
  if (s->n_all > 0 && section == DMD_SECTION_UNREPORTED)
    dmd_print_advice_on_all(p);
  uint32_t n_printed = p->max_records == 0 || p->max_records > s->n ? s->n : p->max_records;
  int64_t cumulative = 0;
  for (uint32_t i = 0; i < n_printed; i++) {
    const dmd_record_t *r = dmd_records_at(p->records, s->ids[i]);
    cumulative += r->usable;
    dmd_print_record(p, section, i + 1, r, cumulative);
  }
  if (n_printed < s->n) {
    dmd_out_str(out, "# ");
    dmd_print_capitalized(out, dmd_print_section_name(p, section));
    dmd_out_str(out, ": the first ");
    dmd_print_number(out, n_printed, false);
    dmd_out_str(out, " of ");
    dmd_print_number(out, s->n, false);
    dmd_out_str(out, " heap block records; the others hold ");
    dmd_print_number(out, s->usable - cumulative, s->sampled);
    dmd_out_str(out, " bytes (--max-records=all shows them)\n\n");
  }
}

/* ` ± 1,234 bytes, ± 5 blocks` */
static void print_errors(dmd_out_t *out, dmd_variance_t variance) {
  if (variance.blocks <= 0)
    return;
  dmd_print_error(out, variance.bytes);
  dmd_out_str(out, " bytes,");
  dmd_print_error(out, variance.blocks);
  dmd_out_str(out, " blocks");
}

/* `  Unreported:     1,234 bytes ( 12.34%) in     5 blocks (  1.23%)`, in columns. */
static void print_row(const dmd_printer_t *p, const char *name, const dmd_section_records_t *s,
                      bool is_total) {
  dmd_out_t *out = p->out;
  char buf[DMD_FORMAT_MAX + 1] = "~";
  char *digits = s->sampled ? buf + 1 : buf;
  dmd_out_str(out, "  ");
  dmd_out_left(out, name, 15);
  dmd_out_char(out, ' ');
  dmd_format_commas(digits, s->usable);
  dmd_out_right(out, buf, 12);
  dmd_out_str(out, " bytes (");
  dmd_format_fixed2(digits, is_total ? 100.0 : dmd_percent(s->usable, p->records->usable));
  dmd_out_right(out, digits, 6);
  dmd_out_str(out, "%) in ");
  dmd_format_commas(digits, s->num);
  dmd_out_right(out, buf, 7);
  dmd_out_str(out, " blocks (");
  dmd_format_fixed2(digits, is_total ? 100.0 : dmd_percent(s->num, p->records->num));
  dmd_out_right(out, digits, 6);
  dmd_out_str(out, "%)");
  print_errors(out, s->variance);
  dmd_out_char(out, '\n');
}

/* The allocator that usable sizes come from, e.g. "allocator: jemalloc (--allocator=auto)". */
static void print_allocator(dmd_out_t *out, const dmd_run_t *run) {
  if (run->allocator == NULL)
    return;
  dmd_out_str(out, "allocator: ");
  dmd_out_safe(out, run->allocator);
  if (run->allocator_chosen != NULL) {
    bool is_auto = dmd_str_equal(run->allocator_chosen, "auto");
    dmd_out_str(out, " (--allocator=");
    dmd_out_safe(out, is_auto ? "auto" : run->allocator);
    dmd_out_str(out, ")");
  }
  dmd_out_str(out, "\n");
}

static void print_replaced_new(dmd_out_t *out, const dmd_run_t *run) {
  if (run->replaced_new == NULL)
    return;
  dmd_out_str(out, "\nThe operator new of ");
  dmd_out_safe(out, run->replaced_new);
  dmd_out_str(out, " did not run: Valgrind's ran in its place.\nWith "
                   "--soname-synonyms=somalloc=nouserintercepts it runs; see the manual's "
                   "questions.\n");
}

static void print_totals(const dmd_printer_t *p) {
  dmd_out_t *out = p->out;
  const dmd_run_t *run = &p->profile->run;
  if (!run->is_known)
    return;
  bool sampled = run->sample_interval > 0;
  dmd_out_str(out, "total heap usage: ");
  dmd_print_number(out, (int64_t)run->n_allocs, sampled);
  dmd_out_str(out, " allocs, ");
  dmd_print_number(out, (int64_t)run->n_frees, sampled);
  dmd_out_str(out, " frees, ");
  dmd_print_number(out, (int64_t)run->alloc_szB, sampled);
  dmd_out_str(out, " bytes allocated; in use: ");
  dmd_print_number(out, (int64_t)run->in_use_szB, sampled);
  dmd_out_str(out, " bytes in ");
  dmd_print_number(out, (int64_t)run->in_use_blocks, sampled);
  dmd_out_str(out, " blocks\n");
  dmd_print_peak_total(p);
  print_allocator(out, run);
  dmd_print_unseen(out, run);
  print_replaced_new(out, run);
  const dmd_section_records_t *s = p->records->section;
  if (p->profile->mode == DMD_MODE_DARK_MATTER && run->freed_reported > 0 &&
      s[DMD_SECTION_ONCE].n == 0 && s[DMD_SECTION_TWICE].n == 0) {
    dmd_out_str(out, "\nEvery block that was reported (");
    dmd_print_number(out, (int64_t)run->freed_reported, sampled);
    dmd_out_str(out, ") was freed before this dump.\n"
                     "Call DMD_DUMP(label) of dmd.h right after the reporters have run.\n");
  }
}

/* In a difference: run has the sampling of the two that are sampled. */
static void print_sampling(dmd_out_t *out, const dmd_run_t *run) {
  if (run->sample_interval == 0)
    return;
  dmd_out_str(out, "Sampled: one block for each ");
  dmd_print_unsigned(out, run->sample_interval);
  dmd_out_str(out, " bytes on average was kept.\nFigures with ~ are estimates; \xc2\xb1 is "
                   "followed by their standard error.\n\n");
}

/* By how much the program's own numbers are too high, if that is more than the blocks' sizes. */
static void print_excess(const dmd_printer_t *p, const dmd_section_records_t *twice) {
  if (twice->excess == twice->usable)
    return;
  dmd_out_str(p->out, "  Counted too often: ");
  dmd_print_number(p->out, twice->excess, twice->sampled);
  dmd_out_str(p->out, twice->excess == 1 ? " byte\n" : " bytes\n");
}

static void print_summary(const dmd_printer_t *p) {
  dmd_out_t *out = p->out;
  const dmd_records_t *records = p->records;
  const dmd_section_records_t *s = records->section;
  dmd_out_str(out, DMD_SEPARATOR);
  dmd_out_char(out, '\n');
  dmd_print_opening(p, "summary", DMD_BOLD);
  if (p->profile->mode == DMD_MODE_DARK_MATTER) {
    static const dmd_section_t rows[] = {DMD_SECTION_UNREPORTED, DMD_SECTION_ONCE,
                                         DMD_SECTION_TWICE};
    static const char *const names[] = {"Unreported:", "Once-reported:", "Twice-reported:"};
    const dmd_section_records_t all = {.usable = records->usable,
                                       .num = records->num,
                                       .sampled = records->sampled,
                                       .variance = records->variance};
    print_row(p, "Total:", &all, true);
    for (int i = 0; i < 3; i++)
      print_row(p, names[i], &s[rows[i]], false);
    print_excess(p, &s[DMD_SECTION_TWICE]);
  } else {
    dmd_out_str(out, "  Total: ");
    dmd_print_number(out, records->usable, records->sampled);
    dmd_print_error(out, records->variance.bytes);
    dmd_out_str(out, " bytes in ");
    dmd_print_number(out, records->num, records->sampled);
    dmd_print_error(out, records->variance.blocks);
    dmd_out_str(out, " blocks\n");
  }
  dmd_print_fault_counts(p);
  dmd_out_str(out, "}\n\n");
  print_sampling(out, &p->profile->run);
}

/* which: "", or " 1" and " 2" in a difference. */
static void print_invocation(dmd_out_t *out, const char *which, const dmd_profile_t *profile) {
  dmd_out_str(out, "Invocation");
  dmd_out_str(out, which);
  dmd_out_str(out, " {\n");
  if (profile->options == NULL) {
    dmd_out_str(out, "  $DMD is undefined\n");
  } else {
    dmd_out_str(out, "  $DMD = '");
    dmd_out_safe(out, profile->options);
    dmd_out_str(out, "'\n");
  }
  /* Mozilla's script also calls a scan live here. */
  dmd_mode_t mode = profile->mode;
  dmd_out_str(out, "  Mode = '");
  dmd_out_str(out, dmd_mode_name(mode == DMD_MODE_SCAN ? DMD_MODE_LIVE : mode));
  dmd_out_str(out, profile->shows_peak ? "', at the peak\n}\n\n" : "'\n}\n\n");
}

void dmd_text_print(dmd_out_t *out, const dmd_records_t *records,
                    const dmd_text_options_t *options) {
  dmd_hintsum_t advice;
  dmd_allocfns_t allocfns;
  dmd_hintsum_init(&advice, records);
  dmd_allocfns_init(&allocfns, records->profile);
  dmd_printer_t p = {.out = out,
                     .records = records,
                     .profile = records->profile,
                     .advice = &advice,
                     .owners = options->owners,
                     .allocfns = &allocfns,
                     .max_records = options->max_records,
                     .only = options->only,
                     .colour = options->colour,
                     .columns = options->columns,
                     .for_testing = options->for_testing};
  dmd_out_str(out, DMD_SEPARATOR);
  dmd_out_str(out, "# ");
  dmd_out_safe(out, options->title);
  dmd_out_str(out, "\n\n");
  dmd_print_peak_opening(&p);
  bool is_difference = options->old != NULL;
  if (options->with_run && is_difference) {
    dmd_print_run(out, " 1", options->old);
    dmd_print_run(out, " 2", options->new);
  } else if (options->with_run) {
    dmd_print_run(out, "", p.profile);
  }
  if (is_difference)
    print_invocation(out, " 1", options->old);
  print_invocation(out, is_difference ? " 2" : "", p.profile);
  if (p.profile->mode == DMD_MODE_DARK_MATTER) {
    print_section(&p, DMD_SECTION_TWICE);
    print_section(&p, DMD_SECTION_UNREPORTED);
    print_section(&p, DMD_SECTION_ONCE);
  } else {
    print_section(&p, DMD_SECTION_ALL);
  }
  dmd_print_faults(&p);
  print_summary(&p);
  print_totals(&p);
  dmd_allocfns_destroy(&allocfns);
  dmd_hintsum_destroy(&advice);
}
