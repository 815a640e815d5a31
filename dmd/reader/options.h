/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * options.h: what the commands that print records have in common on their command lines.
 */
#ifndef DMD_READER_OPTIONS_H
#define DMD_READER_OPTIONS_H

#include "profile/record.h"
#include "reader/load.h"

/* What the blocks are added up by. */
typedef enum {
  DMDV_BY_RECORD,
  DMDV_BY_REPORTER,
  DMDV_BY_TAG,
  DMDV_BY_THREAD,
  DMDV_BY_FUNCTION,
  DMDV_BY_LIBRARY
} dmdv_by_t;

typedef struct dmdv_options {
  dmdv_load_options_t load;
  uint32_t max_frames;
  uint32_t max_records; /* 0: all */
  dmd_sort_by_t sort_by;
  unsigned sections; /* see dmd_text_options_t.only */
  bool for_testing;
  dmdv_by_t by;
  bool json;
  bool causal;
  const char *output; /* NULL: standard output */
  const char **filters;
  int n_filters;
  bool help;
  char **files; /* what is left of the command line */
  int n_files;
} dmdv_options_t;

/* Parses the options of a command, whose name is argv[0]. False, with one line on stderr, when they
 * are wrong. */
bool dmdv_options_parse(dmdv_options_t *options, int argc, char **argv);
void dmdv_options_destroy(dmdv_options_t *options);

/* The help on these options, for the help of a command. */
extern const char dmdv_options_help[];

#endif
