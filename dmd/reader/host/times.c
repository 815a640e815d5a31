/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _DEFAULT_SOURCE   /* timegm */
#define _XOPEN_SOURCE 700 /* strptime */
#include "reader/host/times.h"

#include <stdlib.h>
#include <time.h>

bool dmdv_parse_time(const char *text, int64_t *seconds) {
  char *end;
  *seconds = strtoll(text, &end, 10);
  if (end != text && *end == '\0')
    return true;
  static const char *const forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M",
                                      "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    struct tm tm = {0};
    end = strptime(text, forms[i], &tm);
    if (end != NULL && *end == '\0') {
      *seconds = (int64_t)timegm(&tm);
      return true;
    }
  }
  return false;
}
