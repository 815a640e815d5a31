/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lostfile.h: the message for a profile that could not be written, which the engines and dmdv
 * share.
 */
#ifndef DMD_RECORD_ENGINE_LOSTFILE_H
#define DMD_RECORD_ENGINE_LOSTFILE_H

#include "base/strbuf.h"

#include <stdbool.h>

/* Appends the reason: an error of dmd_files_t. text describes those that are the host's numbers. */
void dmd_lostfile_why(dmd_strbuf_t *why, int error, const char *text);

/* Says, in two lines, that the file with this name is lost, and why. A line has no end. */
void dmd_lostfile_say(const dmd_env_t *env, const char *name, bool is_graph, const char *why,
                      void (*say)(void *ctx, const char *line), void *ctx);

#endif
