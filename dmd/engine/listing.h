/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * listing.h: the list of the files that a run wrote, for whoever started it.
 *
 * With --dmd-list-file=FILE each process, those that fork or, if they are watched too, are executed
 * among them, appends a line for each profile and each heap graph once that is complete under its
 * name:
 *
 *   PID NUMBER TRIGGER PATH
 *
 * NUMBER is the dump's in its process; TRIGGER as in the profile, or "graph" of a heap graph. PATH
 * is as the host names the file; a line end in it is written as \n, a backslash as \\. A line is
 * appended in one piece, so that those of several processes do not mix. dmdv run goes by this list.
 *
 * Concurrency: there is no state. Lines of several processes do not mix, see above.
 */
#ifndef DMD_ENGINE_LISTING_H
#define DMD_ENGINE_LISTING_H

#include "base/strbuf.h"
#include "profile/profile.h"

/* Appends the line of a run's profile, or graph, with this name, line end included. */
void dmd_listing_write(dmd_strbuf_t *line, const dmd_run_t *run, bool is_graph, const char *path);

/* Appends the path that a line of n bytes, without its line end, has, and says whether it is that
 * of a graph. False where it is no such line. */
bool dmd_listing_path(dmd_strbuf_t *path, bool *is_graph, const char *line, size_t n);

#endif
