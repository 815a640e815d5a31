/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Overview of operation
 * ---------------------
 * The loader puts this library in front of the program's other ones, so that malloc and its kin are
 * ours wherever they are called (pl_malloc). They call the program's own (pl_real) and tell the
 * engine what these did (pl_event, engine/observed). The program's requests (dmd.h) come through
 * slots in its objects (pl_slots, pl_request). What the engine wants to know of the program and the
 * process are the functions of pl_host; stacks are in pl_stack, what is loaded in pl_objects.
 *
 * It starts with the first allocation for which the C library has its environment, which is one of
 * the first constructors', and ends when exit has called everything else, or a signal ends the
 * program (pl_deadly).
 */
#define _GNU_SOURCE
#include "preload/pl_main.h"

#include "preload/pl_control.h"
#include "preload/pl_deadly.h"
#include "preload/pl_event.h"
#include "preload/pl_host.h"
#include "preload/pl_libcnames.h"
#include "preload/pl_memory.h"
#include "preload/pl_message.h"
#include "preload/pl_objects.h"
#include "preload/pl_oldheader.h"
#include "preload/pl_options.h"
#include "preload/pl_real.h"
#include "preload/pl_signal.h"
#include "preload/pl_stack.h"
#include "preload/pl_stop.h"
#include "preload/pl_thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pid_t g_pid; /* whose engine this is */

bool pl_main_is_ours(void) {
  return getpid() == g_pid;
}

/* ---- The end. ---- */

static atomic_bool g_is_finished;

/* Another thread writes. */
static void wait_for_the_end(void) {
  const struct timespec a_while = {.tv_nsec = 1000000};
  while (g_state == PL_WATCHING)
    nanosleep(&a_while, NULL);
}

/* By the thread, which is inside. Whoever else wants to end the program waits: so from here on we
 * wait for nothing of the program's. Where a signal ends it we keep the lock, and the state: nobody
 * does anything more, nor ends it in another way between what is written and the signal. */
static void write_last(pl_thread_t *thread, bool is_dying) {
  if (atomic_exchange(&g_is_finished, true)) {
    wait_for_the_end();
    return;
  }
  pl_lock_inside();
  if (is_dying) {
    dmd_blocks_hold_all(g_engine.live.blocks);
    pl_stop_for_good();
  }
  dmd_engine_exit(&g_engine);
  if (g_native_options.stats)
    pl_stack_say_stats();
  pl_signal_stop();
  if (is_dying)
    return;
  g_state = PL_OFF;
  pl_unlock_inside(thread);
}

/* entry: where the program ends. */
static void finish(const pl_entry_t *entry) {
  pl_thread_t *thread = pl_thread();
  if (g_state != PL_WATCHING || !pl_main_is_ours())
    return;
  if (!pl_hide_at(thread, entry)) {
    if (!atomic_exchange(&g_is_finished, true))
      pl_say("dmd: a signal handler ends the program within the engine: what is to be written at "
             "its exit is lost");
    return;
  }
  pl_objects_refresh();
  write_last(thread, false);
  pl_unhide(thread);
  if (!g_native_options.quiet)
    pl_oldheader_tell();
}

void pl_main_end(void) {
  pl_objects_stop_asking();
  write_last(pl_thread(), true);
}

/* Other threads may still use what the libraries have. */
static void finish_at_exit(int status, void *ctx) {
  pl_entry_t entry = PL_ENTRY(PL_IN_NONE);
  (void)status, (void)ctx;
  if (g_state == PL_WATCHING && pl_main_is_ours() && pl_thread_count() == 1)
    pl_real_free_libraries(g_native_options.run_libc_freeres, g_native_options.run_cxx_freeres);
  finish(&entry);
}

static void finish_at_quick_exit(void) {
  pl_entry_t entry = PL_ENTRY(PL_IN_NONE);
  finish(&entry);
}

/* exit does not come this way. */
__attribute__((visibility("default"))) void _exit(int status) {
  pl_entry_t entry = PL_ENTRY(PL_IN_NONE);
  finish(&entry);
  pl_real_exit_now(status);
}

__attribute__((alias("_exit"), visibility("default"))) void _Exit(int status);

/* ---- Forks. ---- */

static void fork_in_parent(void) {
  pl_event_fork_end(false);
}

/* Another thread of the parent may have been about to end it: that is not the child's end. */
static void fork_in_child(void) {
  g_pid = getpid();
  atomic_store(&g_is_finished, false);
  pl_deadly_forked();
  pl_event_fork_end(true);
  pl_control_forked();
  if (g_native_options.child_silent) {
    g_state = PL_OFF;
    pl_signal_stop();
  }
}

/* ---- The beginning. ---- */

static bool start_engine(void) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  bool good = dmd_engine_init(&g_engine, &g_env, &pl_host, &g_options, &why);
  if (!good)
    pl_say(why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

/* The first of all handlers of exit is called last, after the destructors of every library: it
 * comes before the loader's own, which are registered when the program's code starts. */
static void register_ends(void) {
  if (on_exit(finish_at_exit, NULL) != 0 || at_quick_exit(finish_at_quick_exit) != 0 ||
      pthread_atfork(pl_event_fork_begin, fork_in_parent, fork_in_child) != 0)
    pl_say("there is no memory to be told of the program's end and of its forks");
}

/* Other allocators have functions of their own that we do not see. */
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
  dmd_strbuf_str(&line, first[0] == '\0' ? "the program" : first);
  dmd_strbuf_str(&line,
                 " has a malloc of its own, which comes before libdmd.so's: blocks are seen as far "
                 "as it calls __libc_malloc and the like");
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
}

static void start(void) {
  if (!pl_options_read() ||
      (g_native_options.log_file != NULL && !pl_message_open(g_native_options.log_file))) {
    pl_say("dmd: the program ends here, since its options are wrong");
    pl_real_exit_now(1);
  }
  g_pid = getpid();
  pl_host_start();
  pl_stack_init(g_native_options.num_callers, g_options.stacks == DMD_STACKS_BY_FP,
                g_native_options.check_stacks);
  if (!start_engine())
    pl_real_exit_now(1);
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

/* What the loader allocates before the C library has its environment is noted (pl_event.h). */
void pl_start(void) {
  pl_thread_t *thread = pl_thread();
  if (g_state != PL_NOT_STARTED || environ == NULL || !pl_real_is_found())
    return;
  g_state = PL_STARTING;
  thread->inside = true;
  start();
  thread->inside = false;
  g_state = PL_WATCHING;
}

__attribute__((constructor)) static void start_at_load(void) {
  if (!pl_real_is_found())
    pl_real_find();
  pl_start();
}
