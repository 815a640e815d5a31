/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * breakpad.h: names of code from Breakpad's symbol files.
 *
 * Such a file is text, which dump_syms (of Breakpad, or Mozilla's) makes from a program or library:
 * functions, their lines, calls that were inlined, and public symbols. Stores have it as
 * NAME/ID/NAME.sym, where the ID is made of the first 16 bytes of the build id. It is accepted if
 * its build id (INFO CODE_ID, else the ID of MODULE) is that of the object.
 *
 * The whole file is read, once. Addresses in it count from where the object is loaded: from 0 in
 * its own addresses, unless it is a program with a fixed address, for which nothing is found.
 */
#ifndef DMD_DEBUGINFO_BREAKPAD_H
#define DMD_DEBUGINFO_BREAKPAD_H

#include "debuginfo/codeunits.h"

typedef struct dmdv_breakpad dmdv_breakpad_t;

/* Opens the file of an object in this folder: FOLDER/NAME/ID/NAME.sym or FOLDER/NAME.sym. build_id
 * is in hexadecimal. Returns NULL if no file has it; *is_other is then set if a file has another
 * build id. */
dmdv_breakpad_t *dmdv_breakpad_open(const char *folder, const char *object, const char *build_id,
                                    bool *is_other);
void dmdv_breakpad_close(dmdv_breakpad_t *symbols);

/* Fills in the place of an address; its function is NULL if the file does not have it. */
void dmdv_breakpad_find(const dmdv_breakpad_t *symbols, uint64_t addr, dmdv_codeplace_t *place);

#endif
