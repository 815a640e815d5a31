/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unreported blocks and their holders. The analysis is the one at exit.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <valgrind/dmd.h>
#include <valgrind/valgrind.h>

DMD_MALLOC_SIZE_OF_FN(size_of)

enum { N = 10 };

static void *volatile keep[64];
static int n_kept;

/* These pointers to blocks are not in a block, so they do not count. */
static void *kept(void *p) {
  keep[n_kept++] = p;
  return p;
}

static void report_as(const char *reporter, void *p) {
  DMD_REPORTER_BEGIN(reporter);
  size_t n = size_of(p);
  DMD_REPORTER_END(n);
}

/* ---- A forgotten member. ---- */

struct font {
  char pad[0x18];
  char *name;
};

static char *font_name(void) {
  return malloc(50);
}

static void fonts(void) {
  for (int i = 0; i < N; i++) {
    struct font *font = kept(calloc(1, sizeof *font));
    font->name = font_name();
    report_as("explicit/fonts", font);
  }
}

/* ---- A pointer into the inside. ---- */

static char *interior(void) {
  return malloc(100);
}

static void cursors(void) {
  char **cursor = kept(calloc(4, sizeof *cursor));
  cursor[2] = interior() + 60;
  report_as("explicit/cursors", cursor);
}

/* ---- A list of which only the head is held. ---- */

struct node {
  struct node *next;
  long value[3];
};

static struct node *new_node(struct node *next) {
  struct node *node = calloc(1, sizeof *node);
  node->next = next;
  return node;
}

static void list(void) {
  struct node **head = kept(calloc(3, sizeof *head));
  for (int i = 0; i < 1000; i++)
    head[1] = new_node(head[1]);
  report_as("explicit/list", head);
}

/* ---- Blocks that hang on unreported blocks. ---- */

struct box {
  char *text;
  char *volatile *self;
};

static char *box_text(void) {
  return malloc(70);
}

static struct box *new_box(void) {
  return calloc(1, sizeof(struct box));
}

static void boxes(void) {
  for (int i = 0; i < N; i++) {
    struct box *box = kept(new_box());
    box->text = box_text();
    box->self = &box->text;
  }
}

/* ---- Two holders of the same blocks. ---- */

static char *shared_text(size_t n) {
  return malloc(n);
}

static void two_holders(void) {
  char **small = kept(calloc(4, sizeof *small)), **big = kept(calloc(4, sizeof *big));
  for (int i = 0; i < 2; i++)
    big[i + 1] = shared_text(i == 0 ? 100 : 300);
  small[0] = big[1];
  report_as("explicit/small", small);
  report_as("explicit/big", big);
}

/* ---- A reporter without a scope. ---- */

static char *plain_text(void) {
  return malloc(80);
}

static void plain(void) {
  char **holder = kept(calloc(2, sizeof *holder));
  holder[1] = plain_text();
  size_of(holder);
}

/* ---- An array. ---- */

static char *array_text(void) {
  return malloc(30);
}

static void array(void) {
  char **all = kept(calloc(1000, sizeof *all));
  for (int i = 0; i < 1000; i++)
    all[i] = array_text();
  report_as("explicit/array", all);
}

/* ---- Memory that cannot be read. ---- */

static char *behind_text(void) {
  return malloc(90);
}

/* Two pages of a file of one byte, the second of which faults; a page without access; unmapped
 * memory; and in the middle of these a pointer that dmd must find. */
static void unreadable(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  int fd = memfd_create("short", 0);
  if (fd < 0 || ftruncate(fd, 1) != 0)
    abort();
  char *map = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED ||
      mmap(map, 2 * page, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
      mprotect(map + 2 * page, page, PROT_NONE) != 0)
    abort();
  *(char **)(map + 3 * page) = behind_text();
  VALGRIND_MALLOCLIKE_BLOCK(map, 4 * page, 0, 0);
  report_as("explicit/map", map);
  static char *const addresses[] = {(char *)0x10, (char *)0x123, (char *)-4096L};
  for (int i = 0; i < 3; i++) {
    VALGRIND_MALLOCLIKE_BLOCK(addresses[i], i == 1 ? 1L << 50 : 1L << 20, 0, 0);
    report_as("explicit/nowhere", addresses[i]);
  }
}

int main(void) {
  fonts();
  cursors();
  list();
  boxes();
  two_holders();
  plain();
  array();
  unreadable();
  return 0;
}
