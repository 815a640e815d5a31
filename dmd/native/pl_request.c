/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_request.h"

#include "base/mem.h"
#include "native/pl_end.h"
#include "native/pl_enter.h"
#include "native/pl_memory.h"
#include "native/pl_objects.h"
#include "native/pl_stack.h"
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
  if (!pl_enter(thread, NULL))
    return;
  pl_objects_refresh();
  pl_leave(thread);
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
  if (!pl_enter(thread, entry))
    return fallback;
  pl_lock_with_stack(thread);
  asked_t asked = {.request = *request};
  asked.request.thread = thread->number;
  if (!pl_memory_try(ask, &asked))
    pl_end_give_up();
  pl_unlock(thread);
  pl_leave(thread);
  return asked.is_answered ? (size_t)asked.answer : fallback;
}

size_t pl_request_at(const pl_entry_t *entry, size_t fallback, size_t number, const size_t arg[3]) {
  pl_thread_t *thread = pl_thread();
  if (dmd_request_is_passed_over(&g_engine, number, arg[0]))
    return fallback;
  dmd_request_t request = {.number = number, .arg = {arg[0], arg[1], arg[2]}};
  if (is_dump(number))
    return answer_dump(entry, fallback, &request);
  if (!pl_enter(thread, entry))
    return fallback;
  if (wants_stack(number))
    pl_lock_with_stack(thread);
  else
    pl_lock();
  request.thread = thread->number;
  uint64_t answer;
  if (!dmd_engine_request(&g_engine, &request, &answer))
    answer = fallback;
  if (dmd_request_measures(number))
    pl_unlock_same(thread);
  else
    pl_unlock(thread);
  pl_leave(thread);
  return (size_t)answer;
}

/* ---- Slots ---- */

/* The type of a slot's function (dmd.h). */
typedef size_t (*answer_fn)(size_t fallback, size_t number, size_t arg1, size_t arg2, size_t arg3);

__attribute__((noinline)) static size_t answer(size_t fallback, size_t number, size_t arg1,
                                               size_t arg2, size_t arg3) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  return pl_request_at(&entry, fallback, number, (const size_t[]){arg1, arg2, arg3});
}

static void fill(void *ctx, const char *owner, uint32_t type, const void *bytes, uint32_t n) {
  int32_t distance;
  (void)ctx;
  if (!dmd_str_equal(owner, "DMD") || type != 1 || n != sizeof distance)
    return;
  dmd_mem_copy(&distance, bytes, sizeof distance);
  *(volatile answer_fn *)((intptr_t)bytes + distance) = answer;
}

void pl_slots_fill(const struct dl_phdr_info *info) {
  pl_objects_visit_notes(info, fill, NULL);
}
