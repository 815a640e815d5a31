/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * filename.h: names of the files that dumps are written to.
 *
 * Names come from a pattern, --dmd-out-file: %p is the process id, %q{VAR} an environment variable,
 * %% a percent sign. A relative name is relative to the folder in which the program was started,
 * even if it has changed folders since. (Valgrind's own file options use the same patterns.) The
 * n-th dump has ".n" before the endings of the name.
 */
#ifndef DMD_RECORD_ENGINE_FILENAME_H
#define DMD_RECORD_ENGINE_FILENAME_H

#include "record/host.h"

/* Appends the expanded pattern to the name, which must be empty. Returns false, with the reason in
 * why, if the pattern is invalid. */
bool dmd_filename_expand(dmd_strbuf_t *name, const char *pattern, const dmd_engine_host_t *host,
                         dmd_strbuf_t *why);

/* Like dmd_filename_expand, but a relative name stays relative. */
bool dmd_filename_fill_in(dmd_strbuf_t *name, const char *pattern, const dmd_engine_host_t *host,
                          dmd_strbuf_t *why);

/* Whether a name that somebody else made is one that the pattern, filled in, can be: %p is the
 * host's process; a %q is the host's variable where that has a slash, and otherwise any text
 * without one. So the file is in the pattern's folder: no variable adds a ".." or makes the name
 * absolute either. */
bool dmd_filename_matches(const char *name, const char *pattern, const dmd_engine_host_t *host,
                          const dmd_env_t *env);

/* True if the pattern is valid. */
bool dmd_filename_check(const char *pattern, const dmd_env_t *env, const dmd_engine_host_t *host,
                        dmd_strbuf_t *why);

/* Turns "out.json.gz" into "out.3.json.gz". */
void dmd_filename_number(dmd_strbuf_t *name, uint64_t number);

/* Turns "out.json.gz" into "out.graph.gz", and "out.3.json" into "out.3.graph.gz". */
void dmd_filename_make_graph(dmd_strbuf_t *name);

#endif
