/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jsonlimit.h: shortens the lists of a JSON document that passes through it.
 *
 * The document is well-formed; its objects and lists nest as deep as jsonout.h allows. Of each list
 * whose key is in `lists`, separated by commas, the first `most` elements stay. If there are more,
 * the object that has the list gets the number of the others: as "leftOut" for the first key of
 * `lists`, as "NAMELeftOut" for another one.
 */
#ifndef DMD_BASE_JSONLIMIT_H
#define DMD_BASE_JSONLIMIT_H

#include "base/jsonout.h"

enum { DMD_JSONLIMIT_KEY = 32, DMD_JSONLIMIT_BLANKS = DMD_JSONOUT_DEPTH + 2 };

/* A list or an object that is open. */
typedef struct dmd_jsonlimit_level {
  char key[DMD_JSONLIMIT_KEY]; /* of a list that may be shortened; otherwise empty */
  uint64_t n_commas;
} dmd_jsonlimit_level_t;

typedef struct dmd_jsonlimit {
  const char *lists;
  uint32_t most; /* at least 1 */
  dmd_out_t out;
  bool in_string, after_backslash, after_colon;
  char text[DMD_JSONLIMIT_KEY]; /* of the last string; cut */
  size_t n_text;
  char blanks[DMD_JSONLIMIT_BLANKS]; /* after the last other character that was left out */
  size_t n_blanks;
  int depth, silent; /* silent: the depth of the list whose rest is left out; 0: none */
  dmd_jsonlimit_level_t level[DMD_JSONOUT_DEPTH + 1];
} dmd_jsonlimit_t;

/* The caller initialises `out`, which gets the shortened document. */
void dmd_jsonlimit_init(dmd_jsonlimit_t *limit, const char *lists, uint32_t most);

/* A dmd_write_fn; ctx is a dmd_jsonlimit_t. */
bool dmd_jsonlimit_write(void *ctx, const char *bytes, size_t n);

#endif
