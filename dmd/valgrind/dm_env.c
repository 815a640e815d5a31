/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#include "record/heap/stack.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_host.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_unwind.h"

static void *env_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx;
  return VG_(malloc)(cost_centre, szB);
}

static void env_free(void *ctx, void *p) {
  (void)ctx;
  VG_(free)(p);
}

static void env_panic(void *ctx, const char *what) {
  (void)ctx;
  VG_(tool_panic)(what);
}

const dmd_env_t g_env = {.alloc = env_alloc, .free = env_free, .panic = env_panic};

dmd_engine_t g_engine;

/* The ExeContext of each stack id: Valgrind's own lookup by number is slow. */
static dmd_stacks_t g_stacks;

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
  dmd_stacks_init(&g_stacks, &g_env);
  dm_unwind_init();
  dmd_conflict_t conflict = dmd_options_conflict(&g_options);
  if (conflict.why != NULL)
    end_with_bad_option(conflict.option, "", conflict.why);
  if (g_options.stacks == DMD_STACKS_BY_FP)
    end_with_bad_option("--stacks=", "fp", "only the native engine can unwind stacks this way");
  if (g_options.sample_interval > 0)
    end_with_bad_option("--sample-interval", "",
                        "only the native engine can sample this way; see --sample-below");
  if (!dmd_engine_init(&g_engine, &g_env, &g_host, &g_options, &why))
    end_with_bad_option("--dmd-out-file=", g_options.out_file, why.text);
  dmd_strbuf_destroy(&why);
}

/* The id of one of Valgrind's stacks. */
static UInt note_stack(ExeContext *ec) {
  /* Context numbers are multiples of four, assigned in sequence. */
  UInt id = VG_(get_ECU_from_ExeContext)(ec) >> 2;
  if (dmd_stacks_get(&g_stacks, id) == 0)
    dmd_stacks_set(&g_stacks, id, (uintptr_t)ec);
  return id;
}

ExeContext *dm_stack(UInt stack) {
  return (ExeContext *)dmd_stacks_get(&g_stacks, stack);
}

UInt dm_capture_stack(ThreadId tid) {
  return dm_unwind(tid, note_stack);
}
