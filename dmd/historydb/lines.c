/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/lines.h"

#include "host/process.h"

#include <string.h>

void dmdv_lines_init(dmdv_lines_t *lines) {
  dmd_intern_init(&lines->keys, &dmdv_env, "dmdv.lines");
  dmd_pool_init(&lines->lines, &dmdv_env, "dmdv.lines", sizeof(dmdv_line_t));
}

void dmdv_lines_destroy(dmdv_lines_t *lines) {
  for (uint32_t number = 1; number <= lines->lines.last; number++)
    dmd_stackset_destroy(&DMD_POOL_AT(&lines->lines, dmdv_line_t, number)->set);
  dmd_pool_destroy(&lines->lines);
  dmd_intern_destroy(&lines->keys);
}

dmdv_line_t *dmdv_lines_at(dmdv_lines_t *lines, const char *moment, int64_t environment,
                           const char *process) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_i64(&key, environment);
  dmd_strbuf_str(&key, " ");
  dmd_strbuf_bytes(&key, moment, strlen(moment) + 1);
  dmd_strbuf_str(&key, process);
  uint32_t number = dmd_intern_bytes(&lines->keys, key.text, key.n);
  dmd_strbuf_destroy(&key);
  if (number > lines->lines.last) {
    dmd_pool_add(&lines->lines);
    dmdv_line_t *line = DMD_POOL_AT(&lines->lines, dmdv_line_t, number);
    *line = (dmdv_line_t){.id = 0};
    dmd_stackset_init(&line->set, &dmdv_env, 0);
  }
  return DMD_POOL_AT(&lines->lines, dmdv_line_t, number);
}

void dmdv_line_set(dmdv_line_t *line, dmd_stackset_t *set) {
  dmd_stackset_destroy(&line->set);
  line->set = *set;
  *set = (dmd_stackset_t){0};
}
