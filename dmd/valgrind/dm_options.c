/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"

#include "valgrind/dm_env.h"
#include "valgrind/dm_options.h"

dmd_options_t g_options;
dm_test_options_t g_test_options;

/* Options for the tool's own tests. */
static const dmd_option_t test_options[] = {
    {"check-stacks", "no|yes", "no",
     "unwind every stack, even a cached one, and abort if they differ", DMD_OPTION_WORD,
     DMD_OPTION_AT(dm_test_options_t, check_stacks)},
    {"direct-requests", "no|yes", "yes", "answer frequent requests without leaving translated code",
     DMD_OPTION_WORD, DMD_OPTION_AT(dm_test_options_t, direct_requests)},
};
static const dmd_option_table_t g_test_table = {test_options,
                                                sizeof test_options / sizeof *test_options};

void dm_init_options(void) {
  dmd_options_init(&g_options, &g_env);
  dmd_options_set_defaults(&g_test_table, &g_test_options, &g_env);
}

/* Asks Valgrind whether the option's value is wanted in this pass, which also marks the option as
 * known. */
static Bool take(const dmd_option_table_t *table, void *target, const HChar *arg) {
  const dmd_option_t *option = dmd_option_of(table, arg);
  if (option == NULL || !VG_(check_clom)(cloP, arg, arg, True))
    return False;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  if (!dmd_option_set(option, target, arg, &why))
    VG_(fmsg_bad_option)(arg, "%s\n", why.text);
  dmd_strbuf_destroy(&why);
  return True;
}

static Bool take_and_note(const dmd_option_table_t *table, void *target, const HChar *arg) {
  if (!take(table, target, arg))
    return False;
  dmd_options_note(&g_options, arg);
  return True;
}

Bool dm_process_option(const HChar *arg) {
  return take_and_note(&dmd_engine_options, &g_options, arg) ||
         take(&dmd_starter_options, &g_options, arg) ||
         take_and_note(&g_test_table, &g_test_options, arg) ||
         VG_(replacement_malloc_process_cmd_line_option)(arg);
}

void dm_check_core_options(void) {
  const HChar *xtree = VG_(clo_xtree_memory) == Vg_XTMemory_Full     ? "--xtree-memory=full"
                       : VG_(clo_xtree_memory) == Vg_XTMemory_Allocs ? "--xtree-memory=allocs"
                                                                     : NULL;
  if (xtree == NULL)
    return;
  VG_(fmsg_bad_option)
  (xtree, "dmd does not write such a file: --tool=memcheck does, for KCachegrind.\n"
          "Other programs can show profiles of dmd: see 'dmdv help export'.\n");
  VG_(exit)(1);
}

/* In the layout of Valgrind's own options. */
static void print_table(const dmd_option_table_t *table) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &g_env);
  dmd_options_describe(table, 4, 37, &text);
  VG_(printf)("%s", text.text);
  dmd_strbuf_destroy(&text);
}

void dm_print_usage(void) {
  print_table(&dmd_engine_options);
}

void dm_print_debug_usage(void) {
  print_table(&dmd_starter_options);
  print_table(&g_test_table);
}
