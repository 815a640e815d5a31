/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exports the format of speedscope.app: one table of frames, and one "sampled" profile per section,
 * whose samples are stacks, root first, and whose weights are bytes. Samples are sorted by stack,
 * so that speedscope's time-order view shows each frame once below its caller.
 *
 * Frames in the table count from 0: a profile's frame has index id - 1. The pseudo frame for no
 * stack and the requested roots follow. If the profile has its peak, that is the last profile.
 */
#include "show/export/export.h"

#include "base/jsonout.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/str.h"
#include "model/profile/profile.h"

/* The stacks of one moment. */
typedef struct {
  const dmd_profile_t *profile;
  dmd_sums_t sums;
  uint32_t *order; /* of the sums, by stack */
  uint32_t n_labels;
  uint32_t *roots_of; /* n_labels ids for each sum, outermost first */
} stacks_t;

typedef struct {
  dmd_jsonout_t json;
  const dmd_profile_t *profile;
  unsigned labels;    /* labels to use as roots */
  dmd_intern_t roots; /* texts of root frames */
  stacks_t end, peak; /* peak: if the profile has it */
} writer_t;

/* ---- Collecting the data. ---- */

static const uint32_t *roots_of(const stacks_t *s, uint32_t sum) {
  return s->roots_of + (size_t)(sum - 1) * s->n_labels;
}

static void find_roots(writer_t *w, stacks_t *s) {
  const dmd_env_t *env = w->profile->env;
  uint32_t n = dmd_sums_count(&s->sums), at = 0;
  s->roots_of =
      dmd_env_alloc(env, "dmd.speedscope", ((size_t)n * s->n_labels + 1) * sizeof(uint32_t));
  for (uint32_t id = 1; id <= n; id++)
    for (unsigned label = 0; label < DMD_N_LABELS; label++) {
      if (!(w->labels & 1u << label))
        continue;
      dmd_strbuf_t text;
      dmd_strbuf_init(&text, env);
      dmd_sum_describe(w->profile, dmd_sums_at(&s->sums, id), label, &text);
      s->roots_of[at++] = dmd_intern_str(&w->roots, text.text);
      dmd_strbuf_destroy(&text);
    }
}

/* Sorts by roots, then by frames starting at the outermost. */
static int compare_stacks(const void *ctx, uint32_t a, uint32_t b) {
  const stacks_t *s = ctx;
  for (uint32_t i = 0; i < s->n_labels; i++) {
    uint32_t x = roots_of(s, a)[i], y = roots_of(s, b)[i];
    if (x != y)
      return x < y ? -1 : 1;
  }
  size_t n, m;
  const uint32_t *p = dmd_profile_frames(s->profile, dmd_sums_at(&s->sums, a)->stack, &n);
  const uint32_t *q = dmd_profile_frames(s->profile, dmd_sums_at(&s->sums, b)->stack, &m);
  for (; n > 0 && m > 0; n--, m--)
    if (p[n - 1] != q[m - 1])
      return p[n - 1] < q[m - 1] ? -1 : 1;
  return (n > m) - (n < m);
}

static void collect(writer_t *w, stacks_t *s, const dmd_profile_t *shown) {
  s->profile = shown;
  s->n_labels = 0;
  for (unsigned label = 0; label < DMD_N_LABELS; label++)
    s->n_labels += w->labels >> label & 1;
  dmd_sums_init(&s->sums, shown, w->labels);
  find_roots(w, s);
  s->order = dmd_sorted_ids(shown->env, dmd_sums_count(&s->sums), compare_stacks, s);
  s->profile = w->profile;
}

static void begin(writer_t *w, const dmd_profile_t *profile, dmd_out_t *out, unsigned labels) {
  *w = (writer_t){.profile = profile, .labels = labels};
  dmd_jsonout_init(&w->json, out);
  dmd_intern_init(&w->roots, profile->env, "dmd.speedscope");
  collect(w, &w->end, profile);
  if (!profile->has_peak)
    return;
  dmd_peak_view_t view;
  dmd_peak_view_init(&view, profile, false);
  collect(w, &w->peak, &view.profile);
  dmd_peak_view_destroy(&view);
}

static void destroy_stacks(stacks_t *s, const dmd_env_t *env) {
  dmd_env_free(env, s->order);
  dmd_env_free(env, s->roots_of);
  dmd_sums_destroy(&s->sums);
}

static void end(writer_t *w) {
  destroy_stacks(&w->end, w->profile->env);
  if (w->profile->has_peak)
    destroy_stacks(&w->peak, w->profile->env);
  dmd_intern_destroy(&w->roots);
}

/* ---- Frames. ---- */

/* `sq_new [libsq.so.0]`: adds the object, except for known functions of the program itself. If the
 * function is unknown, also adds the offset, so that different functions stay distinct. */
static void write_name(writer_t *w, const dmd_location_t *l) {
  size_t n = 0;
  const char *program = dmd_profile_program(w->profile, &n);
  const char *object = l->object != NULL ? dmd_path_base(l->object) : NULL;
  size_t length = object != NULL ? dmd_str_length(object) : 0;
  bool is_own = object != NULL && program != NULL && n >= length &&
                dmd_str_equal_n(program + n - length, object, length) &&
                (n == length || program[n - length - 1] == '/');
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, w->profile->env);
  dmd_strbuf_str(&name, l->function != NULL ? l->function : "?\?\?");
  if (object != NULL && (!is_own || l->function == NULL)) {
    dmd_strbuf_str(&name, " [");
    dmd_strbuf_str(&name, object);
    if (l->function == NULL && l->offset != DMD_OFFSET_UNKNOWN) {
      dmd_strbuf_str(&name, " +0x");
      dmd_strbuf_hex(&name, l->offset);
    }
    dmd_strbuf_str(&name, "]");
  }
  dmd_jsonout_key_str(&w->json, "name", name.text);
  dmd_strbuf_destroy(&name);
}

static void write_pseudo_frame(writer_t *w, const char *name) {
  dmd_jsonout_object(&w->json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(&w->json, "name", name);
  dmd_jsonout_end(&w->json);
}

static void write_frames(writer_t *w) {
  dmd_jsonout_t *j = &w->json;
  dmd_jsonout_key(j, "shared");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(j, "frames");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_frames_count(&w->profile->frames); id++) {
    dmd_location_t location = dmd_frames_location(&w->profile->frames, id);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    write_name(w, &location);
    if (location.file != NULL || location.object != NULL)
      dmd_jsonout_key_str(j, "file", location.file != NULL ? location.file : location.object);
    if (location.line > 0)
      dmd_jsonout_key_u64(j, "line", location.line);
    dmd_jsonout_end(j);
  }
  write_pseudo_frame(w, DMD_NO_STACK);
  for (uint32_t id = 1; id <= dmd_intern_count(&w->roots); id++)
    write_pseudo_frame(w, dmd_intern_get_str(&w->roots, id));
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

/* ---- Profiles. ---- */

static void write_sample(writer_t *w, const stacks_t *s, uint32_t id) {
  dmd_jsonout_t *j = &w->json;
  size_t n;
  const uint32_t *frames = dmd_profile_frames(w->profile, dmd_sums_at(&s->sums, id)->stack, &n);
  uint64_t no_stack = dmd_frames_count(&w->profile->frames);
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < s->n_labels; i++)
    dmd_jsonout_u64(j, no_stack + roots_of(s, id)[i]);
  if (n == 0)
    dmd_jsonout_u64(j, no_stack);
  for (size_t i = n; i > 0; i--)
    dmd_jsonout_u64(j, frames[i - 1] - 1);
  dmd_jsonout_end(j);
}

static void write_profile(writer_t *w, const stacks_t *s, dmd_section_t section, const char *name) {
  dmd_jsonout_t *j = &w->json;
  uint32_t n = dmd_sums_count(&s->sums);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(j, "type", "sampled");
  dmd_jsonout_key_str(j, "name", name);
  dmd_jsonout_key_str(j, "unit", "bytes");
  dmd_jsonout_key_u64(j, "startValue", 0);
  dmd_jsonout_key_u64(j, "endValue", s->sums.section[section].bytes);
  dmd_jsonout_key(j, "samples");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < n; i++)
    if (dmd_sums_at(&s->sums, s->order[i])->section == section)
      write_sample(w, s, s->order[i]);
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "weights");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < n; i++)
    if (dmd_sums_at(&s->sums, s->order[i])->section == section)
      dmd_jsonout_u64(j, dmd_sums_at(&s->sums, s->order[i])->bytes);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

/* The profiles of the dump. In dark-matter mode all three are written, even if empty, so that their
 * positions are the same in every file. */
enum { N_DARK = 3 };
static const dmd_section_t dark_sections[N_DARK] = {DMD_SECTION_UNREPORTED, DMD_SECTION_TWICE,
                                                    DMD_SECTION_ONCE};

static void write_end_profile(writer_t *w, dmd_section_t section) {
  write_profile(w, &w->end, section, dmd_sums_section_name(w->profile, section));
}

static void write_profiles(writer_t *w) {
  dmd_jsonout_key(&w->json, "profiles");
  dmd_jsonout_array(&w->json, DMD_JSONOUT_LINES);
  if (w->profile->mode == DMD_MODE_DARK_MATTER) {
    for (int i = 0; i < N_DARK; i++)
      write_end_profile(w, dark_sections[i]);
  } else {
    write_end_profile(w, DMD_SECTION_ALL);
  }
  if (w->profile->has_peak)
    write_profile(w, &w->peak, DMD_SECTION_ALL, "peak");
  dmd_jsonout_end(&w->json);
}

/* The profile with which speedscope opens: unreported comes first, unless only the peak says
 * something. */
static uint64_t first_shown(const dmd_profile_t *profile) {
  if (!dmd_peak_matters(profile))
    return 0;
  return profile->mode == DMD_MODE_DARK_MATTER ? N_DARK : 1;
}

const char *dmd_export_speedscope(const dmd_profile_t *profile, dmd_out_t *out,
                                  const dmd_export_options_t *options) {
  writer_t w;
  begin(&w, profile, out, options->roots);
  dmd_jsonout_object(&w.json, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&w.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
  dmd_jsonout_key_str(&w.json, "exporter", options->exporter);
  if (profile->run.is_known && profile->run.command != NULL)
    dmd_jsonout_key_str(&w.json, "name", profile->run.command);
  dmd_jsonout_key_u64(&w.json, "activeProfileIndex", first_shown(profile));
  write_frames(&w);
  write_profiles(&w);
  dmd_jsonout_end(&w.json);
  end(&w);
  return NULL;
}
