/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/frame.h"

#include <string.h>

size_t dmdv_frame_function_length(const char *frame) {
  size_t n = strlen(frame);
  const char *end = NULL;
  if (n > 0 && frame[n - 1] == ')')
    for (const char *s = strstr(frame, " ("); s != NULL; s = strstr(s + 1, " ("))
      end = s;
  else if (n > 0 && frame[n - 1] == ']')
    end = strrchr(frame, '[');
  return end != NULL ? (size_t)(end - frame) : n;
}

void dmdv_frame_without_line(char *to, const char *frame) {
  size_t n = strlen(frame), function = dmdv_frame_function_length(frame);
  const char *cut = NULL;
  if (function < n && frame[n - 1] == ')')
    cut = strrchr(frame + function, ':');
  else if (function < n)
    cut = strstr(frame + function, " +0x");
  if (cut == NULL) {
    memcpy(to, frame, n + 1);
    return;
  }
  size_t kept = (size_t)(cut - frame);
  memcpy(to, frame, kept);
  to[kept] = frame[n - 1];
  to[kept + 1] = '\0';
}
