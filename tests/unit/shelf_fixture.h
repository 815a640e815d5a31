/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * shelf_fixture.h: a heap graph with types, small enough to be worked out by hand.
 *
 *   struct jar { int weight; char *label; struct jar *next; };    24 bytes
 *   struct jar *shelf[2];                                          a variable
 *
 *   shelf ---[0]---> jar A ---next---> jar B ---next---> jar C      each with a label of 10 bytes
 *   stack of thread 1 in main ---+0x8---> box ---+0x0 to +0x88---> 18 pens
 *   jar X ---next---> jar Y ---label---> a label                    lost
 *
 * Usable sizes: jars 24 bytes, labels 24 for 10, the box 144, pens 32. Jars and labels have types;
 * the box and the pens are known by who allocated them. Jars A, B and C, and A's label, are
 * reported by explicit/jars.
 */
#ifndef TESTS_UNIT_SHELF_FIXTURE_H
#define TESTS_UNIT_SHELF_FIXTURE_H

#include "host.h"
#include "types_fixture.h"

#include "analyse/graph/kinds.h"

enum { N_PENS = 18 };

/* Nodes: roots, then blocks by address. */
enum {
  SHELF = 1,
  STACK,
  JAR_A,
  JAR_B,
  JAR_C,
  LABEL_A,
  LABEL_B,
  LABEL_C,
  BOX,
  FIRST_PEN,
  LAST_PEN = FIRST_PEN + N_PENS - 1,
  JAR_X,
  JAR_Y,
  LABEL_Y,
  N_SHELF_NODES
};

typedef struct {
  host_t host;
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_kinds_t kinds;
} shelf_t;

/* Uses the given host instead of its own. */
void shelf_build(shelf_t *s, const dmd_env_t *env);
void shelf_destroy(shelf_t *s);

/* As above, with a host of its own. */
void shelf_init(shelf_t *s);
void shelf_done(shelf_t *s);

#endif
