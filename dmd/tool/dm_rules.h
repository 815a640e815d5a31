/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_rules.h: what the user says of functions and libraries, in place of the program.
 *
 * Tag rules (--tag-library, --tag-fn) give blocks a tag by who allocated them; report rules
 * (--report-fn, --report-usable-size) make reports of calls of malloc_usable_size. All depend on
 * stacks alone, so each stack is judged once, with all rules at a time, and so is each address in
 * it; afterwards a judgement costs an array look-up. Where no rule was given, g_rules says so and
 * nothing here is called.
 *
 * Functions of Valgrind's replacement library (malloc and operator new), of the C library with its
 * loader and of allocator libraries are the allocator's: they are never the one that allocated, and
 * never a reporter.
 *
 * Functions match by their printed name or by the plain one (base/fnname.h), inlined ones too;
 * libraries by the path of their file, its last part, or the soname.
 */
#ifndef DMD_TOOL_DM_RULES_H
#define DMD_TOOL_DM_RULES_H

#include "pub_tool_basics.h"

typedef struct {
  Bool tag;       /* there are tag rules */
  Bool report;    /* there are report rules */
  Bool all_sizes; /* --report-usable-size=yes */
} dm_rules_given_t;

extern dm_rules_given_t g_rules;

/* Once all options are known and g_live is there. */
void dm_rules_init(void);

/* The tag, by its id, that blocks allocated at this stack get; DMD_NONE: none. */
UInt dm_rules_tag(UInt stack);

/* Whether a call of malloc_usable_size at this stack is a report of the block, which was allocated
 * at alloc_stack (DMD_NONE: unknown). Then *reporter is the id of its name: "explicit/" and the
 * innermost function that --report-fn names, or the caller where none does. */
Bool dm_rules_reports(UInt stack, UInt alloc_stack, UInt *reporter);

#endif
