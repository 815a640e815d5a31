/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/input/ignorefile.h"

#include "analysis/frame.h"
#include "base/glob.h"
#include "base/utf8.h"
#include "reader/host/host.h"
#include "reader/input/input.h"

#include <string.h>

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* ---- Parsing. ---- */

/* Where the '#' of the reason is: the first that stands behind a blank; NULL where there is none.
 * A backslash protects what is behind it. */
static char *find_reason(char *line) {
  for (char *s = line; *s != '\0'; s++) {
    if (*s == '\\' && s[1] != '\0')
      s++;
    else if (is_blank(*s) && s[1] == '#')
      return s + 1;
  }
  return NULL;
}

/* Cuts blanks off both ends, at the right only down to least. */
static char *strip(char *s, char *end) {
  while (is_blank(*s))
    s++;
  while (end > s && is_blank(end[-1]))
    end--;
  *end = '\0';
  return s;
}

/* Parses one line of n bytes, which a NUL follows. */
static bool parse_line(dmdv_ignorefile_t *file, char *line, size_t n, uint64_t number,
                       dmdv_fail_t *fail) {
  if (n > 0 && line[n - 1] == '\r')
    line[--n] = '\0';
  if (n > DMDV_IGNORE_MAX_LINE)
    return dmdv_fail(fail, "the line is longer than %d bytes", DMDV_IGNORE_MAX_LINE);
  if (strlen(line) != n)
    return dmdv_fail(fail, "there is a NUL byte in the line");
  if (!dmd_utf8_is_valid(line))
    return dmdv_fail(fail, "the line is not UTF-8");
  char *start = line + strspn(line, " \t");
  if (*start == '\0' || *start == '#')
    return true;
  char *mark = find_reason(start);
  char *reason = mark != NULL ? strip(mark + 1, line + n) : NULL;
  if (reason == NULL || *reason == '\0')
    return dmdv_fail(fail, "the pattern has no reason; write: pattern  # reason");
  file->patterns[file->n++] =
      (dmdv_pattern_t){.text = strip(start, mark), .reason = reason, .line = number};
  return true;
}

static size_t count_lines(const char *text, size_t n) {
  size_t lines = 1;
  for (size_t i = 0; i < n; i++)
    lines += text[i] == '\n';
  return lines;
}

bool dmdv_ignorefile_parse(dmdv_ignorefile_t *file, const char *text, size_t n, dmdv_fail_t *fail) {
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  if (n >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
    text += 3;
    n -= 3;
  }
  *file = (dmdv_ignorefile_t){0};
  file->text = dmd_env_alloc(&dmdv_env, "dmdv.ignorefile", n + 1);
  file->patterns =
      dmd_env_alloc(&dmdv_env, "dmdv.ignorefile", count_lines(text, n) * sizeof *file->patterns);
  if (n > 0)
    memcpy(file->text, text, n);
  file->text[n] = '\0';
  uint64_t number = 1;
  for (char *line = file->text, *end = line + n; line <= end; number++) {
    char *stop = memchr(line, '\n', (size_t)(end - line));
    if (stop == NULL)
      stop = end;
    *stop = '\0';
    if (!parse_line(file, line, (size_t)(stop - line), number, fail)) {
      file->n = 0;
      fail->line = number;
      return false;
    }
    line = stop + 1;
  }
  return true;
}

bool dmdv_ignorefile_read(dmdv_ignorefile_t *file, const char *name, dmdv_fail_t *fail) {
  *file = (dmdv_ignorefile_t){0};
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  char *text = dmd_env_alloc(&dmdv_env, "dmdv.ignorefile", DMDV_IGNORE_MAX_FILE);
  size_t n = 0, more = 0;
  const char *bytes;
  bool good;
  while ((good = dmdv_input_next(input, &bytes, &more, fail)) && more > 0) {
    if (more > DMDV_IGNORE_MAX_FILE - n) {
      good = dmdv_fail(fail, "the file is longer than %d bytes", DMDV_IGNORE_MAX_FILE);
      break;
    }
    memcpy(text + n, bytes, more);
    n += more;
  }
  good = good && dmdv_ignorefile_parse(file, text, n, fail);
  dmd_env_free(&dmdv_env, text);
  dmdv_input_close(input);
  return good;
}

void dmdv_ignorefile_destroy(dmdv_ignorefile_t *file) {
  dmd_env_free(&dmdv_env, file->patterns);
  dmd_env_free(&dmdv_env, file->text);
}

/* ---- Matching. ---- */

static bool matches_frame(const char *pattern, const char *frame) {
  return dmd_glob_matches(pattern, frame) ||
         dmd_glob_matches_n(pattern, frame, dmd_frame_function_length(frame));
}

static bool is_concerned(const dmd_profile_t *profile, const dmd_group_t *g) {
  return profile->mode == DMD_MODE_DARK_MATTER &&
         (g->reports == DMD_NONE || dmd_reports_at(&profile->reports, g->reports)->count > 1);
}

/* Which frames the pattern matches, by id. False when none. */
static bool find_frames(const dmdv_pattern_t *pattern, const dmd_profile_t *profile, bool *hit) {
  bool any = false;
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->frames); id++) {
    hit[id] = matches_frame(pattern->text, dmd_intern_get_str(&profile->frames, id));
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
static void count_blocks(dmdv_ignorefile_t *file, const dmd_profile_t *profile,
                         const uint32_t *ignored_by) {
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    if (ignored_by[g->stack] == 0 || !is_concerned(profile, g))
      continue;
    dmdv_pattern_t *pattern = &file->patterns[ignored_by[g->stack] - 1];
    pattern->num += (int64_t)g->num;
    pattern->usable += (int64_t)(g->num * (g->req + g->slop));
  }
}

uint32_t *dmdv_ignorefile_apply(dmdv_ignorefile_t *file, const dmd_profile_t *profile, bool count) {
  const dmd_env_t *env = profile->env;
  uint32_t n_stacks = dmd_intern_count(&profile->stacks);
  uint32_t *ignored_by = dmd_env_alloc(env, "dmdv.ignored", (n_stacks + 1) * sizeof *ignored_by);
  memset(ignored_by, 0, (n_stacks + 1) * sizeof *ignored_by);
  bool *concerned = dmd_env_alloc(env, "dmdv.ignored", n_stacks + 1);
  memset(concerned, 0, n_stacks + 1);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
    if (is_concerned(profile, dmd_groups_at(&profile->groups, id)))
      concerned[dmd_groups_at(&profile->groups, id)->stack] = true;
  bool *hit = dmd_env_alloc(env, "dmdv.ignored", dmd_intern_count(&profile->frames) + 1);
  for (size_t i = 0; i < file->n; i++) {
    if (!find_frames(&file->patterns[i], profile, hit))
      continue;
    for (uint32_t stack = 1; stack <= n_stacks; stack++) {
      if (!concerned[stack] || !stack_has(profile, stack, hit))
        continue;
      file->patterns[i].used |= count;
      if (ignored_by[stack] == 0)
        ignored_by[stack] = (uint32_t)i + 1;
    }
  }
  if (count)
    count_blocks(file, profile, ignored_by);
  dmd_env_free(env, hit);
  dmd_env_free(env, concerned);
  return ignored_by;
}
