/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * files.h: the file system as single system calls, which a host provides.
 *
 * Further down are the policies that stand on it: which links are followed, under which name a file
 * is written, when it appears. Hosts only translate (base/posix/posix.h, valgrind/dm_files.h).
 *
 * A folder is an open descriptor. A name is one component of a path in it, without a slash, so that
 * nobody can exchange a folder of the path between two calls. DMD_FILES_HERE is the current folder.
 *
 * Errors are the host's numbers (errno, with Linux's values on every host) or one of those below; 0
 * is success.
 */
#ifndef DMD_BASE_FILES_H
#define DMD_BASE_FILES_H

#include "base/env.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  DMD_FILES_HERE = -100, /* AT_FDCWD */

  DMD_FILES_NOT_THERE = 2,
  DMD_FILES_EXISTS = 17,
  DMD_FILES_NOT_FOLDER = 20,
  DMD_FILES_IS_FOLDER = 21,
  DMD_FILES_TOO_MANY_LINKS = 40,
  DMD_FILES_REPLACED = 116, /* ESTALE: another file has the name by now */

  /* Not among the host's numbers. */
  DMD_FILES_FOREIGN_LINK = 10001,  /* the name is a link of another user */
  DMD_FILES_FOREIGN_FOLDER = 10002 /* a folder of the path is a link of another user */
};

/* Links are never followed, except by the two THROUGH. */
typedef enum {
  DMD_OPEN_FOLDER,         /* a folder, to find names in */
  DMD_OPEN_FOLDER_THROUGH, /* the folder that one of the kernel's links leads to */
  DMD_OPEN_PLACE,          /* anything, even a link, to get its status */
  DMD_OPEN_READ,    /* an existing file, for reading; does not wait for the other end of a pipe */
  DMD_OPEN_NEW,     /* for writing; fails where the name exists; its owner's only (0600) */
  DMD_OPEN_UNNAMED, /* the same as NEW, without a name; an error if it could not get a name later */
  DMD_OPEN_WRITE,   /* an existing file, for writing, not truncated */
  DMD_OPEN_WRITE_THROUGH /* likewise, the file that one of the kernel's links leads to */
} dmd_open_t;

typedef enum { DMD_FILE_REGULAR, DMD_FILE_FOLDER, DMD_FILE_LINK, DMD_FILE_OTHER } dmd_file_kind_t;

typedef struct dmd_file_status {
  dmd_file_kind_t kind;
  bool is_systems; /* a link made by the kernel (in /proc), which only the kernel can follow */
  uint64_t owner;  /* user id */
  uint64_t device, number; /* together they identify the file */
  uint32_t mode;           /* permissions */
} dmd_file_status_t;

typedef struct dmd_files {
  int (*open)(void *ctx, int folder, const char *name, dmd_open_t how, int *fd);
  int (*close)(void *ctx, int fd);
  int (*status)(void *ctx, int fd, dmd_file_status_t *status);
  /* The target of an open link: up to `room` bytes, not NUL-terminated; *n is their number. */
  int (*read_link)(void *ctx, int fd, char *target, size_t room, size_t *n);
  /* Writes up to n bytes, n > 0; *written is how many. */
  int (*write)(void *ctx, int fd, const char *bytes, size_t n, size_t *written);
  int (*truncate)(void *ctx, int fd);
  int (*set_mode)(void *ctx, int fd, uint32_t mode);
  /* Marks a file as being written, until it is closed. May fail silently. */
  void (*lock)(void *ctx, int fd);
  /* Gives an unnamed file a name; fails if the name exists. */
  int (*link)(void *ctx, int fd, int folder, const char *name);
  int (*rename)(void *ctx, int folder, const char *from, const char *to);
  void (*unlink)(void *ctx, int folder, const char *name);
  uint64_t (*pid)(void *ctx);
  uint64_t (*user)(void *ctx); /* the process's effective user */
  /* The permissions of a complete file: 0666, less the umask if the host has one. */
  uint32_t (*mode)(void *ctx);
  void *ctx;
} dmd_files_t;

/* The message for one of the errors that no host has; NULL for all others. */
const char *dmd_files_error(int error);

/* ---- Resolving a path. ----
 *
 * Resolves a path without trusting other users.
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
 * is as of the moment of the walk. */

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

void dmd_pathwalk_end(dmd_pathwalk_t *walk);

/* Does all of that with one path, for a file that is written in place, such as a log. A new file
 * gets the permissions of a complete one. Returns 0, or an error. */
int dmd_pathwalk_open_in_place(const dmd_env_t *env, const dmd_files_t *files, const char *path,
                               bool empties, int *fd);

/* ---- Files that appear when they are complete. ----
 *
 * A file that appears under its name only when it is complete.
 *
 * A regular file is written without a name, and gets its name at the end, so that a failure leaves
 * no partial file and keeps an older one, and SIGKILL leaves nothing. Some file systems have no
 * unnamed files. There it is written under a temporary name next to the final one, NAME.tmp.PID,
 * and renamed at the end. Anything else with that name (a pipe, /dev/null, a terminal) is written
 * directly, and so is the target of a symbolic link: renaming a file over /dev/stdout would replace
 * that for everybody. Links of other users are not followed.
 *
 * Only the owner may read an incomplete file. A complete one has the permissions that the host
 * gives new files (dmd_files_t.mode); the caller may take some away before it closes the file.
 *
 * File system operations go through dmd_files_t. Errors are the host's numbers (errno); 0 means
 * none. After the first error, further writes are dropped: callers check once, at the end. */

typedef enum {
  DMD_OUTFILE_UNNAMED,  /* it gets its name at the end, */
  DMD_OUTFILE_RENAMED,  /* or another name, */
  DMD_OUTFILE_DIRECT,   /* or is what had the name before */
  DMD_OUTFILE_BORROWED, /* a descriptor of the caller's */
} dmd_outfile_kind_t;

typedef struct dmd_outfile {
  const dmd_env_t *env;
  const dmd_files_t *files;
  char *name;          /* final; a copy */
  dmd_pathwalk_t walk; /* where that leads, unless it is borrowed */
  char *temporary;     /* of a way with names: in the walk's folder */
  dmd_outfile_kind_t way;
  bool has_walk, is_open;
  bool is_new; /* made here: it gets these permissions in the end */
  uint32_t mode;
  int fd;
  uint64_t written; /* bytes */
  int error;        /* the first error; 0: none */
} dmd_outfile_t;

/* Opens the file. Returns false, with the error set, on failure; destroy it either way. `files`
 * must not move. */
bool dmd_outfile_open(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                      const char *name);

/* The same, to take the place of the regular file that has the name, with its permissions. */
bool dmd_outfile_open_again(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                            const char *name, uint32_t mode);

/* An open descriptor as such a file, which stays open. The name is for messages. */
void dmd_outfile_borrow(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                        const char *name, int fd);

/* A dmd_write_fn; ctx is a dmd_outfile_t. */
bool dmd_outfile_write(void *ctx, const char *bytes, size_t n);

/* Closes the file and renames it to its name; if keep is false or anything failed, deletes it.
 * Returns true if nothing failed. */
bool dmd_outfile_close(dmd_outfile_t *file, bool keep);
void dmd_outfile_destroy(dmd_outfile_t *file);

#endif
