/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file format of speedscope.app: one table of frames, and one "sampled" profile a section whose
 * samples are stacks, root first, and whose weights are bytes. In its table frames count from 0; a
 * profile's frame has the index id - 1, and the pseudo frame for no stack comes last.
 */
#include "export/export.h"

#include "analysis/sums.h"
#include "base/jsonout.h"

static void write_frames(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_jsonout_key(j, "shared");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(j, "frames");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_frames_count(&profile->frames); id++) {
    dmd_location_t location = dmd_frames_location(&profile->frames, id);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "name", location.function != NULL ? location.function : "?\?\?");
    if (location.file != NULL || location.object != NULL)
      dmd_jsonout_key_str(j, "file", location.file != NULL ? location.file : location.object);
    if (location.line > 0)
      dmd_jsonout_key_u64(j, "line", location.line);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "name", DMD_NO_STACK);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write_samples(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_sums_t *sums,
                          dmd_section_t section) {
  dmd_jsonout_key(j, "samples");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_sums_count(sums); id++) {
    const dmd_sum_t *sum = dmd_sums_at(sums, id);
    if (sum->section != section)
      continue;
    size_t n;
    const uint32_t *frames = dmd_profile_frames(profile, sum->stack, &n);
    dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
    if (n == 0)
      dmd_jsonout_u64(j, dmd_frames_count(&profile->frames));
    for (size_t i = n; i > 0; i--)
      dmd_jsonout_u64(j, frames[i - 1] - 1);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_profile(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_sums_t *sums,
                          dmd_section_t section) {
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(j, "type", "sampled");
  dmd_jsonout_key_str(j, "name", dmd_sums_section_name(profile, section));
  dmd_jsonout_key_str(j, "unit", "bytes");
  dmd_jsonout_key_u64(j, "startValue", 0);
  dmd_jsonout_key_u64(j, "endValue", sums->section[section].bytes);
  write_samples(j, profile, sums, section);
  dmd_jsonout_key(j, "weights");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t id = 1; id <= dmd_sums_count(sums); id++)
    if (dmd_sums_at(sums, id)->section == section)
      dmd_jsonout_u64(j, dmd_sums_at(sums, id)->bytes);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

/* The unreported first: what opens is the first. All three are there in dark-matter mode, an empty
 * one too, so that they are in the same place in every file. */
static void write_profiles(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_sums_t sums;
  dmd_sums_init(&sums, profile, false);
  dmd_jsonout_key(j, "profiles");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  if (profile->mode == DMD_MODE_DARK_MATTER) {
    write_profile(j, profile, &sums, DMD_SECTION_UNREPORTED);
    write_profile(j, profile, &sums, DMD_SECTION_TWICE);
    write_profile(j, profile, &sums, DMD_SECTION_ONCE);
  } else {
    write_profile(j, profile, &sums, DMD_SECTION_ALL);
  }
  dmd_jsonout_end(j);
  dmd_sums_destroy(&sums);
}

const char *dmd_export_speedscope(const dmd_profile_t *profile, dmd_out_t *out,
                                  const dmd_export_options_t *options) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
  dmd_jsonout_key_str(&j, "exporter", options->exporter);
  if (profile->run.is_known && profile->run.command != NULL)
    dmd_jsonout_key_str(&j, "name", profile->run.command);
  dmd_jsonout_key_u64(&j, "activeProfileIndex", 0);
  write_frames(&j, profile);
  write_profiles(&j, profile);
  dmd_jsonout_end(&j);
  return NULL;
}
