/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * attach.h: starts the native engine in a process that runs already, and ends it there
 * (native/pl_attach.h).
 *
 * gdb does it: it stops all threads, looks for one that is neither in the loader nor in the
 * allocator, and calls dlopen and the engine's functions in it, while the others run. If there is
 * no such thread, dmdv tries again a moment later.
 *
 * dmdv refuses what cannot work, with the reason and before it touches the process. gdb runs with
 * dmdv's rights and reads no configuration and no scripts, the user's or the program's.
 */
#ifndef DMD_DMDV_RUN_ATTACH_H
#define DMD_DMDV_RUN_ATTACH_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* Both return 0, or the exit status after a line on stderr. library: the path of libdmd.so.
 * options: as in DMD_OPTIONS. profile: receives the path of the final profile, as the process names
 * it; it stays empty if no profile was written. */
int dmdv_attach(uint32_t pid, const char *library, const char *options);
int dmdv_detach(uint32_t pid, dmd_strbuf_t *profile);

#endif
