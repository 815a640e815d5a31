/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Several threads read many files, with ThreadSanitizer: the files arrive in order and unchanged,
 * even if one cannot be read or the caller does not take them all. Prints TAP. */
#include "dmdv/input/fleet.h"
#include "host/process.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_FILES = 40, BAD = 17 };

static char folder[] = "/tmp/dmd-fleet-XXXXXX";
static char *names[N_FILES];

/* The i-th file has i + 1 blocks of 8 bytes; the bad one is cut off. */
static void write_files(void) {
  assert(mkdtemp(folder) != NULL);
  for (int i = 0; i < N_FILES; i++) {
    names[i] = malloc(sizeof folder + 16);
    snprintf(names[i], sizeof folder + 16, "%s/%d.json", folder, i);
    FILE *file = fopen(names[i], "w");
    assert(file != NULL);
    fprintf(file,
            "{\"version\": 5, \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"live\"}, "
            "\"blockList\": [{\"req\": 8, \"num\": %d, \"alloc\": \"a\"}], "
            "\"traceTable\": {\"a\": [\"f\"]}, \"frameTable\": {\"f\": \"#00: f%d (a.c:1)\"}%s",
            i + 1, i, i == BAD ? "" : "}");
    fclose(file);
  }
}

static void remove_files(void) {
  for (int i = 0; i < N_FILES; i++) {
    unlink(names[i]);
    free(names[i]);
  }
  rmdir(folder);
}

static bool is_file(const dmd_profile_t *profile, int i) {
  char frame[32];
  snprintf(frame, sizeof frame, "f%d (a.c:1)", i);
  return dmd_groups_count(&profile->groups) == 1 &&
         dmd_groups_at(&profile->groups, 1)->num == (uint64_t)i + 1 &&
         strcmp(dmd_frames_text(&profile->frames, 1), frame) == 0;
}

/* Reads the first n files; returns how many arrived as expected. */
static int read_some(int n) {
  const dmd_load_options_t options = {0};
  dmdv_fleet_t *fleet = dmdv_fleet_begin(names, N_FILES, &options);
  int good = 0;
  for (int i = 0; i < n; i++) {
    dmd_fail_t fail = {0};
    const dmd_profile_t *profile = dmdv_fleet_next(fleet, &fail);
    good += i == BAD ? profile == NULL && fail.reason[0] != '\0'
                     : profile != NULL && is_file(profile, i);
  }
  dmdv_fleet_end(fleet);
  return good;
}

int main(void) {
  dmdv_host_init();
  write_files();
  printf("1..3\n");
  printf("%s 1 - all_files_in_order\n", read_some(N_FILES) == N_FILES ? "ok" : "not ok");
  printf("%s 2 - the_first_ones_alone\n", read_some(5) == 5 ? "ok" : "not ok");
  printf("%s 3 - none_at_all\n", read_some(0) == 0 ? "ok" : "not ok");
  remove_files();
  return 0;
}
