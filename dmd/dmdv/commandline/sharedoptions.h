/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sharedoptions.h: entries of option tables for the options that several commands have.
 *
 * `type` is the struct of the command's options, `field` the member that stores the value. Where
 * commands differ in what an option does, they give its help text or its default.
 */
#ifndef DMD_DMDV_COMMANDLINE_SHAREDOPTIONS_H
#define DMD_DMDV_COMMANDLINE_SHAREDOPTIONS_H

#include "base/limits.h"
#include "base/optiontable.h"

#define DMDV_SWITCH(type, field, name, help)                                                       \
  { name, NULL, NULL, help, DMD_OPTION_SWITCH, DMD_OPTION_AT(type, field) }

#define DMDV_OUTPUT_OPTION(type, field, fallback, help)                                            \
  {                                                                                                \
    "output", "FILE", fallback, help, DMD_OPTION_TEXT, DMD_OPTION_AT(type, field), .letter = 'o',  \
                                                                                   .is_file = true \
  }
#define DMDV_TO_FILE "write to FILE instead of standard output"
#define DMDV_GZIPPED "; gzipped if FILE ends in .gz"

#define DMDV_JSON_OPTION(type, field, help) DMDV_SWITCH(type, field, "json", help)
#define DMDV_NO_PAGER_OPTION(type, field) DMDV_SWITCH(type, field, "no-pager", "do not use a pager")

/* ---- Stacks. ---- */

#define DMDV_MAX_FRAMES_OPTION(type, field, help)                                                  \
  {                                                                                                \
    "max-frames", "N", DMD_FRAMES_SHOWN, help, DMD_OPTION_NUMBER, DMD_OPTION_AT(type, field),      \
        .letter = 'f', .least = 1, .most = DMD_MAX_SHOWN                                           \
  }
#define DMDV_FRAMES_COMPARED "frames compared and shown of each stack"

#define DMDV_IGNORE_ALLOC_FNS_OPTION(type, field)                                                  \
  {                                                                                                \
    "ignore-alloc-fns", NULL, NULL, "leave out allocation functions at the start of stacks",       \
        DMD_OPTION_SWITCH, DMD_OPTION_AT(type, field), .letter = 'a'                               \
  }

/* take_fn calls dmdv_add_alloc_fn. */
#define DMDV_ALLOC_FN_OPTION(take_fn)                                                              \
  {                                                                                                \
    "alloc-fn", "PATTERN", NULL,                                                                   \
        "a function that matches only allocates for its callers; may be given several times",      \
        DMD_OPTION_OWN, .take = take_fn                                                            \
  }

/* view: a dmd_frame_view_t. */
#define DMDV_FULL_NAMES_OPTION(type, view)                                                         \
  DMDV_SWITCH(type, view.full_names, "full-names", "do not shorten names of functions")

/* ---- Records, pages, programs that run. ---- */

#define DMDV_END_OR_PEAK                                                                           \
  "the blocks of the dump, those of the largest heap before it, or those of the largest heap "     \
  "between the previous dump of the process and this one"
#define DMDV_END_OR_PEAK_OPTION(type, field, help)                                                 \
  { "moment", "end|peak|recent-peak", "end", help, DMD_OPTION_WORD, DMD_OPTION_AT(type, field) }

#define DMDV_MAX_RECORDS_WITH(type, field, fallback, help)                                         \
  {                                                                                                \
    "max-records", "N|all", fallback, help " (also --limit)", DMD_OPTION_NUMBER_OR_ALL,            \
        DMD_OPTION_AT(type, field), .least = 1, .most = DMD_MAX_SHOWN, .also = "limit"             \
  }

/* Its default depends on --json: the command stores DMDV_NOT_GIVEN before it reads the options, and
 * asks dmdv_max_records after that. */
#define DMDV_MAX_RECORDS_OPTION(type, field, help)                                                 \
  DMDV_MAX_RECORDS_WITH(type, field, NULL, help "; default: 10, and with --json, all")
enum { DMDV_NOT_GIVEN = DMD_MAX_SHOWN + 1, DMDV_RECORDS_SHOWN = 10 };

static inline uint32_t dmdv_max_records(uint32_t given, bool json) {
  return given != DMDV_NOT_GIVEN ? given : json ? 0 : DMDV_RECORDS_SHOWN;
}

/* For commands whose text has everything. */
#define DMDV_MAX_RECORDS_OF_JSON_OPTION(type, field)                                               \
  DMDV_MAX_RECORDS_WITH(type, field, "all", "with --json, elements shown of each list")

#define DMDV_PAGE_OPTION(type, field)                                                              \
  {                                                                                                \
    "page", "FILE", NULL,                                                                          \
        "put the data into this page, which dmdv view --page-only of the same version wrote",      \
        DMD_OPTION_TEXT, DMD_OPTION_AT(type, field), .is_file = true                               \
  }

#define DMDV_TIMEOUT_OPTION(type, field, fallback)                                                 \
  {                                                                                                \
    "timeout", "SECONDS", fallback, "how long to wait for the answer", DMD_OPTION_NUMBER,          \
        DMD_OPTION_AT(type, field), .least = 1, .most = 86400                                      \
  }

/* ---- Histories. ---- */

#define DMDV_DB_OPTION(type, field)                                                                \
  {                                                                                                \
    "db", "DB", NULL,                                                                              \
        "the history: a file, which add and import create if it does not exist, or "               \
        "postgresql://...",                                                                        \
        DMD_OPTION_TEXT, DMD_OPTION_AT(type, field), .is_file = true                               \
  }

#define DMDV_LEAST_CHANGE_OPTION(type, field)                                                      \
  {                                                                                                \
    "least-change", "SIZE", NULL,                                                                  \
        "ignore smaller steps: bytes, or a share of the level (default: the larger of 4KB and "    \
        "0.2%)",                                                                                   \
        DMD_OPTION_TEXT, DMD_OPTION_AT(type, field)                                                \
  }

#endif
