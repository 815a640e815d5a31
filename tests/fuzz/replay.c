/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * replay: calls a fuzz target with each of its stored inputs, as TAP. Without arguments these are
 * the files of tests/fuzz/corpus/TARGET in the source folder, which DMD_SRCDIR names; arguments are
 * files to call it with instead.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SZB = 16 * 1024 * 1024 };

static int number;

static void replay(const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t *data = malloc(MAX_SZB);
  if (file == NULL || data == NULL) {
    printf("not ok %d - cannot read %s\n", ++number, path);
    exit(1);
  }
  size_t n = fread(data, 1, MAX_SZB, file);
  fclose(file);
  /* The sanitizers see what lies beyond the end of an allocation. */
  uint8_t *exact = realloc(data, n > 0 ? n : 1);
  LLVMFuzzerTestOneInput(exact, n);
  free(exact);
  const char *slash = strrchr(path, '/');
  printf("ok %d - %s\n", ++number, slash != NULL ? slash + 1 : path);
  fflush(stdout);
}

static void replay_folder(const char *target) {
  const char *srcdir = getenv("DMD_SRCDIR");
  char path[4096];
  int used =
      snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", srcdir != NULL ? srcdir : ".", target);
  struct dirent **entries;
  int n = scandir(path, &entries, NULL, alphasort);
  if (n < 0) {
    fprintf(stderr, "replay: no folder %s: set DMD_SRCDIR to the source folder\n", path);
    exit(1);
  }
  for (int i = 0; i < n; i++) {
    if (entries[i]->d_name[0] != '.') {
      snprintf(path + used, sizeof path - (size_t)used, "/%s", entries[i]->d_name);
      replay(path);
    }
    free(entries[i]);
  }
  free(entries);
}

int main(int argc, char **argv) {
  const char *slash = strrchr(argv[0], '/');
  if (argc == 1)
    replay_folder(slash != NULL ? slash + 1 : argv[0]);
  for (int i = 1; i < argc; i++)
    replay(argv[i]);
  printf("1..%d\n", number);
  return 0;
}
