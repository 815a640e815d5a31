/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_changes.h"

#include "analyse/records/record.h"
#include "show/text/print.h"

/* "1,000 to 1,200 bytes (+20.00%)" */
static void print_change(dmd_out_t *out, int64_t before, int64_t now) {
  dmd_print_number(out, before, false);
  dmd_out_str(out, " to ");
  dmd_print_number(out, now, false);
  dmd_out_str(out, " bytes");
  if (before != 0 && now != before) {
    dmd_out_str(out, now > before ? " (+" : " (");
    dmd_print_percent(out, now - before, before);
    dmd_out_char(out, ')');
  }
}

static void print_state(dmd_out_t *out, const dmd_tally_t *before, const dmd_tally_t *now,
                        dmd_section_t state) {
  print_change(out, before->usable[state], now->usable[state]);
}

void dmd_changes_print_whole(dmd_out_t *out, const dmd_changes_t *c) {
  dmd_out_str(out, "The heap went from ");
  print_change(out, c->before.total, c->now.total);
  if (c->mode == DMD_MODE_DARK_MATTER) {
    dmd_out_str(out, ", unreported from ");
    print_state(out, &c->before, &c->now, DMD_SECTION_UNREPORTED);
    dmd_out_str(out, ", twice-reported from ");
    print_state(out, &c->before, &c->now, DMD_SECTION_TWICE);
  }
  dmd_out_str(out, ".\n\n");
}

/* "Grown, unreported", "Was unreported, now once-reported" */
void dmd_changes_print_kind(dmd_out_t *out, const dmd_place_t *p) {
  static const char *const words[] = {[DMD_CHANGE_NEW] = "New, ",
                                      [DMD_CHANGE_GONE] = "Gone, ",
                                      [DMD_CHANGE_GROWN] = "Grown, ",
                                      [DMD_CHANGE_SHRUNK] = "Shrunk, ",
                                      [DMD_CHANGE_OTHER] = "Changed, "};
  dmd_change_t change = dmd_place_change(p);
  if (change == DMD_CHANGE_STATUS) {
    dmd_out_str(out, "Was ");
    dmd_out_str(out, dmd_section_name(dmd_tally_main_state(&p->before)));
    dmd_out_str(out, ", now ");
  } else {
    dmd_out_str(out, words[change]);
  }
  const dmd_tally_t *there = change == DMD_CHANGE_GONE ? &p->before : &p->now;
  dmd_out_str(out, dmd_section_name(dmd_tally_main_state(there)));
}

static void print_place(dmd_out_t *out, const dmd_changes_t *c, const dmd_place_t *p) {
  dmd_changes_print_kind(out, p);
  dmd_out_str(out, " {\n  ");
  print_change(out, p->before.total, p->now.total);
  dmd_out_str(out, ", ");
  dmd_print_number(out, p->before.num, false);
  dmd_out_str(out, " to ");
  dmd_print_number(out, p->now.num, false);
  dmd_out_str(out, " blocks\n");
  for (int state = 0; state < DMD_SECTION_ALL; state++) {
    int64_t before = p->before.usable[state], now = p->now.usable[state];
    if (before == now || (before == p->before.total && now == p->now.total))
      continue;
    dmd_out_str(out, "  ");
    dmd_out_str(out, dmd_section_name(state));
    dmd_out_str(out, ": ");
    print_change(out, before, now);
    dmd_out_char(out, '\n');
  }
  dmd_print_stack_opening(out, dmd_record_fields[DMD_RECORD_ALLOCATED_AT].words);
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&c->shown, p->stack, &n);
  dmd_print_frames(out, "    ", &c->shown, frames, 0, n);
  dmd_out_str(out, "  }\n}\n\n");
}

void dmd_changes_print(dmd_out_t *out, const dmd_changes_t *c, uint32_t max_places) {
  uint32_t n = max_places != 0 && max_places < c->n ? max_places : c->n;
  dmd_changes_print_whole(out, c);
  if (c->n == 0)
    dmd_out_str(out, "No place changed.\n");
  for (uint32_t i = 0; i < n; i++)
    print_place(out, c, dmd_changes_at(c, i));
  dmd_print_left_out(out, c->n, n, " more place that changed", " more places that changed");
}
