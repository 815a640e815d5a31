/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _DEFAULT_SOURCE   /* timegm */
#define _XOPEN_SOURCE 700 /* strptime */
#include "host/times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Parses the zone after a time of day: nothing or Z for UTC, or +HH:MM, -HH:MM, +HHMM or -HHMM for
 * a clock that is so far ahead of UTC. */
static bool parse_zone(const char *text, int64_t *ahead) {
  *ahead = 0;
  if (text[0] == '\0' || strcmp(text, "Z") == 0)
    return true;
  size_t n = strlen(text), minutes = n == 6 ? 4 : 3;
  if ((text[0] != '+' && text[0] != '-') || (n != 5 && n != 6) || (n == 6 && text[3] != ':') ||
      !is_digit(text[1]) || !is_digit(text[2]) || !is_digit(text[minutes]) ||
      !is_digit(text[minutes + 1]))
    return false;
  int hours = 10 * (text[1] - '0') + text[2] - '0';
  int rest = 10 * (text[minutes] - '0') + text[minutes + 1] - '0';
  *ahead = (text[0] == '-' ? -1 : 1) * (3600 * hours + 60 * rest);
  return hours < 24 && rest < 60;
}

bool dmdv_parse_time(const char *text, int64_t *seconds) {
  char *end;
  errno = 0;
  *seconds = strtoll(text, &end, 10);
  if (end != text && *end == '\0')
    return errno == 0;
  static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
                                      "%Y-%m-%d"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    struct tm tm = {0};
    int64_t ahead = 0;
    end = strptime(text, forms[i], &tm);
    bool has_day_alone = forms[i][strlen(forms[i]) - 1] == 'd';
    if (end != NULL && (has_day_alone ? *end == '\0' : parse_zone(end, &ahead))) {
      *seconds = (int64_t)timegm(&tm) - ahead;
      return true;
    }
  }
  return false;
}
