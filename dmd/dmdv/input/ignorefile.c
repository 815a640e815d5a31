/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/input/ignorefile.h"

#include "base/limits.h"
#include "dmdv/input/input.h"
#include "host/process.h"

#include <string.h>

bool dmdv_ignorefile_read(dmd_ignore_t *ignore, const char *name, dmd_fail_t *fail) {
  *ignore = (dmd_ignore_t){0};
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  char *text = dmd_env_alloc(&dmdv_env, "dmdv.ignorefile", DMD_MAX_IGNORE_FILE);
  size_t n = 0, more = 0;
  const char *bytes;
  bool good;
  while ((good = dmdv_input_next(input, &bytes, &more, fail)) && more > 0) {
    if (more > DMD_MAX_IGNORE_FILE - n) {
      good = dmd_fail(fail, "the file is longer than %d bytes", DMD_MAX_IGNORE_FILE);
      break;
    }
    memcpy(text + n, bytes, more);
    n += more;
  }
  if (good) {
    uint64_t line;
    const char *why = dmd_ignore_parse(ignore, &dmdv_env, text, n, &line);
    good = why == NULL || dmd_fail(fail, "%s", why);
    if (!good)
      fail->line = line;
  }
  dmd_env_free(&dmdv_env, text);
  dmdv_input_close(input);
  return good;
}
