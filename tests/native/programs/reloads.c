/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reloads NUMBER LIBRARY...: prints ready. For each line that it reads, so many times, it loads one
 * of the libraries, lets it allocate, frees the block and unloads the library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (library == NULL)
    exit(2);
  void *(*block)(size_t) = (void *(*)(size_t))dlsym(library, "plugin_block");
  free(block(100));
  dlclose(library);
}

int main(int argc, char **argv) {
  char line[20];
  if (argc < 3)
    return 2;
  do {
    puts("ready");
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) == NULL)
      return 0;
    for (long i = 0; i < strtol(argv[1], NULL, 10); i++)
      load(argv[2 + i % (argc - 2)]);
  } while (1);
}
