/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphdump.h: the heap as a graph, in a file (docs/dmd-graph.proto): live/capture with what only
 * the host knows around it: objects, roots, and where code is.
 *
 * Reports stay as they are, and so does everything else.
 *
 * Concurrency: that of the engine (engine.h). The program must not run meanwhile: its memory is
 * read.
 */
#ifndef DMD_ENGINE_GRAPHDUMP_H
#define DMD_ENGINE_GRAPHDUMP_H

#include "engine/description.h"

/* Writes a graph now. label is NULL or text of the program's or the user's. Returns the number that
 * it has among the dumps of this process, or 0 when the file could not be written (the user is told
 * why). Appends the file's name to an empty buffer. */
uint32_t dmd_engine_graph(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                          dmd_strbuf_t *name);

/* Writes the graph of a dump that is being made, of which the profile says what the run is, and
 * appends the file's name to an empty buffer; nothing where it could not be written, or where
 * blocks are missing that sampling passed over. */
void dmd_graphdump_write(dmd_engine_t *engine, dmd_trigger_t trigger, const dmd_profile_t *profile,
                         dmd_strbuf_t *name);

#endif
