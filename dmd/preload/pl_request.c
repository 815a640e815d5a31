/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_request.h"

#include "engine/requests.h"
#include "preload/pl_event.h"
#include "preload/pl_objects.h"

/* Requests that need no stack, whatever comes of them. */
static bool wants_stack(size_t number) {
  return number != DMD_REQUEST_RUNNING && number != DMD_REQUEST_TAG_BYTES &&
         number != DMD_REQUEST_TAG_BLOCKS && number != DMD_REQUEST_REPORTER_HANDLE;
}

/* A file has to know what is loaded, which cannot be asked within. */
static void prepare_for_dump(pl_thread_t *thread) {
  if (!pl_hide(thread))
    return;
  pl_objects_refresh();
  pl_unhide(thread);
}

__attribute__((noinline)) size_t pl_answer_request(size_t fallback, size_t number, size_t arg1,
                                                   size_t arg2, size_t arg3) {
  pl_entry_t entry = PL_ENTRY(PL_IN_NONE);
  pl_thread_t *thread = pl_thread();
  if (dmd_request_is_passed_over(&g_engine, number, arg1))
    return fallback;
  if (number == DMD_REQUEST_DUMP || number == DMD_REQUEST_GRAPH)
    prepare_for_dump(thread);
  if (!pl_enter(thread, &entry, wants_stack(number)))
    return fallback;
  dmd_request_t request = {.number = number, .arg = {arg1, arg2, arg3}, .thread = thread->number};
  uint64_t answer;
  if (!dmd_engine_request(&g_engine, &request, &answer))
    answer = fallback;
  if (dmd_request_measures(number))
    pl_leave_same(thread);
  else
    pl_leave(thread);
  return (size_t)answer;
}

/* What libraries that are loaded later find by its name (dmd.h). */
__attribute__((alias("pl_answer_request"), visibility("default"))) size_t
dmd_answer_request_(size_t fallback, size_t number, size_t arg1, size_t arg2, size_t arg3);
