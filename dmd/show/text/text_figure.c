/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_figure.h"

#include "show/text/print.h"

enum { MAX_ROWS = 5, MAX_FRAMES = 6 };

static void print_difference(dmd_out_t *out, const dmd_figure_t *figure) {
  uint64_t truth = dmd_figure_truth(figure);
  bool too_few = figure->value < truth;
  uint64_t difference = too_few ? truth - figure->value : figure->value - truth;
  if (difference == 0) {
    dmd_out_str(out, "right");
    return;
  }
  dmd_print_bytes(out, difference);
  dmd_out_str(out, too_few ? " too few (" : " too many (");
  if (truth <= INT64_MAX && difference <= INT64_MAX && truth > 0)
    dmd_print_percent(out, (int64_t)difference, (int64_t)truth);
  else
    dmd_out_str(out, "all");
  dmd_out_char(out, ')');
}

/* `  12,345 printed, 23,456 in 12 blocks, in requested bytes: 11,111 bytes too few (47.37%)` */
static void print_numbers(dmd_out_t *out, const dmd_figure_t *figure) {
  dmd_out_str(out, "  ");
  dmd_print_unsigned(out, figure->value);
  dmd_out_str(out, " printed, ");
  dmd_print_unsigned(out, dmd_figure_truth(figure));
  if (figure->has_rows) {
    dmd_out_str(out, " in ");
    dmd_print_count(out, (int64_t)figure->size.blocks, false, "block", "blocks");
    dmd_out_str(out, figure->is_usable ? ", in usable bytes" : ", in requested bytes");
  } else {
    dmd_out_str(out, " in physical memory");
  }
  dmd_out_str(out, ": ");
  print_difference(out, figure);
  dmd_out_char(out, '\n');
}

static void print_reason(dmd_out_t *out, const dmd_figure_t *figure, const dmd_profile_t *profile) {
  if (figure->reason == DMD_FIGURE_NONE) {
    dmd_out_str(out, "  no function explains the difference; the blocks, by stack:\n");
    return;
  }
  const dmd_frames_t *frames = &profile->frames;
  dmd_out_str(out,
              figure->reason == DMD_FIGURE_COUNTS ? "  counts only what " : "  leaves out what ");
  dmd_print_types(out, profile->env, dmd_intern_get_str(&frames->strings, figure->function));
  dmd_out_str(out, " allocated, ");
  dmd_print_bytes(out, dmd_claim_size_bytes(&figure->of, figure->is_usable));
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)figure->of.blocks, false, "block", "blocks");
  dmd_out_str(out, figure->is_exact ? ", to the byte. It leaves out:\n"
                                    : ", within 1% of it. It leaves out:\n");
}

static void print_row(dmd_out_t *out, const dmd_profile_t *profile, const dmd_figure_row_t *row) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, row->stack, &n);
  dmd_out_str(out, "    ");
  dmd_print_bytes(out, row->bytes);
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)row->blocks, false, "block", "blocks");
  dmd_out_char(out, '\n');
  dmd_print_frames(out, "      ", profile, frames, 0, n < MAX_FRAMES ? n : MAX_FRAMES);
}

void dmd_figure_print(dmd_out_t *out, const dmd_figure_t *figure, const dmd_profile_t *profile,
                      const char *title, const char *set) {
  dmd_out_safe(out, title);
  dmd_out_str(out, " = ");
  dmd_out_safe(out, set);
  dmd_out_char(out, '\n');
  if (!figure->is_known) {
    dmd_out_str(out, "  unknown: the profile does not have this number\n");
    return;
  }
  print_numbers(out, figure);
  if (!figure->has_rows || figure->value >= dmd_figure_truth(figure))
    return;
  print_reason(out, figure, profile);
  uint32_t n = figure->rows.last, shown = n < MAX_ROWS ? n : MAX_ROWS;
  for (uint32_t i = 1; i <= shown; i++)
    print_row(out, profile, DMD_POOL_AT(&figure->rows, const dmd_figure_row_t, i));
  if (n > shown) {
    dmd_out_str(out, "    and ");
    dmd_print_count(out, n - shown, false, "more stack", "more stacks");
    dmd_out_char(out, '\n');
  }
}
