/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stands in for names.c and sizefunctions.c in a build without libdw.
 */
#include "debuginfo/names.h"
#include "debuginfo/sizefunctions.h"
#include "host/process.h"

#include <inttypes.h>

struct dmdv_names {
  dmd_namer_t namer;
  uint64_t n_nameless;
};

/* dmd_namer_t.functions */
static bool functions(void *ctx, const dmd_location_t *at, dmd_function_fn visit, void *visitor,
                      dmd_code_kind_t *kind) {
  dmdv_names_t *names = ctx;
  (void)at, (void)visit, (void)visitor, (void)kind;
  names->n_nameless++;
  return false;
}

dmdv_names_t *dmdv_names_new(bool shows_below_main) {
  dmdv_names_t *names = dmd_env_alloc(&dmdv_env, "dmdv.names", sizeof *names);
  *names = (dmdv_names_t){
      .namer = {.ctx = names, .shows_below_main = shows_below_main, .functions = functions}};
  return names;
}

const dmd_namer_t *dmdv_names_namer(const dmdv_names_t *names) {
  return &names->namer;
}

void dmdv_names_search(dmdv_names_t *names, const char *debug_folder, const char *symbol_folder) {
  (void)names, (void)debug_folder, (void)symbol_folder;
}

void dmdv_names_search_debug(dmdv_names_t *names, const char *debug_folder) {
  (void)names, (void)debug_folder;
}

dmdv_names_counts_t dmdv_names_counts(const dmdv_names_t *names) {
  return (dmdv_names_counts_t){.n_asked = names->n_nameless};
}

void dmdv_names_tell(dmdv_names_t *names) {
  if (names->n_nameless > 0)
    dmdv_note("%" PRIu64 " frames have no names: this dmdv was built without libdw, which finds "
              "them",
              names->n_nameless);
  names->n_nameless = 0;
}

void dmdv_names_free(dmdv_names_t *names) {
  dmd_env_free(&dmdv_env, names);
}

bool dmdv_size_functions(const char *path, dmd_intern_t *names) {
  (void)names;
  return dmdv_error("%s: this dmdv was built without libdw, which reads symbols", path);
}
