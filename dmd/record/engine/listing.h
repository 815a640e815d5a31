/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * listing.h: the list of files that a run wrote, for the program that started it (dmdv run), and
 * messages about those that it could not write, which the engines and dmdv share.
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

typedef struct dmd_listing {
  uint64_t pid, number;
  bool is_graph;
} dmd_listing_t;

/* Parses a line of n bytes without its line end, and appends the path. Returns false if the line is
 * malformed. */
bool dmd_listing_read(dmd_listing_t *listing, dmd_strbuf_t *path, const char *line, size_t n);

/* The meaning of a system error number that can occur when a file is written. Descriptive if the
 * user can do something about the error. */
const char *dmd_error_text(int error);

/* Appends the reason: an error of dmd_files_t. text describes those that are the host's numbers. */
void dmd_lostfile_why(dmd_strbuf_t *why, int error, const char *text);

/* Says, in two lines, that the file with this name is lost, and why. A line has no end. */
void dmd_lostfile_say(const dmd_env_t *env, const char *name, bool is_graph, const char *why,
                      void (*say)(void *ctx, const char *line), void *ctx);

#endif
