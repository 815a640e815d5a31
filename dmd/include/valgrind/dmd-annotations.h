/*
   SPDX-License-Identifier: BSD-3-Clause

   dmd-annotations.h: macros that state in a struct's definition what it owns, for dmd-derive.

   Copyright (C) 2026 the authors of dmd. All rights reserved.
   The terms are in LICENSES/BSD-3-Clause.txt, and at the top of dmd.h.
*/

#ifndef VALGRIND_DMD_ANNOTATIONS_H
#define VALGRIND_DMD_ANNOTATIONS_H

/* dmd.h includes this file. A header that only defines structs may include it alone.

   dmd-derive writes the measuring functions of structs in C:

     struct DMD_MEASURED item {
       DMD_OWNS char *name;
       DMD_OWNS_ARRAY(n_prices) double *prices;
       size_t n_prices;
       DMD_IGNORES("the shelf owns the items in it") struct shelf *shelf;
     };

   A pointer to pointers takes a second annotation, for the inner pointers:
   DMD_OWNS_ARRAY(n) DMD_OWNS. The manual has the rules. For every other compilation the
   annotations are empty. */
#if defined(DMD_DERIVING) && defined(__clang__)
#define DMD_ANNOTATE_(text) __attribute__((annotate("dmd:" text)))
#else
#define DMD_ANNOTATE_(text)
#endif
#define DMD_TEXT_(expression) #expression /* expands the macros in its argument */

/* On a struct: dmd-derive writes functions that measure it, as the reporter with this path. */
#define DMD_MEASURED DMD_ANNOTATE_("measured")
#define DMD_MEASURED_AS(path) DMD_ANNOTATE_("measured_as:" path)

/* On a pointer:
     OWNS         the struct owns the block that starts there
     OWNS_ARRAY   ... an array with that many elements
     OWNS_LIST    ... an array of pointers that ends with a null pointer
     OWNS_AS      ... an object of this measured struct, whatever the pointer's type in C is
     OWNS_BLOCK   ... the block, but nothing that its contents point to
     SHARES       the struct is one of several owners
     IGNORES      the struct owns nothing there
     MEASURED_BY  the given function measures it */
#define DMD_OWNS DMD_ANNOTATE_("owns")
#define DMD_OWNS_ARRAY(count) DMD_ANNOTATE_("owns_array:" DMD_TEXT_(count))
#define DMD_OWNS_LIST DMD_ANNOTATE_("owns_list")
#define DMD_OWNS_AS(struct_name) DMD_ANNOTATE_("owns_as:" #struct_name)
#define DMD_OWNS_BLOCK(reason) DMD_ANNOTATE_("owns_block:" reason)
#define DMD_SHARES DMD_ANNOTATE_("shares")
#define DMD_IGNORES(reason) DMD_ANNOTATE_("ignores:" reason)
#define DMD_MEASURED_BY(function) DMD_ANNOTATE_("measured_by:" #function)

/* On any member, WHEN: the annotations that follow, up to the next WHEN, apply only if the
   condition holds; if none holds, the member is not in use. On an array in the struct, HOLDS: the
   number of its elements that are in use. */
#define DMD_WHEN(condition) DMD_ANNOTATE_("when:" DMD_TEXT_(condition))
#define DMD_HOLDS(count) DMD_ANNOTATE_("holds:" DMD_TEXT_(count))

#endif /* VALGRIND_DMD_ANNOTATIONS_H */
