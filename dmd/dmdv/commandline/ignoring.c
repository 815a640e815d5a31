/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/commandline/ignoring.h"

#include <inttypes.h>
#include <string.h>

#include "analyse/limits/ignore.h"
#include "base/fail.h"
#include "base/limits.h"
#include "dmdv/input/input.h"
#include "host/process.h"

/* Parses the file of patterns with this name (analyse/limits/ignore.h). False, with *fail filled in
 * and no patterns, if that fails. Destroy it either way. */
static bool ignorefile_read(dmd_ignore_t *ignore, const char *name, dmd_fail_t *fail) {
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

bool dmdv_ignore_read(dmd_ignore_t *ignore, const char *name) {
  dmd_fail_t fail = {0};
  *ignore = (dmd_ignore_t){0};
  if (name == NULL || ignorefile_read(ignore, name, &fail))
    return true;
  if (fail.line > 0)
    dmdv_error("%s:%" PRIu64 ": %s", name, fail.line, fail.reason);
  else
    dmdv_error("%s: %s", name, fail.reason);
  return false;
}

void dmdv_ignore_warn(const dmd_ignore_t *ignore, const char *name) {
  for (size_t i = 0; i < ignore->n; i++)
    if (!ignore->patterns[i].used)
      dmdv_error("%s:%" PRIu64 ": warning: the pattern ignores nothing", name,
                 ignore->patterns[i].line);
}
