/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * comes_and_goes LIBRARY...: loads libraries one after the other, keeps a block from each, and
 * prints the address of each library's function. Each is unloaded before the next one is loaded.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *volatile kept;

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    void *library = dlopen(argv[i], RTLD_NOW);
    if (library == NULL)
      return 2;
    void *(*block)(size_t) = (void *(*)(size_t))dlsym(library, "plugin_block");
    kept = block((size_t)i * 100);
    printf("%p\n", (void *)block);
    dlclose(library);
  }
  return 0;
}
