/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dump.h: one analysis of the heap: text for the user, a profile in a file, and the heap graph in
 * another where the user wants that.
 *
 * Concurrency: that of the engine (engine.h). The program must not run meanwhile: its blocks are
 * read for advice and for the graph.
 */
#ifndef DMD_ENGINE_DUMP_H
#define DMD_ENGINE_DUMP_H

#include "engine/description.h"

/* Analyses the heap, prints the records and writes the profile. label is NULL or text of the
 * program's or the user's. Reports are kept. Returns the dump's number in this process, from 1, or
 * 0 when the file could not be written (the user is told why). */
uint32_t dmd_engine_dump(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label);

/* The same, and appends the file's name to an empty buffer. */
uint32_t dmd_engine_dump_to(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                            dmd_strbuf_t *name);

/* The same with the heap graph, whatever the user's options say, whose name is appended to another
 * empty buffer; nothing is where it could not be written. */
uint32_t dmd_engine_dump_with_graph(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                                    dmd_strbuf_t *name, dmd_strbuf_t *graph);

#endif
