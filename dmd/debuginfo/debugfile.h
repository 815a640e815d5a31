/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * debugfile.h: the debug information of a program's objects.
 *
 * An object's own file is tried first, if its build id shows that it is still the one that ran. Its
 * debug information is in it or in a separate file. libdwfl finds that by the name in the object,
 * or by build id in the usual folders and from debuginfod servers (download.h). If the object's own
 * file is gone, a separate file alone is used if it is found by build id.
 */
#ifndef DMD_DEBUGINFO_DEBUGFILE_H
#define DMD_DEBUGINFO_DEBUGFILE_H

#include "debuginfo/download.h"
#include "model/graph/heapgraph.h"

#include <elfutils/libdwfl.h>

typedef struct dmdv_debugfiles {
  Dwfl *dwfl;
  char *path; /* the search path for separate files, in libdwfl's format */
  Dwfl_Callbacks callbacks;
  dmdv_download_t download;
} dmdv_debugfiles_t;

/* A file of one object. Addresses in it are those of dmd_graph_object_t. */
typedef struct dmdv_debugfile {
  Dwfl_Module *module; /* NULL: the file is missing, or is not the one that ran */
  Dwarf *dwarf;        /* NULL: no debug information */
  uint64_t shift;      /* what libdwfl adds to addresses in its own functions */
  bool was_changed;    /* a file of this name exists, but is of another build */
} dmdv_debugfile_t;

/* folder: searched first for separate files; NULL: none. False if libdw fails. The struct must not
 * move until it is closed, and files must not outlive it. */
bool dmdv_debugfiles_open(dmdv_debugfiles_t *files, const char *folder);
void dmdv_debugfiles_close(dmdv_debugfiles_t *files);

dmdv_debugfile_t dmdv_debugfile(dmdv_debugfiles_t *files, const dmd_graph_object_t *object);

/* The symbol around an address, and the offset from its start; NULL: none. Valid until the files
 * are closed.
 */
const char *dmdv_debugfile_symbol(const dmdv_debugfile_t *file, uint64_t addr, uint64_t *into);

/* The program's bytes from this address on, at most n; returns their number. */
size_t dmdv_debugfile_code(const dmdv_debugfile_t *file, uint64_t addr, const uint8_t **bytes);

#endif
