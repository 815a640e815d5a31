/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#include "base/fnname.h"
#include "base/glob.h"
#include "tool/dm_env.h"
#include "tool/dm_options.h"
#include "tool/dm_place.h"
#include "tool/dm_rules.h"

dm_rules_given_t g_rules;

enum { NO_RULE = 0xffffffff };

/* Whose code it is. */
typedef enum { CODE_REPLACEMENT, CODE_ALLOCATOR, CODE_PROGRAM } code_t;

/* What the rules make of an address. Rules are known by their number in g_options.rules. */
typedef struct {
  dm_place_t place;
  code_t code;
  UInt any_frame; /* the first tag rule for any frame that one of its functions matches */
  UInt innermost; /* the first one that matches if its innermost function is the one that counts */
  UInt reporter;  /* its innermost function that --report-fn names, as a reporter's name */
  UInt function;  /* its innermost function as a reporter's name */
  Bool is_named;  /* whether that function has a name, and is not just known by its file */
} spot_t;

/* What they make of a stack. */
typedef struct {
  UInt tag;
  UInt reporter;   /* the innermost function that --report-fn names, as a reporter's name */
  UInt function;   /* the innermost function that is not the allocator's, likewise */
  Bool is_named;   /* of that function */
  Bool is_program; /* whether that one itself called what Valgrind replaced */
} verdict_t;

static struct {
  dmd_pool_t verdicts;
  dmd_stacks_t verdict_of; /* by stack: an id of verdicts; 0: not yet judged */
  dmd_pool_t spots;
  dmd_table_t spot_index;
  XArray *places;     /* scratch: the stack at hand */
  UInt main_function; /* main as a reporter's name */
} g_judge;

/*--- Matching ---*/

/* The file that holds an address; its path is NULL where there is none. */
typedef struct {
  const HChar *path, *base, *soname;
} object_t;

static object_t object_at(const dm_place_t *place) {
  object_t object = {NULL, "", ""};
  Addr offset;
  if (!dm_place_object(place, &object.path, &offset))
    return object;
  object.base = VG_(basename)(object.path);
  const DebugInfo *di = VG_(find_DebugInfo)(place->epoch, place->ip);
  if (di != NULL && VG_(DebugInfo_get_soname)(di) != NULL)
    object.soname = VG_(DebugInfo_get_soname)(di);
  return object;
}

static Bool object_matches(const HChar *glob, const object_t *object) {
  return object->path != NULL &&
         (dmd_glob_matches(glob, object->path) || dmd_glob_matches(glob, object->base) ||
          dmd_glob_matches(glob, object->soname));
}

static code_t code_of(const object_t *object) {
  static const HChar *const allocators[] = {
      "libc.so*",   "libc-?.*.so",  "ld-*.so*",     "ld.so*",       "libpthread*.so*",
      "libc.musl*", "ld-musl*",     "libjemalloc*", "libtcmalloc*", "libmimalloc*",
      "libhoard*",  "libsnmalloc*", "librpmalloc*", "libtbbmalloc*"};
  if (dmd_glob_matches("vgpreload_*", object->base))
    return CODE_REPLACEMENT;
  for (UInt i = 0; i < sizeof allocators / sizeof *allocators; i++)
    if (dmd_glob_matches(allocators[i], object->base))
      return CODE_ALLOCATOR;
  return CODE_PROGRAM;
}

/* A function's name as it is printed and, where that is more, without parameters and the like. Both
 * are "" where it has no name. */
typedef struct {
  HChar *printed, *plain;
} function_t;

/* The name of an inlined function is only to be had out of a description: "0x12: fn (file.c:3)". */
static SizeT inlined_name(const HChar **described) {
  const HChar *start = VG_(strstr)(*described, ": ");
  start = start == NULL ? *described : start + 2;
  const HChar *end = NULL;
  for (const HChar *s = VG_(strstr)(start, " ("); s != NULL; s = VG_(strstr)(s + 1, " ("))
    end = s;
  *described = start;
  return end == NULL ? VG_(strlen)(start) : (SizeT)(end - start);
}

static HChar *copy(const HChar *text, SizeT n) {
  HChar *to = VG_(malloc)("dm.rules.name", n + 1);
  VG_(memcpy)(to, text, n);
  to[n] = '\0';
  return to;
}

/* The function at the place: the one that the cursor is at, or, if it is the last, the one that is
 * not inlined. */
static function_t function_at(const dm_place_t *place, const HChar *described, Bool is_last) {
  const HChar *name = described;
  SizeT n = 0;
  if (!is_last)
    n = inlined_name(&name);
  else if (VG_(get_fnname)(place->epoch, place->ip, &name))
    n = VG_(strlen)(name);
  return (function_t){copy(name, n), copy(name, dmd_fnname_plain(name, n))};
}

static void forget(function_t *function) {
  VG_(free)(function->printed);
  VG_(free)(function->plain);
}

static Bool function_matches(const HChar *glob, const function_t *function) {
  return function->printed[0] != '\0' &&
         (dmd_glob_matches(glob, function->printed) || dmd_glob_matches(glob, function->plain));
}

/* The first tag rule, of those for any frame or of the others, that the function, in this object,
 * matches. */
static UInt first_match(const object_t *object, const function_t *function, Bool any_frame) {
  for (UInt i = 1; i <= g_options.rules.last; i++) {
    const dmd_rule_t *rule = dmd_options_rule(&g_options, i);
    if (rule->kind == DMD_RULE_REPORT_FN || rule->any_frame != any_frame)
      continue;
    if (rule->kind == DMD_RULE_TAG_LIBRARY ? object_matches(rule->glob, object)
                                           : function_matches(rule->glob, function))
      return i;
  }
  return NO_RULE;
}

static Bool is_reporter(const function_t *function) {
  for (UInt i = 1; i <= g_options.rules.last; i++) {
    const dmd_rule_t *rule = dmd_options_rule(&g_options, i);
    if (rule->kind == DMD_RULE_REPORT_FN && function_matches(rule->glob, function))
      return True;
  }
  return False;
}

/* A function as a reporter's name, or its file where it has no name. A slash in it would begin a
 * branch of its own: it becomes a backslash, as in paths of about:memory. */
static UInt reporter_name(const object_t *object, const function_t *function) {
  const HChar *name = function->plain[0] != '\0' ? function->plain : object->base;
  HChar path[DMD_MAX_NAME + 1] = "explicit/";
  SizeT n = VG_(strlen)(path);
  for (; *name != '\0' && n < DMD_MAX_NAME; name++)
    path[n++] = *name == '/' ? '\\' : *name;
  path[n] = '\0';
  return dmd_intern_text(&g_live.reporter_names, path);
}

/*--- Judging ---*/

static UInt least(UInt a, UInt b) {
  return a < b ? a : b;
}

/* Adds what a function at the spot, the innermost first, says about it. */
static void judge_function(spot_t *spot, const function_t *function, Bool is_innermost) {
  object_t object = object_at(&spot->place);
  spot->any_frame = least(spot->any_frame, first_match(&object, function, True));
  if (is_innermost) {
    spot->code = code_of(&object);
    spot->innermost = first_match(&object, function, False);
    spot->function = reporter_name(&object, function);
    spot->is_named = function->printed[0] != '\0';
  }
  if (spot->reporter == DMD_NONE && is_reporter(function))
    spot->reporter = reporter_name(&object, function);
}

static void judge_spot(spot_t *spot) {
  const dm_place_t *place = &spot->place;
  spot->any_frame = NO_RULE;
  InlIPCursor *cursor = VG_(new_IIPC)(place->epoch, place->ip);
  Bool is_innermost = True, is_last;
  do {
    const HChar *described = VG_(describe_IP)(place->epoch, place->ip, cursor);
    is_last = !VG_(next_IIPC)(cursor);
    function_t function = function_at(place, described, is_last);
    judge_function(spot, &function, is_innermost);
    forget(&function);
    is_innermost = False;
  } while (!is_last);
  VG_(delete_IIPC)(cursor);
}

static bool spot_equal(const void *owner, uint32_t id, const void *key) {
  return dm_place_equal(&DMD_POOL_AT((const dmd_pool_t *)owner, spot_t, id)->place, key);
}

static const spot_t *spot_at(const dm_place_t *place) {
  uint64_t hash = dm_place_hash(place);
  uint32_t id = dmd_table_find(&g_judge.spot_index, hash, place);
  if (id == DMD_NONE) {
    spot_t spot = {.place = *place};
    judge_spot(&spot);
    id = dmd_pool_add(&g_judge.spots);
    *DMD_POOL_AT(&g_judge.spots, spot_t, id) = spot;
    dmd_table_add(&g_judge.spot_index, hash, id);
  }
  return DMD_POOL_AT(&g_judge.spots, spot_t, id);
}

static verdict_t judge_stack(ExeContext *ec) {
  verdict_t verdict = {.tag = DMD_NONE};
  UInt rule = NO_RULE;
  Bool replaced = True, found = False;
  dm_place_of_stack(g_judge.places, ec);
  for (Word i = 0; i < VG_(sizeXA)(g_judge.places); i++) {
    const spot_t *spot = spot_at(VG_(indexXA)(g_judge.places, i));
    rule = least(rule, spot->any_frame);
    if (spot->code == CODE_PROGRAM) {
      if (!found) {
        rule = least(rule, spot->innermost);
        verdict.function = spot->function;
        verdict.is_named = spot->is_named;
        verdict.is_program = replaced;
        found = True;
      }
      if (verdict.reporter == DMD_NONE)
        verdict.reporter = spot->reporter;
    }
    replaced = replaced && spot->code == CODE_REPLACEMENT;
  }
  if (rule != NO_RULE)
    verdict.tag = dmd_live_tag_id(&g_live, dmd_options_rule(&g_options, rule)->tag);
  return verdict;
}

static verdict_t verdict_on(UInt stack) {
  uintptr_t id = dmd_stacks_get(&g_judge.verdict_of, stack);
  if (id == 0) {
    verdict_t verdict = judge_stack((ExeContext *)dmd_stacks_get(&g_live.stacks, stack));
    id = dmd_pool_add(&g_judge.verdicts);
    *DMD_POOL_AT(&g_judge.verdicts, verdict_t, id) = verdict;
    dmd_stacks_set(&g_judge.verdict_of, stack, id);
  }
  return *DMD_POOL_AT(&g_judge.verdicts, verdict_t, id);
}

/* Tags get their ids in the order of the rules. */
static void find_out_what_is_given(void) {
  g_rules.all_sizes = g_rules.report = g_options.report_usable_size;
  for (UInt i = 1; i <= g_options.rules.last; i++) {
    const dmd_rule_t *rule = dmd_options_rule(&g_options, i);
    if (rule->kind == DMD_RULE_REPORT_FN) {
      g_rules.report = True;
    } else {
      g_rules.tag = True;
      dmd_live_tag_id(&g_live, rule->tag);
    }
  }
}

void dm_rules_init(void) {
  find_out_what_is_given();
  if (!g_rules.tag && !g_rules.report)
    return;
  dmd_pool_init(&g_judge.verdicts, &g_env, "dm.rules.verdicts", sizeof(verdict_t));
  dmd_stacks_init(&g_judge.verdict_of, &g_env);
  dmd_pool_init(&g_judge.spots, &g_env, "dm.rules.spots", sizeof(spot_t));
  dmd_table_init(&g_judge.spot_index, &g_env, "dm.rules.spot_index", spot_equal, &g_judge.spots);
  g_judge.places = VG_(newXA)(VG_(malloc), "dm.rules.places", VG_(free), sizeof(dm_place_t));
  g_judge.main_function = dmd_intern_str(&g_live.reporter_names, "explicit/main");
}

UInt dm_rules_tag(UInt stack) {
  return verdict_on(stack).tag;
}

/* Whether the function that asks for the size allocated the block itself: it is a wrapper that
 * counts what it hands out. main is none, whatever small programs do there. */
static Bool is_wrapper(const verdict_t *call, UInt alloc_stack) {
  if (alloc_stack == DMD_NONE || !call->is_named || call->function == g_judge.main_function)
    return False;
  return verdict_on(alloc_stack).function == call->function;
}

Bool dm_rules_reports(UInt stack, UInt alloc_stack, UInt *reporter) {
  verdict_t call = verdict_on(stack);
  if (call.reporter != DMD_NONE) {
    *reporter = call.reporter;
    return True;
  }
  *reporter = call.function;
  return g_rules.all_sizes && call.is_program && !is_wrapper(&call, alloc_stack);
}
