/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * options.h: what the commands that print records have in common on their command lines.
 */
#ifndef DMD_READER_COMMAND_OPTIONS_H
#define DMD_READER_COMMAND_OPTIONS_H

#include "analysis/rows.h"
#include "reader/command/commandline.h"
#include "reader/input/load.h"

/* Which of a profile's records people want to see, and in which order. */
typedef struct dmdv_view {
  uint32_t max_frames;
  uint32_t max_records; /* 0: all; not of JSON */
  dmd_sort_by_t sort_by;
  unsigned sections; /* see dmd_text_options_t.only */
  dmd_by_t by;
} dmdv_view_t;

typedef struct dmdv_options {
  dmd_load_options_t load;
  dmdv_view_t view;
  bool for_testing;
  bool json;
  bool causal;
  bool no_pager;
  unsigned owners; /* of print: whether to look for a heap graph */
  bool clamp;      /* of print: write the profile with contents clamped, instead of records */
  bool clamp_stats;
  bool ignored;       /* for options that change nothing */
  const char *output; /* NULL: standard output */
  const char **filters;
  const char **alloc_fns; /* of load.frame_view */
  int n_filters;
  dmdv_files_t files;
} dmdv_options_t;

/* The options of these commands, and those that they only accept. Their values are stored in a
 * dmdv_options_t. */
extern const dmd_option_table_t dmdv_record_options, dmdv_accepted_options;

/* What only print does something about; the others accept it. */
extern const dmd_option_table_t dmdv_print_options;

/* Takes a value of --alloc-fn into the view, whose patterns are the list: it has room for as many
 * as there are arguments, and outlives the view. False, with the reason, if it is none. */
bool dmdv_add_alloc_fn(dmd_frame_view_t *view, const char **alloc_fns, const char *value,
                       dmd_strbuf_t *why);

/* Reads the command line of such a command, as dmdv_read_command_line does. */
int dmdv_options_read(dmdv_options_t *options, const dmdv_command_t *command, int argc,
                      char **argv);
void dmdv_options_destroy(dmdv_options_t *options);

#endif
