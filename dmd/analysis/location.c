/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/location.h"

#include "analysis/frame.h"
#include "base/str.h"

/* rest is what stands after the function: " (file:line)". */
static void split_file(dmd_location_t *location, char *rest, size_t n) {
  char *file = rest + 2;
  rest[0] = rest[n - 1] = '\0';
  const char *colon = dmd_str_find_last_char(file, ':');
  if (colon != NULL &&
      (dmd_str_equal(colon + 1, "???") || dmd_str_to_u64(colon + 1, 10, &location->line)))
    file[colon - file] = '\0';
  if (file[0] != '\0' && !dmd_str_equal(file, "???"))
    location->file = file;
}

/* rest: "[object +0xoffset]". Leaves it alone when it has another form, and is thus part of the
 * function, as in operator[]. */
static void split_object(dmd_location_t *location, char *rest, size_t n) {
  const char *offset = dmd_str_find(rest, " +0x");
  if (offset == NULL)
    return;
  rest[n - 1] = '\0';
  if (!dmd_str_to_u64(offset + 4, 16, &location->offset)) {
    rest[n - 1] = ']';
    return;
  }
  rest[0] = rest[offset - rest] = '\0';
  if (rest[1] != '\0')
    location->object = rest + 1;
}

void dmd_location_init(dmd_location_t *location, const dmd_env_t *env, const char *frame) {
  size_t n = dmd_str_length(frame), function = dmd_frame_function_length(frame);
  *location = (dmd_location_t){.env = env};
  location->text = dmd_env_alloc(env, "dmd.location", n + 1);
  dmd_mem_copy(location->text, frame, n + 1);
  if (function < n && frame[n - 1] == ')')
    split_file(location, location->text + function, n - function);
  else if (function < n)
    split_object(location, location->text + function, n - function);
  location->function = location->text[0] != '\0' ? location->text : "???";
}

void dmd_location_destroy(dmd_location_t *location) {
  dmd_env_free(location->env, location->text);
}
