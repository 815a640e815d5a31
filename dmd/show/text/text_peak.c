/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"
#include "show/text/printer.h"

void dmd_print_time(dmd_out_t *out, uint64_t ms) {
  enum { LEAST_IN_SECONDS = 100, MS_PER_TENTH = 100 };
  dmd_out_str(out, "after ");
  if (ms < LEAST_IN_SECONDS) {
    dmd_out_u64(out, ms);
    dmd_out_str(out, " ms");
    return;
  }
  uint64_t tenths = (ms + MS_PER_TENTH / 2) / MS_PER_TENTH;
  dmd_print_unsigned(out, tenths / 10);
  dmd_out_char(out, '.');
  dmd_out_u64(out, tenths % 10);
  dmd_out_str(out, " s");
}

/* `1,234 bytes in 5 blocks, after 0.8 s` */
static void print_figures(dmd_out_t *out, const dmd_run_t *run) {
  const dmd_moment_t *peak = &run->peak;
  bool sampled = run->sample_interval > 0;
  dmd_print_count(out, (int64_t)peak->szB, sampled, "byte", "bytes");
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)peak->n_blocks, sampled, "block", "blocks");
  dmd_out_str(out, ", ");
  dmd_print_time(out, peak->ms);
  if (peak->error_szB == 0)
    return;
  dmd_out_str(out, " (at most ");
  dmd_print_bytes(out, peak->error_szB);
  dmd_out_str(out, " too low)");
}

void dmd_print_peak_sentence(const dmd_printer_t *p) {
  const dmd_run_t *run = &p->profile->run;
  if (!p->profile->shows_peak || !run->peak.is_known)
    return;
  bool is_exit = run->trigger != NULL && dmd_str_equal(run->trigger, "exit");
  dmd_out_str(p->out, "At the peak: ");
  print_figures(p->out, run);
  dmd_out_str(p->out, "; ");
  dmd_print_count(p->out, (int64_t)run->in_use_szB, run->sample_interval > 0, "byte", "bytes");
  dmd_out_str(p->out, is_exit ? " at exit\n" : " at the dump\n");
}

void dmd_print_peak_opening(const dmd_printer_t *p) {
  const dmd_run_t *run = &p->profile->run;
  if (!p->profile->shows_peak || !run->peak.is_known)
    return;
  dmd_print_peak_sentence(p);
  if (run->in_use_blocks > 0)
    dmd_out_str(p->out, "dmdv print --moment=end shows the blocks that were left.\n");
  dmd_out_char(p->out, '\n');
}

void dmd_print_peak_total(const dmd_printer_t *p) {
  const dmd_run_t *run = &p->profile->run;
  if (!run->peak.is_known || p->profile->shows_peak)
    return;
  dmd_out_str(p->out, "peak: ");
  print_figures(p->out, run);
  dmd_out_char(p->out, '\n');
}
