/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nativeoptions.h: what the user can ask of the native engine beside the engine's own options: what
 * Valgrind's users know by these names, with the same meaning.
 *
 * Whoever starts a program with the engine reads them before it starts, to say what is wrong; the
 * engine reads them in the program.
 *
 * Options come to the program in one string, the environment variable DMD_OPTIONS: they are
 * separated by spaces, and behind a backslash stands a character that is part of an option.
 *
 * Concurrency: written before the program runs, read only from then on.
 */
#ifndef DMD_ENGINE_NATIVEOPTIONS_H
#define DMD_ENGINE_NATIVEOPTIONS_H

#include "base/optiontable.h"

#include <stdbool.h>

typedef struct dmd_native_options {
  uint32_t num_callers; /* frames of a stack that are kept */
  const char *log_file; /* NULL: standard error */
  bool quiet;
  bool trace_children;
  bool run_libc_freeres;
  bool run_cxx_freeres;
  bool child_silent;
  bool control;         /* whether dmdv may ask it something while the program runs */
  bool stats;           /* say at the end how many stacks were known */
  bool check_stacks;    /* known stacks are walked all the same, and compared */
  bool show_below_main; /* of stacks; not the engine's business, but of who finds names */
} dmd_native_options_t;

extern const dmd_option_table_t dmd_native_option_table;

/* Takes an argument that is one of these options, as --NAME=VALUE, or -q and --quiet. *is_one: it
 * is. False, with what is wrong in why, where it is and has no value that it may have. */
bool dmd_native_take(dmd_native_options_t *options, const char *argument, bool *is_one,
                     dmd_strbuf_t *why);

/* The option at *at, which moves behind it, into an empty buffer. False: there are no more. */
bool dmd_native_next_option(const char **at, dmd_strbuf_t *option);

/* Adds an option to a text of such. */
void dmd_native_add_option(dmd_strbuf_t *text, const char *option);

#endif
