/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/format.h"
#include "text/printer.h"

static void print_offsets(dmd_out_t *out, const dmd_holder_t *holder) {
  char hex[DMD_FORMAT_MAX];
  dmd_out_str(out, "% held");
  for (uint32_t i = 0; i < holder->n_offsets; i++) {
    dmd_out_str(out, i == 0 ? " at +0x" : i + 1 == holder->n_offsets ? " and +0x" : ", +0x");
    dmd_format_hex(hex, holder->offset[i]);
    dmd_out_str(out, hex);
  }
  dmd_out_str(out, holder->n_offsets > 0 ? " of " : " in ");
}

/* Nothing where it is in all of the blocks. */
static void print_evidence(dmd_out_t *out, const dmd_holder_t *holder) {
  if (holder->holders >= holder->holders_alike)
    return;
  dmd_out_str(out, " (in ");
  dmd_print_number(out, (int64_t)holder->holders, false);
  dmd_out_str(out, " of ");
  dmd_print_number(out, (int64_t)holder->holders_alike, false);
  dmd_out_str(out, " such blocks)");
}

/* `  100% allocated where blocks were reported by explicit/fonts the last time; it has not run
 * since`. */
static void print_last_time(const dmd_printer_t *p, const dmd_record_t *r) {
  dmd_holder_t holder;
  if (!dmd_advice_last_time(p->advice, r, &holder))
    return;
  dmd_out_str(p->out, "  ");
  dmd_out_u64(p->out, holder.percent);
  if (holder.kind == DMD_HOLDER_BEFORE_REALLOC) {
    dmd_out_str(p->out, "% reallocated where blocks were that had been reported by ");
    dmd_print_name(p, holder.reporter);
    dmd_out_str(p->out, ": a realloc ends reports\n");
    return;
  }
  dmd_out_str(p->out, "% allocated where blocks were reported by ");
  dmd_print_name(p, holder.reporter);
  dmd_out_str(p->out, " the last time");
  if (holder.before > 0) {
    dmd_out_str(p->out, " (");
    dmd_print_bytes(p->out, holder.before);
    dmd_out_char(p->out, ')');
  }
  dmd_out_str(p->out, holder.kind == DMD_HOLDER_NOT_RUN       ? "; it has not run since\n"
                      : holder.kind == DMD_HOLDER_NOTHING_NOW ? "; it ran, and measured nothing\n"
                                                              : "; it ran, and measured others\n");
}

void dmd_print_advice(const dmd_printer_t *p, const dmd_record_t *r) {
  dmd_holder_t holder;
  print_last_time(p, r);
  if (!dmd_advice_best(p->advice, r, &holder))
    return;
  uint32_t place = dmd_advice_place(p->records, &holder, p->allocfns);
  dmd_out_str(p->out, "  ");
  dmd_out_u64(p->out, holder.percent);
  print_offsets(p->out, &holder);
  dmd_out_str(p->out, holder.kind == DMD_HOLDER_REPORTED ? "blocks reported by "
                                                         : "unreported blocks allocated at ");
  if (holder.reporter != DMD_NONE)
    dmd_print_name(p, holder.reporter);
  else if (place != DMD_NONE)
    dmd_print_frame_text(p->out, p->profile, place);
  else
    dmd_out_str(p->out, "(no stack)");
  print_evidence(p->out, &holder);
  dmd_out_char(p->out, '\n');
}
