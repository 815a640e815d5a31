/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * listing.h: the list of files that a run wrote, for the program that started it (dmdv run).
 *
 * With --dmd-list-file=FILE each watched process, including forked and executed ones, appends a
 * line for each complete profile or heap graph:
 *
 *   PID NUMBER TRIGGER PATH
 *
 * NUMBER is the dump's number in its process; TRIGGER is as in the profile, or "graph" for a heap
 * graph. PATH is the host's name of the file, with a line end written as \n and a backslash as \\.
 * Each line is appended in one piece, so lines of several processes do not mix.
 */
#ifndef DMD_RECORD_ENGINE_LISTING_H
#define DMD_RECORD_ENGINE_LISTING_H

#include "base/strbuf.h"
#include "model/profile/profile.h"

/* Appends the line for a run's profile or graph, including the line end. */
void dmd_listing_write(dmd_strbuf_t *line, const dmd_run_t *run, bool is_graph, const char *path);

/* Parses a line of n bytes without its line end: appends the path, and sets *is_graph. Returns
 * false if the line is malformed. */
bool dmd_listing_path(dmd_strbuf_t *path, bool *is_graph, const char *line, size_t n);

#endif
