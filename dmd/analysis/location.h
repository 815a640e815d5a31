/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * location.h: where a frame is, taken from its text.
 *
 *   cookies_new (cookies.c:12)          function, file and line
 *   sqlite3Malloc[libsqlite3.so +0xa6]  function, object and offset
 *   ??? (???:???)                       nothing
 *
 * Any other text is a function's name as a whole.
 */
#ifndef DMD_ANALYSIS_LOCATION_H
#define DMD_ANALYSIS_LOCATION_H

#include "base/env.h"

#include <stdint.h>

typedef struct dmd_location {
  const char *function; /* "???" where unknown; never empty */
  const char *file;     /* NULL: unknown */
  uint64_t line;        /* 0: unknown */
  const char *object;   /* NULL: unknown */
  uint64_t offset;      /* in the object */
  const dmd_env_t *env;
  char *text; /* holds the strings */
} dmd_location_t;

void dmd_location_init(dmd_location_t *location, const dmd_env_t *env, const char *frame);
void dmd_location_destroy(dmd_location_t *location);

#endif
