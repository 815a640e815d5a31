/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_exec.h"

#include "base/mem.h"
#include "base/str.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_options.h"
#include "native/pl_real.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define REPLACED __attribute__((visibility("default")))

extern char **environ;

static const char PRELOAD[] = "LD_PRELOAD=", OPTIONS[] = "DMD_OPTIONS=";

static struct {
  const char *preload, *options; /* entries of the environment, for the engine alone */
  pid_t pid;                     /* the process that dmdv started; 0: nothing is followed */
} g_exec;

static const char *entry(const char *name, const char *value) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &g_env);
  dmd_strbuf_str(&text, name);
  dmd_strbuf_str(&text, value);
  const char *kept =
      dmd_intern_get_str(&g_options.texts, dmd_intern_str(&g_options.texts, text.text));
  dmd_strbuf_destroy(&text);
  return kept;
}

void pl_exec_start(void) {
  Dl_info us;
  const char *options = getenv("DMD_OPTIONS");
  if (dladdr((void *)(uintptr_t)pl_exec_start, &us) == 0)
    return;
  g_exec.preload = entry(PRELOAD, us.dli_fname);
  g_exec.options = entry(OPTIONS, options == NULL ? "" : options);
  g_exec.pid = getpid();
}

/* ---- The environment of the new program ---- */

typedef struct {
  char **entries; /* NULL: unchanged */
  size_t szB;
} changed_t;

/* Our library, and behind it those that the program wants. */
static char *write_preload(char *to, const char *theirs) {
  size_t n = dmd_str_length(g_exec.preload), n_theirs = theirs == NULL ? 0 : dmd_str_length(theirs);
  dmd_mem_copy(to, g_exec.preload, n);
  if (n_theirs > 0) {
    to[n++] = ':';
    dmd_mem_copy(to + n, theirs, n_theirs);
  }
  to[n + n_theirs] = '\0';
  return to;
}

/* Number of entries; theirs: what the program wants to preload, or NULL. */
static size_t count_entries(char *const envp[], const char **theirs) {
  size_t n = 0;
  *theirs = NULL;
  for (; envp[n] != NULL; n++)
    if (dmd_str_begins(envp[n], PRELOAD))
      *theirs = envp[n] + sizeof PRELOAD - 1;
  return n;
}

/* Whether the limit of the address space leaves memory for the engine. Where it leaves too little,
 * the loader may end the program before it begins: it ignores a library that it cannot map, but
 * then needs memory for the threads' data of those that it has mapped. */
static bool is_enough(void) {
  enum { LEAST_SZB = 32 << 20 };
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= LEAST_SZB;
}

/* Bytes that the environment without the engine's entries takes; 0: it is too large for a stack. */
static size_t unwatched_szB(char *const envp[]) {
  enum { MOST_SZB = 32 << 10 };
  const char *theirs;
  size_t n = count_entries(envp, &theirs);
  size_t szB =
      (n + 1) * sizeof *envp + sizeof PRELOAD + (theirs == NULL ? 0 : dmd_str_length(theirs));
  return szB <= MOST_SZB ? szB : 0;
}

/* The environment without the engine's entries, which it has if children are traced, too. */
static char *const *unwatched(char *const envp[], char **entries) {
  const char *theirs;
  size_t n = count_entries(envp, &theirs), k = 0;
  pl_say("dmd: ulimit -v leaves less than 32 MiB: the next program runs without the engine");
  for (size_t i = 0; i < n; i++)
    if (!dmd_str_begins(envp[i], PRELOAD) && !dmd_str_begins(envp[i], OPTIONS))
      entries[k++] = envp[i];
  if (theirs != NULL) {
    char *list = (char *)(entries + n + 1);
    dmd_mem_copy(list, theirs - (sizeof PRELOAD - 1), sizeof PRELOAD + dmd_str_length(theirs));
    pl_options_cut_library(list + sizeof PRELOAD - 1);
    if (list[sizeof PRELOAD - 1] != '\0')
      entries[k++] = list;
  }
  entries[k] = NULL;
  return entries;
}

/* The program's environment and the engine's entries. In memory of its own, since a child of vfork
 * shares the engine's. Without memory the program runs unwatched. */
static changed_t watched(char *const envp[]) {
  changed_t changed = {.entries = NULL};
  const char *theirs;
  if (g_exec.pid == 0 || getpid() != g_exec.pid || envp == NULL)
    return changed;
  size_t n = count_entries(envp, &theirs), k = 0;
  changed.szB = (n + 3) * sizeof *changed.entries + dmd_str_length(g_exec.preload) + 2 +
                (theirs == NULL ? 0 : dmd_str_length(theirs));
  void *memory =
      mmap(NULL, changed.szB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return changed;
  changed.entries = memory;
  changed.entries[k++] = write_preload((char *)(changed.entries + n + 3), theirs);
  changed.entries[k++] = (char *)(uintptr_t)g_exec.options;
  for (size_t i = 0; i < n; i++)
    if (!dmd_str_begins(envp[i], PRELOAD) && !dmd_str_begins(envp[i], OPTIONS))
      changed.entries[k++] = envp[i];
  return changed;
}

/* For an exec that failed. */
static int give_up(changed_t changed) {
  if (changed.entries != NULL)
    munmap(changed.entries, changed.szB);
  return -1;
}

/* ---- Replaced functions ---- */

static void find_real(void) {
  if (!pl_real_is_found())
    pl_real_find();
}

/* Where memory is short, the environment is on the stack. */
#define EXEC(name, call)                                                                           \
  do {                                                                                             \
    find_real();                                                                                   \
    char *const *with = envp;                                                                      \
    size_t szB = envp == NULL || is_enough() ? 0 : unwatched_szB(envp);                            \
    changed_t changed = {.entries = NULL};                                                         \
    if (szB > 0)                                                                                   \
      with = unwatched(envp, __builtin_alloca(szB));                                               \
    else if ((changed = watched(envp)).entries != NULL)                                            \
      with = changed.entries;                                                                      \
    call;                                                                                          \
    return give_up(changed);                                                                       \
  } while (0)

REPLACED int execve(const char *path, char *const argv[], char *const envp[]) {
  EXEC(execve, g_real.execve(path, argv, with));
}

REPLACED int execvpe(const char *file, char *const argv[], char *const envp[]) {
  EXEC(execvpe, g_real.execvpe(file, argv, with));
}

REPLACED int fexecve(int fd, char *const argv[], char *const envp[]) {
  EXEC(fexecve, g_real.fexecve(fd, argv, with));
}

REPLACED int execv(const char *path, char *const argv[]) {
  return execve(path, argv, environ);
}

REPLACED int execvp(const char *file, char *const argv[]) {
  return execvpe(file, argv, environ);
}

/* Calls `by` with the arguments of a variable list, which end with NULL. With `has_environment` an
 * environment follows. */
typedef int (*exec_t)(const char *path, char *const argv[], char *const envp[]);

static int exec_list(exec_t by, const char *path, const char *first, va_list *list,
                     bool has_environment) {
  va_list counted;
  size_t n = 1;
  va_copy(counted, *list);
  while (first != NULL && va_arg(counted, const char *) != NULL)
    n++;
  va_end(counted);
  const char *argv[n + 1];
  argv[0] = first;
  for (size_t i = 1; i <= n && first != NULL; i++)
    argv[i] = va_arg(*list, const char *);
  char *const *envp = has_environment ? va_arg(*list, char *const *) : environ;
  return by(path, (char *const *)(uintptr_t)argv, envp);
}

REPLACED int execl(const char *path, const char *first, ...) {
  va_list list;
  va_start(list, first);
  int result = exec_list(execve, path, first, &list, false);
  va_end(list);
  return result;
}

REPLACED int execlp(const char *file, const char *first, ...) {
  va_list list;
  va_start(list, first);
  int result = exec_list(execvpe, file, first, &list, false);
  va_end(list);
  return result;
}

REPLACED int execle(const char *path, const char *first, ...) {
  va_list list;
  va_start(list, first);
  int result = exec_list(execve, path, first, &list, true);
  va_end(list);
  return result;
}
