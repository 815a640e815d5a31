/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread updates its sum a moment after the report, and another thread may publish the sum in
 * between. A published sum may thus lack the latest changes of other threads, or already contain
 * their next ones. So each thread's last change is recorded, and its first one after a publication.
 */
#include "record/heap/counters.h"

static dmd_loss_t *loss_at(const dmd_counters_t *counters, uint32_t id) {
  return DMD_POOL_AT(&counters->losses, dmd_loss_t, id);
}

static bool loss_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_loss_t *a = loss_at(owner, id), *b = key;
  return a->reporter == b->reporter && a->freed == b->freed;
}

void dmd_counters_init(dmd_counters_t *counters, const dmd_env_t *env,
                       const dmd_reports_t *reports) {
  counters->reports = reports;
  dmd_pool_init(&counters->by_name, env, "dmd.counters", sizeof(dmd_counter_t));
  dmd_pool_init(&counters->losses, env, "dmd.counters.losses", sizeof(dmd_loss_t));
  dmd_table_init(&counters->loss_index, env, "dmd.counters.losses.index", loss_equal, counters);
}

void dmd_counters_destroy(dmd_counters_t *counters) {
  dmd_table_destroy(&counters->loss_index);
  dmd_pool_destroy(&counters->losses);
  dmd_pool_destroy(&counters->by_name);
}

dmd_counter_t *dmd_counters_find(const dmd_counters_t *counters, uint32_t reporter) {
  if (reporter == DMD_NONE || reporter > counters->by_name.last)
    return NULL;
  dmd_counter_t *counter = DMD_POOL_AT(&counters->by_name, dmd_counter_t, reporter);
  return counter->counts ? counter : NULL;
}

/* ---- Changes. ---- */

/* The counter that a report adds to or subtracts from, or NULL. Reports outside of any reporter
 * have no counter: no name exists under which their sum could be published. */
static dmd_counter_t *counter_of(dmd_counters_t *counters, const dmd_report_t *report) {
  if (!(report->flags & DMD_REPORT_ON_ALLOC) || report->reporter == DMD_NONE)
    return NULL;
  dmd_pool_reach(&counters->by_name, report->reporter);
  dmd_counter_t *counter = DMD_POOL_AT(&counters->by_name, dmd_counter_t, report->reporter);
  counter->counts = true;
  return counter;
}

/* Number of reports kept in full. Only plain sets contain reports on allocation. */
static uint32_t n_full(const dmd_report_set_t *set) {
  return set->count < DMD_REPORTS_KEPT ? set->count : DMD_REPORTS_KEPT;
}

static void count(dmd_counters_t *counters, uint32_t reports, uint64_t usable, int by) {
  if (reports == DMD_NONE)
    return;
  const dmd_report_set_t *set = dmd_reports_at(counters->reports, reports);
  for (uint32_t i = 0; i < n_full(set); i++) {
    dmd_counter_t *counter = counter_of(counters, &set->report[i]);
    if (counter != NULL)
      counter->live += usable * (uint64_t)by;
  }
}

void dmd_counters_change(dmd_counters_t *counters, uint64_t usable, uint32_t before, uint32_t now) {
  count(counters, before, usable, -1);
  count(counters, now, usable, 1);
}

static void add_loss(dmd_counters_t *counters, dmd_counter_t *counter, const dmd_loss_t *loss) {
  uint64_t hash =
      dmd_table_hash(&counters->loss_index, (uint64_t)loss->reporter << 32 | loss->freed);
  uint32_t id = dmd_table_find(&counters->loss_index, hash, loss);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&counters->losses);
    *loss_at(counters, id) =
        (dmd_loss_t){.reporter = loss->reporter, .freed = loss->freed, .next = counter->losses};
    counter->losses = id;
    dmd_table_add(&counters->loss_index, hash, id);
  }
  dmd_loss_t *known = loss_at(counters, id);
  known->num++;
  known->bytes += loss->bytes;
  known->allocated = loss->allocated;
  known->reported = loss->reported;
  counter->lost += loss->bytes;
}

void dmd_counters_lose(dmd_counters_t *counters, const dmd_block_t *block, uint32_t freed) {
  const dmd_report_set_t *set = dmd_reports_at(counters->reports, block->reports);
  for (uint32_t i = 0; i < n_full(set); i++) {
    const dmd_report_t *report = &set->report[i];
    dmd_counter_t *counter = counter_of(counters, report);
    if (counter == NULL)
      continue;
    counter->live -= dmd_block_usable(block);
    add_loss(counters, counter,
             &(dmd_loss_t){.reporter = report->reporter,
                           .freed = freed,
                           .bytes = dmd_block_usable(block),
                           .allocated = block->stack,
                           .reported = report->stack});
  }
}

/* ---- Changes that may not be in the published sum yet. ---- */

/* The thread's entry, or else a free one; NULL if other threads have all entries. */
static dmd_change_by_t *change_of(dmd_change_by_t *changes, uint32_t thread) {
  dmd_change_by_t *free_one = NULL;
  for (int i = 0; i < DMD_CHANGES_KEPT; i++) {
    if (changes[i].thread == thread)
      return &changes[i];
    if (changes[i].thread == 0 && free_one == NULL)
      free_one = &changes[i];
  }
  return free_one;
}

void dmd_counters_note_thread(dmd_counters_t *counters, uint32_t reporter, uint32_t thread,
                              uint64_t change) {
  dmd_counter_t *counter = dmd_counters_find(counters, reporter);
  if (counter == NULL)
    return;
  dmd_change_by_t *last = counter->last;
  dmd_change_by_t *its = change_of(last, thread);
  for (its = its != NULL ? its : &last[DMD_CHANGES_KEPT - 1]; its > last; its--)
    *its = its[-1];
  last[0] = (dmd_change_by_t){thread, change};
  if (counter->publisher == 0 || counter->publisher == thread)
    return;
  dmd_change_by_t *after = change_of(counter->after, thread);
  if (after != NULL && after->thread == 0)
    *after = last[0];
}

void dmd_counters_end_thread(dmd_counters_t *counters, uint32_t thread) {
  for (uint32_t reporter = 1; reporter <= counters->by_name.last; reporter++) {
    dmd_counter_t *counter = DMD_POOL_AT(&counters->by_name, dmd_counter_t, reporter);
    dmd_change_by_t *its = change_of(counter->last, thread);
    if (its != NULL && its->thread == thread)
      *its = (dmd_change_by_t){0};
  }
}

void dmd_counters_publish(dmd_counters_t *counters, uint32_t reporter, uint32_t thread) {
  dmd_counter_t *counter = dmd_counters_find(counters, reporter);
  if (counter == NULL)
    return;
  counter->published = counter->live;
  counter->publisher = thread;
  for (int i = 0; i < DMD_CHANGES_KEPT; i++) {
    bool is_anothers = counter->last[i].thread != thread;
    counter->before[i] = is_anothers ? counter->last[i] : (dmd_change_by_t){0};
    counter->after[i] = (dmd_change_by_t){0};
  }
}

bool dmd_counter_may_be(const dmd_counter_t *counter, uint64_t sum) {
  for (uint32_t some = 0; some < 1u << 2 * DMD_CHANGES_KEPT; some++) {
    uint64_t szB = counter->published;
    for (int i = 0; i < DMD_CHANGES_KEPT; i++) {
      szB -= some & 1u << i ? counter->before[i].szB : 0;
      szB += some & 1u << (DMD_CHANGES_KEPT + i) ? counter->after[i].szB : 0;
    }
    if (szB == sum)
      return true;
  }
  return false;
}

/* ---- Explaining a sum that is too large. ---- */

uint32_t dmd_counters_explain(const dmd_counters_t *counters, const dmd_counter_t *counter,
                              uint64_t excess, bool *all) {
  *all = counter->lost == excess;
  if (*all)
    return counter->losses;
  uint32_t found = DMD_NONE;
  for (uint32_t id = counter->losses; id != DMD_NONE; id = loss_at(counters, id)->next) {
    if (loss_at(counters, id)->bytes != excess)
      continue;
    if (found != DMD_NONE)
      return DMD_NONE;
    found = id;
  }
  return found;
}
