/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sourcefiles.h: the files of a program's source, by the names that frames have of them.
 *
 * A folder is looked through once, without following links, so that nothing outside of it is found.
 * A frame's file is the one there that ends with the same folders and name, as far as the frame
 * says them; where two do so alike it is none. Hidden files and folders, such as .git, are no
 * sources.
 */
#ifndef DMD_READER_HOST_SOURCEFILES_H
#define DMD_READER_HOST_SOURCEFILES_H

typedef struct dmdv_sourcefiles dmdv_sourcefiles_t;

/* NULL, with the reason on stderr, where there is no such folder. command: who wants it. */
dmdv_sourcefiles_t *dmdv_sourcefiles_look(const char *command, const char *folder);
void dmdv_sourcefiles_destroy(dmdv_sourcefiles_t *files);

const char *dmdv_sourcefiles_folder(const dmdv_sourcefiles_t *files);

/* Its path from the folder on, or NULL. */
const char *dmdv_sourcefiles_find(const dmdv_sourcefiles_t *files, const char *name);

#endif
