/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * filename.h: names of the files that dumps are written to.
 *
 * They come from a pattern, --dmd-out-file: %p is the process id, %q{VAR} an environment variable,
 * %% a percent sign, and a name that is not absolute is meant from where the program was started,
 * wherever it has gone since. (Valgrind's own options for files have the same patterns.) The n-th
 * dump has ".n" before the endings of the name.
 *
 * Concurrency: there is no state but the host's.
 */
#ifndef DMD_ENGINE_FILENAME_H
#define DMD_ENGINE_FILENAME_H

#include "engine/host.h"

/* Adds what the pattern means now to the name, which must be empty. False, with what is wrong in
 * why, where it means nothing. */
bool dmd_filename_expand(dmd_strbuf_t *name, const char *pattern, const dmd_engine_host_t *host,
                         dmd_strbuf_t *why);

/* Whether it means something. */
bool dmd_filename_check(const char *pattern, const dmd_env_t *env, const dmd_engine_host_t *host,
                        dmd_strbuf_t *why);

/* Makes "out.json.gz" "out.3.json.gz". */
void dmd_filename_number(dmd_strbuf_t *name, uint64_t number);

/* Makes "out.json.gz", or "out.3.json", "out.graph.gz", or "out.3.graph.gz". */
void dmd_filename_make_graph(dmd_strbuf_t *name);

bool dmd_filename_ends_with(const dmd_strbuf_t *name, const char *ending);

#endif
