/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What derive_walk.c measures.
 */
#ifndef DERIVE_WALK_H
#define DERIVE_WALK_H

#include <valgrind/dmd.h>

struct DMD_MEASURED list {
  DMD_OWNS struct list *next;
  DMD_OWNS char *text;
};
struct DMD_MEASURED tree {
  DMD_OWNS struct tree *left, *right;
  DMD_OWNS char *text;
};

#endif
