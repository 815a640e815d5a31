/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * deriveoptions.h: the command line of dmd-derive.
 */
#ifndef DMD_DERIVE_PROGRAM_DERIVEOPTIONS_H
#define DMD_DERIVE_PROGRAM_DERIVEOPTIONS_H

#include "base/strbuf.h"

typedef struct dmd_derive_options {
  const char *output, *header, *depfile; /* NULL: not written; for output: standard output */
  const char *commands;                  /* the folder of compile_commands.json, or NULL */
  const char *graph, *debug_dir;         /* for suggest */
  bool check, suggest, help, version;
  const char **headers;
  size_t n_headers;
  const char **flags;
  size_t n_flags;
} dmd_derive_options_t;

/* False, with the reason on standard error, if the command line is invalid. Strings belong to the
 * command line; dmd_derive_options_free frees the arrays. */
bool dmd_derive_options_read(dmd_derive_options_t *options, int argc, char **argv);
void dmd_derive_options_free(dmd_derive_options_t *options);

void dmd_derive_options_help(dmd_strbuf_t *text);

/* The command line that makes the same files, quoted for a shell. */
void dmd_derive_options_command(const dmd_derive_options_t *options, dmd_strbuf_t *text);

#endif
