/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/frame.h"

#include "base/str.h"

size_t dmd_frame_function_length(const char *frame) {
  size_t n = dmd_str_length(frame);
  const char *end = NULL;
  if (n > 0 && frame[n - 1] == ')')
    for (const char *s = dmd_str_find(frame, " ("); s != NULL; s = dmd_str_find(s + 1, " ("))
      end = s;
  else if (n > 0 && frame[n - 1] == ']')
    end = dmd_str_find_last_char(frame, '[');
  return end != NULL ? (size_t)(end - frame) : n;
}

void dmd_frame_without_line(char *to, const char *frame) {
  size_t n = dmd_str_length(frame), function = dmd_frame_function_length(frame);
  const char *cut = NULL;
  if (function < n && frame[n - 1] == ')')
    cut = dmd_str_find_last_char(frame + function, ':');
  else if (function < n)
    cut = dmd_str_find(frame + function, " +0x");
  if (cut == NULL) {
    dmd_mem_copy(to, frame, n + 1);
    return;
  }
  size_t kept = (size_t)(cut - frame);
  dmd_mem_copy(to, frame, kept);
  to[kept] = frame[n - 1];
  to[kept + 1] = '\0';
}

uint32_t dmd_frame_intern_without_line(dmd_intern_t *to, const char *frame) {
  char *text = dmd_env_alloc(to->env, "dmd.frame", dmd_str_length(frame) + 1);
  dmd_frame_without_line(text, frame);
  uint32_t id = dmd_intern_str(to, text);
  dmd_env_free(to->env, text);
  return id;
}
