/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/filter.h"

#include "base/str.h"
#include "base/strbuf.h"

/* Whether one of the printed lines of the record's allocation stack, number included, contains the
 * text. */
static bool stack_contains(const dmd_records_t *records, const dmd_record_t *r, const char *text) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, r->stack, &n);
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, records->profile->env);
  bool found = false;
  for (size_t i = 0; i < n && !found; i++) {
    dmd_strbuf_cut(&line, 0);
    dmd_strbuf_str(&line, i + 1 < 10 ? "    #0" : "    #");
    dmd_strbuf_u64(&line, i + 1);
    dmd_strbuf_str(&line, ": ");
    dmd_strbuf_str(&line, dmd_intern_get_str(&records->profile->frames, frames[i]));
    found = dmd_str_find(line.text, text) != NULL;
  }
  dmd_strbuf_destroy(&line);
  return found;
}

bool dmd_filter_passes(void *ctx, const dmd_records_t *records, const dmd_record_t *r) {
  const char *filter = ctx;
  if (filter[0] == '!')
    return !stack_contains(records, r, filter + 1);
  return stack_contains(records, r, filter[0] == '\\' ? filter + 1 : filter);
}
