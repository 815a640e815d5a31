/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/input/document.h"

#include <string.h>

/* seen has a bit for each part that has come. */
static bool load_part(dmdv_cutter_t *cutter, const dmdv_part_t *parts, int n, void *ctx,
                      const char *key, unsigned *seen) {
  for (int i = 0; i < n; i++) {
    if (strcmp(key, parts[i].key) != 0)
      continue;
    if (*seen & 1u << i)
      return dmdv_cutter_reject(cutter, "\"%s\" comes twice", parts[i].key);
    *seen |= 1u << i;
    return parts[i].load(ctx);
  }
  return dmdv_cutter_skip(cutter);
}

bool dmdv_load_document(dmdv_cutter_t *cutter, const dmdv_part_t *parts, int n, void *ctx) {
  const char *key;
  unsigned seen = 0;
  dmdv_cutter_enter(cutter, '{');
  while (dmdv_cutter_next_key(cutter, &key))
    load_part(cutter, parts, n, ctx, key, &seen);
  if (!dmdv_cutter_finish(cutter))
    return false;
  for (int i = 0; i < n; i++)
    if (parts[i].required && !(seen & 1u << i))
      return dmdv_cutter_reject(cutter, "\"%s\" is missing", parts[i].key);
  return true;
}
