/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_match.h: Valgrind's VG_(string_match), faster.
 *
 * Of each object that is loaded, Valgrind's core compares every symbol with the name of every
 * function that the preloaded library replaces: with the C library's two million comparisons. The
 * core measures both texts before it looks at the first character, by which most differ, and so
 * spends a sixth of the start of a program on this. The linker puts the function below in its place
 * (--wrap in Makefile.am), which answers where no wildcard is met, and leaves the rest to it.
 */
#ifndef DMD_TOOL_DM_MATCH_H
#define DMD_TOOL_DM_MATCH_H

#include "pub_tool_basics.h"
#include "pub_tool_seqmatch.h"

/* The names that --wrap=vgPlain_string_match wants; vgPlain_ is what VG_() stands for. */
Bool __wrap_vgPlain_string_match(const HChar *pattern, const HChar *text);
Bool __real_vgPlain_string_match(const HChar *pattern, const HChar *text);

#endif
