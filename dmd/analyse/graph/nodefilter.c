/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/nodefilter.h"

#include "base/str.h"

/* Values in `judged`; 0: not judged yet. */
enum { CONTAINS = 1, LACKS = 2 };

void dmd_nodefilter_init(dmd_nodefilter_t *filter, const dmd_env_t *env, const char *given) {
  *filter = (dmd_nodefilter_t){.given = given, .key = DMD_KEY_STACK, .negated = given[0] == '!'};
  filter->text = given + filter->negated;
  const char *equals = dmd_str_find_char(filter->text, '=');
  dmd_nodekey_t key = DMD_N_KEYS;
  if (equals != NULL)
    key = dmd_nodekey_of(filter->text, (size_t)(equals - filter->text));
  if (key != DMD_N_KEYS) {
    filter->key = key;
    filter->text = equals + 1;
  } else if (!filter->negated && filter->text[0] == '\\') {
    filter->text++; /* an escape, so that a text may begin with '!' */
  }
  dmd_pool_init(&filter->judged, env, "dmd.nodefilter", sizeof(uint32_t));
}

void dmd_nodefilter_destroy(dmd_nodefilter_t *filter) {
  dmd_pool_destroy(&filter->judged);
}

void dmd_nodefilters_forget(dmd_nodefilter_t *filters, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    dmd_pool_t *judged = &filters[i].judged;
    const dmd_env_t *env = judged->env;
    dmd_pool_destroy(judged);
    dmd_pool_init(judged, env, "dmd.nodefilter", sizeof(uint32_t));
  }
}

bool dmd_nodefilter_passes(dmd_nodefilter_t *filter, dmd_nodekeys_t *keys, uint32_t node) {
  uint32_t value = dmd_nodekeys_value(keys, filter->key, node);
  if (value > filter->judged.last)
    dmd_pool_reach(&filter->judged, value);
  uint32_t *judged = DMD_POOL_AT(&filter->judged, uint32_t, value);
  if (*judged == 0) {
    const char *name = dmd_nodekeys_name(keys, filter->key, value);
    *judged = dmd_str_find(name, filter->text) != NULL ? CONTAINS : LACKS;
    filter->found = filter->found || *judged == CONTAINS;
  }
  return (*judged == CONTAINS) != filter->negated;
}
