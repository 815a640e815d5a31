/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_symbols.h: names of functions, while the program runs, for what cannot wait until somebody
 * reads a file: whether a function is still running (engine/running.h), rules (engine/rules.h), and
 * what is said at once.
 *
 * They come from the symbols in an object's file, which is mapped when the first one is looked up
 * and stays mapped. A name is not all that a demangler would make of it (base/mangled.h). What is
 * in a file without symbols has no names, and what is in one that was replaced meanwhile wrong
 * ones.
 *
 * Cost: a walk through all symbols of the object; what was found is kept for the last addresses.
 *
 * Concurrency: under the engine lock.
 */
#ifndef DMD_PRELOAD_PL_SYMBOLS_H
#define DMD_PRELOAD_PL_SYMBOLS_H

#include "engine/host.h"

/* The name of the variable around an address of the object; NULL: it has none, or that is not
 * known.
 */
const char *pl_variable_at(uint32_t object, uint64_t addr);

/* The name of the function around an address, until the next call; NULL: it has none. */
const char *pl_symbol_at(dmd_code_t code);

#endif
