/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ownersbeside.h: who owns the unreported blocks of a profile, by the heap graph beside it.
 */
#ifndef DMD_READER_COMMAND_OWNERSBESIDE_H
#define DMD_READER_COMMAND_OWNERSBESIDE_H

#include "reader/command/typedgraph.h"
#include "text/text_owners.h"

/* Names variables by what a graph's debug information says; good as long as the graph. */
dmd_variable_namer_t dmdv_variable_namer(const dmdv_typedgraph_t *graph);

typedef struct dmdv_owners_beside {
  bool is_there;
  dmdv_typedgraph_t graph;
  dmd_kinds_t kinds;
  dmd_records_t records;
  dmd_owners_t owners;
  dmd_variable_namer_t namer;
  dmd_owners_view_t view;
  dmd_owner_advice_t advice;
} dmdv_owners_beside_t;

/* Looks for the graph of the same moment as a profile that was read from this file. Where there is
 * none, or it cannot be read, there are no owners. Must stay where it is. */
void dmdv_owners_beside_init(dmdv_owners_beside_t *beside, const dmd_profile_t *profile,
                             const char *name, uint32_t max_frames);
void dmdv_owners_beside_destroy(dmdv_owners_beside_t *beside);

#endif
