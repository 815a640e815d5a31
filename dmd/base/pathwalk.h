/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pathwalk.h: resolves a path without trusting other users.
 *
 * In a folder that others can write, a symbolic link can make a writer overwrite any file of the
 * link owner's choice. Some systems prevent that in sticky folders, many do not, and none does in
 * other folders. So a walk resolves a path one name at a time, with the current folder open, and
 * follows a link only if root or the process's own user owns it. It reads the link that it has
 * checked: nobody can swap it in between. Links made by the kernel in /proc, such as those that
 * /dev/stdout leads to, are followed by the kernel.
 *
 * The result is an open folder and a name in it, which is not a link, or is one of the kernel's.
 * All further operations use this folder. The file with the name may change at any time: `status`
 * is as of the moment of the walk.
 */
#ifndef DMD_BASE_PATHWALK_H
#define DMD_BASE_PATHWALK_H

#include "base/files.h"
#include "base/strbuf.h"

typedef struct dmd_pathwalk {
  const dmd_files_t *files;
  dmd_strbuf_t rest; /* the rest of the path */
  size_t at;         /* the current position in it; at the end, of the last name */
  int folder;        /* a descriptor, or DMD_FILES_HERE */
  bool is_there;     /* a file has the name */
  dmd_file_status_t status;
  bool is_linked; /* the path's own last name is a link to it */
} dmd_pathwalk_t;

/* Resolves a path. Returns 0, or an error. End the walk either way; `files` must outlive it. */
int dmd_pathwalk_begin(dmd_pathwalk_t *walk, const dmd_env_t *env, const dmd_files_t *files,
                       const char *path);
const char *dmd_pathwalk_name(const dmd_pathwalk_t *walk);

/* Opens the file with the name, if it is still the one that the walk saw. Returns 0, or an
 * error. */
int dmd_pathwalk_open(const dmd_pathwalk_t *walk, dmd_open_t how, int *fd);

/* Opens for writing: the existing file, truncated if it is a regular one and `empties`, or, with
 * *is_new, a new file that only its owner may read. Returns 0, or an error. */
int dmd_pathwalk_open_to_write(const dmd_pathwalk_t *walk, bool empties, bool *is_new, int *fd);

void dmd_pathwalk_end(dmd_pathwalk_t *walk);

/* Does all of that with one path, for a file that is written in place, such as a log. A new file
 * gets the permissions of a complete one. Returns 0, or an error. */
int dmd_pathwalk_open_in_place(const dmd_env_t *env, const dmd_files_t *files, const char *path,
                               bool empties, int *fd);

#endif
