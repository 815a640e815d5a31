/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_rawexit.h: programs that end by a system call of their own, as those with Go's runtime do.
 *
 * exit, _exit and the like are functions, which ours replace, but an exit_group system call in the
 * program's own code calls no function. Such calls are found and patched, so that they write the
 * final profile first. The search covers the program itself and libraries built by Go (recognised
 * by a note in them), as far as they have at most 64 MiB of code.
 *
 * x86-64 only. Elsewhere nothing is changed.
 */
#ifndef DMD_NATIVE_PL_RAWEXIT_H
#define DMD_NATIVE_PL_RAWEXIT_H

#include <link.h>

/* Searches a newly loaded object; path: its file. Logs if the code was found and cannot be changed.
 * May be called with the loader's lock held. */
void pl_rawexit_watch(const struct dl_phdr_info *info, const char *path);

/* In a fork's child: no thread is ending the process. */
void pl_rawexit_forked(void);

#endif
