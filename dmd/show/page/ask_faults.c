/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=faults: {"total", "misreports", "first", "faults": [{the members of a fault in dmdv print
 * --json, "kindText", "isMisreport", "text"}]}: a window of the program's faults, in the order and
 * with the text of dmdv print. A difference has no faults.
 */
#include "show/page/answer.h"
#include "show/page/asks.h"

enum { FAULTS = 100 };

static void write_fault(dmd_jsonout_t *j, dmd_view_t *view, const dmd_fault_t *fault) {
  dmd_printed_t text;
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_pieces_write_fault(&view->pieces, j, fault);
  dmd_jsonout_key_str(j, "kindText", dmd_fault_text(fault->kind));
  dmd_jsonout_key_bool(j, "isMisreport", dmd_fault_is_misreport(fault->kind));
  dmd_printed_init(&text, view->profile->env);
  dmd_pieces_print_fault(&view->pieces, &text.out, fault);
  dmd_jsonout_key(j, "text");
  dmd_printed_end(&text, j);
  dmd_jsonout_end(j);
}

void dmd_answer_faults(dmd_jsonout_t *j, dmd_view_t *view, dmd_window_t window) {
  const dmd_faults_t *faults = &view->profile->faults;
  uint32_t n = dmd_faults_count(faults);
  uint64_t misreports = 0;
  uint32_t *ids = dmd_faults_sorted(faults, view->profile->env);
  for (uint32_t i = 0; i < n; i++)
    misreports += dmd_fault_is_misreport(dmd_faults_at(faults, ids[i])->kind);
  window = dmd_window_of(window, n);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(j, "total", n);
  dmd_jsonout_key_u64(j, "misreports", misreports);
  dmd_jsonout_key_u64(j, "first", window.first);
  dmd_jsonout_key(j, "faults");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    write_fault(j, view, dmd_faults_at(faults, ids[i]));
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_env_free(view->profile->env, ids);
}

bool dmd_ask_faults(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_window_t window = dmd_window_read(query, FAULTS);
  dmd_view_t *view = query->failed ? NULL : dmd_session_view(page, query);
  if (view == NULL)
    return false;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_answer_faults(&j, view, window);
  return true;
}
