/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_attach.h"

#include "base/mem.h"
#include "base/str.h"
#include "native/pl_bindings.h"
#include "native/pl_confined.h"
#include "native/pl_control.h"
#include "native/pl_deadly.h"
#include "native/pl_end.h"
#include "native/pl_enter.h"
#include "native/pl_files.h"
#include "native/pl_host.h"
#include "native/pl_machine.h"
#include "native/pl_main.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "native/pl_options.h"
#include "native/pl_rawexit.h"
#include "native/pl_real.h"
#include "native/pl_request.h"
#include "native/pl_signal.h"
#include "native/pl_stack.h"
#include "native/pl_thread.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

static struct {
  bool has_started; /* at least once in this process */
  bool is_attached;
  const char *options;
  const char *why_not;
  char answer[PATH_MAX + 2];
} g_attach;

/* ---- Libraries that are loaded later ---- */

/* A library that is being loaded cannot be bound before that is done. */
static void *open_library(const char *name, int mode) {
  void *library = pl_machine_dlopen(name, mode, __builtin_return_address(0));
  if (library != NULL && g_attach.is_attached && g_state == PL_WATCHING)
    pl_bindings_set(true);
  return library;
}

/* ---- Starting ---- */

/* The user named the file, but the process writes it. */
static bool can_write(void) {
  char folder[PATH_MAX];
  const char *slash = dmd_str_find_last_char(g_options.out_file, '/');
  size_t n = slash == NULL ? 0 : (size_t)(slash - g_options.out_file);
  if (n == 0 || n >= sizeof folder)
    return true;
  dmd_mem_copy(folder, g_options.out_file, n);
  folder[n] = '\0';
  return dmd_str_find_char(folder, '%') != NULL || access(folder, W_OK | X_OK) == 0;
}

static bool read_options(void) {
  if (!pl_options_read(g_attach.options)) {
    g_attach.why_not = "its engine does not know these options: it is of another version";
    return false;
  }
  /* Libraries use their memory until the program ends. */
  g_native_options.run_libc_freeres = g_native_options.run_cxx_freeres = false;
  if (!can_write())
    g_attach.why_not = "it may not write files in this folder: name another one with -o";
  return g_attach.why_not == NULL;
}

/* Done once in a process. */
static void start_first(void) {
  pl_objects_watch(pl_rawexit_watch, pl_slots_fill);
  pl_objects_refresh();
  pl_stack_init(g_native_options.num_callers, g_options.stacks == DMD_STACKS_BY_FP,
                g_native_options.check_stacks);
  pl_stack_start();
  pl_thread_start();
  pl_real_look();
  pl_bindings_start(open_library);
  pl_start_ends();
}

static void start_again(void) {
  pl_numbers_restart();
  pl_objects_refresh();
}

static void start(void *ctx) {
  (void)ctx;
  if (!g_attach.has_started) {
    pl_message_start();
    pl_confined_start();
    pl_files_start();
  }
  if (!read_options())
    return;
  pl_confined_expect(g_native_options.seccomp_filters);
  pl_end_forked();
  if (g_native_options.log_file != NULL)
    pl_message_open(g_native_options.log_file);
  pl_host_start();
  if (g_attach.has_started) {
    dmd_engine_destroy(&g_engine);
    g_start++;
  }
  if (!pl_start_engine()) {
    g_attach.why_not = "the engine cannot start with these options";
    return;
  }
  dmd_engine_attach(&g_engine);
  if (g_attach.has_started)
    start_again();
  else
    start_first();
  g_attach.has_started = true;
  g_is_complete = false;
  if (g_native_options.control)
    pl_signal_start(pl_control_handle);
  pl_deadly_start();
}

/* Other threads call our functions from pl_bindings_set on, and record nothing until all objects
 * are bound: otherwise a block could be recorded whose free is not seen. */
__attribute__((visibility("default"))) const char *dmd_native_attach(const char *options) {
  pl_thread_t *thread = pl_thread();
  g_attach.why_not = NULL;
  if (g_state == PL_WATCHING)
    return "it is being recorded already";
  if (pl_real_is_found() && !g_attach.has_started)
    return "it was started with the engine, which has ended";
  g_state = PL_OFF;
  g_attach.options = options;
  pl_real_find();
  thread->inside = true;
  pl_memory_when_short(pl_end_recording);
  bool good = pl_memory_try(start, NULL);
  thread->inside = false;
  if (!good)
    return "the system has no memory for the engine";
  if (g_attach.why_not != NULL)
    return g_attach.why_not;
  pl_bindings_set(true);
  g_attach.is_attached = true;
  g_state = PL_WATCHING;
  return "";
}

/* ---- Ending ---- */

__attribute__((visibility("default"))) const char *dmd_native_detach(void) {
  dmd_strbuf_t name;
  if (!g_attach.is_attached)
    return "-it is not attached";
  g_attach.is_attached = false;
  dmd_strbuf_init(&name, &g_env);
  pl_end_detach(&name);
  pl_bindings_set(false);
  pl_deadly_stop();
  size_t n = name.n < PATH_MAX ? name.n : 0;
  g_attach.answer[0] = '+';
  dmd_mem_copy(g_attach.answer + 1, name.text, n);
  g_attach.answer[1 + n] = '\0';
  dmd_strbuf_destroy(&name);
  return g_attach.answer;
}
