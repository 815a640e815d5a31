/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stands in for typefinder.c in a build without libdw.
 */
#include "debuginfo/typefinder.h"
#include "host/process.h"

dmdv_typefinder_t *dmdv_typefinder_new(dmd_types_t *types, const char *folder) {
  (void)types, (void)folder;
  return NULL;
}

void dmdv_typefinder_free(dmdv_typefinder_t *finder) {
  (void)finder;
}

void dmdv_typefinder_add_object(dmdv_typefinder_t *finder, uint32_t id,
                                const dmd_graph_object_t *object) {
  (void)finder, (void)id, (void)object;
}

uint64_t dmdv_typefinder_part(dmdv_typefinder_t *finder, const dmd_uncut_t *rest,
                              const char **name) {
  (void)finder;
  *name = NULL;
  return rest->szB;
}

void dmdv_typefinder_run(dmdv_typefinder_t *finder, dmd_typing_t *typing, bool is_quiet) {
  (void)finder, (void)typing;
  if (!is_quiet)
    dmdv_note("this dmdv was built without libdw, which finds types: blocks are named by the "
              "functions that allocated them");
}

bool dmdv_typefinder_variable(dmdv_typefinder_t *finder, uint32_t object, uint64_t addr,
                              uint32_t type, dmd_strbuf_t *to) {
  (void)finder, (void)object, (void)addr, (void)type, (void)to;
  return false;
}
