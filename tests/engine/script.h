/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * script.h: a program that is written down in a file, so that several engines can watch the same.
 *
 * A line of a script is one step:
 *
 *   THREAD PATH OPERATION [WORD...]
 *   1 ab malloc x 100
 *
 * Thread 1 calls site_a, which calls site_b, which allocates 100 bytes and keeps their address as
 * x. A '#' begins a comment. An operation is one of the list below, or a request of dmd.h.
 *
 * The includer defines what an operation does, by the functions world_...: in
 * tests/tool/programs/script.c they are malloc and the requests, and Valgrind watches; in shell.c
 * they are the engine's functions. Stacks are compared by their functions world_... and site_...
 */
#ifndef TESTS_ENGINE_SCRIPT_H
#define TESTS_ENGINE_SCRIPT_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 6, MAX_SCRIPT = 1 << 16, MAX_THREADS = 8 };

struct step {
  unsigned thread;
  const char *path, *operation;
  const char *word[MAX_WORDS]; /* behind the operation; the rest are "" */
};

/* ---- What is done. ---- */

static void *world_malloc(size_t szB);
static void *world_calloc(size_t n, size_t szB);
static void *world_memalign(size_t alignB, size_t szB);
static void *world_realloc(void *p, size_t szB);
static void world_free(void *p);
static size_t world_usable(void *p);
static void world_announce(void *p, size_t szB);
static void world_resize(void *p, size_t old_szB, size_t new_szB);
static void world_unannounce(void *p);
static void world_start(unsigned thread); /* by the thread of the step; numbers come in order */
static void world_end(unsigned thread);   /* likewise; waits until it has ended */
static size_t world_request(unsigned number, uintptr_t a, uintptr_t b, uintptr_t c);

/* ---- Words. ---- */

/* Memory outside the heap. */
static char g_pool[4096];

static void *g_pointer[26];          /* by name, a to z */
static uintptr_t g_sum[MAX_THREADS]; /* what the thread's reports returned since it began or ended
                                        a reporter */

/* "100", "x", "x+8", "pool+64", "sum", or another word, which is a string; "" is 0. */
static uintptr_t value(const struct step *step, int i) {
  const char *word = step->word[i], *plus = strchr(word, '+');
  uintptr_t more = plus != NULL ? strtoull(plus + 1, NULL, 10) : 0;
  if (word[0] == '\0' || (word[0] >= '0' && word[0] <= '9'))
    return strtoull(word, NULL, 10);
  if (word[1] == '\0' || word[1] == '+')
    return (uintptr_t)g_pointer[word[0] - 'a'] + more;
  if (strncmp(word, "pool", 4) == 0)
    return (uintptr_t)g_pool + more;
  return strcmp(word, "sum") == 0 ? g_sum[step->thread] : (uintptr_t)word;
}

static void *pointer(const struct step *step, int i) {
  return (void *)value(step, i);
}

/* Stores an address under a name. The step's answer is whether it is not null. */
static uintptr_t keep(const struct step *step, void *p) {
  g_pointer[step->word[0][0] - 'a'] = p;
  return p != NULL;
}

/* ---- Operations. ---- */

static uintptr_t do_malloc(const struct step *step) {
  return keep(step, world_malloc(value(step, 1)));
}

static uintptr_t do_calloc(const struct step *step) {
  return keep(step, world_calloc(value(step, 1), value(step, 2)));
}

static uintptr_t do_memalign(const struct step *step) {
  return keep(step, world_memalign(value(step, 1), value(step, 2)));
}

static uintptr_t do_realloc(const struct step *step) {
  return keep(step, world_realloc(pointer(step, 0), value(step, 1)));
}

static uintptr_t do_free(const struct step *step) {
  world_free(pointer(step, 0));
  return 0;
}

static uintptr_t do_usable(const struct step *step) {
  return world_usable(pointer(step, 0));
}

/* A block holds the address of another. */
static uintptr_t do_link(const struct step *step) {
  *(void **)pointer(step, 0) = pointer(step, 1);
  return 0;
}

static uintptr_t do_announce(const struct step *step) {
  world_announce(pointer(step, 0), value(step, 1));
  return 0;
}

static uintptr_t do_resize(const struct step *step) {
  world_resize(pointer(step, 0), value(step, 1), value(step, 2));
  return 0;
}

static uintptr_t do_unannounce(const struct step *step) {
  world_unannounce(pointer(step, 0));
  return 0;
}

static uintptr_t do_start(const struct step *step) {
  world_start((unsigned)value(step, 0));
  return 0;
}

static uintptr_t do_end(const struct step *step) {
  world_end((unsigned)value(step, 0));
  return 0;
}

static const struct {
  const char *name;
  uintptr_t (*perform)(const struct step *step);
} operations[] = {
    {"malloc", do_malloc},     {"calloc", do_calloc}, {"memalign", do_memalign},
    {"realloc", do_realloc},   {"free", do_free},     {"usable", do_usable},
    {"link", do_link},         {"start", do_start},   {"end-thread", do_end},
    {"announce", do_announce}, {"resize", do_resize}, {"unannounce", do_unannounce},
};

/* ---- Requests, in the order of dmd.h. ---- */

static const char *const requests[] = {
    "running",
    "report",
    "report-on-alloc",
    "unreport",
    "clear",
    "dump",
    "begin",
    "end",
    "push",
    "pop",
    "report-named",
    "report-shared",
    "set",
    "unset",
    "tag-bytes",
    "tag-blocks",
    "publish",
    "handle",
    "join",
    "leave",
    "graph",
    "mark",
    "report-enclosing",
};

/* dmd.h's structure. */
struct published {
  const char *process, *path;
  int kind, units;
  long long amount;
  const char *description;
};

static uintptr_t ask(const struct step *step, unsigned number) {
  const char *name = requests[number];
  struct published published = {NULL,
                                (const char *)value(step, 0),
                                (int)value(step, 1),
                                (int)value(step, 2),
                                (long long)value(step, 3),
                                step->word[4]};
  uintptr_t first = strcmp(name, "publish") == 0 ? (uintptr_t)&published : value(step, 0);
  uintptr_t answer = world_request(number, first, value(step, 1), value(step, 2));
  if (strncmp(name, "report", 6) == 0)
    g_sum[step->thread] += answer;
  else if (strcmp(name, "begin") == 0 || strcmp(name, "end") == 0)
    g_sum[step->thread] = 0;
  return answer;
}

/* Does a step, and returns its answer. */
static uintptr_t perform(const struct step *step) {
  for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
    if (strcmp(step->operation, operations[i].name) == 0)
      return operations[i].perform(step);
  for (unsigned number = 0; number < sizeof requests / sizeof *requests; number++)
    if (strcmp(step->operation, requests[number]) == 0)
      return ask(step, number);
  abort();
}

/* ---- Scripts. ---- */

static void write_number(uintptr_t n) {
  char text[32], *at = text + sizeof text;
  *--at = '\n';
  do
    *--at = (char)('0' + n % 10);
  while ((n /= 10) > 0);
  if (write(STDOUT_FILENO, at, (size_t)(text + sizeof text - at)) < 0)
    abort();
}

/* Runs each step of a file, and prints the answers. Nothing here uses the heap. */
static void run_script(const char *name, uintptr_t (*run)(const struct step *step)) {
  static char text[MAX_SCRIPT];
  int fd = open(name, O_RDONLY);
  ssize_t n = read(fd, text, sizeof text - 1);
  if (n < 0 || close(fd) != 0)
    abort();
  text[n] = '\0';
  char *rest_of_text;
  for (char *line = strtok_r(text, "\n", &rest_of_text); line != NULL;
       line = strtok_r(NULL, "\n", &rest_of_text)) {
    char *words[3 + MAX_WORDS] = {NULL}, *rest;
    unsigned n_words = 0;
    for (char *word = strtok_r(line, " ", &rest); word != NULL && word[0] != '#';
         word = strtok_r(NULL, " ", &rest))
      words[n_words++] = word;
    if (n_words < 3)
      continue;
    struct step step = {(unsigned)strtoull(words[0], NULL, 10), words[1], words[2], {""}};
    for (unsigned i = 0; i < MAX_WORDS; i++)
      step.word[i] = words[3 + i] != NULL ? words[3 + i] : "";
    write_number(run(&step));
  }
}

#endif
