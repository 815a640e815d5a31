/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A second shell around the core: an engine in the process that it watches, without Valgrind. The
 * watched program is a script (script.h), which the shell runs itself. It implements only the
 * functions of record/host.h; the engine does everything else.
 *
 *   shell [OPTION...] SCRIPT       options are those of --tool=dmd
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/posix/posix.h"
#include "host/process.h"
#include "record/engine/allocation.h"
#include "record/engine/dump.h"
#include "record/engine/requests.h"
#include "script.h"

#include <malloc.h>
#include <stdio.h>
#include <sys/uio.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* most arguments do not matter here */

/* ---- Stacks. An address is the number of a function's name. ---- */

enum { MAX_NAMES = 64, MAX_STACKS = 1024, MAX_FRAMES = 8 };

static const char *g_names[MAX_NAMES]; /* by address */
static struct {
  dmd_code_t codes[MAX_FRAMES];
  uint32_t n;
} g_stacks[MAX_STACKS];           /* by id */
static const struct step *g_step; /* the current one */
static const char *g_function;    /* the world_... function that runs it */

static uint64_t address_of(const char *name) {
  uint64_t i = 1;
  while (g_names[i] != NULL && strcmp(g_names[i], name) != 0)
    i++;
  g_names[i] = name;
  return i;
}

static uint32_t capture(void *ctx, uint32_t thread) {
  static const char *const sites[] = {"site_a", "site_b", "site_c"};
  dmd_code_t codes[MAX_FRAMES] = {{.ip = address_of(g_function)}};
  uint32_t n = 1, id = 1;
  for (size_t i = strlen(g_step->path); i > 0; i--)
    codes[n++].ip = address_of(sites[g_step->path[i - 1] - 'a']);
  codes[n++].ip = address_of(thread == 1 ? "main" : "run_thread");
  while (g_stacks[id].n > 0 && memcmp(g_stacks[id].codes, codes, sizeof codes) != 0)
    id++;
  memcpy(g_stacks[id].codes, codes, sizeof codes);
  g_stacks[id].n = n;
  return id;
}

/* Stacks grow downwards, from where each thread has its own. */
static dmd_place_t place(void *ctx, uint32_t thread) {
  return (dmd_place_t){.ip = address_of(g_function),
                       .sp = (thread + 1) * 0x10000 - strlen(g_step->path) * 64};
}

static const dmd_code_t *codes(void *ctx, uint32_t stack, uint32_t *n) {
  *n = g_stacks[stack].n;
  return g_stacks[stack].codes;
}

static void functions(void *ctx, dmd_code_t code, dmd_function_fn visit, void *visitor) {
  if (code.ip < MAX_NAMES && g_names[code.ip] != NULL)
    visit(visitor, &(dmd_function_t){.name = g_names[code.ip], .file = "script", .line = 1});
}

static bool object(void *ctx, dmd_code_t code, dmd_object_t *object) {
  *object = (dmd_object_t){.path = "/script", .soname = "", .offset = code.ip};
  return true;
}

static dmd_code_kind_t code_kind(void *ctx, dmd_code_t code) {
  return DMD_CODE_OTHER;
}

static void no_objects(void *ctx, dmd_object_fn visit, void *visitor) {}

static bool no_symbols(void *ctx, const char *soname, const char *function, bool if_unknown) {
  return false;
}

static bool nothing_replaced(void *ctx, const char *soname, const char *function,
                             dmd_code_t *code) {
  return false;
}

/* ---- The program's memory. ---- */

static void begin_or_end(void *ctx) {}

/* The engine also reads past the ends of strings, and around code, where nothing may be mapped. */
static size_t memory_read(void *ctx, uint64_t addr, void *to, size_t n) {
  const struct iovec here = {to, n}, there = {(void *)(uintptr_t)addr, n};
  ssize_t done = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  return done > 0 ? (size_t)done : 0;
}

static dmd_fault_kind_t classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  if (addr - (uintptr_t)g_pool >= sizeof g_pool)
    return DMD_FAULT_REPORT_NO_ADDRESS;
  snprintf(text, szB, "the global variable g_pool");
  return DMD_FAULT_REPORT_GLOBAL;
}

static uint64_t heap_alloc(void *ctx, uint64_t alignB, uint64_t szB) {
  void *p;
  return posix_memalign(&p, alignB < 16 ? 16 : alignB, szB) == 0 ? (uintptr_t)p : 0;
}

static void heap_free(void *ctx, uint64_t addr) {
  free((void *)(uintptr_t)addr);
}

static uint64_t heap_room(void *ctx, uint64_t addr) {
  return malloc_usable_size((void *)(uintptr_t)addr);
}

static bool yes(void *ctx) {
  return true;
}

static bool no(void *ctx) {
  return false;
}

static bool is_readable(void *ctx, uint64_t addr, uint64_t szB) {
  return addr >= DMD_PAGE_SZB;
}

/* ---- The process, the user and files. ---- */

static uint64_t pid(void *ctx) {
  return (uint64_t)getpid();
}

static const char *argument(void *ctx, uint32_t i) {
  return i == 0 ? "script" : NULL;
}

static const char *start_folder(void *ctx) {
  return ".";
}

static const char *host_name(void *ctx) {
  return NULL;
}

static uint64_t unknown(void *ctx) {
  return 0;
}

static const char *environment(void *ctx, const char *name) {
  return getenv(name);
}

static dmd_physical_t measure(void *ctx) {
  return (dmd_physical_t){DMD_MEMORY_UNKNOWN, DMD_MEMORY_UNKNOWN, DMD_MEMORY_UNKNOWN,
                          DMD_MEMORY_UNKNOWN};
}

static void say(void *ctx, const char *line) {
  fprintf(stderr, "%s\n", line);
}

static void say_stack(void *ctx, uint32_t stack) {
  fprintf(stderr, "stack %u\n", stack);
}

static const char *file_error(void *ctx, int error) {
  return strerror(error);
}

static bool no_stream(void *ctx, const char *name) {
  return false;
}

static const dmd_engine_host_t g_host = {.version = "unknown",
                                         .valgrind_version = "unknown",
                                         .word_szB = sizeof(void *),
                                         .capture = capture,
                                         .place = place,
                                         .codes = codes,
                                         .functions = functions,
                                         .object = object,
                                         .code_kind = code_kind,
                                         .objects = no_objects,
                                         .defines = no_symbols,
                                         .replaced = nothing_replaced,
                                         .shows_below_main = no,
                                         .memory_begin = begin_or_end,
                                         .memory_read = memory_read,
                                         .memory_end = begin_or_end,
                                         .classify = classify,
                                         .heap_alloc = heap_alloc,
                                         .heap_free = heap_free,
                                         .heap_room = heap_room,
                                         .heap_alignment = unknown,
                                         .realloc_zero_frees = yes,
                                         .is_readable = is_readable,
                                         .pid = pid,
                                         .argument = argument,
                                         .start_folder = start_folder,
                                         .host_name = host_name,
                                         .time = unknown,
                                         .environment = environment,
                                         .measure = measure,
                                         .is_quiet = no,
                                         .say = say,
                                         .say_stack = say_stack,
                                         .files = &dmd_posix_files,
                                         .file_error = file_error,
                                         .file_is_stream = no_stream};

/* ---- The world of the script: its allocator and requests are the engine's. ---- */

static dmd_engine_t g_engine;

/* The thread of the step, which is in this function now. */
static uint32_t enter(const char *function) {
  g_function = function;
  return g_step->thread;
}

static void *world_malloc(size_t szB) {
  return (void *)dmd_engine_malloc(&g_engine, enter(__func__), szB);
}

static void *world_calloc(size_t n, size_t szB) {
  return (void *)dmd_engine_calloc(&g_engine, enter(__func__), n, szB);
}

static void *world_memalign(size_t alignB, size_t szB) {
  dmd_alignment_t align = {.asked = alignB, .granted = alignB};
  return (void *)dmd_engine_memalign(&g_engine, enter(__func__), szB, align);
}

static void *world_realloc(void *p, size_t szB) {
  return (void *)dmd_engine_realloc(&g_engine, enter(__func__), (uintptr_t)p, szB);
}

static void world_free(void *p) {
  dmd_engine_free(&g_engine, enter(__func__), (uintptr_t)p);
}

static size_t world_usable(void *p) {
  return dmd_engine_usable_size(&g_engine, enter(__func__), (uintptr_t)p);
}

static void world_announce(void *p, size_t szB) {
  dmd_engine_announce(&g_engine, enter(__func__), (uintptr_t)p, szB);
}

static void world_resize(void *p, size_t old_szB, size_t new_szB) {
  dmd_engine_resize_announced(&g_engine, enter(__func__), (uintptr_t)p, old_szB, new_szB);
}

static void world_unannounce(void *p) {
  dmd_engine_free(&g_engine, enter(__func__), (uintptr_t)p);
}

static void world_start(unsigned thread) {
  dmd_engine_start_thread(&g_engine, g_step->thread, thread);
}

static void world_end(unsigned thread) {
  dmd_engine_end_thread(&g_engine, thread);
}

static size_t world_request(unsigned number, uintptr_t a, uintptr_t b, uintptr_t c) {
  dmd_request_t request = {
      .number = DMD_REQUEST_RUNNING + number, .arg = {a, b, c}, .thread = enter(__func__)};
  uint64_t answer = 0;
  dmd_engine_request(&g_engine, &request, &answer);
  return answer;
}

static uintptr_t run_step(const struct step *step) {
  g_step = step;
  return perform(step);
}

int main(int argc, char **argv) {
  dmd_options_t options;
  dmd_strbuf_t why;
  dmd_options_init(&options, &dmdv_env);
  dmd_strbuf_init(&why, &dmdv_env);
  for (int i = 1; i < argc - 1; i++) {
    const dmd_option_t *option = dmd_option_of(&dmd_engine_options, argv[i]);
    if (option == NULL || !dmd_option_set(option, &options, argv[i], &why))
      return 2;
  }
  if (!dmd_engine_init(&g_engine, &dmdv_env, &g_host, &options, &why))
    return 2;
  dmd_engine_start_thread(&g_engine, 0, 1);
  run_script(argv[argc - 1], run_step);
  for (unsigned thread = 1; thread < MAX_THREADS; thread++) /* as Valgrind ends them */
    dmd_engine_end_thread(&g_engine, thread);
  dmd_engine_exit(&g_engine);
  dmd_engine_destroy(&g_engine);
  dmd_strbuf_destroy(&why);
  dmd_options_destroy(&options);
  _exit(0); /* without a search for leaks: a script may leave blocks */
}
