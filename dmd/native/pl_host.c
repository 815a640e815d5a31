/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_host.h"

#include "base/posix/posix.h"
#include "base/str.h"
#include "base/zip/gzip.h"
#include "dmd-config.h"
#include "native/pl_channel.h"
#include "native/pl_confined.h"
#include "native/pl_entry.h"
#include "native/pl_files.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "native/pl_options.h"
#include "native/pl_roots.h"
#include "native/pl_stack.h"
#include "native/pl_state.h"
#include "native/pl_symbols.h"
#include "show/text/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/*--- Threads and stacks. Queries are always about the calling thread. ---*/

static uint32_t capture(void *ctx, uint32_t thread) {
  (void)ctx, (void)thread;
  return pl_stack_capture(pl_thread());
}

/* The place after the request, in the function that made it. */
static dmd_place_t place(void *ctx, uint32_t thread) {
  (void)ctx, (void)thread;
  const pl_entry_t *entry = &pl_thread()->entry;
  return (dmd_place_t){.ip = entry->ip, .sp = entry->sp};
}

static const dmd_code_t *codes(void *ctx, uint32_t stack, uint32_t *n) {
  (void)ctx;
  return pl_stack_codes(stack, n);
}

/*--- Names. Readers of the profile look up the program's own functions. ---*/

/* Functions of ours that replace the program's are named without lines, so that records do not
 * depend on the build of libdmd.so. */
static void functions(void *ctx, dmd_code_t code, dmd_function_fn visit, void *visitor) {
  (void)ctx;
  const char *ours = pl_function_name(code.ip);
  dmd_function_t function = {.name = ours == NULL ? "" : ours};
  if (ours != NULL)
    function.file = "libdmd.so";
  visit(visitor, &function);
}

static const char *symbol(void *ctx, dmd_code_t code) {
  (void)ctx;
  return pl_symbol_at(code);
}

static bool object(void *ctx, dmd_code_t code, dmd_object_t *object) {
  (void)ctx;
  if (code.epoch == DMD_NONE)
    return false;
  const pl_object_t *found = pl_object(code.epoch);
  *object = (dmd_object_t){.path = found->path,
                           .soname = found->soname,
                           .build_id = found->build_id,
                           .offset = code.ip - found->bias,
                           .is_engine = pl_function_name(code.ip) != NULL};
  return true;
}

/* Unknown here: stacks are recorded whole, and the reader that finds the names cuts them. */
static dmd_code_kind_t code_kind(void *ctx, dmd_code_t code) {
  (void)ctx, (void)code;
  return DMD_CODE_OTHER;
}

static void objects(void *ctx, dmd_object_fn visit, void *visitor) {
  (void)ctx;
  for (uint32_t i = 1; i <= pl_objects_count(); i++)
    visit(visitor, pl_object(i)->path, pl_object(i)->soname);
}

static bool defines(void *ctx, const char *soname, const char *function, bool if_unknown) {
  (void)ctx, (void)soname, (void)function;
  return if_unknown;
}

static bool replaced(void *ctx, const char *soname, const char *function, dmd_code_t *code) {
  (void)ctx, (void)soname, (void)function, (void)code;
  return false;
}

static bool shows_below_main(void *ctx) {
  (void)ctx;
  return true;
}

/*--- The program's memory, which other threads may unmap at any time ---*/

/* For containers that deny process_vm_readv. */
static ssize_t read_by_file(uint64_t addr, void *to, size_t n) {
  int fd = pl_open("/proc/thread-self/mem", O_RDONLY);
  ssize_t got = fd >= 0 ? pread(fd, to, n, (off_t)addr) : -1;
  if (fd >= 0)
    close(fd);
  return got;
}

static size_t memory_read(void *ctx, uint64_t addr, void *to, size_t n) {
  struct iovec ours = {.iov_base = to, .iov_len = n};
  struct iovec theirs = {.iov_base = (void *)(uintptr_t)addr, .iov_len = n};
  (void)ctx;
  if (pl_is_confined())
    return 0;
  pid_t self = (pid_t)syscall(SYS_gettid); /* not getpid(): the first thread may have ended */
  ssize_t got = process_vm_readv(self, &ours, 1, &theirs, 1, 0);
  if (got < 0 && (errno == EPERM || errno == ENOSYS))
    got = read_by_file(addr, to, n);
  return got > 0 ? (size_t)got : 0;
}

static bool is_readable(void *ctx, uint64_t addr, uint64_t szB) {
  char byte;
  return szB == 0 ||
         (memory_read(ctx, addr, &byte, 1) == 1 && memory_read(ctx, addr + szB - 1, &byte, 1) == 1);
}

/*--- The process ---*/

static struct {
  const char **arguments;
  uint32_t n_arguments;
  char folder[PATH_MAX];
  uint64_t start_time;
  uint64_t start_ms, last_ms; /* by the monotonic clock */
} g_process;

static bool is_confined(void *ctx) {
  (void)ctx;
  return pl_is_confined();
}

static uint64_t wall_clock(void *ctx) {
  struct timespec now;
  (void)ctx;
  return clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec > 0 ? (uint64_t)now.tv_sec : 0;
}

/* The coarse clock costs a few nanoseconds, and is right to some milliseconds. */
static uint64_t monotonic_ms(void) {
  struct timespec now;
  if (!pl_is_confined() && clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0)
    __atomic_store_n(&g_process.last_ms,
                     (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000,
                     __ATOMIC_RELAXED);
  return __atomic_load_n(&g_process.last_ms, __ATOMIC_RELAXED);
}

static uint64_t run_clock(void *ctx) {
  (void)ctx;
  return monotonic_ms() - g_process.start_ms;
}

/* Reads a whole file of /proc and appends a NUL, which *n does not count. */
static char *read_whole(const char *name, size_t *n) {
  int fd = pl_open(name, O_RDONLY);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &g_env);
  char part[4096];
  ssize_t got;
  while (fd >= 0 && (got = read(fd, part, sizeof part)) > 0)
    dmd_strbuf_bytes(&text, part, (size_t)got);
  if (fd >= 0)
    close(fd);
  *n = text.n;
  return dmd_strbuf_take(&text);
}

void pl_host_start(void) {
  size_t szB;
  char *line = read_whole("/proc/self/cmdline", &szB);
  uint32_t n = 0;
  g_process.n_arguments = 0; /* the engine may start again (pl_attach.h) */
  for (size_t i = 0; i < szB; i++)
    n += line[i] == '\0';
  g_process.arguments = dmd_env_alloc(&g_env, "pl.arguments", (n + 1) * sizeof(char *));
  for (size_t at = 0; at < szB; at += dmd_str_length(line + at) + 1)
    g_process.arguments[g_process.n_arguments++] = line + at;
  if (getcwd(g_process.folder, sizeof g_process.folder) == NULL)
    g_process.folder[0] = '\0';
  g_process.start_time = wall_clock(NULL);
  g_process.start_ms = monotonic_ms();
}

uint64_t pl_host_start_time(void) {
  return g_process.start_time;
}

static const char *argument(void *ctx, uint32_t i) {
  (void)ctx;
  return i < g_process.n_arguments ? g_process.arguments[i] : NULL;
}

static const char *start_folder(void *ctx) {
  (void)ctx;
  return g_process.folder[0] == '\0' ? NULL : g_process.folder;
}

static const char *host_name(void *ctx) {
  static struct utsname name;
  (void)ctx;
  if (pl_is_confined() && name.nodename[0] == '\0')
    return NULL;
  return uname(&name) == 0 && name.nodename[0] != '\0' ? name.nodename : NULL;
}

static char **g_kept; /* the copied environment; NULL: not copied yet */

void pl_host_keep_environment(void) {
  size_t n = 0;
  while (environ != NULL && environ[n] != NULL)
    n++;
  char **kept = dmd_env_alloc(&g_env, "pl.environment", (n + 1) * sizeof *kept);
  for (size_t i = 0; i < n; i++) {
    size_t szB = dmd_str_length(environ[i]) + 1;
    kept[i] = dmd_env_alloc(&g_env, "pl.environment", szB);
    dmd_mem_copy(kept[i], environ[i], szB);
  }
  kept[n] = NULL;
  g_kept = kept;
}

static const char *environment(void *ctx, const char *name) {
  size_t n = dmd_str_length(name);
  (void)ctx;
  for (char **entry = g_kept; entry != NULL && *entry != NULL; entry++)
    if (dmd_str_begins(*entry, name) && (*entry)[n] == '=')
      return *entry + n + 1;
  return g_kept == NULL ? getenv(name) : NULL;
}

/*--- Physical memory: that of the program, without the engine's, and that of the engine. The kernel
 * lists it for each mapping. ---*/

static uint64_t read_decimal(const char *digits) {
  uint64_t v = 0;
  for (; *digits >= '0' && *digits <= '9'; digits++)
    v = v * 10 + (uint64_t)(*digits - '0');
  return v;
}

/* Parses a line such as "Rss:                  12 kB". */
static bool is_figure(const char *line, const char *name, uint64_t *szB) {
  if (!dmd_str_begins(line, name))
    return false;
  line += dmd_str_length(name);
  *szB = read_decimal(line + dmd_str_span(line, " \t")) * 1024;
  return true;
}

/* A mapping's first line begins with its address, in lower-case hexadecimal; the other lines begin
 * with a capital. */
static bool is_first_line(const char *line) {
  return (line[0] >= '0' && line[0] <= '9') || (line[0] >= 'a' && line[0] <= 'f');
}

static bool is_engines(const pl_mapping_t *mapping) {
  uint32_t object = pl_object_around(mapping->start);
  uint64_t channel;
  return pl_memory_has(mapping->start) ||
         (pl_channel_range(&channel) > 0 && mapping->start == channel) ||
         (object != DMD_NONE && object == pl_object_around((uintptr_t)&g_env));
}

/* By how much the engine's resident memory was more than what it had mapped for data, when this was
 * last looked at. Its code is more, and what it did not touch yet is less. */
static struct {
  bool is_known;
  int64_t more_szB;
} g_own;

/* Adds up the resident bytes of the engine's mappings and of all others, and those of the latter
 * that are resident in no other process. */
static dmd_physical_t measure(void *ctx) {
  dmd_physical_t sum = {.arena = DMD_MEMORY_UNKNOWN};
  pl_lines_t lines;
  const char *line;
  bool is_own = false, is_known = false;
  uint64_t szB;
  (void)ctx;
  pl_lines_open(&lines, "/proc/thread-self/smaps");
  while ((line = pl_lines_next(&lines)) != NULL) {
    if (is_first_line(line)) {
      pl_mapping_t mapping = pl_read_mapping(line);
      is_own = is_engines(&mapping);
    } else if (is_figure(line, "Rss:", &szB)) {
      *(is_own ? &sum.own : &sum.resident) += szB;
      is_known = true;
    } else if (!is_own && (is_figure(line, "Private_Clean:", &szB) ||
                           is_figure(line, "Private_Dirty:", &szB) ||
                           is_figure(line, "Private_Hugetlb:", &szB))) {
      sum.unique += szB;
    }
  }
  pl_lines_close(&lines);
  if (!is_known)
    sum.resident = sum.unique = sum.own = DMD_MEMORY_UNKNOWN;
  else
    g_own.more_szB = (int64_t)(sum.own - pl_memory_szB());
  g_own.is_known = is_known;
  return sum;
}

uint64_t pl_host_own_szB(void) {
  uint64_t szB = measure(NULL).own;
  return szB == DMD_MEMORY_UNKNOWN ? 0 : szB;
}

static uint64_t most_resident(void *ctx) {
  uint64_t szB = DMD_MEMORY_UNKNOWN;
  pl_lines_t lines;
  const char *line;
  (void)ctx;
  pl_lines_open(&lines, "/proc/thread-self/status");
  while ((line = pl_lines_next(&lines)) != NULL && !is_figure(line, "VmHWM:", &szB))
    ;
  pl_lines_close(&lines);
  return szB;
}

/* The kernel's count of the process's pages, which it keeps anyway, less the engine's. */
static uint64_t resident(void *ctx) {
  pl_lines_t lines;
  uint64_t pages = 0;
  if (!g_own.is_known && measure(ctx).own == DMD_MEMORY_UNKNOWN)
    return DMD_MEMORY_UNKNOWN;
  pl_lines_open(&lines, "/proc/thread-self/statm");
  const char *line = pl_lines_next(&lines);
  if (line != NULL) {
    line += dmd_str_span_without(line, " ");
    pages = read_decimal(line + dmd_str_span(line, " "));
  }
  pl_lines_close(&lines);
  uint64_t szB = pages * (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t own = pl_memory_szB() + (uint64_t)g_own.more_szB;
  return szB > own ? szB - own : DMD_MEMORY_UNKNOWN;
}

static size_t read_text(void *ctx, const char *name, char *to, size_t szB) {
  (void)ctx;
  int fd = pl_is_confined() ? -1 : pl_open(name, O_RDONLY);
  size_t n = 0;
  ssize_t got;
  while (fd >= 0 && n < szB && (got = read(fd, to + n, szB - n)) > 0)
    n += (size_t)got;
  if (fd >= 0)
    close(fd);
  return n;
}

/*--- The user ---*/

static bool is_quiet(void *ctx) {
  (void)ctx;
  return g_native_options.quiet;
}

static void say(void *ctx, const char *line) {
  (void)ctx;
  pl_say(line);
}

static void say_stack(void *ctx, uint32_t stack) {
  uint32_t n;
  const dmd_code_t *all = pl_stack_codes(stack, &n);
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &g_env);
  for (uint32_t i = 0; i < n; i++) {
    const char *name = pl_symbol_at(all[i]);
    dmd_object_t at;
    dmd_strbuf_str(&line, i == 0 ? "   at " : "   by ");
    dmd_escape_append(&line, name == NULL ? "?\?\?" : name);
    if (object(ctx, all[i], &at)) {
      dmd_strbuf_str(&line, " (");
      dmd_escape_append(&line, at.path);
      dmd_strbuf_str(&line, "+0x");
      dmd_strbuf_hex(&line, at.offset);
      dmd_strbuf_str(&line, ")");
    }
    pl_say(line.text);
    dmd_strbuf_cut(&line, 0);
  }
  dmd_strbuf_destroy(&line);
}

/*--- Compression, with a zlib of our own: the program's may be another version ---*/

/* Level 1: profiles are very repetitive, and the program waits while a dump is written. */
static const dmd_gzip_way_t gzip_way = {.env = &g_env, .level = 1, .stores_noise = true};

static void *gzip_open(void *ctx, dmd_write_fn write, void *to) {
  (void)ctx;
  return dmd_gzip_open(&gzip_way, write, to);
}

static void gzip_close(void *gzip) {
  dmd_gzip_close(gzip, true);
}

const dmd_engine_host_t pl_host = {.version = DMD_VERSION,
                                   .word_szB = sizeof(void *),
                                   .waiting = &pl_waiting,
                                   .texts_are_others = true,
                                   .capture = capture,
                                   .place = place,
                                   .codes = codes,
                                   .functions = functions,
                                   .symbol = symbol,
                                   .object = object,
                                   .code_kind = code_kind,
                                   .objects = objects,
                                   .defines = defines,
                                   .replaced = replaced,
                                   .shows_below_main = shows_below_main,
                                   .memory_begin = pl_roots_begin_reading,
                                   .memory_read = memory_read,
                                   .memory_end = pl_roots_end_reading,
                                   .memory_holds = pl_roots_holds,
                                   .stop = pl_roots_stop,
                                   .go_on = pl_roots_go_on,
                                   .mappings = pl_roots_mappings,
                                   .threads = pl_roots_threads,
                                   .classify = pl_classify,
                                   .is_readable = is_readable,
                                   .pid = dmd_posix_pid,
                                   .argument = argument,
                                   .start_folder = start_folder,
                                   .host_name = host_name,
                                   .time = wall_clock,
                                   .clock = run_clock,
                                   .environment = environment,
                                   .resident = resident,
                                   .most_resident = most_resident,
                                   .read_text = read_text,
                                   .measure = measure,
                                   .is_quiet = is_quiet,
                                   .say = say,
                                   .say_stack = say_stack,
                                   .files = &pl_files,
                                   .file_error = pl_file_error,
                                   .file_is_stream = pl_file_is_stream,
                                   .file_append = pl_file_append,
                                   .receiver = &pl_channel_receiver,
                                   .is_confined = is_confined,
                                   .gzip_open = gzip_open,
                                   .gzip_write = dmd_gzip_write,
                                   .gzip_close = gzip_close};
