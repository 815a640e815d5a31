/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sourcefiles.h: finds source files by the names that frames give them.
 *
 * A folder is scanned once, without following links, so that nothing outside of it is found. A
 * frame's file is the one whose last folders and name agree with the frame's path in the most
 * components; if two files agree equally well, neither is taken. Hidden files and folders, such as
 * .git, are skipped.
 */
#ifndef DMD_HOST_SOURCEFILES_H
#define DMD_HOST_SOURCEFILES_H

typedef struct dmdv_sourcefiles dmdv_sourcefiles_t;

/* NULL, with the reason on stderr, if the folder does not exist. command: prefix of the message. */
dmdv_sourcefiles_t *dmdv_sourcefiles_look(const char *command, const char *folder);
void dmdv_sourcefiles_destroy(dmdv_sourcefiles_t *files);

const char *dmdv_sourcefiles_folder(const dmdv_sourcefiles_t *files);

/* The file's path relative to the folder; NULL if it was not found. */
const char *dmdv_sourcefiles_find(const dmdv_sourcefiles_t *files, const char *name);

#endif
