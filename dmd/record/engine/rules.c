/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/rules.h"

#include "analyse/records/allocfns.h"
#include "base/fnname.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "show/text/escape.h"

enum { NO_RULE = 0xffffffff, CAPACITY = 0xfffffffe };

/* Functions that ask for a block's size to learn its capacity, or its cost for a limited cache:
 * Redis's lists, RocksDB's cache entries. Such sizes are not part of any report. */
static const char *const capacity_functions[] = {"lpInsert*", "*::GetCharge"};

/* The owner of the code. */
typedef enum { CODE_ENGINE, CODE_ALLOCATOR, CODE_PROGRAM } owner_t;

/* What the rules say about an address. Rules are identified by their number in the options. */
typedef struct {
  dmd_code_t code;
  owner_t owner;
  uint32_t any_frame; /* the first tag rule for any frame that matches one of its functions */
  uint32_t innermost; /* the first tag rule for allocating functions that matches one of its
                         functions, from the innermost one out to the first that is_own */
  bool is_own;        /* one of its functions does more than allocate for its callers */
  uint32_t reporter;  /* the innermost function that a report rule matches, as a reporter's name */
  uint32_t
      named_by; /* the first rule that matches it; 0: none, CAPACITY: one of capacity_functions */
  uint32_t function; /* its innermost function as a reporter's name */
  bool is_named;     /* that function has a name, rather than only a file */
} spot_t;

/* What the rules say about a stack. Function names are interned here, and become reporters of the
 * live state when they report something. */
typedef struct {
  uint32_t tag;
  uint32_t reported_as; /* the reporter's name in the live state; DMD_NONE: not interned yet */
  uint32_t reporter; /* the innermost function that a report rule matches, as a reporter's name */
  uint32_t named_by; /* the rule that matches it; 0: none, CAPACITY */
  uint32_t function; /* the innermost function outside of the allocator, as a reporter's name */
  bool is_named;     /* that function has a name */
  bool is_program;   /* that function itself called the replaced function */
} verdict_t;

/* ---- Matching. ---- */

static bool object_matches(const char *glob, const dmd_object_t *object) {
  return object->path != NULL && (dmd_glob_matches(glob, object->path) ||
                                  dmd_glob_matches(glob, dmd_path_base(object->path)) ||
                                  dmd_glob_matches(glob, object->soname));
}

static owner_t owner_of(const dmd_object_t *object) {
  if (object->is_engine)
    return CODE_ENGINE;
  return object->path != NULL && dmd_is_alloc_object(object->path) ? CODE_ALLOCATOR : CODE_PROGRAM;
}

/* The first tag rule, of those for any frame or of the others, that matches the function in this
 * object. */
static uint32_t first_match(const dmd_rules_t *rules, const dmd_object_t *object, const char *name,
                            bool any_frame) {
  for (uint32_t i = 1; i <= rules->options->rules.last; i++) {
    const dmd_rule_t *rule = dmd_options_rule(rules->options, i);
    if (rule->tag == NULL || rule->any_frame != any_frame)
      continue;
    if (rule->kind == DMD_RULE_TAG_LIBRARY ? object_matches(rule->glob, object)
                                           : dmd_fnname_matches(rule->glob, name))
      return i;
  }
  return NO_RULE;
}

/* The first rule that says whether the function reports; CAPACITY: dmd knows that it does not; 0:
 * no rule matches. */
static uint32_t report_rule(const dmd_rules_t *rules, const char *name) {
  for (uint32_t i = 1; i <= rules->options->rules.last; i++) {
    const dmd_rule_t *rule = dmd_options_rule(rules->options, i);
    if (rule->tag == NULL && dmd_fnname_matches(rule->glob, name))
      return i;
  }
  for (size_t i = 0; i < sizeof capacity_functions / sizeof *capacity_functions; i++)
    if (dmd_fnname_matches(capacity_functions[i], name))
      return CAPACITY;
  return 0;
}

/* The function as a reporter's name, or its file if it has no name. Slashes would start a new
 * branch, so they become backslashes, as in paths of about:memory. */
static uint32_t reporter_name(dmd_rules_t *rules, const dmd_object_t *object, const char *name) {
  static const char branch[] = "explicit/";
  char path[DMD_MAX_NAME + 1];
  size_t n = sizeof branch - 1;
  dmd_mem_copy(path, branch, n);
  dmd_fnname_t plain = dmd_fnname_plain(name, dmd_str_length(name));
  if (plain.n == 0 && object->path != NULL) {
    plain.at = dmd_path_base(object->path);
    plain.n = dmd_str_length(plain.at);
  }
  for (size_t i = 0; i < plain.n && n < DMD_MAX_NAME; i++)
    path[n++] = plain.at[i] == '/' ? '\\' : plain.at[i];
  path[n] = '\0';
  return dmd_intern_text(&rules->functions, path);
}

/* ---- Judging an address. ---- */

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

typedef struct {
  dmd_rules_t *rules;
  spot_t *spot;
  dmd_object_t object;
  bool is_innermost;
} visitor_t;

static bool allocates_for_callers(const visitor_t *v, const dmd_function_t *function) {
  const dmd_location_t location = {.function = function->name[0] != '\0' ? function->name : NULL,
                                   .file = function->file,
                                   .line = function->line,
                                   .object = v->object.path,
                                   .offset = function->is_inlined ? DMD_OFFSET_UNKNOWN
                                                                  : v->object.offset};
  return dmd_allocates_for_callers(v->rules->env, &location, &v->rules->options->frame_view) !=
         DMD_ALLOCATES_NOT;
}

/* Adds the rules for one function at the address; called for the innermost first. */
static void judge_function(void *ctx, const dmd_function_t *function) {
  visitor_t *v = ctx;
  spot_t *spot = v->spot;
  spot->any_frame = least(spot->any_frame, first_match(v->rules, &v->object, function->name, true));
  if (v->is_innermost) {
    spot->owner = owner_of(&v->object);
    spot->function = reporter_name(v->rules, &v->object, function->name);
    spot->is_named = function->name[0] != '\0';
  }
  if (!spot->is_own) {
    spot->innermost =
        least(spot->innermost, first_match(v->rules, &v->object, function->name, false));
    spot->is_own = !allocates_for_callers(v, function);
  }
  if (spot->named_by == 0) {
    spot->named_by = report_rule(v->rules, function->name);
    if (spot->named_by != 0)
      spot->reporter = reporter_name(v->rules, &v->object, function->name);
  }
  v->is_innermost = false;
}

static void judge_spot(dmd_rules_t *rules, spot_t *spot) {
  const dmd_engine_host_t *host = rules->host;
  visitor_t visitor = {.rules = rules, .spot = spot, .is_innermost = true};
  if (!host->object(host->ctx, spot->code, &visitor.object))
    visitor.object = (dmd_object_t){.soname = ""};
  spot->any_frame = spot->innermost = NO_RULE;
  dmd_host_functions_now(host, spot->code, judge_function, &visitor);
}

static bool spot_equal(const void *owner, uint32_t id, const void *key) {
  return dmd_code_equal(DMD_POOL_AT((const dmd_pool_t *)owner, spot_t, id)->code,
                        *(const dmd_code_t *)key);
}

static const spot_t *spot_at(dmd_rules_t *rules, dmd_code_t code) {
  uint64_t hash = dmd_code_hash(code);
  uint32_t id = dmd_table_find(&rules->spot_index, hash, &code);
  if (id == DMD_NONE) {
    spot_t spot = {.code = code};
    judge_spot(rules, &spot);
    id = dmd_pool_add(&rules->spots);
    *DMD_POOL_AT(&rules->spots, spot_t, id) = spot;
    dmd_table_add(&rules->spot_index, hash, id);
  }
  return DMD_POOL_AT(&rules->spots, spot_t, id);
}

/* ---- Judging a stack. ---- */

static verdict_t judge_stack(dmd_rules_t *rules, uint32_t stack) {
  verdict_t verdict = {.tag = DMD_NONE};
  uint32_t rule = NO_RULE, n;
  bool replaced = true, found = false, found_own = false;
  const dmd_code_t *codes = rules->host->codes(rules->host->ctx, stack, &n);
  for (uint32_t i = 0; i < n; i++) {
    const spot_t *spot = spot_at(rules, codes[i]);
    rule = least(rule, spot->any_frame);
    if (spot->owner == CODE_PROGRAM) {
      if (!found_own)
        rule = least(rule, spot->innermost);
      found_own |= spot->is_own;
      if (!found) {
        verdict.function = spot->function;
        verdict.is_named = spot->is_named;
        verdict.is_program = replaced;
        found = true;
      }
      if (verdict.named_by == 0) {
        verdict.reporter = spot->reporter;
        verdict.named_by = spot->named_by;
      }
    }
    replaced = replaced && spot->owner == CODE_ENGINE;
  }
  if (rule != NO_RULE) {
    verdict.tag =
        dmd_tag_intern(&rules->live->tag_names, dmd_options_rule(rules->options, rule)->tag);
    rules->used[rule] = true;
  }
  return verdict;
}

static verdict_t *verdict_on(dmd_rules_t *rules, uint32_t stack) {
  uint32_t id = (uint32_t)dmd_stacks_get(&rules->verdict_of, stack);
  if (id == 0) {
    verdict_t verdict = judge_stack(rules, stack);
    id = dmd_pool_add(&rules->verdicts);
    *DMD_POOL_AT(&rules->verdicts, verdict_t, id) = verdict;
    dmd_stacks_set(&rules->verdict_of, stack, id);
  }
  return DMD_POOL_AT(&rules->verdicts, verdict_t, id);
}

uint32_t dmd_rules_tag(dmd_rules_t *rules, uint32_t stack) {
  return verdict_on(rules, stack)->tag;
}

/* True if the function that asks for the size allocated the block itself: it is then a wrapper that
 * counts what it hands out. main never counts as a wrapper, whatever small programs do there. */
static bool is_wrapper(dmd_rules_t *rules, const verdict_t *call, uint32_t alloc_stack) {
  if (alloc_stack == DMD_NONE || !call->is_named || call->function == rules->main_function)
    return false;
  return verdict_on(rules, alloc_stack)->function == call->function;
}

/* The verdict's reporter in the live state. */
static uint32_t reported_as(const dmd_rules_t *rules, verdict_t *call, uint32_t function) {
  if (call->reported_as == DMD_NONE)
    call->reported_as = dmd_intern_str(&rules->live->reporter_names,
                                       dmd_intern_get_str(&rules->functions, function));
  return call->reported_as;
}

bool dmd_rules_reports(dmd_rules_t *rules, uint32_t stack, uint32_t alloc_stack,
                       uint32_t *reporter) {
  verdict_t *call = verdict_on(rules, stack);
  if (call->named_by == CAPACITY)
    return false;
  if (call->named_by != 0) {
    rules->used[call->named_by] = true;
    if (dmd_options_rule(rules->options, call->named_by)->kind == DMD_RULE_NO_REPORT_FN)
      return false;
    *reporter = reported_as(rules, call, call->reporter);
    return true;
  }
  if (!rules->options->report_usable_size || !call->is_program ||
      is_wrapper(rules, call, alloc_stack))
    return false;
  *reporter = reported_as(rules, call, call->function);
  return true;
}

/* ---- Set-up. ---- */

static void find_out_what_is_given(dmd_rules_t *rules) {
  rules->report = rules->options->report_usable_size;
  for (uint32_t i = 1; i <= rules->options->rules.last; i++) {
    const dmd_rule_t *rule = dmd_options_rule(rules->options, i);
    rules->report |= rule->kind == DMD_RULE_REPORT_FN;
    rules->tag |= rule->tag != NULL;
  }
}

void dmd_rules_init(dmd_rules_t *rules, const dmd_env_t *env, const dmd_engine_host_t *host,
                    const dmd_options_t *options, dmd_live_t *live) {
  size_t n_rules = (size_t)options->rules.last + 1;
  *rules = (dmd_rules_t){.env = env, .host = host, .options = options, .live = live};
  rules->used = dmd_env_alloc(env, "dmd.rules.used", n_rules * sizeof *rules->used);
  dmd_mem_zero(rules->used, n_rules * sizeof *rules->used);
  dmd_intern_init(&rules->functions, env, "dmd.rules.functions");
  dmd_pool_init(&rules->verdicts, env, "dmd.rules.verdicts", sizeof(verdict_t));
  dmd_stacks_init(&rules->verdict_of, env);
  dmd_pool_init(&rules->spots, env, "dmd.rules.spots", sizeof(spot_t));
  dmd_table_init(&rules->spot_index, env, "dmd.rules.spot_index", spot_equal, &rules->spots);
  find_out_what_is_given(rules);
  if (rules->report)
    rules->main_function = dmd_intern_str(&rules->functions, "explicit/main");
}

void dmd_rules_destroy(dmd_rules_t *rules) {
  dmd_table_destroy(&rules->spot_index);
  dmd_pool_destroy(&rules->spots);
  dmd_stacks_destroy(&rules->verdict_of);
  dmd_pool_destroy(&rules->verdicts);
  dmd_intern_destroy(&rules->functions);
  dmd_env_free(rules->env, rules->used);
}

/* Writes the rule as the user gave it. */
static void write_rule(dmd_strbuf_t *line, const dmd_rule_t *rule) {
  static const char *const options[] = {[DMD_RULE_TAG_LIBRARY] = "--tag-library=",
                                        [DMD_RULE_TAG_FN] = "--tag-fn=",
                                        [DMD_RULE_REPORT_FN] = "--report-fn=",
                                        [DMD_RULE_NO_REPORT_FN] = "--no-report-fn="};
  dmd_strbuf_str(line, options[rule->kind]);
  dmd_strbuf_str(line, rule->any_frame ? "**" : "");
  dmd_escape_append(line, rule->glob);
  if (rule->tag != NULL) {
    dmd_strbuf_str(line, "=");
    dmd_escape_append(line, rule->tag);
  }
}

void dmd_rules_say_unused(const dmd_rules_t *rules) {
  const dmd_engine_host_t *host = rules->host;
  for (uint32_t i = 1; i <= rules->options->rules.last; i++) {
    if (rules->used[i])
      continue;
    const dmd_rule_t *rule = dmd_options_rule(rules->options, i);
    dmd_strbuf_t line;
    dmd_strbuf_init(&line, rules->env);
    dmd_strbuf_str(&line, "dmd: ");
    write_rule(&line, rule);
    static const char *const unused[] = {[DMD_RULE_TAG_LIBRARY] = ": no block got its tag",
                                         [DMD_RULE_TAG_FN] = ": no block got its tag",
                                         [DMD_RULE_REPORT_FN] = ": it never made a report",
                                         [DMD_RULE_NO_REPORT_FN] = ": it never prevented a report"};
    dmd_strbuf_str(&line, unused[rule->kind]);
    host->say(host->ctx, line.text);
    dmd_strbuf_destroy(&line);
  }
}
