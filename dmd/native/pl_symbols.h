/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_symbols.h: looks up names of functions and variables while the program runs, for uses that
 * cannot wait for a reader of the profile: whether a function is still running
 * (record/engine/running.h), rules (record/engine/rules.h), and log messages.
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

/* The name of the variable of the object that contains an address; NULL: no name is known. */
const char *pl_variable_at(uint32_t object, uint64_t addr);

/* The name of the function that contains an address, valid until the next call; NULL: no name is
 * known. */
const char *pl_symbol_at(dmd_code_t code);

#endif
