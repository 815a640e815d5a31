/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_end.h"

#include "base/str.h"
#include "native/pl_altstack.h"
#include "native/pl_channel.h"
#include "native/pl_enter.h"
#include "native/pl_host.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "native/pl_options.h"
#include "native/pl_real.h"
#include "native/pl_signal.h"
#include "native/pl_stack.h"
#include "native/pl_stop.h"
#include "record/engine/dump.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

pid_t g_engine_pid;

bool pl_end_is_ours(void) {
  return getpid() == g_engine_pid;
}

static atomic_bool g_is_finished;

/* For a thread that finds another one writing the last profile. */
static void wait_for_the_end(void) {
  const struct timespec a_while = {.tv_nsec = 1000000};
  while (g_state == PL_WATCHING)
    nanosleep(&a_while, NULL);
}

enum { FIRST_THREAD = 1 };

static void write_everything(void *is_dying) {
  pl_thread_t *thread = pl_thread();
  if (*(bool *)is_dying) {
    dmd_blocks_hold_all(g_engine.live.blocks);
    pl_stop_for_good();
  } else if (thread->number == FIRST_THREAD && thread->stack != DMD_NONE)
    dmd_engine_end_main(&g_engine, thread->number);
  dmd_engine_exit(&g_engine);
  if (g_native_options.stats)
    pl_stack_say_stats();
}

/* Called by the thread that ends the program; it is inside. Other threads that want to end the
 * program wait here, so from now on this thread must not wait for anything of the program's. If a
 * signal ends it, the lock and the state are kept: no other thread does anything more, or ends the
 * program in another way, between this write and the signal. */
static void write_last(pl_thread_t *thread, bool is_dying) {
  if (atomic_exchange(&g_is_finished, true)) {
    wait_for_the_end();
    return;
  }
  pl_lock();
  if (!pl_memory_try(write_everything, &is_dying)) {
    pl_say("dmd: there is not enough memory left for a profile");
    pl_stop_abandon();
  }
  pl_signal_stop();
  if (is_dying)
    return;
  g_state = PL_OFF;
  pl_unlock(thread);
}

static void say_no_memory(void) {
  pl_say("dmd: the system has no memory left for the records of the program's blocks (a limit, "
         "such as that of ulimit -v?):");
  pl_say("dmd: the engine stops recording here, and the program goes on without it");
}

static void write_last_on_our_stack(void) {
  write_last(pl_thread(), false);
}

static void run_write_last(void *ctx) {
  (void)ctx;
  pl_aside_run(write_last_on_our_stack);
}

void pl_end_recording(uint64_t unused) {
  (void)unused;
  if (g_state != PL_WATCHING || !pl_end_is_ours())
    return;
  sigset_t before = pl_signals_block();
  say_no_memory();
  if (!pl_memory_try(run_write_last, NULL))
    g_state = PL_OFF;
  pl_signals_restore(&before);
}

void pl_end_give_up(void) {
  say_no_memory();
  atomic_store(&g_is_finished, true);
  pl_stop_abandon();
  pl_signal_stop();
  g_state = PL_OFF;
}

/* Threads outside the engine stay out from now on, and the others wait when they leave it. */
static void leave_program(void *name) {
  dmd_engine_detach(&g_engine, name);
  g_state = PL_OFF;
  dmd_blocks_hold_all(g_engine.live.blocks);
  pl_stop_others();
  pl_stop_end();
}

void pl_end_detach(dmd_strbuf_t *name) {
  pl_thread_t *thread = pl_thread();
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  if (!pl_enter(thread, &entry))
    return;
  pl_objects_refresh();
  pl_stack_capture(thread);
  pl_lock();
  if (!pl_memory_try(leave_program, name)) {
    pl_say("dmd: there is not enough memory left for a profile");
    pl_stop_abandon();
  }
  g_state = PL_OFF;
  pl_signal_stop();
  pl_unlock(thread);
  pl_leave(thread);
}

void pl_end_finish(const pl_entry_t *entry) {
  pl_thread_t *thread = pl_thread();
  if (g_state != PL_WATCHING || !pl_end_is_ours())
    return;
  if (!pl_enter(thread, entry)) {
    if (!atomic_exchange(&g_is_finished, true))
      pl_say("dmd: a signal handler ended the program within the engine: data that was to be "
             "written at its exit is lost");
    return;
  }
  pl_objects_refresh();
  pl_stack_capture(thread);
  write_last(thread, false);
  pl_leave(thread);
  pl_channel_end();
}

void pl_end_by_signal(void) {
  pl_objects_stop_asking();
  write_last(pl_thread(), true);
  pl_channel_end();
}

/* The C library's exit has saved what registers held, so nothing of the program is in our frames.
 * What frames that have returned left there would be taken for pointers. Other threads may still
 * be using the libraries' internal memory. */
static void finish_at_exit(int status, void *ctx) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  pl_thread()->roots_from = entry.sp;
  (void)status, (void)ctx;
  if (g_state == PL_WATCHING && pl_end_is_ours() && pl_thread_count() == 1) {
    if (dmd_str_find(g_options.out_file, "%q") != NULL)
      pl_host_keep_environment();
    pl_real_free_libraries(g_native_options.run_libc_freeres, g_native_options.run_cxx_freeres);
  }
  pl_end_finish(&entry);
}

static void finish_at_quick_exit(void) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  pl_end_finish(&entry);
}

bool pl_end_register(void) {
  return on_exit(finish_at_exit, NULL) == 0 && at_quick_exit(finish_at_quick_exit) == 0;
}

/* Another thread of the parent may have been about to end the process. That does not concern the
 * child. */
void pl_end_forked(void) {
  g_engine_pid = getpid();
  atomic_store(&g_is_finished, false);
}
