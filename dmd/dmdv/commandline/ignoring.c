/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/commandline/ignoring.h"

#include "dmdv/input/ignorefile.h"
#include "host/message.h"

#include <inttypes.h>

bool dmdv_ignore_read(dmd_ignore_t *ignore, const char *name) {
  dmd_fail_t fail = {0};
  *ignore = (dmd_ignore_t){0};
  if (name == NULL || dmdv_ignorefile_read(ignore, name, &fail))
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
