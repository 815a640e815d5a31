/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dump.h: an analysis of the heap: text for the user, a profile in a file, and the heap graph in
 * another file if the user wants it.
 *
 * Concurrency: the program must not run meanwhile, since its blocks are read for hints and for the
 * graph.
 */
#ifndef DMD_RECORD_ENGINE_DUMP_H
#define DMD_RECORD_ENGINE_DUMP_H

#include "record/engine/description.h"

/* Analyses the heap, prints the records and writes the profile; keeps all reports. label is NULL or
 * text from the program or the user. Returns the dump's number in this process, from 1, or 0 if the
 * file could not be written (the reason is logged). */
uint32_t dmd_engine_dump(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label);

/* Like dmd_engine_dump; also appends the file's name to an empty buffer. */
uint32_t dmd_engine_dump_to(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                            dmd_strbuf_t *name);

/* Like dmd_engine_dump_to; also writes the heap graph, whatever the user's options are, and appends
 * its name to another empty buffer, which stays empty if that failed. */
uint32_t dmd_engine_dump_with_graph(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                                    dmd_strbuf_t *name, dmd_strbuf_t *graph);

/* After an allocation: makes the dump that is due, if engine->due. Its label is the option's name,
 * and for a failed allocation its size. */
void dmd_engine_dump_due(dmd_engine_t *engine);

/* The process is about to end: dumps if required, and logs which rules did nothing. */
void dmd_engine_exit(dmd_engine_t *engine);

/* The same if only its recording ends. Appends the profile's name to an empty buffer. */
void dmd_engine_detach(dmd_engine_t *engine, dmd_strbuf_t *name);

#endif
