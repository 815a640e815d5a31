/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphdump.h: writes the heap graph to a file (docs/dmd-graph.proto): record/heap/capture, plus
 * what only the host knows: objects, roots, and the location of code. Changes no state.
 *
 * Concurrency: the program must not run meanwhile, since its memory is read.
 */
#ifndef DMD_RECORD_ENGINE_GRAPHDUMP_H
#define DMD_RECORD_ENGINE_GRAPHDUMP_H

#include "record/engine/description.h"

/* Writes a graph now, and appends the file's name to an empty buffer. label is NULL or text from
 * the program or the user. Returns its number among the dumps of this process, or 0 if the file
 * could not be written (the reason is logged). */
uint32_t dmd_engine_graph(dmd_engine_t *engine, dmd_trigger_t trigger, const char *label,
                          dmd_strbuf_t *name);

/* Writes a graph for the claims that wait for one (claimfns.h). */
void dmd_engine_keep_claims(dmd_engine_t *engine);

/* Writes the graph for a dump in progress, whose profile describes the run, and appends the file's
 * name to an empty buffer, which stays empty if the file could not be written or if blocks were not
 * sampled. */
void dmd_graphdump_write(dmd_engine_t *engine, dmd_trigger_t trigger, const dmd_profile_t *profile,
                         dmd_strbuf_t *name);

#endif
