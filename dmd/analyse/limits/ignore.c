/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/ignore.h"

#include "analyse/records/plain.h"
#include "analyse/records/record.h"
#include "base/fnname.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* ---- Parsing. ---- */

/* The '#' of the reason: the first one after a blank; NULL if none. A backslash escapes the next
 * character. */
static char *find_reason(char *line) {
  for (char *s = line; *s != '\0'; s++) {
    if (*s == '\\' && s[1] != '\0')
      s++;
    else if (is_blank(*s) && s[1] == '#')
      return s + 1;
  }
  return NULL;
}

/* Strips blanks from both ends. */
static char *strip(char *s, char *end) {
  while (is_blank(*s))
    s++;
  while (end > s && is_blank(end[-1]))
    end--;
  *end = '\0';
  return s;
}

/* Parses one line of n bytes, followed by a NUL. Returns NULL, or what is wrong with it. */
static const char *parse_line(dmd_ignore_t *ignore, char *line, size_t n, uint64_t number) {
  if (n > 0 && line[n - 1] == '\r')
    line[--n] = '\0';
  if (n > DMD_MAX_IGNORE_LINE)
    return "the line is longer than " DMD_LIMIT_TEXT(DMD_MAX_IGNORE_LINE) " bytes";
  if (dmd_str_length(line) != n)
    return "the line contains a NUL byte";
  if (!dmd_utf8_is_valid(line))
    return "the line is not UTF-8";
  char *start = line + dmd_str_span(line, " \t");
  if (*start == '\0' || *start == '#')
    return NULL;
  char *mark = find_reason(start);
  char *reason = mark != NULL ? strip(mark + 1, line + n) : NULL;
  if (reason == NULL || *reason == '\0')
    return "the pattern has no reason; write: pattern  # reason";
  ignore->patterns[ignore->n++] =
      (dmd_pattern_t){.text = strip(start, mark), .reason = reason, .line = number};
  return NULL;
}

static size_t count_lines(const char *text, size_t n) {
  size_t lines = 1;
  for (size_t i = 0; i < n; i++)
    lines += text[i] == '\n';
  return lines;
}

const char *dmd_ignore_parse(dmd_ignore_t *ignore, const dmd_env_t *env, const char *text, size_t n,
                             uint64_t *line) {
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  if (n >= 3 && dmd_mem_equal(text, byte_order_mark, 3)) {
    text += 3;
    n -= 3;
  }
  *ignore = (dmd_ignore_t){.env = env};
  ignore->text = dmd_env_alloc(env, "dmd.ignore", n + 1);
  ignore->patterns =
      dmd_env_alloc(env, "dmd.ignore", count_lines(text, n) * sizeof *ignore->patterns);
  dmd_mem_copy(ignore->text, text, n);
  ignore->text[n] = '\0';
  *line = 1;
  for (char *start = ignore->text, *end = start + n; start <= end; ++*line) {
    char *stop = start;
    while (stop < end && *stop != '\n')
      stop++;
    *stop = '\0';
    const char *why = parse_line(ignore, start, (size_t)(stop - start), *line);
    if (why != NULL) {
      ignore->n = 0;
      return why;
    }
    start = stop + 1;
  }
  return NULL;
}

void dmd_ignore_destroy(dmd_ignore_t *ignore) {
  if (ignore->env == NULL)
    return;
  dmd_env_free(ignore->env, ignore->patterns);
  dmd_env_free(ignore->env, ignore->text);
}

/* ---- Matching. ---- */

static bool matches_shown(const char *pattern, const dmd_frames_t *frames, uint32_t id) {
  dmd_strbuf_t shown;
  dmd_strbuf_init(&shown, frames->pool.env);
  dmd_frame_shown(&shown, frames, id);
  bool matches = dmd_glob_matches(pattern, shown.text);
  dmd_strbuf_destroy(&shown);
  return matches;
}

static bool matches_frame(const char *pattern, const dmd_frames_t *frames, uint32_t id) {
  const char *function = dmd_frames_location(frames, id).function;
  if (dmd_glob_matches(pattern, dmd_frames_text(frames, id)) ||
      (dmd_frame_is_shortened(frames, id) && matches_shown(pattern, frames, id)))
    return true;
  if (function == NULL)
    return dmd_glob_matches(pattern, "?\?\?");
  dmd_fnname_t plain = dmd_fnname_plain(function, dmd_str_length(function));
  return dmd_glob_matches(pattern, function) || dmd_glob_matches_n(pattern, plain.at, plain.n);
}

/* Limits do not cover other blocks, so patterns are not needed for these; nor for shared blocks. */
static bool is_concerned(const dmd_profile_t *profile, const dmd_group_t *g) {
  dmd_section_t section = dmd_section_of_group(profile, g);
  return section == DMD_SECTION_UNREPORTED || section == DMD_SECTION_TWICE;
}

/* Marks the frames that the pattern matches, by id. Returns false if none. */
static bool find_frames(const dmd_pattern_t *pattern, const dmd_profile_t *profile, bool *hit) {
  bool any = false;
  for (uint32_t id = 1; id <= dmd_frames_count(&profile->frames); id++) {
    hit[id] = matches_frame(pattern->text, &profile->frames, id);
    any |= hit[id];
  }
  return any;
}

static bool stack_has(const dmd_profile_t *profile, uint32_t stack, const bool *hit) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  for (size_t i = 0; i < n; i++)
    if (hit[frames[i]])
      return true;
  return false;
}

/* Adds the blocks to the patterns that ignore them. */
static void count_blocks(dmd_ignore_t *ignore, const dmd_profile_t *profile,
                         const uint32_t *ignored_by) {
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    if (ignored_by[g->stack] == 0 || !is_concerned(profile, g))
      continue;
    dmd_blocksum_add(&ignore->patterns[ignored_by[g->stack] - 1].sum,
                     dmd_group_usable_sum(profile, g));
  }
}

/* concerned: by stack id, whether patterns apply to it. */
static uint32_t *match_stacks(dmd_ignore_t *ignore, const dmd_profile_t *profile,
                              const bool *concerned, bool use) {
  const dmd_env_t *env = profile->env;
  uint32_t n_stacks = dmd_intern_count(&profile->stacks);
  uint32_t *ignored_by = dmd_env_alloc(env, "dmd.ignored", (n_stacks + 1) * sizeof *ignored_by);
  dmd_mem_zero(ignored_by, (n_stacks + 1) * sizeof *ignored_by);
  bool *hit = dmd_env_alloc(env, "dmd.ignored", dmd_frames_count(&profile->frames) + 1);
  for (size_t i = 0; i < ignore->n; i++) {
    if (!find_frames(&ignore->patterns[i], profile, hit))
      continue;
    for (uint32_t stack = 1; stack <= n_stacks; stack++) {
      if (!concerned[stack] || !stack_has(profile, stack, hit))
        continue;
      ignore->patterns[i].used |= use;
      if (ignored_by[stack] == 0)
        ignored_by[stack] = (uint32_t)i + 1;
    }
  }
  dmd_env_free(env, hit);
  return ignored_by;
}

/* By stack id, all with the same initial value. */
static bool *new_concerned(const dmd_profile_t *profile, bool all) {
  uint32_t n = dmd_intern_count(&profile->stacks) + 1;
  bool *concerned = dmd_env_alloc(profile->env, "dmd.ignored", n);
  for (uint32_t stack = 0; stack < n; stack++)
    concerned[stack] = all;
  return concerned;
}

uint32_t *dmd_ignore_apply(dmd_ignore_t *ignore, const dmd_profile_t *profile, bool count) {
  bool *concerned = new_concerned(profile, false);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
    if (is_concerned(profile, dmd_groups_at(&profile->groups, id)))
      concerned[dmd_groups_at(&profile->groups, id)->stack] = true;
  uint32_t *ignored_by = match_stacks(ignore, profile, concerned, count);
  if (count)
    count_blocks(ignore, profile, ignored_by);
  dmd_env_free(profile->env, concerned);
  return ignored_by;
}

uint32_t *dmd_ignore_stacks(dmd_ignore_t *ignore, const dmd_profile_t *profile) {
  bool *concerned = new_concerned(profile, true);
  uint32_t *ignored_by = match_stacks(ignore, profile, concerned, true);
  dmd_env_free(profile->env, concerned);
  return ignored_by;
}
