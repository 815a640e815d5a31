/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rules.h: tags and reports that the user asks for by function or library, in place of the program.
 *
 * Tag rules (--tag-library, --tag-fn) give blocks a tag by who allocated them; report rules
 * (--report-fn, --report-usable-size, --no-report-fn) say which calls of malloc_usable_size are
 * reports. All depend on stacks alone, so each stack is judged once, with all rules at a time, and
 * so is each address in it; afterwards a judgement costs an array look-up. Where no rule was given,
 * `tag` and `report` say so and nothing here is called.
 *
 * Functions of the engine's own part in the program (its malloc and operator new), of the C library
 * with its loader and of allocator libraries are the allocator's: they are never the one that
 * allocated, and never a reporter.
 *
 * Functions match by their printed name or by the plain one (base/fnname.h), inlined ones too;
 * libraries by the path of their file, its last part, or the soname.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_RULES_H
#define DMD_ENGINE_RULES_H

#include "engine/host.h"
#include "engine/options.h"
#include "live/stack.h"

typedef struct dmd_rules {
  const dmd_env_t *env;
  const dmd_engine_host_t *host;
  const dmd_options_t *options; /* the rules as they were given */
  dmd_live_t *live;             /* for the names of tags and reporters */
  bool tag;                     /* there are tag rules */
  bool report;                  /* there are report rules */
  dmd_pool_t verdicts;          /* on stacks */
  dmd_stacks_t verdict_of;      /* by stack: an id of verdicts; 0: not yet judged */
  dmd_pool_t spots;             /* what the rules make of an address */
  dmd_table_t spot_index;
  dmd_intern_t functions; /* their names as reporters would have them */
  uint32_t main_function; /* main's */
  bool *used;             /* by rule: it gave a block its tag, or made a report */
} dmd_rules_t;

/* The rules must stay where they are until they are destroyed; options must not change. */
void dmd_rules_init(dmd_rules_t *rules, const dmd_env_t *env, const dmd_engine_host_t *host,
                    const dmd_options_t *options, dmd_live_t *live);
void dmd_rules_destroy(dmd_rules_t *rules);

/* The tag, by its id, that blocks allocated at this stack get; DMD_NONE: none. */
uint32_t dmd_rules_tag(dmd_rules_t *rules, uint32_t stack);

/* Whether a call of malloc_usable_size at this stack is a report of the block, which was allocated
 * at alloc_stack (DMD_NONE: unknown). Then *reporter is the id of its name: "explicit/" and the
 * innermost function that --report-fn names, or the caller where none does. */
bool dmd_rules_reports(dmd_rules_t *rules, uint32_t stack, uint32_t alloc_stack,
                       uint32_t *reporter);

/* Tells the user, a line each, which rules did nothing: their patterns are perhaps wrong. */
void dmd_rules_say_unused(const dmd_rules_t *rules);

#endif
