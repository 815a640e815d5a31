/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * preloadable.h: decides from a program's file whether the loader will preload a library into it.
 *
 * It must be linked dynamically and for the same processor as the library. It must not be setuid or
 * otherwise gain rights, since the loader then ignores the environment. It should have no allocator
 * that the native engine cannot replace (record/engine/prefixed.h).
 */
#ifndef DMD_DMDV_RUN_PRELOADABLE_H
#define DMD_DMDV_RUN_PRELOADABLE_H

#include "base/strbuf.h"

typedef enum {
  DMDV_PRELOADABLE,
  DMDV_NOT_PRELOADABLE,
  DMDV_ONLY_VALGRIND,  /* not preloadable, but Valgrind can run it */
  DMDV_BETTER_VALGRIND /* preloadable, but only Valgrind can replace one of its allocators */
} dmdv_preloadable_t;

/* Looks for the program as execvp does. Unless it is preloadable, appends why not. A program that
 * cannot be found or read counts as preloadable: starting it reports the error. */
dmdv_preloadable_t dmdv_preloadable(const char *program, dmd_strbuf_t *why);

/* The same of a program that this process starts. It inherits seccomp filters. If the kernel does
 * not count them (before Linux 5.9), the engine cannot tell them from the program's, and opens no
 * channel to dmdv. */
dmdv_preloadable_t dmdv_preloadable_here(const char *program, dmd_strbuf_t *why);

#endif
