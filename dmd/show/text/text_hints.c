/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/format.h"
#include "show/text/printer.h"
#include "show/text/text_graph.h"

static void print_offsets(dmd_out_t *out, const dmd_hint_referrer_t *referrer) {
  char hex[DMD_FORMAT_MAX];
  dmd_out_str(out, "% held");
  for (uint32_t i = 0; i < referrer->n_offsets; i++) {
    dmd_out_str(out, i == 0 ? " at +0x" : i + 1 == referrer->n_offsets ? " and +0x" : ", +0x");
    dmd_format_hex(hex, referrer->offset[i]);
    dmd_out_str(out, hex);
  }
  dmd_out_str(out, referrer->n_offsets > 0 ? " of " : " in ");
}

/* Prints nothing if all of the referrer's blocks refer to them. */
static void print_evidence(dmd_out_t *out, const dmd_hint_referrer_t *referrer) {
  if (referrer->referrers >= referrer->referrers_alike)
    return;
  dmd_out_str(out, " (in ");
  dmd_print_number(out, (int64_t)referrer->referrers, false);
  dmd_out_str(out, " of ");
  dmd_print_number(out, (int64_t)referrer->referrers_alike, false);
  dmd_out_str(out, " such blocks)");
}

/* `  100% allocated where blocks were reported by explicit/fonts the last time; it has not run
 * since`. */
static void print_last_time(const dmd_printer_t *p, const dmd_record_t *r) {
  dmd_hint_referrer_t referrer;
  if (!dmd_hint_last_time(p->hint, r, &referrer))
    return;
  dmd_out_str(p->out, "  ");
  dmd_out_u64(p->out, referrer.percent);
  if (referrer.kind == DMD_REFERRER_BEFORE_REALLOC) {
    dmd_out_str(p->out, "% reallocated where blocks were that had been reported by ");
    dmd_print_name(p, referrer.reporter);
    dmd_out_str(p->out, ": a realloc ends reports\n");
    return;
  }
  dmd_out_str(p->out, "% allocated where blocks were reported by ");
  dmd_print_name(p, referrer.reporter);
  dmd_out_str(p->out, " the last time");
  if (referrer.before > 0) {
    dmd_out_str(p->out, " (");
    dmd_print_bytes(p->out, referrer.before);
    dmd_out_char(p->out, ')');
  }
  dmd_out_str(p->out, referrer.kind == DMD_REFERRER_NOT_RUN ? "; it has not run since\n"
                      : referrer.kind == DMD_REFERRER_NOTHING_NOW
                          ? "; it ran, and measured nothing\n"
                          : "; it ran, and measured others\n");
}

void dmd_print_hint(const dmd_printer_t *p, const dmd_record_t *r) {
  dmd_hint_referrer_t referrer;
  print_last_time(p, r);
  if (p->owners != NULL && dmd_owner_hint_print(p->out, p->owners, p->records, r))
    return;
  if (!dmd_hint_best(p->hint, r, &referrer))
    return;
  uint32_t place = dmd_hint_place(p->records, &referrer, p->allocfns);
  dmd_out_str(p->out, "  ");
  dmd_out_u64(p->out, referrer.percent);
  print_offsets(p->out, &referrer);
  dmd_out_str(p->out, referrer.kind == DMD_REFERRER_REPORTED ? "blocks reported by "
                                                             : "unreported blocks allocated at ");
  if (referrer.reporter != DMD_NONE)
    dmd_print_name(p, referrer.reporter);
  else if (place != DMD_NONE)
    dmd_print_frame_text(p->out, p->profile, place);
  else
    dmd_out_str(p->out, "(no stack)");
  print_evidence(p->out, &referrer);
  dmd_out_char(p->out, '\n');
}

/* ---- Remarks on all unreported blocks. ---- */

typedef struct {
  uint32_t n, n_idle;    /* reporters, and those that have not run since the last clear */
  uint64_t fewest, most; /* runs of one */
} summary_t;

static summary_t sum_up(const dmd_reporter_runs_t *runs) {
  summary_t sum = {.n = dmd_reporter_runs_count(runs), .fewest = UINT64_MAX};
  for (uint32_t id = 1; id <= sum.n; id++) {
    uint64_t n = dmd_reporter_runs_at(runs, id)->n;
    sum.n_idle += n == 0;
    sum.fewest = n < sum.fewest ? n : sum.fewest;
    sum.most = n > sum.most ? n : sum.most;
  }
  return sum;
}

/* `# All 3 reporters ran since the last clear, once each: none of them measured these blocks` */
static void print_all_ran(dmd_out_t *out, const summary_t *sum) {
  bool several = sum->n > 1;
  dmd_out_str(out, several ? "# All " : "# The only reporter ran since the last clear, ");
  if (several) {
    dmd_print_number(out, sum->n, false);
    dmd_out_str(out, " reporters ran since the last clear, ");
  }
  if (sum->most == 1) {
    dmd_out_str(out, "once");
  } else {
    dmd_print_unsigned(out, sum->fewest);
    if (sum->fewest < sum->most) {
      dmd_out_str(out, " to ");
      dmd_print_unsigned(out, sum->most);
    }
    dmd_out_str(out, " times");
  }
  dmd_out_str(out, several ? " each: none of them measured these blocks\n\n"
                           : ": it did not measure these blocks\n\n");
}

/* `# 2 of 3 reporters have not run since the last clear: explicit/a, explicit/b` */
static void print_idle(const dmd_printer_t *p, const summary_t *sum) {
  enum { SHOWN = 3 };
  const dmd_reporter_runs_t *runs = &p->profile->reporter_runs;
  dmd_out_str(p->out, "# ");
  dmd_print_number(p->out, sum->n_idle, false);
  dmd_out_str(p->out, " of ");
  dmd_print_count(p->out, sum->n, false, "reporter", "reporters");
  dmd_out_str(p->out, sum->n_idle == 1 ? " has" : " have");
  dmd_out_str(p->out, " not run since the last clear: ");
  uint32_t n = 0;
  for (uint32_t id = 1; id <= sum->n && n < SHOWN; id++) {
    const dmd_reporter_run_t *run = dmd_reporter_runs_at(runs, id);
    if (run->n > 0)
      continue;
    dmd_out_str(p->out, n++ > 0 ? ", " : "");
    dmd_print_name(p, run->reporter);
  }
  if (sum->n_idle > n) {
    dmd_out_str(p->out, " and ");
    dmd_print_count(p->out, sum->n_idle - n, false, "other", "others");
  }
  dmd_out_str(p->out, "\n\n");
}

void dmd_print_hint_on_all(const dmd_printer_t *p) {
  summary_t sum = sum_up(&p->profile->reporter_runs);
  if (sum.n > 0 && sum.n_idle == 0)
    print_all_ran(p->out, &sum);
  else if (sum.n > 0)
    print_idle(p, &sum);
  if (p->profile->run.partial_hint)
    dmd_out_str(p->out,
                "# Referrers to these blocks were searched for in the first 4 GiB of the heap "
                "only\n\n");
}
