/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A tag that longjmp leaves on the thread, and no other tag that is taken off afterwards.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: scope-left-open
 *   num: 1
 *   scope: parser
 *   text: Scope that was never ended {
 *   at: parse @begin < parse_all < main
 */
#include <setjmp.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(tree_size_of)

static jmp_buf g_bad_input;

static void *parse(const char *text) {
  DMD_TAG_PUSH("parser"); /* @begin */
  void *tree = malloc(500);
#ifdef FIXED
  DMD_TAG_POP();
#endif
  if (text[0] == '\0') {
    free(tree);
    longjmp(g_bad_input, 1);
  }
#ifndef FIXED
  DMD_TAG_POP();
#endif
  return tree;
}

static void *parse_all(const char *const *texts) {
  void *tree = NULL;
  while (*texts != NULL) {
    free(tree);
    tree = parse(*texts++);
  }
  return tree;
}

int main(void) {
  static const char *const bad[] = {"a", "", NULL}, *const good[] = {"b", NULL};
  void *tree = setjmp(g_bad_input) == 0 ? parse_all(bad) : parse_all(good);
  tree_size_of(tree);
  DMD_DUMP("a tree");
  return 0;
}
