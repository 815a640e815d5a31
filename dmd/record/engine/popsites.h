/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * popsites.h: determines whether a function that pushes a tag also pops it.
 *
 * `void begin(void) { DMD_TAG_PUSH("x"); }` pushes a tag for its caller. A function in whose code a
 * path leads from the push to a pop does not: if it has returned and its tag is still there, an
 * early return, longjmp or an exception has skipped the pop. Such a path is looked for in the code
 * as it was compiled, for amd64, so it may be missing if the compiler found that it is never taken.
 * Where dmd cannot read the code, there is no path.
 *
 * Cost: up to 32 KiB of code for each place that is queried, and names of a few addresses. Recent
 * results are cached.
 */
#ifndef DMD_RECORD_ENGINE_POPSITES_H
#define DMD_RECORD_ENGINE_POPSITES_H

#include "record/engine/running.h"

/* A cached answer for a push that continues at ip. */
typedef struct dmd_popsite {
  uint64_t ip; /* 0: unused entry */
  bool is_there;
} dmd_popsite_t;

typedef struct dmd_popsites {
  const dmd_env_t *env;
  dmd_running_t *running; /* for names */
  dmd_popsite_t known[64];
} dmd_popsites_t;

void dmd_popsites_init(dmd_popsites_t *sites, const dmd_env_t *env, dmd_running_t *running);

/* True if the function that made a push leads on to a pop of its own. ip: the instruction after the
 * push. */
bool dmd_popsites_follows(dmd_popsites_t *sites, uint64_t ip);

#endif
