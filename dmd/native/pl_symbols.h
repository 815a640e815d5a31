/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_symbols.h: says what is at an address while the program runs: the names of functions and
 * variables, and the kind of memory. For uses that cannot wait for a reader of the profile: whether
 * a function is still running (record/engine/running.h), rules (record/engine/rules.h), and log
 * messages.
 *
 * Names come from the symbol table of an object's file, which is mapped at the first lookup and
 * stays mapped. They are only simply demangled (base/mangled.h). A file without symbols has no
 * names, and one that was replaced after it was loaded has wrong ones.
 *
 * Cost: a scan of all symbols of the object. Results for recent addresses are cached.
 *
 * Concurrency: under the engine lock.
 */
#ifndef DMD_NATIVE_PL_SYMBOLS_H
#define DMD_NATIVE_PL_SYMBOLS_H

#include "record/host.h"

/* The name of the function that contains an address, valid until the next call; NULL: no name is
 * known. */
const char *pl_symbol_at(dmd_code_t code);

/* Visits the functions that the file defines, with their addresses in it and their sizes. The names
 * are valid during the visit. Maps the file meanwhile; needs no lock. */
typedef void (*pl_symbol_visit_fn)(void *ctx, const char *name, uint64_t addr, uint64_t szB);
void pl_symbols_visit(const char *path, pl_symbol_visit_fn visit, void *ctx);

/* Classifies an address that is in no block by the memory that it lies in, as described in
 * record/host.h. */
dmd_fault_kind_t pl_classify(void *ctx, uint64_t addr, char *text, size_t szB);

#endif
