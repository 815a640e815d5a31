/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"

#include "tool/dm_options.h"
#include "tool/dm_rules.h"

dm_options_t g_options = {
    .live = {.mode = DMD_MODE_DARK_MATTER,
             .allocator = DMD_ALLOCATOR_GLIBC, /* unless dm_allocator.h finds another */
             .allocator_is_auto = True,
             .word_szB = VG_WORDSIZE,
             .inherit_tags = True,
             .seed = 1,
             .freed_blocks = 10000},
    .direct_requests = True,
    .sort_by = DMD_SORT_USABLE,
    .max_records = 10,
    .max_frames = 8,
    .dump_at_exit = DM_EXIT_AUTO,
    .out_file = "dmd.out.%p.json.gz",
};

enum { MAX_FRAMES = 500 }; /* Valgrind's own limit for --num-callers */

/* Appends an argument to g_options.given. */
static void note_given(const HChar *arg) {
  const HChar *before = g_options.given == NULL ? "" : g_options.given;
  SizeT szB = VG_(strlen)(before) + 1 + VG_(strlen)(arg) + 1;
  HChar *joined = VG_(malloc)("dm.options.given", szB);
  VG_(sprintf)(joined, "%s%s%s", before, before[0] == '\0' ? "" : " ", arg);
  VG_(free)(g_options.given);
  g_options.given = joined;
}

static void parse_max_records(const HChar *arg, const HChar *value) {
  HChar *end;
  Long n = VG_(strtoll10)(value, &end);
  if (VG_STREQ(value, "all"))
    g_options.max_records = 0;
  else if (value[0] != '\0' && *end == '\0' && n >= 1 && n <= 1000000000)
    g_options.max_records = (UInt)n;
  else
    VG_(fmsg_bad_option)(arg, "'%s' is neither a number from 1 to 1000000000 nor 'all'\n", value);
}

/* The options that take one of a few words. */
static Bool process_word(const HChar *arg) {
  static const HChar *const modes[] = {"dark-matter", "live", "cumulative", NULL};
  static const HChar *const stacks[] = {"full", "partial", NULL};
  static const HChar *const sorts[] = {"usable", "req", "slop", "num-blocks", NULL};
  static const HChar *const autos[] = {"auto", "yes", "no", NULL};
  static const HChar *const tag_threads[] = {"inherit", "none", NULL};
  UInt i;
  if VG_STRINDEX_CLO (arg, "--mode", modes, i)
    g_options.live.mode = i;
  else if VG_STRINDEX_CLO (arg, "--stacks", stacks, i)
    g_options.live.partial_stacks = i == 1;
  else if VG_STRINDEX_CLO (arg, "--sort-by", sorts, i)
    g_options.sort_by = i;
  else if VG_STRINDEX_CLO (arg, "--dump-at-exit", autos, i)
    g_options.dump_at_exit = i;
  else if VG_STRINDEX_CLO (arg, "--advice", autos, i)
    g_options.advice = i;
  else if VG_STRINDEX_CLO (arg, "--tag-threads", tag_threads, i)
    g_options.live.inherit_tags = i == 0;
  else
    return False;
  return True;
}

static Bool process_allocator(const HChar *arg) {
  const HChar *words[DMD_N_ALLOCATORS + 2] = {"auto"};
  UInt i;
  for (i = 0; i < DMD_N_ALLOCATORS; i++)
    words[i + 1] = dmd_allocator_name(i);
  if (!(VG_STRINDEX_CLO(arg, "--allocator", words, i)))
    return False;
  g_options.live.allocator_is_auto = i == 0;
  g_options.live.allocator = i == 0 ? DMD_ALLOCATOR_GLIBC : i - 1;
  return True;
}

static Bool process_value(const HChar *arg) {
  const HChar *value;
  Long sample_below, seed, freed_blocks;
  Bool require_scope;
  if VG_BINT_CLO (arg, "--sample-below", sample_below, 0, 1 << 30)
    g_options.live.sample_below = sample_below;
  else if VG_INT_CLO (arg, "--seed", seed)
    g_options.live.seed = seed;
  else if VG_BINT_CLO (arg, "--freed-blocks", freed_blocks, 0, 1 << 24)
    g_options.live.freed_blocks = freed_blocks;
  else if VG_BOOL_CLO (arg, "--require-scope", require_scope)
    g_options.live.require_scope = require_scope;
  else if VG_STR_CLO (arg, "--max-records", value)
    parse_max_records(arg, value);
  else if VG_BINT_CLO (arg, "--max-frames", g_options.max_frames, 1, MAX_FRAMES) {
  } else if VG_BOOL_CLO (arg, "--check-stacks", g_options.check_stacks) {
  } else if VG_BOOL_CLO (arg, "--direct-requests", g_options.direct_requests) {
  } else if VG_STR_CLO (arg, "--dmd-out-file", g_options.out_file) {
  } else
    return False;
  return True;
}

static Bool process_rule(const HChar *arg) {
  const HChar *value;
  Bool all;
  if VG_STR_CLO (arg, "--tag-library", value)
    dm_rules_tag_library(arg, value);
  else if VG_STR_CLO (arg, "--tag-fn", value)
    dm_rules_tag_fn(arg, value);
  else if VG_STR_CLO (arg, "--report-fn", value)
    dm_rules_report_fn(arg, value);
  else if VG_BOOL_CLO (arg, "--report-usable-size", all)
    dm_rules_report_usable_size(all);
  else
    return False;
  return True;
}

Bool dm_process_option(const HChar *arg) {
  if (process_word(arg) || process_allocator(arg) || process_value(arg) || process_rule(arg)) {
    note_given(arg);
    return True;
  }
  return VG_(replacement_malloc_process_cmd_line_option)(arg);
}

void dm_check_options(void) {
  const HChar *name = g_options.out_file;
  if (name[0] == '\0') {
    VG_(fmsg_bad_option)("--dmd-out-file=", "the file's name is empty\n");
    return;
  }
  /* Ends Valgrind with a message when the pattern is wrong: now, and not at the first dump. */
  VG_(free)(VG_(expand_file_name)("--dmd-out-file", name));
}

void dm_print_usage(void) {
  VG_(printf)
  ("    --mode=dark-matter|live|cumulative    what to record: live blocks and by\n"
   "                                     whom they were reported, live blocks only,\n"
   "                                     or all blocks of the run [dark-matter]\n"
   "    --stacks=full|partial            a stack for every block, or for a sample of\n"
   "                                     them weighted by size [full]\n"
   "    --sample-below=<bytes>           sample blocks smaller than this; 0: record\n"
   "                                     every block [0]\n"
   "    --seed=<number>                  seed of the sampling [1]\n"
   "    --allocator=auto|glibc|exact|jemalloc|mozjemalloc|tcmalloc|mimalloc\n"
   "                                     whose usable sizes the program gets; auto:\n"
   "                                     of the allocator that is loaded [auto]\n"
   "    --tag-threads=inherit|none       whether a new thread carries the tag of the\n"
   "                                     thread that creates it [inherit]\n"
   "    --tag-library=<pattern>=<tag>    tag blocks whose allocating function is in\n"
   "                                     a library that matches; **<pattern>: any\n"
   "                                     function on the stack. Repeatable\n"
   "    --tag-fn=<pattern>=<tag>         the same by the function's name\n"
   "    --report-fn=<pattern>            a call of malloc_usable_size by or below a\n"
   "                                     function that matches is its report of the\n"
   "                                     block. Repeatable\n"
   "    --report-usable-size=no|yes      every such call is a report by its caller,\n"
   "                                     but those of the allocator itself [no]\n"
   "    --require-scope=no|yes           a report outside of any reporter is a misreport\n"
   "                                     [no]\n"
   "    --freed-blocks=<number>          freed blocks to remember, to tell where a stale\n"
   "                                     pointer comes from; 0: none [10000]\n"
   "    --sort-by=usable|req|slop|num-blocks  order of the records [usable]\n"
   "    --max-records=<number>|all       records printed in each section [10]\n"
   "    --max-frames=<number>            frames printed in each stack; records with\n"
   "                                     equal frames are one [8]\n"
   "    --dump-at-exit=auto|yes|no       auto: unless the program dumped by itself\n"
   "                                     [auto]\n"
   "    --advice=auto|yes|no             look for who holds unreported blocks; auto:\n"
   "                                     below a million live blocks [auto]\n"
   "    --dmd-out-file=<file>            where to write the profile; %%p is the pid,\n"
   "                                     %%q{VAR} an environment variable; gzipped if\n"
   "                                     it ends in .gz [dmd.out.%%p.json.gz]\n");
}

void dm_print_debug_usage(void) {
  VG_(printf)
  ("    --check-stacks=no|yes            unwind every stack, even one that is known, and\n"
   "                                     end with an error if it is another one [no]\n"
   "    --direct-requests=no|yes         answer frequent requests without leaving\n"
   "                                     translated code [yes]\n");
}
