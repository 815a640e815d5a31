/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads that load and unload a library, and others that fork; the children allocate, and end.
 *
 * Flags: -O1 -pthread
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *g_library;

static void *load(void *arg) {
  for (int i = 0; i < 150; i++) {
    void *library = dlopen(g_library, RTLD_NOW);
    if (library == NULL)
      exit(2);
    void *(*block)(size_t) = (void *(*)(size_t))dlsym(library, "plugin_block");
    free(block(100));
    dlclose(library);
  }
  return arg;
}

static void *fork_often(void *arg) {
  for (int i = 0; i < 10; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      free(malloc(10));
      _exit(0);
    }
    waitpid(pid, NULL, 0);
  }
  return arg;
}

int main(int argc, char **argv) {
  pthread_t threads[8];
  if (argc < 2)
    return 1;
  g_library = argv[1];
  for (int i = 0; i < 8; i++)
    if (pthread_create(&threads[i], NULL, i % 2 == 0 ? load : fork_often, NULL) != 0)
      return 1;
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
  puts("done");
  return 0;
}
