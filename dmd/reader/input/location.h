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
#ifndef DMD_READER_INPUT_LOCATION_H
#define DMD_READER_INPUT_LOCATION_H

#include <stdint.h>

typedef struct dmdv_location {
  const char *function; /* "???" where unknown; never empty */
  const char *file;     /* NULL: unknown */
  uint64_t line;        /* 0: unknown */
  const char *object;   /* NULL: unknown */
  uint64_t offset;      /* in the object */
  char *text;           /* holds the strings */
} dmdv_location_t;

void dmdv_location_init(dmdv_location_t *location, const char *frame);
void dmdv_location_destroy(dmdv_location_t *location);

#endif
