/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tags that a function leaves open although it has code to pop them, while its caller goes on; and
 * tags that a function pushes for its caller, which are in order.
 *
 *   left_tags CASE
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

#define APART __attribute__((noinline, noclone))

static void *volatile keep;
static volatile int yes = 1;
static jmp_buf back;

/* Each block is found by the function that allocates it. */
APART static void *within(void) {
  return keep = malloc(100);
}

APART static void *later(void) {
  return keep = malloc(5000);
}

APART static int returns_early(int fail) {
  DMD_TAG_PUSH("lib");
  keep = within();
  if (fail)
    return -1;
  DMD_TAG_POP();
  return 0;
}

APART static int jumps(int fail) {
  DMD_TAG_PUSH("lib");
  keep = within();
  if (fail)
    longjmp(back, 1);
  DMD_TAG_POP();
  return 0;
}

APART static void begin(void) {
  DMD_TAG_PUSH("phase");
}

APART static void end(void) {
  DMD_TAG_POP();
}

APART static void toggle(int on) {
  if (on)
    DMD_TAG_PUSH("phase");
  else
    DMD_TAG_POP();
  yes = 1;
}

APART static void next_phase(const char *name) {
  DMD_TAG_POP();
  DMD_TAG_PUSH(name);
  yes = 1;
}

/* Ends in a function that pushes and pops a tag of its own. */
APART static int begin_with(void) {
  DMD_TAG_PUSH("phase");
  return returns_early(!yes);
}

static void in_order(void) {
  begin();
  within();
  end();
  toggle(1);
  within();
  toggle(0);
  begin();
  within();
  next_phase("another");
  within();
  end();
  begin_with();
  within();
  DMD_DUMP("in order");
  later();
  end();
  DMD_DUMP("in order");
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "return") == 0) {
    returns_early(yes);
    later();
    DMD_DUMP(what);
  } else if (strcmp(what, "jump") == 0) {
    if (setjmp(back) == 0)
      jumps(yes);
    later();
    DMD_DUMP(what);
  } else if (strcmp(what, "only-dump") == 0) {
    returns_early(yes);
    DMD_DUMP(what);
    later();
    DMD_DUMP(what);
  } else if (strcmp(what, "exit") == 0) {
    returns_early(yes);
  } else if (strcmp(what, "exit-within") == 0) {
    DMD_TAG_PUSH("main");
    if (!yes)
      DMD_TAG_POP();
  } else if (strcmp(what, "tags") == 0) {
    DMD_TAG_PUSH("main");
    for (int i = 0; i < 3; i++)
      returns_early(yes);
    DMD_TAG_POP();
    later();
  } else if (strcmp(what, "in-order") == 0) {
    in_order();
  } else {
    return 2;
  }
  return 0;
}
