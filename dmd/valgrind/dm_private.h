/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_private.h: everything that dmd uses of Valgrind's core beyond its tool headers.
 *
 * These symbols are in the core's library; distributions do not ship the headers that declare them,
 * and they may change in any release. So configure tries to link against each (m4/dmd-tool-api.m4).
 * If one is missing, dmd falls back as described here, and configure's summary names it. No other
 * file declares a symbol of Valgrind's.
 *
 * To build as if one were missing: configure dmd_cv_vg_have_NAME=no.
 */
#ifndef DMD_VALGRIND_DM_PRIVATE_H
#define DMD_VALGRIND_DM_PRIVATE_H

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"

#include "dmd-config.h"

/* The value given to this option ("read-inline-info=") when Valgrind was started, on its command
 * line, in VALGRIND_OPTS or in a .valgrindrc; NULL if it was not given. */
const HChar *dm_option_given(const HChar *name);

/*--- --read-inline-info ---*/

/* The core's variable for the option. It is on by default only for Valgrind's own heap profilers,
 * by name; dmd's records need inlined frames just as much. Without it: off, unless the option is
 * given. */
#if DMD_VG_HAVE_READ_INLINE_INFO
extern Bool VG_(clo_read_inline_info);
#endif

/* Sets whether the core reads inlined calls of the objects that it loads from now on. */
static inline void dm_set_read_inline_info(Bool reads) {
#if DMD_VG_HAVE_READ_INLINE_INFO
  VG_(clo_read_inline_info) = reads;
#else
  (void)reads;
#endif
}

/*--- Symbols by name ---*/

/* gdbserver's lookup. It returns one to three addresses, depending on the platform; only its
 * success is used here. Without it: an allocator is recognised by the name of its library, and not
 * at all if it is linked into the program. */
#if DMD_VG_HAVE_LOOKUP_SYMBOL
typedef struct {
  Addr addrs[3];
} dm_symbol_addrs_t;
extern Bool VG_(lookup_symbol_SLOW)(DiEpoch ep, const HChar *soname_pattern, const HChar *name,
                                    dm_symbol_addrs_t *found);
#endif

/* Whether an object whose soname matches the pattern has a symbol of this name; if_unknown if the
 * lookup is not available. */
static inline Bool dm_defines(const HChar *soname_pattern, const HChar *name, Bool if_unknown) {
#if DMD_VG_HAVE_LOOKUP_SYMBOL
  dm_symbol_addrs_t found;
  (void)if_unknown;
  return VG_(lookup_symbol_SLOW)(VG_(current_DiEpoch)(), soname_pattern, name, &found);
#else
  (void)soname_pattern, (void)name;
  return if_unknown;
#endif
}

/*--- Replaced functions ---*/

/* Where a jump to an address leads: to the address itself, unless the function there is replaced.
 * Without it: dmd does not report that a program's own operator new never runs. */
#if DMD_VG_HAVE_REDIR_DO_LOOKUP
extern Addr VG_(redir_do_lookup)(Addr code, Bool *is_wrapped);
#endif

/* The address of the function of this name in an object whose soname matches the pattern, if it is
 * replaced; 0 if it does not exist, is not replaced, or cannot be looked up. */
static inline Addr dm_replaced(const HChar *soname_pattern, const HChar *name) {
#if DMD_VG_HAVE_LOOKUP_SYMBOL && DMD_VG_HAVE_REDIR_DO_LOOKUP
  dm_symbol_addrs_t found;
  if (!VG_(lookup_symbol_SLOW)(VG_(current_DiEpoch)(), soname_pattern, name, &found))
    return 0;
  return VG_(redir_do_lookup)(found.addrs[0], NULL) == found.addrs[0] ? 0 : found.addrs[0];
#else
  (void)soname_pattern, (void)name;
  return 0;
#endif
}

/*--- Translations that go on in a called function ---*/

/* A translation may follow a call to a known address. Then a function has no translation that
 * begins with it, so a call of the tool at its entry would be in the middle of one, where the
 * registers are not all stored. Sets whether the next translations follow calls; returns False if
 * that cannot be set, or was so before. Without it: calls that are followed are not seen. */
#if DMD_VG_HAVE_GUEST_CHASE
#include "libvex.h"
extern VexControl vex_control;
#endif

static inline Bool dm_set_chase(Bool chases) {
#if DMD_VG_HAVE_GUEST_CHASE
  Bool changes = vex_control.guest_chase != chases;
  vex_control.guest_chase = chases;
  return changes;
#else
  (void)chases;
  return False;
#endif
}

/*--- --merge-recursive-frames ---*/

/* The core's variable for the option. Without it: the option's value at the start. A change by the
 * monitor command v.clo is then not noticed, and cached stacks keep their frames. */
#if DMD_VG_HAVE_MERGE_RECURSIVE_FRAMES
extern Int VG_(clo_merge_recursive_frames);
#endif

/* Whether frames of recursions are merged. */
static inline Bool dm_merges_recursive_frames(void) {
#if DMD_VG_HAVE_MERGE_RECURSIVE_FRAMES
  return VG_(clo_merge_recursive_frames) > 0;
#else
  static Int merges = -1; /* not known yet */
  if (merges < 0) {
    const HChar *value = dm_option_given("merge-recursive-frames=");
    merges = value != NULL && value[0] != '0' && value[0] != '-';
  }
  return merges;
#endif
}

/*--- A faster VG_(string_match) ---*/

/* For each loaded object, Valgrind's core compares every symbol with the name of every function
 * that the preloaded library replaces: with the C library, two million comparisons. The core
 * measures both strings before it looks at the first character, in which most differ, and so spends
 * a sixth of a program's start-up on this. The linker substitutes the function below (--wrap in
 * Makefile.am), which decides comparisons that meet no wildcard and passes the others to the
 * core's. */

/* The names required by --wrap=vgPlain_string_match; VG_() stands for vgPlain_. */
Bool __wrap_vgPlain_string_match(const HChar *pattern, const HChar *text);
Bool __real_vgPlain_string_match(const HChar *pattern, const HChar *text);

#endif
