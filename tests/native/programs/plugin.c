/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The library that loading_forks.c and comes_and_goes.c load. FROM names the allocating function.
 */
#include <stdlib.h>

#ifndef FROM
#define FROM from_plugin
#endif

void *plugin_block(size_t szB);

__attribute__((noinline)) static void *FROM(size_t szB) {
  void *volatile block = malloc(szB);
  return block;
}

void *plugin_block(size_t szB) {
  void *volatile block = FROM(szB);
  return block;
}
