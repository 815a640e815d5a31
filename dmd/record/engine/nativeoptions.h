/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nativeoptions.h: the native engine's options beyond the common ones: options of Valgrind's, with
 * the same names and meanings.
 *
 * The program that starts another with the engine parses them first, to report errors; the engine
 * parses them again in the started program. They are passed in the environment variable
 * DMD_OPTIONS, separated by spaces; a backslash makes the next character part of an option.
 *
 * Concurrency: written before the program runs, constant from then on.
 */
#ifndef DMD_RECORD_ENGINE_NATIVEOPTIONS_H
#define DMD_RECORD_ENGINE_NATIVEOPTIONS_H

#include "base/optiontable.h"
#include "record/engine/options.h"

#include <stdbool.h>

typedef struct dmd_native_options {
  uint32_t num_callers; /* maximum number of frames recorded for a stack */
  const char *log_file; /* NULL: standard error */
  bool quiet;
  bool trace_children;
  bool run_libc_freeres;
  bool run_cxx_freeres;
  bool child_silent;
  bool control;             /* dmdv may send requests while the program runs */
  bool stats;               /* log at the end how many stacks were cached */
  bool check_stacks;        /* walk cached stacks all the same, and compare */
  bool show_below_main;     /* of stacks; used by whoever resolves names, not by the engine */
  const char *channel;      /* where dmdv run hands out its channel (pl_channel.h); NULL: nowhere */
  uint32_t seccomp_filters; /* those that dmdv run has and the program inherits; 0: unknown */
} dmd_native_options_t;

extern const dmd_option_table_t dmd_native_option_table;

/* Like dmd_options_conflict, also of options that only Valgrind's engine can follow. */
dmd_conflict_t dmd_native_conflict(const dmd_options_t *options);

/* Takes an argument of the form --NAME=VALUE, -q or --quiet, if it is one of these options, and
 * sets *is_one accordingly. Returns false, with the reason in why, if its value is invalid. */
bool dmd_native_take(dmd_native_options_t *options, const char *argument, bool *is_one,
                     dmd_strbuf_t *why);

/* Copies the option at *at into an empty buffer, and advances *at past it. Returns false at the
 * end. */
bool dmd_native_next_option(const char **at, dmd_strbuf_t *option);

/* Adds an option to the text of a DMD_OPTIONS variable. */
void dmd_native_add_option(dmd_strbuf_t *text, const char *option);

#endif
