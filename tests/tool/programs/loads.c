/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * loads FILE LIBRARY...: maps a file as data, then loads each library and calls its make_block.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char **argv) {
  int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED)
    return 1;
  for (int i = 2; i < argc; i++) {
    void *library = dlopen(argv[i], RTLD_NOW);
    void *symbol = library == NULL ? NULL : dlsym(library, "make_block");
    if (symbol == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    ((void (*)(int))symbol)(i);
  }
  return 0;
}
