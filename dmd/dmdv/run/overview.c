/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/overview.h"

#include "dmdv/commandline/show.h"
#include "dmdv/graph/graphbeside.h"
#include "host/output.h"
#include "show/text/text_overview.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES = 8 };

static bool load(dmd_profile_t *profile, const char *name) {
  const dmd_load_options_t options = {.moment = DMD_MOMENT_ALL};
  return dmdv_load_or_say(profile, name, &options);
}

static void print(dmd_out_t *out, dmd_profile_t *profile, const char *name, const char *how) {
  dmdv_owners_beside_t beside = {.is_there = false};
  if (dmdv_owners_take_little(profile, name))
    dmdv_owners_beside_init(&beside, profile, name, FRAMES);
  dmd_overview_t overview = {
      .how = how, .file = name, .owners = beside.is_there ? &beside.advice : NULL};
  dmd_overview_print(out, profile, &overview);
  dmdv_owners_beside_destroy(&beside);
}

static bool write_stderr(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stderr) == n;
}

bool dmdv_overview_of_run(const char *name, const char *how) {
  dmd_profile_t profile;
  dmd_out_t out;
  if (!load(&profile, name))
    return false;
  dmd_out_init(&out, write_stderr, NULL);
  dmd_out_char(&out, '\n');
  print(&out, &profile, name, how);
  dmd_out_flush(&out);
  dmd_profile_destroy(&profile);
  return true;
}

typedef struct {
  dmd_profile_t *profile;
  const char *name;
} shown_t;

static void print_file(void *ctx, dmd_out_t *out) {
  const shown_t *shown = ctx;
  const dmd_run_t *run = &shown->profile->run;
  char how[96];
  snprintf(how, sizeof how, "pid %" PRIu64 ", dump %" PRIu64 ", %s", run->pid, run->dump_number,
           run->time != NULL ? run->time : "");
  print(out, shown->profile, shown->name, run->pid > 0 ? how : NULL);
}

int dmdv_overview_of_files(int n, char **names) {
  bool good = true;
  for (int i = 0; i < n && good; i++) {
    dmd_profile_t profile;
    good = load(&profile, names[i]);
    if (!good)
      break;
    shown_t shown = {&profile, names[i]};
    if (i > 0)
      putchar('\n');
    fflush(stdout);
    good = dmdv_output_print(NULL, false, print_file, &shown);
    dmd_profile_destroy(&profile);
  }
  return good ? 0 : 2;
}
