/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rules.h: tags and reports that the user requests by function or library.
 *
 * Tag rules (--tag-library, --tag-fn) tag blocks by who allocated them; report rules (--report-fn,
 * --report-usable-size, --no-report-fn) decide which calls of malloc_usable_size are reports. Rules
 * depend on stacks alone, so each stack, and each address in it, is judged once for all rules;
 * after that a verdict is an array look-up. If no rules are given, `tag` and `report` are false and
 * nothing here is called.
 *
 * These belong to the allocator, and are neither the allocating function nor a reporter: the
 * engine's functions in the program (its malloc and operator new), the C library with its loader,
 * and allocator libraries.
 *
 * Functions match by their printed or plain name (base/fnname.h), including inlined ones; libraries
 * match by path, file name or soname.
 */
#ifndef DMD_RECORD_ENGINE_RULES_H
#define DMD_RECORD_ENGINE_RULES_H

#include "record/engine/options.h"
#include "record/heap/stack.h"
#include "record/host.h"

typedef struct dmd_rules {
  const dmd_env_t *env;
  const dmd_engine_host_t *host;
  const dmd_options_t *options; /* the rules as given */
  dmd_live_t *live;             /* for names of tags and reporters */
  bool tag;                     /* there are tag rules */
  bool report;                  /* there are report rules */
  dmd_pool_t verdicts;          /* per stack */
  dmd_stacks_t verdict_of;      /* by stack: an index of verdicts; 0: not judged yet */
  dmd_pool_t spots;             /* per address: what the rules say */
  dmd_table_t spot_index;
  dmd_intern_t functions; /* function names as reporter names */
  uint32_t main_function; /* main, in functions */
  bool *used;             /* by rule: it tagged a block or made a report */
} dmd_rules_t;

/* The rules must stay in place until they are destroyed; options must not change. */
void dmd_rules_init(dmd_rules_t *rules, const dmd_env_t *env, const dmd_engine_host_t *host,
                    const dmd_options_t *options, dmd_live_t *live);
void dmd_rules_destroy(dmd_rules_t *rules);

/* The tag id for blocks allocated at this stack; DMD_NONE: no tag. */
uint32_t dmd_rules_tag(dmd_rules_t *rules, uint32_t stack);

/* True if a call of malloc_usable_size at this stack is a report of the block, which was allocated
 * at alloc_stack (DMD_NONE: unknown). *reporter then gets the id of its name: "explicit/" and the
 * innermost function that --report-fn matches, else the caller. */
bool dmd_rules_reports(dmd_rules_t *rules, uint32_t stack, uint32_t alloc_stack,
                       uint32_t *reporter);

/* Logs a line for each rule that did nothing: its pattern may be wrong. */
void dmd_rules_say_unused(const dmd_rules_t *rules);

#endif
