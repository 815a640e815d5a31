/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads "lifetimeList".
 */
#include "base/limits.h"
#include "files/profile/readerstate.h"

static bool reject(dmd_readerstate_t *l, const char *what) {
  return dmd_jsoncutter_reject(&l->cutter, "an object of \"lifetimeList\" %s", what);
}

/* Adds up to the frees. The classes behind the last one are 0. */
static bool take_classes(dmd_readerstate_t *l, const dmd_jsonvalue_t *list,
                         dmd_lifetime_t *lifetime) {
  uint64_t sum = 0;
  int i = 0;
  if (list == NULL)
    return lifetime->n_freed == 0 || reject(l, "has no \"lifetimes\"");
  if (!dmd_jsonvalue_is(list, DMD_JSONVALUE_ARRAY))
    return reject(l, "has \"lifetimes\" that are not an array");
  DMD_JSONVALUE_EACH(item, list) {
    if (i == DMD_LIFETIME_CLASSES)
      return reject(l, "has too many classes of lifetimes");
    lifetime->classes[i] = dmd_load_number_in(l, item, "lifetimes", 0);
    sum += lifetime->classes[i++];
  }
  return sum == lifetime->n_freed || reject(l, "has \"lifetimes\" that do not add up to \"frees\"");
}

static bool load_lifetime(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  if (!dmd_jsonvalue_is(item, DMD_JSONVALUE_OBJECT))
    return dmd_jsoncutter_reject(&l->cutter, "\"lifetimeList\" holds something that is not an "
                                             "object");
  dmd_lifetime_t lifetime = {.n_allocs = dmd_load_get_number(l, item, "allocs", 0),
                             .alloc_szB = dmd_load_get_number(l, item, "bytes", 0),
                             .n_freed = dmd_load_get_number(l, item, "frees", 0),
                             .n_temporary = dmd_load_get_number(l, item, "temporary", 0),
                             .most_szB = dmd_load_get_number(l, item, "mostBytes", 0),
                             .stack = dmd_load_get_trace(l, item, "alloc")};
  lifetime.sum = (double)dmd_load_get_number(l, item, "meanLifetime", 0) * (double)lifetime.n_freed;
  if (!take_classes(l, dmd_jsonvalue_get(item, "lifetimes"), &lifetime))
    return false;
  if (lifetime.n_freed > lifetime.n_allocs || lifetime.n_temporary > lifetime.n_freed)
    return reject(l, "has more frees than allocations, or more temporary blocks than frees");
  if (lifetime.most_szB > lifetime.alloc_szB)
    return reject(l, "has more \"mostBytes\" than \"bytes\"");
  l->allocs += lifetime.n_allocs;
  l->allocated += lifetime.alloc_szB;
  if (l->allocs > DMD_MAX_COUNT || l->allocated > DMD_MAX_TOTAL)
    return reject(l, "makes sums too large");
  if (!dmd_jsoncutter_failed(&l->cutter))
    dmd_lifetimes_add(&l->profile->lifetimes, &lifetime);
  return !dmd_jsoncutter_failed(&l->cutter);
}

bool dmd_load_lifetimes(void *ctx) {
  dmd_readerstate_t *l = ctx;
  l->profile->lifetimes.is_known = true;
  dmd_jsoncutter_enter(&l->cutter, '[');
  while (dmd_jsoncutter_next_element(&l->cutter)) {
    const dmd_jsonvalue_t *item = dmd_jsoncutter_value(&l->cutter);
    if (item == NULL || !load_lifetime(l, item))
      break;
  }
  return !dmd_jsoncutter_failed(&l->cutter);
}
