/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/print.h"

/* `  Folder: /home/me`; nothing if it is not known. */
static void print_line(dmd_out_t *out, const char *what, const char *value) {
  if (value == NULL)
    return;
  dmd_out_str(out, "  ");
  dmd_out_str(out, what);
  dmd_out_str(out, ": ");
  dmd_out_safe(out, value);
  dmd_out_char(out, '\n');
}

/* The command line as a user would type it. */
static void print_command(dmd_out_t *out, const dmd_profile_t *profile) {
  uint32_t n = dmd_profile_n_arguments(profile);
  if (n == 0) {
    print_line(out, "Command", profile->run.command);
    return;
  }
  dmd_out_str(out, "  Command:");
  for (uint32_t i = 0; i < n; i++) {
    dmd_out_char(out, ' ');
    dmd_print_quoted(out, dmd_profile_argument(profile, i));
  }
  dmd_out_char(out, '\n');
}

/* `  Process: 1234, dump 2 (request)`; nothing for several processes. */
static void print_process(dmd_out_t *out, const dmd_run_t *run) {
  if (run->pid == 0)
    return;
  dmd_out_str(out, "  Process: ");
  dmd_out_u64(out, run->pid);
  if (run->dump_number > 0) {
    dmd_out_str(out, ", dump ");
    dmd_out_u64(out, run->dump_number);
  }
  if (run->trigger != NULL) {
    dmd_out_str(out, " (");
    dmd_out_safe(out, run->trigger);
    dmd_out_char(out, ')');
  }
  dmd_out_char(out, '\n');
}

void dmd_print_run(dmd_out_t *out, const char *which, const dmd_profile_t *profile) {
  const dmd_run_t *run = &profile->run;
  if (!run->is_known)
    return;
  dmd_out_str(out, "Run");
  dmd_out_str(out, which);
  dmd_out_str(out, " {\n");
  print_command(out, profile);
  print_process(out, run);
  print_line(out, "Label", run->label);
  print_line(out, "Time", run->time);
  print_line(out, "Host", run->host);
  print_line(out, "Folder", run->folder);
  dmd_out_str(out, "}\n\n");
}
