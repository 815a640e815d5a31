/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * files.h: the file system as single system calls, which a host provides.
 *
 * base/pathwalk.h and base/outfile.h hold the policy: which links are followed, under which name a
 * file is written, when it appears. Hosts only translate (base/posix/posixfiles.h,
 * valgrind/dm_files.h).
 *
 * A folder is an open descriptor. A name is one component of a path in it, without a slash, so that
 * nobody can exchange a folder of the path between two calls. DMD_FILES_HERE is the current folder.
 *
 * Errors are the host's numbers (errno, with Linux's values on every host) or one of those below; 0
 * is success.
 */
#ifndef DMD_BASE_FILES_H
#define DMD_BASE_FILES_H

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

#endif
