/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dumpfile.h: writes the files of dumps, and reports them.
 *
 * A profile has the name given by --dmd-out-file; a heap graph has the same name, with .graph.gz in
 * place of .json.gz, .json or .gz. Both have the dump's number before the ending, except at exit.
 * Logs which file was written, or why it could not be; written files are also listed for the
 * program that started us, if it wants that (listing.h).
 */
#ifndef DMD_RECORD_ENGINE_DUMPFILE_H
#define DMD_RECORD_ENGINE_DUMPFILE_H

#include "record/engine/description.h"

typedef enum { DMD_DUMPFILE_PROFILE, DMD_DUMPFILE_GRAPH } dmd_dumpfile_kind_t;

/* Writes the whole contents to the file. If a write fails, `write` reports it, and
 * dmd_dumpfile_write does in the end. */
typedef void (*dmd_content_fn)(void *ctx, dmd_write_fn write, void *to);

/* False if profiles go to a pipe or a device, beside which there is no place for a heap graph. */
bool dmd_dumpfile_takes_graph(const dmd_engine_t *engine);

/* Writes the file, whole or not at all, and appends its name to an empty buffer. Returns false if
 * that failed, after logging the reason. */
bool dmd_dumpfile_write(const dmd_engine_t *engine, dmd_dumpfile_kind_t kind, dmd_trigger_t trigger,
                        const dmd_run_t *run, dmd_content_fn content, void *ctx,
                        dmd_strbuf_t *name);

#endif
