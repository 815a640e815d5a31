/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exports collapsed stacks for flame graph programs: `root;...;leaf N`. The format has no escapes,
 * so characters that would end a frame or a line are written as \xNN, like control characters in
 * dmd_out_safe.
 */
#include "show/export/export.h"

#include "analyse/records/sums.h"
#include "base/str.h"

/* Like dmd_out_safe, but also escapes ';', which separates frames. */
static void write_frame(dmd_out_t *out, const char *frame) {
  if (frame[0] == '\0')
    dmd_out_str(out, "???");
  while (*frame != '\0') {
    size_t n = dmd_str_span_without(frame, ";");
    dmd_out_safe_n(out, frame, n);
    frame += n;
    if (*frame == ';') {
      dmd_out_str(out, "\\x3b");
      frame++;
    }
  }
}

static void write_stack(dmd_out_t *out, const dmd_profile_t *profile, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  if (n == 0)
    dmd_out_str(out, DMD_NO_STACK);
  for (size_t i = n; i > 0; i--) {
    write_frame(out, dmd_frames_text(&profile->frames, frames[i - 1]));
    if (i > 1)
      dmd_out_char(out, ';');
  }
}

static void write_roots(dmd_out_t *out, const dmd_profile_t *profile, const dmd_sum_t *sum,
                        unsigned roots) {
  for (unsigned label = 0; label < DMD_N_LABELS; label++) {
    if (!(roots & 1u << label))
      continue;
    dmd_strbuf_t text;
    dmd_strbuf_init(&text, profile->env);
    dmd_sum_describe(profile, sum, label, &text);
    write_frame(out, text.text);
    dmd_out_char(out, ';');
    dmd_strbuf_destroy(&text);
  }
}

const char *dmd_export_collapsed(const dmd_profile_t *profile, dmd_out_t *out,
                                 const dmd_export_options_t *options) {
  dmd_section_t section = options->section;
  dmd_sums_t sums;
  dmd_sums_init(&sums, profile, options->roots);
  for (uint32_t id = 1; id <= dmd_sums_count(&sums); id++) {
    const dmd_sum_t *sum = dmd_sums_at(&sums, id);
    if (section != DMD_SECTION_ALL && sum->section != section)
      continue;
    if (section != sum->section) {
      dmd_out_str(out, dmd_sums_section_name(profile, sum->section));
      dmd_out_char(out, ';');
    }
    write_roots(out, profile, sum, options->roots);
    write_stack(out, profile, sum->stack);
    dmd_out_char(out, ' ');
    dmd_out_u64(out, sum->bytes);
    dmd_out_char(out, '\n');
  }
  dmd_sums_destroy(&sums);
  return NULL;
}
