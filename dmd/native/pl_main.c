/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Overview of operation
 * ---------------------
 * The loader puts this library before the program's others, so that calls of malloc and its
 * relatives reach ours (pl_malloc). These call the program's own functions (pl_real) and record the
 * result in the engine (pl_event, record/engine/observed). The program's requests (dmd.h) arrive
 * through slots in its objects (pl_slots, pl_request). The engine gets information about the
 * program and the process through the functions of pl_host. Stacks are captured in pl_stack, and
 * loaded objects tracked in pl_objects.
 *
 * The engine starts at the first allocation after the C library has set up its environment, usually
 * in one of the first constructors. It ends after exit has called everything else, when _exit is
 * called (also by daemon: pl_daemon), when the program makes the system call itself (pl_rawexit),
 * or when a signal ends the program (pl_deadly). If the engine runs out of memory (pl_memory), it
 * ends earlier and the program continues.
 */
#define _GNU_SOURCE
#include "native/pl_main.h"

#include "base/str.h"
#include "native/pl_aside.h"
#include "native/pl_channel.h"
#include "native/pl_confined.h"
#include "native/pl_control.h"
#include "native/pl_deadly.h"
#include "native/pl_event.h"
#include "native/pl_files.h"
#include "native/pl_host.h"
#include "native/pl_kernel.h"
#include "native/pl_libcnames.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "native/pl_options.h"
#include "native/pl_rawexit.h"
#include "native/pl_real.h"
#include "native/pl_signal.h"
#include "native/pl_stack.h"
#include "native/pl_stop.h"
#include "native/pl_thread.h"
#include "show/text/escape.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

pid_t pl_main_pid; /* the process that the engine runs in; read by pl_rawexit.c */

bool pl_main_is_ours(void) {
  return getpid() == pl_main_pid;
}

/* ---- Ending ---- */

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
  pl_lock_inside();
  if (!pl_memory_try(write_everything, &is_dying)) {
    pl_say("dmd: there is not enough memory left for a profile");
    pl_stop_abandon();
  }
  pl_signal_stop();
  if (is_dying)
    return;
  g_state = PL_OFF;
  pl_unlock_inside(thread);
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

void pl_main_stop_recording(void) {
  if (g_state != PL_WATCHING || !pl_main_is_ours())
    return;
  sigset_t before = pl_signals_block();
  say_no_memory();
  if (!pl_memory_try(run_write_last, NULL))
    g_state = PL_OFF;
  pl_signals_restore(&before);
}

void pl_main_give_up_recording(void) {
  say_no_memory();
  atomic_store(&g_is_finished, true);
  pl_stop_abandon();
  pl_signal_stop();
  g_state = PL_OFF;
}

void pl_main_finish(const pl_entry_t *entry) {
  pl_thread_t *thread = pl_thread();
  if (g_state != PL_WATCHING || !pl_main_is_ours())
    return;
  if (!pl_hide_at(thread, entry)) {
    if (!atomic_exchange(&g_is_finished, true))
      pl_say("dmd: a signal handler ended the program within the engine: data that was to be "
             "written at its exit is lost");
    return;
  }
  pl_objects_refresh();
  pl_stack_capture(thread);
  write_last(thread, false);
  pl_unhide(thread);
  pl_channel_end();
}

void pl_main_end(void) {
  pl_objects_stop_asking();
  write_last(pl_thread(), true);
  pl_channel_end();
}

/* Other threads may still be using the libraries' internal memory. */
static void finish_at_exit(int status, void *ctx) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  (void)status, (void)ctx;
  if (g_state == PL_WATCHING && pl_main_is_ours() && pl_thread_count() == 1) {
    if (dmd_str_find(g_options.out_file, "%q") != NULL)
      pl_host_keep_environment();
    pl_real_free_libraries(g_native_options.run_libc_freeres, g_native_options.run_cxx_freeres);
  }
  pl_main_finish(&entry);
}

static void finish_at_quick_exit(void) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  pl_main_finish(&entry);
}

/* exit does not call this. */
__attribute__((visibility("default"))) void _exit(int status) {
  pl_entry_t entry = PL_ENTRY_IN(NULL);
  pl_main_finish(&entry);
  pl_exit_now(status);
}

__attribute__((alias("_exit"), visibility("default"))) void _Exit(int status);

/* ---- fork ---- */

static void fork_in_parent(void) {
  pl_event_fork_end(false);
}

/* Another thread of the parent may have been about to end the process. That does not concern the
 * child. */
static void fork_in_child(void) {
  pl_main_pid = getpid();
  atomic_store(&g_is_finished, false);
  pl_deadly_forked();
  pl_event_fork_end(true);
  pl_control_forked();
  pl_rawexit_forked();
  pl_channel_forked();
  if (g_native_options.child_silent) {
    g_state = PL_OFF;
    pl_signal_stop();
  }
}

/* ---- Starting ---- */

static bool start_engine(void) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  bool good = dmd_engine_init(&g_engine, &g_env, &pl_host, &g_options, &why);
  if (!good)
    pl_say(why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

/* Exit handlers run in reverse order, so the first one registered runs last, after the destructors
 * of all libraries. This one precedes even the loader's own, which is registered when the program's
 * code starts. */
static void register_ends(void) {
  if (on_exit(finish_at_exit, NULL) != 0 || at_quick_exit(finish_at_quick_exit) != 0 ||
      pthread_atfork(pl_event_fork_begin, fork_in_parent, fork_in_child) != 0)
    pl_say("there is no memory to handle the program's end and its forks");
}

/* An allocator other than the C library's may have functions that we do not intercept, so not all
 * blocks are known then. */
static void look_at_allocator(void) {
  const char *first = pl_real_malloc_before_ours();
  pl_real_look();
  g_is_complete = first == NULL && pl_real_is_libc();
  if (pl_real_is_libc())
    pl_libcnames_watch();
  if (first == NULL)
    return;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &g_env);
  dmd_strbuf_str(&line, "dmd: ");
  dmd_escape_append(&line, first[0] == '\0' ? "the program" : first);
  dmd_strbuf_str(&line,
                 " has a malloc of its own, which comes before libdmd.so's: blocks are seen as far "
                 "as it calls __libc_malloc and the like");
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
}

static void start(void *ctx) {
  (void)ctx;
  pl_message_start();
  pl_confined_start();
  pl_files_start();
  if (!pl_options_read()) {
    pl_say("dmd: the program ends here, since its options are wrong");
    pl_exit_now(1);
  }
  pl_main_pid = getpid();
  pl_channel_start(g_native_options.channel);
  if (g_native_options.log_file != NULL)
    pl_message_open(g_native_options.log_file);
  pl_host_start();
  pl_stack_init(g_native_options.num_callers, g_options.stacks == DMD_STACKS_BY_FP,
                g_native_options.check_stacks);
  if (!start_engine())
    pl_exit_now(1);
  pl_objects_refresh();
  pl_stack_start();
  pl_thread_start();
  look_at_allocator();
  register_ends();
  if (g_native_options.control)
    pl_signal_start();
  pl_deadly_start();
  if (!g_native_options.trace_children)
    pl_options_hide();
}

/* Allocations by the loader before the C library has its environment are queued as notes
 * (pl_event.h). */
void pl_start(void) {
  pl_thread_t *thread = pl_thread();
  if (g_state != PL_NOT_STARTED || environ == NULL || !pl_real_is_found())
    return;
  g_state = PL_STARTING;
  thread->inside = true;
  bool good = pl_memory_try(start, NULL);
  thread->inside = false;
  g_state = good ? PL_WATCHING : PL_OFF;
  if (!good)
    pl_say("dmd: the system has no memory for the engine: the program runs without it");
}

__attribute__((constructor)) static void start_at_load(void) {
  if (!pl_real_is_found())
    pl_real_find();
  pl_start();
}
