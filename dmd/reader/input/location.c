/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/input/location.h"

#include "analysis/frame.h"
#include "reader/host/host.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The whole string as a number; false when it is none, or too large. */
static bool parse_number(const char *s, int base, uint64_t *number) {
  const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
  if (s[0] == '\0' || s[strspn(s, digits)] != '\0')
    return false;
  errno = 0;
  unsigned long long value = strtoull(s, NULL, base);
  if (errno != 0)
    return false;
  *number = value;
  return true;
}

/* rest is what stands after the function: " (file:line)". */
static void split_file(dmdv_location_t *location, char *rest, size_t n) {
  char *file = rest + 2;
  rest[0] = rest[n - 1] = '\0';
  char *colon = strrchr(file, ':');
  if (colon != NULL &&
      (strcmp(colon + 1, "???") == 0 || parse_number(colon + 1, 10, &location->line)))
    *colon = '\0';
  if (file[0] != '\0' && strcmp(file, "???") != 0)
    location->file = file;
}

/* rest: "[object +0xoffset]". Leaves it alone when it has another form, and is thus part of the
 * function, as in operator[]. */
static void split_object(dmdv_location_t *location, char *rest, size_t n) {
  char *offset = strstr(rest, " +0x");
  if (offset == NULL)
    return;
  rest[n - 1] = '\0';
  if (!parse_number(offset + 4, 16, &location->offset)) {
    rest[n - 1] = ']';
    return;
  }
  rest[0] = *offset = '\0';
  if (rest[1] != '\0')
    location->object = rest + 1;
}

void dmdv_location_init(dmdv_location_t *location, const char *frame) {
  size_t n = strlen(frame), function = dmd_frame_function_length(frame);
  *location = (dmdv_location_t){0};
  location->text = dmd_env_alloc(&dmdv_env, "dmdv.location", n + 1);
  memcpy(location->text, frame, n + 1);
  if (function < n && frame[n - 1] == ')')
    split_file(location, location->text + function, n - function);
  else if (function < n)
    split_object(location, location->text + function, n - function);
  location->function = location->text[0] != '\0' ? location->text : "???";
}

void dmdv_location_destroy(dmdv_location_t *location) {
  dmd_env_free(&dmdv_env, location->text);
}
