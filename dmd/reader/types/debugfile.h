/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * debugfile.h: the debug information of the objects of a program.
 *
 * An object's own file is tried first, if it is still the one that ran: the build ids must be the
 * same. Its debug information is in it, or in a separate file, found by the name that it gives or
 * by build id in the usual folders and by debuginfod where that is configured (libdwfl does that).
 * Where the object itself is gone, a separate file alone is taken if it is found by build id.
 */
#ifndef DMD_READER_TYPES_DEBUGFILE_H
#define DMD_READER_TYPES_DEBUGFILE_H

#include "graph/heapgraph.h"

#include <elfutils/libdwfl.h>

typedef struct dmdv_debugfiles {
  Dwfl *dwfl;
  char *path; /* where separate files are, as libdwfl wants it */
  Dwfl_Callbacks callbacks;
} dmdv_debugfiles_t;

/* A file of one object. Addresses in it are those of dmd_graph_object_t. */
typedef struct dmdv_debugfile {
  Dwfl_Module *module; /* NULL: the file is not there, or not the one that ran */
  Dwarf *dwarf;        /* NULL: no debug information */
  uint64_t shift;      /* what libdwfl adds to addresses in its own questions */
  bool was_changed;    /* a file of this name is there, but of another build */
} dmdv_debugfile_t;

/* folder: a further one with separate files, searched first; NULL: none. False if libdw fails. Must
 * stay where it is until it is closed, which files must not outlive. */
bool dmdv_debugfiles_open(dmdv_debugfiles_t *files, const char *folder);
void dmdv_debugfiles_close(dmdv_debugfiles_t *files);

dmdv_debugfile_t dmdv_debugfile(dmdv_debugfiles_t *files, const dmd_graph_object_t *object);

/* The symbol around an address, and how far into it; NULL: none. Good until the files are closed.
 */
const char *dmdv_debugfile_symbol(const dmdv_debugfile_t *file, uint64_t addr, uint64_t *into);

/* The bytes of the program from this address on, at most n: how many there are. */
size_t dmdv_debugfile_code(const dmdv_debugfile_t *file, uint64_t addr, const uint8_t **bytes);

#endif
