/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_symbols.h: code addresses as text, for the time of one dump.
 *
 * A stack is resolved to frames such as "main (app.c:12)", with inlined calls as frames of their
 * own, or "fn[/lib/x.so +0x123]" where there is no line information. Each address is looked up
 * once a dump, however many stacks it is in. Frames below main are left out unless
 * --show-below-main=yes.
 */
#ifndef DMD_TOOL_DM_SYMBOLS_H
#define DMD_TOOL_DM_SYMBOLS_H

#include "pub_tool_basics.h"

#include "profile/profile.h"

typedef struct dm_symbols {
  dmd_profile_t *profile; /* whose frames the texts become */
  dmd_pool_t addresses;   /* looked up so far */
  dmd_table_t index;
  dmd_pool_t frames; /* frame ids of the profile, consecutive for each address */
  XArray *stack;     /* scratch: the addresses of the stack at hand */
  XArray *ids;       /* scratch: its frames */
} dm_symbols_t;

/* Must stay where it is until it is destroyed. */
void dm_symbols_init(dm_symbols_t *symbols, dmd_profile_t *profile);
void dm_symbols_destroy(dm_symbols_t *symbols);

/* A dmd_resolve_fn: ctx is a dm_symbols_t, handle an ExeContext. */
uint32_t dm_symbols_resolve(void *ctx, dmd_profile_t *profile, uintptr_t handle);

#endif
