/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names that no program should pass, used as tags, reporters and labels. With "set": used as set
 * tags, in queries of tags' sizes, and as reporters of single reports.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <valgrind/dmd.h>

static void *volatile keep[16];
static int set;

static void check(int good) {
  if (!good)
    abort();
}

/* A block that bears the name as its tag and as its reporter. */
static void *block_with(const char *name) {
  if (set) {
    size_t n = DMD_TAG_BLOCKS(name), bytes = DMD_TAG_BYTES(name);
    DMD_SET_HEAP_BLOCK_TAG(name);
    void *block = malloc(10);
    DMD_CLEAR_HEAP_BLOCK_TAG();
    check(DMD_TAG_BLOCKS(name) == n + 1 && DMD_TAG_BYTES(name) == bytes + 24);
    VALGRIND_DMD_REPORT(block, 24, name);
    return block;
  }
  DMD_TAG_PUSH(name);
  void *block = malloc(10);
  DMD_TAG_POP();
  DMD_REPORTER_BEGIN_WITH(name, -256); /* unknown flags */
  size_t size = DMD_REPORT(block);
  DMD_REPORTER_END(size);
  return block;
}

#define BLOCK_WITH(index, function, name)                                                          \
  static void function(void) {                                                                     \
    keep[index] = block_with(name);                                                                \
  }

static char *unmapped, *unreadable, *unterminated, *long_name, *across, *beyond;

BLOCK_WITH(0, null_name, NULL)
BLOCK_WITH(1, empty_name, "")
BLOCK_WITH(2, unmapped_name, unmapped)
BLOCK_WITH(3, unreadable_name, unreadable)
BLOCK_WITH(4, unterminated_name, unterminated)
BLOCK_WITH(5, very_long_name, long_name)
BLOCK_WITH(6, control_characters, "a\tb\nc\033[31md\177")
BLOCK_WITH(7, not_utf8, "x\xff\xc0\x80y\xed\xa0\x80z")
BLOCK_WITH(8, quotes, "say \"hi\" \\ / <b>")
BLOCK_WITH(9, utf8, "\xc3\xa9t\xc3\xa9 \xf0\x9f\x8d\xaa")
BLOCK_WITH(10, name_across_pages, across)
BLOCK_WITH(11, kernel_address, (char *)0xffffffffff600000)
BLOCK_WITH(12, name_beyond_its_file, beyond)
BLOCK_WITH(13, command_of_a_ci, "##[error]::error::x")

static char *map(size_t n, int protection) {
  char *p = mmap(NULL, n, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    abort();
  return p;
}

/* Two pages mapped of a file of one: reading the second is a bus error. */
static char *map_beyond_a_file(size_t page) {
  FILE *file = tmpfile();
  for (size_t i = 0; file != NULL && i < page; i++)
    putc('f', file);
  if (file == NULL || fflush(file) != 0)
    abort();
  char *p = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE, fileno(file), 0);
  if (p == MAP_FAILED)
    abort();
  return p;
}

static void make_names(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), mega = 1 << 20;
  unmapped = map(page, PROT_READ);
  munmap(unmapped, page);
  unreadable = map(page, PROT_NONE);
  char *two = map(2 * page, PROT_READ | PROT_WRITE);
  unterminated = two + page - 6;
  memset(two, 'u', 2 * page);
  mprotect(two + page, page, PROT_NONE); /* the next mapping might fill an unmapped page */
  long_name = map(mega + page, PROT_READ | PROT_WRITE);
  memset(long_name, 'L', mega);
  across = map(2 * page, PROT_READ | PROT_WRITE) + page - 5;
  strcpy(across, "across pages");
  beyond = map_beyond_a_file(page) + page - 3;
}

int main(int argc, char **argv) {
  set = argc > 1 && strcmp(argv[1], "set") == 0;
  make_names();
  null_name();
  empty_name();
  unmapped_name();
  unreadable_name();
  unterminated_name();
  very_long_name();
  control_characters();
  not_utf8();
  quotes();
  utf8();
  name_across_pages();
  kernel_address();
  name_beyond_its_file();
  command_of_a_ci();
  if (argc > 1 && !set) {
    DMD_DUMP(unmapped);
    DMD_DUMP(unterminated);
    DMD_DUMP(long_name);
    DMD_DUMP(argv[1]);
    DMD_DUMP("");
    DMD_DUMP(NULL);
  }
  return 0;
}
