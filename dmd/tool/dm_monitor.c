/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_gdbserver.h"
#include "pub_tool_libcbase.h"

#include "engine/dump.h"
#include "tool/dm_env.h"
#include "tool/dm_monitor.h"

static void print_help(void) {
  VG_(gdb_printf)
  ("\n"
   "dmd monitor commands:\n"
   "  dump [<label>]\n"
   "        analyses the heap, prints the records and writes the profile;\n"
   "        reports are kept\n"
   "  clear\n"
   "        forgets all reports but those made on allocation, and memory reports\n"
   "  status\n"
   "        prints what is recorded at the moment\n"
   "\n");
}

static void print_status(void) {
  dmd_totals_t totals = dmd_live_totals(&g_engine.live);
  VG_(gdb_printf)
  ("mode %s, %llu bytes in %llu blocks live, %llu allocs, %llu frees,"
   " %u reporters, %u tags, %u kinds and places of faults\n",
   dmd_mode_name(g_engine.live.config.mode), (ULong)totals.in_use_szB, (ULong)totals.n_blocks,
   (ULong)totals.n_allocs, (ULong)totals.n_frees, dmd_intern_count(&g_engine.live.reporter_names),
   dmd_intern_count(&g_engine.live.tag_names), dmd_faults_count(&g_engine.live.faults));
}

static void do_dump(const HChar *label) {
  while (label != NULL && label[0] == ' ')
    label++;
  UInt number = dmd_engine_dump(&g_engine, DMD_TRIGGER_MONITOR,
                                label != NULL && label[0] != '\0' ? label : NULL);
  if (number > 0)
    VG_(gdb_printf)("dump %u written\n", number);
  else
    VG_(gdb_printf)("the dump could not be written; see the log\n");
}

Bool dm_handle_monitor_command(const HChar *command) {
  HChar words[VG_(strlen)(command) + 1]; /* strtok_r writes to it */
  HChar *rest;
  VG_(strcpy)(words, command);
  HChar *word = VG_(strtok_r)(words, " ", &rest);
  switch (VG_(keyword_id)("help dump clear status", word, kwd_report_duplicated_matches)) {
  case -2: /* several match, as was reported */
    return True;
  case 0:
    print_help();
    return True;
  case 1:
    do_dump(VG_(strtok_r)(NULL, "", &rest));
    return True;
  case 2:
    dmd_live_clear_reports(&g_engine.live);
    VG_(gdb_printf)("reports cleared\n");
    return True;
  case 3:
    print_status();
    return True;
  default:
    return False;
  }
}
