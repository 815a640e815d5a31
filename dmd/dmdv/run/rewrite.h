/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rewrite.h: writes a profile again, with names for its frames, or with its heap graph.
 *
 * The file's name comes from the watched program. So it may lead anywhere, and the file may be
 * replaced at any time. Only a regular file of dmdv's own user is written again: it is opened
 * without following other users' links (base/files.h), checked and read through this descriptor,
 * and the new file takes its name in the same folder, with the same permissions.
 *
 * The engine writes profile and heap graph into two files, since the profile is complete long
 * before the graph, and a program may be killed in between. dmdv appends the graph to the profile
 * (files/graph/graphmember.h), where it stays when the profile is written again.
 */
#ifndef DMD_DMDV_RUN_REWRITE_H
#define DMD_DMDV_RUN_REWRITE_H

#include "files/profile/profilereader.h"
#include "host/output.h"

typedef struct dmdv_rewrite {
  const char *name;
  int fd;                       /* closed by load */
  int graph;                    /* the same file, if it has a graph; else -1 */
  uint64_t graph_at, graph_szB; /* where in it */
  uint32_t mode;
  bool is_own;
} dmdv_rewrite_t;

typedef enum {
  DMDV_REWRITE_OPEN,    /* it can be loaded */
  DMDV_REWRITE_NOTHING, /* not a regular file; it is left alone */
  DMDV_REWRITE_FAILED   /* it cannot be opened; stderr has the reason */
} dmdv_rewrite_state_t;

/* Opens a file by its name. The name must outlive the rewrite. Close it if it is open. */
dmdv_rewrite_state_t dmdv_rewrite_open(dmdv_rewrite_t *rewrite, const char *name);

void dmdv_rewrite_close(dmdv_rewrite_t *rewrite);

/* Loads the open file into an uninitialised profile. False, with the reason on
 * stderr and nothing to destroy, if that fails. */
bool dmdv_rewrite_load(dmdv_rewrite_t *rewrite, dmd_profile_t *profile,
                       const dmd_load_options_t *options);

/* Writes the profile in place of the file, without frames that no stack uses. False, with the
 * reason on stderr, if it cannot be written or belongs to another user. */
bool dmdv_rewrite_save(const dmdv_rewrite_t *rewrite, const dmd_profile_t *profile);

/* Writes the profile, and the graph, to a file with another name, gzipped if the name says so. A
 * file that is not gzipped gets no graph, which a note says. False, with the reason on stderr, if
 * it cannot be written. */
bool dmdv_rewrite_save_as(const dmdv_rewrite_t *rewrite, const dmd_profile_t *profile,
                          const char *name);

/* Writes the profile to an open file, without frames that no stack uses, and closes it. file may be
 * NULL: it could not be opened. False, with the reason on stderr, if it cannot be written. */
bool dmdv_write_used(const dmd_profile_t *profile, dmdv_output_t *file);

/* Appends the heap graph in a file of its own to a gzipped profile, and removes that file. It does
 * nothing, without a message, unless both are regular files of dmdv's user, or if the disk is full.
 */
void dmdv_join_graph(const char *profile, const char *graph);

/* Does that with the graph beside the profile (dmdv_graph_beside), if both are of one moment: a
 * process may name a profile of another run, and an earlier run may have left a graph. */
void dmdv_join_graph_beside(const char *profile);

#endif
