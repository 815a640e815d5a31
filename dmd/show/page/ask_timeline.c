/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=timeline&from=WHEN&to=WHEN: what dmdv timeline --json prints, of a file whatever moment is
 * shown. WHEN is as in dmdv timeline: the start, the end. `{}` if the file has no timeline.
 */
#include "analyse/time/when.h"
#include "show/page/asks.h"
#include "show/text/text_timeline.h"

static bool find(const dmd_profile_t *profile, dmd_query_t *query, const char *key,
                 const char *fallback, dmd_timepoint_t *at) {
  const char *when = dmd_query_str(query, key, fallback);
  return dmd_when_find(profile, when, false, at) ||
         dmd_query_reject(query, "this is neither a time nor a mark", when);
}

bool dmd_ask_timeline(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  uint32_t n = dmd_session_n_files(page);
  uint64_t of = dmd_query_number(query, "of", 0, UINT32_MAX, 0);
  if (query->failed || of >= n)
    return dmd_query_reject(query, "there is no such file", NULL);
  dmd_session_show(dmd_session_file(page, (uint32_t)of), DMD_MOMENT_END);
  const dmd_profile_t *profile = &dmd_session_file(page, (uint32_t)of)->profile;
  dmd_timespan_t span;
  bool is_known = dmd_timeline_is_known(&profile->timeline);
  if (is_known && (!find(profile, query, "from", "start", &span.from) ||
                   !find(profile, query, "to", "end", &span.to)))
    return false;
  if (is_known && span.from.alloc_szB > span.to.alloc_szB) {
    dmd_timepoint_t later = span.from;
    span.from = span.to;
    span.to = later;
  }
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  if (is_known) {
    dmd_timeline_json(&j, profile, &span);
    return true;
  }
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_jsonout_end(&j);
  return true;
}
