/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/replacednew.h"

/* NULL: that of the objects of this soname is not there, is not replaced, or is not their own. */
static const char *find_in(const dmd_engine_host_t *host, const char *soname) {
  const char *plain = host->word_szB == 8 ? "_Znwm" : "_Znwj";
  const char *path = host->replaced(host->ctx, soname, plain);
  bool is_own = path != NULL &&
                !host->defines(host->ctx, soname, "__cxa_allocate_exception", true) &&
                !host->defines(host->ctx, soname, "realloc", true);
  return is_own ? path : NULL;
}

typedef struct {
  const dmd_engine_host_t *host;
  dmd_profile_t *profile;
  const char *kept; /* what was found, in the profile */
} search_t;

/* What has no soname was searched with the program. */
static void look_at(void *visitor, const char *path, const char *soname) {
  search_t *search = visitor;
  (void)path;
  if (search->kept == NULL && soname[0] != '\0')
    search->kept = dmd_profile_keep(search->profile, find_in(search->host, soname));
}

const char *dmd_engine_find_replaced_new(const dmd_engine_host_t *host, dmd_profile_t *profile) {
  search_t search = {.host = host, .profile = profile};
  search.kept = dmd_profile_keep(profile, find_in(host, NULL));
  if (search.kept == NULL)
    host->objects(host->ctx, look_at, &search);
  return search.kept;
}
