/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Different stacks with equal text: two calls on one line. Counts of one apply to both, and a block
 * that both hold, or share, is one block.
 */
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(size_of)

enum { N = 10 };

static void *volatile keep[32];
static int n_kept;

static void *kept(void *p) {
  keep[n_kept++] = p;
  return p;
}

typedef void *pair_t[2];

/* clang-format off */
#define TWICE(call) do { call; call; } while (0)
/* clang-format on */

/* ---- Holders. ---- */

static void *text(void) {
  return malloc(100);
}

static void **new_holder(void) {
  return kept(calloc(N, sizeof(void *)));
}

/* Each of the two holds all texts. */
static void unreported_holders(void) {
  pair_t holders;
  int n = 0;
  TWICE(holders[n++] = new_holder());
  for (int i = 0; i < N; i++)
    ((void **)holders[0])[i] = ((void **)holders[1])[i] = text();
}

static void *label(void) {
  return malloc(200);
}

/* As above, but both were reported outside of any reporter. */
static void reported_holders(void) {
  pair_t holders = {kept(calloc(N, sizeof(void *))), kept(calloc(N, sizeof(void *)))};
  for (int i = 0; i < N; i++)
    ((void **)holders[0])[i] = ((void **)holders[1])[i] = label();
  int n = 0;
  TWICE(size_of(holders[n++]));
}

/* ---- A list that goes on through the other of two places that look alike. ---- */

static void **node(void) {
  return malloc(40);
}

static void list(void) {
  void **head = kept(calloc(1, 24)), **last = head;
  DMD_REPORTER_BEGIN("explicit/list");
  DMD_REPORTER_END(size_of(head));
  for (int i = 0; i < N; i++) {
    TWICE(last = *last = node());
    *last = NULL;
  }
}

/* ---- Reports. ---- */

static void *image(void) {
  return kept(malloc(300));
}

/* Two owners on one line are one owner. */
static void sharers(void) {
  void *p = image();
  TWICE(DMD_REPORT_SHARED(p));
  TWICE(DMD_REPORT_SHARED(p));
  DMD_REPORT_SHARED(p);
}

static void *sheet(void) {
  return kept(malloc(400));
}

static void reported_twice(void) {
  pair_t p = {sheet(), sheet()};
  TWICE(DMD_REPORT(p[0]));
  DMD_REPORT(p[1]), DMD_REPORT(p[1]);
}

/* ---- Faults. ---- */

static void faults(void) {
  char *p = kept(malloc(64));
  DMD_REPORTER_BEGIN("explicit/faults");
  TWICE(DMD_REPORT(p + 1));
  DMD_REPORTER_END(0);
}

/* ---- Names that a file cannot tell apart. ---- */

static void *named(const char *name) {
  DMD_TAG_PUSH(name);
  void *p = kept(malloc(500));
  DMD_TAG_POP();
  DMD_REPORTER_BEGIN(name);
  DMD_REPORTER_END(size_of(p));
  return p;
}

static void publish(const char *path) {
  DMD_MEMORY_REPORT(&(struct dmd_memory_report){
      .path = path, .kind = DMD_KIND_HEAP, .units = DMD_UNITS_BYTES, .amount = 504});
}

static void names(void) {
  static const char *const spellings[] = {"caf\xe9", "caf\xe8"};
  for (int i = 0; i < 2; i++) {
    named(spellings[i]);
    publish(spellings[i]);
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } parts[] = {{"unreported_holders", unreported_holders},
               {"reported_holders", reported_holders},
               {"list", list},
               {"sharers", sharers},
               {"reported_twice", reported_twice},
               {"faults", faults},
               {"names", names}};
  for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof parts[0]; i++)
    if (strcmp(argv[1], parts[i].name) == 0)
      parts[i].run();
  return 0;
}
