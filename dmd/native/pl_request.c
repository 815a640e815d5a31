/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_request.h"

#include "native/pl_event.h"
#include "native/pl_main.h"
#include "native/pl_memory.h"
#include "native/pl_objects.h"
#include "record/engine/requests.h"

/* False for requests that never need a stack, whatever their outcome. */
static bool wants_stack(size_t number) {
  return number != DMD_REQUEST_RUNNING && number != DMD_REQUEST_TAG_BYTES &&
         number != DMD_REQUEST_TAG_BLOCKS && number != DMD_REQUEST_REPORTER_HANDLE;
}

static bool is_dump(size_t number) {
  return number == DMD_REQUEST_DUMP || number == DMD_REQUEST_GRAPH;
}

/* Updates the list of loaded objects for the dump, which cannot do so under the engine lock. */
static void prepare_for_dump(pl_thread_t *thread) {
  if (!pl_hide(thread))
    return;
  pl_objects_refresh();
  pl_unhide(thread);
}

typedef struct {
  dmd_request_t request;
  bool is_answered;
  uint64_t answer;
} asked_t;

static void ask(void *ctx) {
  asked_t *asked = ctx;
  asked->is_answered = dmd_engine_request(&g_engine, &asked->request, &asked->answer);
}

/* Runs the dump under pl_memory_try, since it may need more memory than there is. */
__attribute__((noinline, cold)) static size_t answer_dump(const pl_entry_t *entry, size_t fallback,
                                                          const dmd_request_t *request) {
  pl_thread_t *thread = pl_thread();
  prepare_for_dump(thread);
  if (!pl_enter(thread, entry, true))
    return fallback;
  asked_t asked = {.request = *request};
  asked.request.thread = thread->number;
  if (!pl_memory_try(ask, &asked))
    pl_main_give_up_recording();
  pl_leave(thread);
  return asked.is_answered ? (size_t)asked.answer : fallback;
}

__attribute__((noinline)) size_t pl_answer_request(size_t fallback, size_t number, size_t arg1,
                                                   size_t arg2, size_t arg3) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  pl_thread_t *thread = pl_thread();
  if (dmd_request_is_passed_over(&g_engine, number, arg1))
    return fallback;
  dmd_request_t request = {.number = number, .arg = {arg1, arg2, arg3}};
  if (is_dump(number))
    return answer_dump(&entry, fallback, &request);
  if (!pl_enter(thread, &entry, wants_stack(number)))
    return fallback;
  request.thread = thread->number;
  uint64_t answer;
  if (!dmd_engine_request(&g_engine, &request, &answer))
    answer = fallback;
  if (dmd_request_measures(number))
    pl_leave_same(thread);
  else
    pl_leave(thread);
  return (size_t)answer;
}

/* The name under which libraries that are loaded later find it (dmd.h). */
__attribute__((alias("pl_answer_request"), visibility("default"))) size_t
dmd_answer_request_(size_t fallback, size_t number, size_t arg1, size_t arg2, size_t arg3);
