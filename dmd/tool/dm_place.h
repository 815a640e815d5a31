/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_place.h: places in the program's code, as keys and as the files that hold them.
 */
#ifndef DMD_TOOL_DM_PLACE_H
#define DMD_TOOL_DM_PLACE_H

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_xarray.h"

#include "base/mem.h"

/* An address in an epoch: the same address may be other code after an unload. */
typedef struct {
  DiEpoch epoch;
  Addr ip;
} dm_place_t;

static inline uint64_t dm_place_hash(const dm_place_t *place) {
  return dmd_hash_u64(place->ip ^ (uint64_t)place->epoch.n << 48);
}

static inline bool dm_place_equal(const dm_place_t *a, const dm_place_t *b) {
  return a->ip == b->ip && a->epoch.n == b->epoch.n;
}

/* Makes the array of dm_place_t the places of a stack, all of them, the innermost first. */
void dm_place_of_stack(XArray *places, ExeContext *ec);

/* The file that holds the code, and the offset in it that addr2line wants; False: there is none. */
Bool dm_place_object(const dm_place_t *place, const HChar **file, Addr *offset);

#endif
