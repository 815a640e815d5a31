/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exports DHAT's JSON, version 2, for dh_view and the Firefox Profiler.
 *
 * DHAT follows blocks over time, while a profile is one moment: the whole run is one unit of time,
 * at whose end everything is live. Firefox shows live bytes only if the file declares that
 * lifetimes were recorded. A profile of all allocations has only totals.
 *
 * If the profile has its peak, that is the moment of the global maximum, t-gmax. Its blocks have
 * the report states of the dump; those that are gone count as unreported. Totals are the larger of
 * the two moments, since what came and went between them is not known.
 *
 * A stack may occur only once, so in dark-matter mode each has its report state as innermost frame.
 * That is the first level of dh_view's tree and of Firefox's inverted tree.
 */
#include "show/export/export.h"

#include "analyse/records/sums.h"
#include "base/jsonout.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "model/profile/profile.h"

/* Frame 0 is the root, as dh_view requires. These frames follow, then the profile's. */
enum { FRAME_NO_STACK = 1, FRAME_SECTION = 2, FRAME_FIRST = FRAME_SECTION + DMD_N_SECTIONS };

static void write_header(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  bool live = profile->mode != DMD_MODE_CUMULATIVE;
  const dmd_run_t *run = &profile->run;
  dmd_jsonout_key_u64(j, "dhatFileVersion", 2);
  dmd_jsonout_key_str(j, "mode", dmd_mode_name(profile->mode));
  dmd_jsonout_key_str(j, "verb", "Allocated");
  dmd_jsonout_key_bool(j, "bklt", live);
  dmd_jsonout_key_bool(j, "bkacc", false);
  dmd_jsonout_key_str(j, "tu", "run");
  dmd_jsonout_key_str(j, "Mtu", "Mrun");
  if (live)
    dmd_jsonout_key_u64(j, "tuth", 0);
  dmd_jsonout_key_str(j, "cmd",
                      run->is_known && run->command != NULL ? run->command : "(unknown program)");
  dmd_jsonout_key_u64(j, "pid", run->pid);
  dmd_jsonout_key_u64(j, "te", 1);
  if (live)
    dmd_jsonout_key_u64(j, "tg", 1);
}

static void write_stack(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_sum_t *sum) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, sum->stack, &n);
  dmd_jsonout_key(j, "fs");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  if (sum->section != DMD_SECTION_ALL)
    dmd_jsonout_u64(j, FRAME_SECTION + (uint64_t)sum->section);
  if (n == 0)
    dmd_jsonout_u64(j, FRAME_NO_STACK);
  for (size_t i = 0; i < n; i++)
    dmd_jsonout_u64(j, FRAME_FIRST + (uint64_t)frames[i] - 1);
  dmd_jsonout_end(j);
}

static void write_sum(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_sum_t *key,
                      const dmd_sum_t *at_end, const dmd_sum_t *at_peak) {
  uint64_t bytes = at_end->bytes > at_peak->bytes ? at_end->bytes : at_peak->bytes;
  uint64_t blocks = at_end->blocks > at_peak->blocks ? at_end->blocks : at_peak->blocks;
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "tb", bytes);
  dmd_jsonout_key_u64(j, "tbk", blocks);
  if (profile->mode != DMD_MODE_CUMULATIVE) {
    dmd_jsonout_key_u64(j, "tl", blocks);
    dmd_jsonout_key_u64(j, "mb", bytes);
    dmd_jsonout_key_u64(j, "mbk", blocks);
    dmd_jsonout_key_u64(j, "gb", at_peak->bytes);
    dmd_jsonout_key_u64(j, "gbk", at_peak->blocks);
    dmd_jsonout_key_u64(j, "eb", at_end->bytes);
    dmd_jsonout_key_u64(j, "ebk", at_end->blocks);
  }
  write_stack(j, profile, key);
  dmd_jsonout_end(j);
}

/* Without the peak, the end is the maximum. */
static void write_end(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_sums_t *sums) {
  for (uint32_t id = 1; id <= dmd_sums_count(sums); id++) {
    const dmd_sum_t *sum = dmd_sums_at(sums, id);
    write_sum(j, profile, sum, sum, sum);
  }
}

/* Pairs the sums of both moments by their stacks and states. */
static void write_both(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_sums_t *end) {
  static const dmd_sum_t none = {.bytes = 0};
  dmd_peak_view_t view;
  dmd_sums_t peak;
  dmd_peak_view_init(&view, profile, true);
  dmd_sums_init(&peak, &view.profile, 0);
  for (uint32_t id = 1; id <= dmd_sums_count(&peak); id++) {
    const dmd_sum_t *sum = dmd_sums_at(&peak, id), *same = dmd_sums_find(end, sum);
    write_sum(j, profile, sum, same != NULL ? same : &none, sum);
  }
  for (uint32_t id = 1; id <= dmd_sums_count(end); id++) {
    const dmd_sum_t *sum = dmd_sums_at(end, id);
    if (dmd_sums_find(&peak, sum) == NULL)
      write_sum(j, profile, sum, sum, &none);
  }
  dmd_sums_destroy(&peak);
  dmd_peak_view_destroy(&view);
}

/* A frame as in Valgrind's DHAT, `0xADDRESS: function (file:line)` or `0xADDRESS: function (in
 * object)`. The address is the offset in the object; readers do not use it. */
static void write_frame(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t id) {
  dmd_location_t location = dmd_frames_location(&profile->frames, id);
  const char *frame = dmd_frames_text(&profile->frames, id);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, profile->env);
  dmd_strbuf_str(&text, "0x");
  dmd_strbuf_hex(&text, location.offset != DMD_OFFSET_UNKNOWN ? location.offset : 0);
  dmd_str_to_upper(text.text + 2);
  dmd_strbuf_str(&text, ": ");
  if (location.file == NULL && location.object != NULL) {
    dmd_strbuf_str(&text, location.function != NULL ? location.function : "?\?\?");
    dmd_strbuf_str(&text, " (in ");
    dmd_strbuf_str(&text, location.object);
    dmd_strbuf_str(&text, ")");
  } else {
    dmd_strbuf_str(&text, frame[0] != '\0' ? frame : "?\?\?");
  }
  dmd_jsonout_str(j, text.text);
  dmd_strbuf_destroy(&text);
}

static void write_frames(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_jsonout_key(j, "ftbl");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  dmd_jsonout_str(j, "[root]");
  dmd_jsonout_str(j, DMD_NO_STACK);
  for (int section = 0; section < DMD_N_SECTIONS; section++)
    dmd_jsonout_str(j, dmd_sums_section_name(profile, section));
  for (uint32_t id = 1; id <= dmd_frames_count(&profile->frames); id++)
    write_frame(j, profile, id);
  dmd_jsonout_end(j);
}

const char *dmd_export_dhat(const dmd_profile_t *profile, dmd_out_t *out,
                            const dmd_export_options_t *options) {
  (void)options;
  dmd_sums_t sums;
  dmd_jsonout_t j;
  dmd_sums_init(&sums, profile, 0);
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  write_header(&j, profile);
  dmd_jsonout_key(&j, "pps");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  (profile->has_peak ? write_both : write_end)(&j, profile, &sums);
  dmd_jsonout_end(&j);
  write_frames(&j, profile);
  dmd_jsonout_end(&j);
  dmd_sums_destroy(&sums);
  return NULL;
}
