/*
   dmd-annotations.h: what a struct owns, as its definition says it and dmd-derive reads it.

   This file, like dmd.h, is under the licence below, so that any program may include it. The rest
   of dmd is under the GNU General Public License, version 2 or later; see COPYING.

   Copyright (C) 2026 the authors of dmd. All rights reserved.

   You may use this file and pass it on, as source text or in compiled form, changed or unchanged,
   provided that:

   1. where it is passed on as source text, the copyright line above, these conditions and the
      disclaimer below stay in it;
   2. where it is passed on in compiled form, the documentation or other material that comes along
      contains the copyright line, these conditions and the disclaimer; this is not asked of a
      program that merely includes this file;
   3. the names of dmd's authors are not used to advertise or recommend anything made from this
      file, unless they have agreed to it in writing beforehand.

   THE AUTHORS PROVIDE THIS FILE "AS IS". THEY GIVE NO WARRANTY OF ANY KIND, EXPRESS OR IMPLIED; IN
   PARTICULAR NONE THAT IT IS FIT TO BE SOLD OR FIT FOR A PARTICULAR PURPOSE. THEY ARE NOT LIABLE
   FOR ANY DAMAGE THAT COMES OF ITS USE, WHETHER DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY OR
   CONSEQUENTIAL (LOSS OF DATA, OF USE, OF PROFITS, OF BUSINESS AND THE COST OF A REPLACEMENT
   AMONG IT), ON WHATEVER LEGAL GROUND, BE IT CONTRACT, STRICT LIABILITY OR TORT (NEGLIGENCE
   INCLUDED), AND EVEN WHERE THEY WERE TOLD THAT SUCH DAMAGE WAS POSSIBLE.
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

   A pointer to pointers takes a second word, for what those are: DMD_OWNS_ARRAY(n) DMD_OWNS. The
   manual has the rules. No other compilation sees anything of them. */
#if defined(DMD_DERIVING) && defined(__clang__)
#define DMD_ANNOTATE_(text) __attribute__((annotate("dmd:" text)))
#else
#define DMD_ANNOTATE_(text)
#endif
#define DMD_TEXT_(expression) #expression /* the macros in it are replaced */

/* Of a struct: let functions be written that measure it, as the reporter with the path. */
#define DMD_MEASURED DMD_ANNOTATE_("measured")
#define DMD_MEASURED_AS(path) DMD_ANNOTATE_("measured_as:" path)

/* Of a pointer: this struct owns the block that starts there; an array of so many elements; one of
   pointers up to a null pointer; an object of this measured struct, whatever C says; the block, but
   nothing of what is in it; as one of several owners; nothing; the function measures. */
#define DMD_OWNS DMD_ANNOTATE_("owns")
#define DMD_OWNS_ARRAY(count) DMD_ANNOTATE_("owns_array:" DMD_TEXT_(count))
#define DMD_OWNS_LIST DMD_ANNOTATE_("owns_list")
#define DMD_OWNS_AS(struct_name) DMD_ANNOTATE_("owns_as:" #struct_name)
#define DMD_OWNS_BLOCK(reason) DMD_ANNOTATE_("owns_block:" reason)
#define DMD_SHARES DMD_ANNOTATE_("shares")
#define DMD_IGNORES(reason) DMD_ANNOTATE_("ignores:" reason)
#define DMD_MEASURED_BY(function) DMD_ANNOTATE_("measured_by:" #function)

/* Of any member: it is in use only if, and then as the words behind say, up to the next condition;
   of an array in the struct: so many elements are in use. */
#define DMD_WHEN(condition) DMD_ANNOTATE_("when:" DMD_TEXT_(condition))
#define DMD_HOLDS(count) DMD_ANNOTATE_("holds:" DMD_TEXT_(count))

#endif /* VALGRIND_DMD_ANNOTATIONS_H */
