/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_gdbserver.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

#include "pub_tool_addrinfo.h" /* uses the types of those above */

#include "base/zip/gzip.h"
#include "dmd-config.h"
#include "valgrind/dm_code.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_files.h"
#include "valgrind/dm_gzip.h"
#include "valgrind/dm_host.h"
#include "valgrind/dm_machine.h"
#include "valgrind/dm_memory.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_roots.h"
#include "valgrind/dm_unwind.h"

/*--- Threads and stacks ---*/

static uint32_t capture(void *ctx, uint32_t thread) {
  (void)ctx;
  return dm_capture_stack(thread);
}

/* The place after the request, in the function that made it. */
static dmd_place_t place(void *ctx, uint32_t thread) {
  (void)ctx;
  const dm_registers_t now = dm_registers(thread);
  return (dmd_place_t){.ip = now.ip, .sp = now.sp};
}

static bool shows_below_main(void *ctx) {
  (void)ctx;
  return VG_(clo_show_below_main);
}

/*--- The program's heap ---*/

/* Limited, since Valgrind would end the process for larger requests. */
static uint64_t heap_alloc(void *ctx, uint64_t alignB, uint64_t szB) {
  enum { MOST_ALIGNED = 16 * 1024 * 1024 };
  (void)ctx;
  return alignB > MOST_ALIGNED ? 0 : (Addr)VG_(cli_malloc)(alignB, szB);
}

static void heap_free(void *ctx, uint64_t addr) {
  (void)ctx;
  VG_(cli_free)((void *)(Addr)addr);
}

static uint64_t heap_room(void *ctx, uint64_t addr) {
  (void)ctx;
  return VG_(cli_malloc_usable_size)((void *)(Addr)addr);
}

static uint64_t heap_alignment(void *ctx) {
  (void)ctx;
  return VG_(clo_alignment);
}

/* In newer Valgrinds it is an option. */
static bool realloc_zero_frees(void *ctx) {
  (void)ctx;
#if DMD_VG_HAVE_REALLOC_ZERO
  return VG_(clo_realloc_zero_bytes_frees);
#else
  return True;
#endif
}

static bool is_readable(void *ctx, uint64_t addr, uint64_t szB) {
  (void)ctx;
  return VG_(am_is_valid_for_client)(addr, szB, VKI_PROT_READ);
}

/*--- The memory that an address lies in, for reports of errors only ---*/

static void describe_stack(const AddrInfo *ai, HChar *text, SizeT szB) {
  const HChar *fn;
  ThreadId tid = ai->Addr.Stack.tinfo.tid;
  if (ai->Addr.Stack.IP != 0 && VG_(get_fnname)(ai->Addr.Stack.epoch, ai->Addr.Stack.IP, &fn))
    VG_(snprintf)(text, szB, "the stack of thread %u, in the frame of %s", tid, fn);
  else
    VG_(snprintf)(text, szB, "the stack of thread %u", tid);
}

static void describe_mapping(const AddrInfo *ai, HChar *text, SizeT szB) {
  if (ai->Addr.SegmentKind.segkind == SkFileC)
    VG_(snprintf)(text, szB, "a mapping of %s", ai->Addr.SegmentKind.filename);
  else if (ai->Addr.SegmentKind.segkind == SkShmC)
    VG_(snprintf)(text, szB, "shared memory");
  else
    VG_(snprintf)(text, szB, "memory that the program mapped");
}

/* Valgrind's description of an address in the program's memory, as text and as a kind. */
static dmd_fault_kind_t describe(const AddrInfo *ai, HChar *text, SizeT szB) {
  switch (ai->tag) {
  case Addr_Stack:
    describe_stack(ai, text, szB);
    return DMD_FAULT_REPORT_STACK;
  case Addr_DataSym:
    VG_(snprintf)(text, szB, "the global variable %s", ai->Addr.DataSym.name);
    return DMD_FAULT_REPORT_GLOBAL;
  case Addr_Variable: /* with --read-var-info=yes only: a sentence composed by Valgrind */
    VG_(snprintf)(text, szB, "a variable: %s", (HChar *)VG_(indexXA)(ai->Addr.Variable.descr1, 0));
    return DMD_FAULT_REPORT_GLOBAL;
  case Addr_SectKind:
    VG_(snprintf)(text, szB, "the data of %s", ai->Addr.SectKind.objname);
    return DMD_FAULT_REPORT_GLOBAL;
  case Addr_BrkSegment:
    VG_(snprintf)(text, szB, "memory that the program took with brk");
    return DMD_FAULT_REPORT_MAPPED;
  case Addr_SegmentKind:
    describe_mapping(ai, text, szB);
    return DMD_FAULT_REPORT_MAPPED;
  default:
    return DMD_FAULT_REPORT_NO_ADDRESS;
  }
}

static dmd_fault_kind_t classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  (void)ctx;
  const NSegment *seg = VG_(am_find_nsegment)(addr);
  if (seg != NULL && seg->isCH)
    return DMD_FAULT_REPORT_NO_BLOCK;
  AddrInfo ai = {.tag = Addr_Undescribed};
  VG_(describe_addr)(VG_(current_DiEpoch)(), addr, &ai);
  dmd_fault_kind_t kind = describe(&ai, text, szB);
  VG_(clear_addrinfo)(&ai);
  return kind;
}

/*--- The process ---*/

static const char *argument(void *ctx, uint32_t i) {
  (void)ctx;
  if (i == 0)
    return VG_(args_the_exename);
  if (i > VG_(sizeXA)(VG_(args_for_client)))
    return NULL;
  return *(HChar **)VG_(indexXA)(VG_(args_for_client), i - 1);
}

/* The tool interface has no gethostname. */
static const char *host_name(void *ctx) {
  static HChar name[256];
  (void)ctx;
  Int fd = VG_(fd_open)("/proc/sys/kernel/hostname", VKI_O_RDONLY, 0);
  if (fd < 0)
    return NULL;
  Int n = VG_(read)(fd, name, sizeof name - 1);
  VG_(close)(fd);
  while (n > 0 && name[n - 1] == '\n')
    n--;
  name[n > 0 ? n : 0] = '\0';
  return n > 0 ? name : NULL;
}

static size_t read_text(void *ctx, const char *name, char *to, size_t szB) {
  (void)ctx;
  Int fd = VG_(fd_open)(name, VKI_O_RDONLY, 0), got = 0;
  size_t n = 0;
  while (fd >= 0 && n < szB && (got = VG_(read)(fd, to + n, (Int)(szB - n))) > 0)
    n += (size_t)got;
  if (fd >= 0)
    VG_(close)(fd);
  return n;
}

static uint64_t wall_clock(void *ctx) {
  (void)ctx;
  struct vki_timeval now;
  return VG_(gettimeofday)(&now, NULL) == 0 ? (uint64_t)now.tv_sec : 0;
}

static struct {
  uint64_t first_ticks, first_ms; /* of the first reading */
  uint64_t ticks, ms;             /* of the last one */
  uint64_t quarter;               /* about as many ticks take a quarter of a millisecond, or less */
} g_clock;

/* Valgrind's timer is a system call. A program with large blocks would make it at each allocation,
 * so the processor's counter says whether it can have advanced. If that counter stands still for
 * a time or is set back, the clock is late by as much. Valgrind counts from its own start. */
static uint64_t run_clock(void *ctx) {
  (void)ctx;
  uint64_t ticks = dm_ticks();
  if (ticks - g_clock.ticks < g_clock.quarter)
    return g_clock.ms;
  g_clock.ticks = ticks;
  g_clock.ms = VG_(read_millisecond_timer)();
  if (g_clock.first_ticks == 0) {
    g_clock.first_ticks = ticks;
    g_clock.first_ms = g_clock.ms;
  }
  g_clock.quarter = (ticks - g_clock.first_ticks) / (g_clock.ms - g_clock.first_ms + 1) / 4;
  return g_clock.ms;
}

static const char *start_folder(void *ctx) {
  (void)ctx;
  return VG_(get_startup_wd)();
}

static const char *environment(void *ctx, const char *name) {
  (void)ctx;
  return VG_(getenv)(name);
}

/*--- The user ---*/

static bool is_quiet(void *ctx) {
  (void)ctx;
  return VG_(clo_verbosity) == 0;
}

static void say(void *ctx, const char *line) {
  (void)ctx;
  VG_(umsg)("%s\n", line);
}

static void say_stack(void *ctx, uint32_t stack) {
  (void)ctx;
  VG_(pp_ExeContext)(dm_stack(stack));
}

static void reply(void *ctx, const char *text) {
  (void)ctx;
  VG_(gdb_printf)("%s", text);
}

static const dmd_engine_host_t g_host = {
    .version = DMD_VERSION,
    .valgrind_version = DMD_VALGRIND_VERSION,
    .word_szB = VG_WORDSIZE,
    .capture = capture,
    .place = place,
    .codes = dm_codes,
    .functions = dm_functions,
    .object = dm_object,
    .code_kind = dm_code_kind,
    .shows_below_main = shows_below_main,
    .objects = dm_objects,
    .defines = dm_object_defines,
    .replaced = dm_object_replaced,
    .memory_begin = dm_memory_begin,
    .memory_read = dm_memory_read,
    .memory_end = dm_memory_end,
    .memory_holds = dm_memory_holds,
    .mappings = dm_mappings,
    .threads = dm_threads,
    .classify = classify,
    .heap_alloc = heap_alloc,
    .heap_free = heap_free,
    .heap_room = heap_room,
    .heap_alignment = heap_alignment,
    .realloc_zero_frees = realloc_zero_frees,
    .is_readable = is_readable,
    .pid = dm_pid,
    .argument = argument,
    .start_folder = start_folder,
    .host_name = host_name,
    .time = wall_clock,
    .clock = run_clock,
    .instructions = dm_instructions,
    .environment = environment,
    .most_resident = dm_most_resident,
    .read_text = read_text,
    .measure = dm_resident_measure,
    .is_quiet = is_quiet,
    .say = say,
    .say_stack = say_stack,
    .reply = reply,
    .files = &dm_files,
    .file_error = dm_file_error,
    .file_is_stream = dm_file_is_stream,
    .file_append = dm_file_append,
#if DM_GZIP_AVAILABLE
    .gzip_open = dm_gzip_open,
    .gzip_write = dmd_gzip_write,
    .gzip_close = dm_gzip_close,
#endif
};

/*--- Start ---*/

static void end_with_bad_option(const HChar *option, const HChar *value, const HChar *why) {
  dmd_strbuf_t given;
  dmd_strbuf_init(&given, &g_env);
  dmd_strbuf_str(&given, option);
  dmd_strbuf_str(&given, value);
  VG_(fmsg_bad_option)(given.text, "%s\n", why);
  VG_(exit)(1);
}

void dm_start_engine(void) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  dm_env_init();
  dm_unwind_init();
  dmd_conflict_t conflict = dmd_options_conflict(&g_options);
  if (conflict.why != NULL)
    end_with_bad_option(conflict.option, "", conflict.why);
  if (g_options.stacks == DMD_STACKS_BY_FP)
    end_with_bad_option("--stacks=", "fp", "only the native engine can unwind stacks this way");
  if (g_options.emits_otel)
    end_with_bad_option("--emit=", "otel", "only the native engine has probes for tracers");
  if (g_options.sample_interval > 0)
    end_with_bad_option("--sample-interval", "",
                        "only the native engine can sample this way; see --sample-below");
  if (!dmd_engine_init(&g_engine, &g_env, &g_host, &g_options, &why))
    end_with_bad_option("--dmd-out-file=", g_options.out_file, why.text);
  dmd_strbuf_destroy(&why);
}
