/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dumpfile.h: the files of dumps: under which names they are written, and what is told of them.
 *
 * A profile has the name that --dmd-out-file gives it, a heap graph that name with the ending
 * .graph.gz in place of .json.gz, .json or .gz. Both have the dump's number before the ending,
 * unless it is the dump at exit. The user is told which file was written, or why it could not be;
 * so is the program that started us, if it wants to know (listing.h).
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_DUMPFILE_H
#define DMD_ENGINE_DUMPFILE_H

#include "engine/description.h"

typedef enum { DMD_DUMPFILE_PROFILE, DMD_DUMPFILE_GRAPH } dmd_dumpfile_kind_t;

/* Writes all that is to be in the file. Where it cannot be written, `write` says so, and so does
 * dmd_dumpfile_write in the end. */
typedef void (*dmd_content_fn)(void *ctx, dmd_write_fn write, void *to);

/* Writes the file, whole or not at all, and appends its name to an empty buffer. False, and the
 * user has been told why, where that failed. */
bool dmd_dumpfile_write(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, dmd_trigger_t trigger,
                        const dmd_run_t *run, dmd_content_fn content, void *ctx,
                        dmd_strbuf_t *name);

#endif
