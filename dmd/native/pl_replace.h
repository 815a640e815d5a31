/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_replace.h: replaces allocators that the program, or a library that it is linked with, contains
 * under names of their own (record/engine/prefixed.h).
 *
 * Their functions are found in the symbol tables of files, so those of a stripped file are not.
 * Each gets a jump to our function of the same name (pl_prefixed.c), which allocates with the
 * program's malloc. The original code is never executed again, so it need not be preserved. The
 * engine does this once, at its start, while there is one thread; it leaves libraries alone that
 * are loaded later.
 *
 * Blocks from before the start, of constructors that ran earlier, stay where they are: freeing one
 * has no effect.
 *
 * x86-64 only (pl_patch.h).
 */
#ifndef DMD_NATIVE_PL_REPLACE_H
#define DMD_NATIVE_PL_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Logs which allocators were replaced, and which could not be. Call once, after pl_real_look, with
 * no lock. */
void pl_replace_start(void);

/* Whether a block that a replaced function gets is one from before the start. */
bool pl_replace_is_foreign(const void *p);

#endif
