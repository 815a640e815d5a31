/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Overview of operation
 * ---------------------
 * The loader puts this library before the program's others, so that calls of malloc and its
 * relatives reach ours (pl_malloc). These call the program's own functions (pl_real), enter the
 * engine (pl_enter) and record the result in it (record/engine/observed). The program's requests
 * (dmd.h) arrive through slots in its objects (pl_request). The engine gets information about the
 * program and the process through the functions of pl_host. Stacks are captured in pl_stack, and
 * loaded objects tracked in pl_objects.
 *
 * The engine starts at the first allocation after the C library has set up its environment, usually
 * in one of the first constructors. It ends after exit has called everything else, when _exit is
 * called (also by daemon: pl_program), when the program makes the system call itself (pl_rawexit),
 * or when a signal ends the program (pl_deadly). If the engine runs out of memory (pl_memory), it
 * ends earlier and the program continues.
 */
#define _GNU_SOURCE
#include "native/pl_main.h"

#include "native/pl_altstack.h"
#include "native/pl_channel.h"
#include "native/pl_confined.h"
#include "native/pl_control.h"
#include "native/pl_deadly.h"
#include "native/pl_end.h"
#include "native/pl_enter.h"
#include "native/pl_exec.h"
#include "native/pl_files.h"
#include "native/pl_host.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "native/pl_options.h"
#include "native/pl_rawexit.h"
#include "native/pl_real.h"
#include "native/pl_replace.h"
#include "native/pl_request.h"
#include "native/pl_signal.h"
#include "native/pl_stack.h"
#include "native/pl_thread.h"
#include "show/text/escape.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- fork ---- */

/* Whether fork was called inside the engine, by a handler that interrupted it. The interrupted
 * thread continues in both processes and releases in each what it holds. */
static bool g_is_fork_inside;

static void fork_begin(void) {
  g_is_fork_inside = !pl_enter(pl_thread(), NULL);
  if (g_is_fork_inside)
    return;
  pl_objects_fork_begin();
  pl_lock();
  dmd_blocks_hold_all(g_engine.live.blocks);
  pl_stack_fork_begin();
  pl_altstack_fork_begin();
  pl_memory_fork_begin();
}

static void fork_end(bool is_child) {
  pl_thread_t *thread = pl_thread();
  if (g_is_fork_inside)
    return;
  pl_memory_fork_end();
  pl_altstack_fork_end();
  pl_stack_fork_end();
  if (is_child) {
    if (pl_thread_count() > 1)
      pl_objects_stop_asking();
    pl_numbers_forked(thread);
    dmd_engine_forked(&g_engine, thread->number);
  }
  pl_unlock(thread);
  pl_objects_fork_end();
  pl_leave(thread);
}

static void fork_in_parent(void) {
  fork_end(false);
}

static void fork_in_child(void) {
  pl_end_forked();
  pl_deadly_forked();
  fork_end(true);
  pl_control_forked();
  pl_rawexit_forked();
  pl_channel_forked();
  if (g_native_options.child_silent) {
    g_state = PL_OFF;
    pl_signal_stop();
  }
}

/* ---- Starting ---- */

bool pl_start_engine(void) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  bool good = dmd_engine_init(&g_engine, &g_env, &pl_host, &g_options, &why);
  if (!good)
    pl_say(why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

bool pl_start_ends(void) {
  bool good = pl_end_register() && pthread_atfork(fork_begin, fork_in_parent, fork_in_child) == 0;
  if (!good)
    pl_say("there is no memory to handle the program's end and its forks");
  return good;
}

/* An allocator other than the C library's may have functions that we do not intercept, so not all
 * blocks are known then. */
static void look_at_allocator(void) {
  const char *first = pl_real_malloc_before_ours();
  pl_real_look();
  g_is_complete = first == NULL && pl_real_is_libc();
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
  if (!pl_options_read(getenv("DMD_OPTIONS"))) {
    pl_say("dmd: the program ends here, since its options are wrong");
    pl_exit_now(1);
  }
  pl_confined_expect(g_native_options.seccomp_filters);
  g_engine_pid = getpid();
  pl_channel_start(g_native_options.channel);
  if (g_native_options.log_file != NULL)
    pl_message_open(g_native_options.log_file);
  pl_host_start();
  pl_stack_init(g_native_options.num_callers, g_options.stacks == DMD_STACKS_BY_FP,
                g_native_options.check_stacks);
  if (!pl_start_engine())
    pl_exit_now(1);
  pl_objects_watch(pl_rawexit_watch, pl_slots_fill);
  pl_objects_refresh();
  pl_stack_start();
  pl_thread_start();
  look_at_allocator();
  pl_replace_start();
  pl_start_ends();
  if (g_native_options.control)
    pl_signal_start(pl_control_handle);
  pl_deadly_start();
  if (!g_native_options.trace_children) {
    pl_exec_start();
    pl_options_hide();
  }
}

/* Allocations by the loader before the C library has its environment are queued as notes
 * (pl_enter.h). */
void pl_start(void) {
  pl_thread_t *thread = pl_thread();
  if (g_state != PL_NOT_STARTED || thread->inside || environ == NULL || !pl_real_is_found())
    return;
  g_state = PL_STARTING;
  thread->inside = true;
  pl_memory_when_short(pl_end_recording);
  bool good = pl_memory_try(start, NULL);
  thread->inside = false;
  g_state = good ? PL_WATCHING : PL_OFF;
  if (!good)
    pl_say("dmd: the system has no memory for the engine: the program runs without it");
}

/* A library that is loaded late starts later (pl_attach.h). */
__attribute__((constructor)) static void start_at_load(void) {
  if (!pl_real_is_found() && pl_real_is_late())
    return;
  if (!pl_real_is_found())
    pl_real_find();
  pl_start();
}
