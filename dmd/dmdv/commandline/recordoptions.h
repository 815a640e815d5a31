/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * recordoptions.h: the command line options that all commands with records share.
 */
#ifndef DMD_DMDV_COMMANDLINE_RECORDOPTIONS_H
#define DMD_DMDV_COMMANDLINE_RECORDOPTIONS_H

#include "analyse/limits/ignore.h"
#include "analyse/records/rows.h"
#include "dmdv/commandline/commandline.h"
#include "dmdv/input/profilefile.h"
#include "model/profile/frame.h"

/* Which of a profile's records to show, and in which order. */
typedef struct dmdv_view {
  uint32_t max_frames;
  uint32_t max_records; /* 0: all */
  dmd_sort_by_t sort_by;
  unsigned sections; /* see dmd_text_options_t.only */
  dmd_by_t by;
} dmdv_view_t;

/* Whether print uses the heap graph beside a profile. */
typedef enum { DMDV_OWNERS_NO, DMDV_OWNERS_AUTO, DMDV_OWNERS_YES } dmdv_use_owners_t;

typedef struct dmdv_options {
  dmd_load_options_t load;
  dmdv_view_t view;
  bool for_testing;
  bool json;
  bool causal;
  bool no_pager;
  unsigned moment;      /* as in --moment */
  unsigned sort_by;     /* as in --sort-by */
  bool shows_lifetimes; /* sort_by is one of the last four */
  unsigned owners;      /* of print: a dmdv_use_owners_t */
  bool clamp; /* of print: write the profile with its contents clamped, instead of records */
  bool clamp_stats;
  bool ignored;       /* the target of options without effect */
  const char *output; /* NULL: standard output */
  const char **filters;
  const char **alloc_fns; /* of load.frame_view */
  int n_filters;
  bool never_measured; /* only records of stacks that no reporter has covered at any dump */
  dmdv_files_t files;
} dmdv_options_t;

/* The options of these commands, and those that they accept without effect. Their values are stored
 * in a dmdv_options_t. */
extern const dmd_option_table_t dmdv_record_options, dmdv_accepted_options;

/* Options that only affect print; the other commands accept them without effect. */
extern const dmd_option_table_t dmdv_print_options;

/* The meanings of --moment=auto|end|peak|recent-peak. */
extern const dmd_moment_choice_t dmdv_moments[];

/* Adds a value of --alloc-fn to the view, whose patterns become the list. The list has room for as
 * many as there are arguments, and must outlive the view. False, with the reason, if the value is
 * invalid. */
bool dmdv_add_alloc_fn(dmd_frame_view_t *view, const char **alloc_fns, const char *value,
                       dmd_strbuf_t *why);

/* Reads the command line of such a command, as dmdv_read_command_line does. */
int dmdv_options_read(dmdv_options_t *options, const dmdv_command_t *command, int argc,
                      char **argv);
void dmdv_options_destroy(dmdv_options_t *options);

/* ---- The namer. ----
 *
 * The namer of frames for all files that a command loads.
 *
 * A process has one namer, so that an object that occurs in several files is opened once, and
 * frames without names are reported once: by dmdv_naming_end, at the end of a successful command.
 * Calling it when no namer was used does no harm. */

const dmd_namer_t *dmdv_namer(void);

/* The same, which also searches this folder for separate debug information from now on; NULL: no
 * folder. It must outlive the namer. */
const dmd_namer_t *dmdv_namer_with(const char *debug_dir);
void dmdv_naming_end(bool did_work);

/* ---- The file of --ignore. ----
 *
 * The file of a command's option --ignore. */

/* Reads the file with this name; NULL: no file, and no patterns. False, with the reason on stderr,
 * if that fails. Destroy it either way. */
bool dmdv_ignore_read(dmd_ignore_t *ignore, const char *name);

/* Warns on stderr about patterns that ignored nothing. */
void dmdv_ignore_warn(const dmd_ignore_t *ignore, const char *name);

#endif
