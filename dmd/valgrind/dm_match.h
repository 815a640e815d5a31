/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_match.h: a faster VG_(string_match).
 *
 * For each loaded object, Valgrind's core compares every symbol with the name of every function
 * that the preloaded library replaces: with the C library, two million comparisons. The core
 * measures both strings before it looks at the first character, in which most differ, and so spends
 * a sixth of a program's start-up on this. The linker substitutes the function below (--wrap in
 * Makefile.am), which decides comparisons that meet no wildcard and passes the others to the
 * core's.
 */
#ifndef DMD_VALGRIND_DM_MATCH_H
#define DMD_VALGRIND_DM_MATCH_H

#include "pub_tool_basics.h"
#include "pub_tool_seqmatch.h"

/* The names required by --wrap=vgPlain_string_match; VG_() stands for vgPlain_. */
Bool __wrap_vgPlain_string_match(const HChar *pattern, const HChar *text);
Bool __real_vgPlain_string_match(const HChar *pattern, const HChar *text);

#endif
