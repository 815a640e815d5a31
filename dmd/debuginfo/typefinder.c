/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/typefinder.h"

#include "analyse/graph/typing.h"
#include "base/fnname.h"
#include "base/str.h"
#include "debuginfo/dies.h"
#include "debuginfo/locals.h"
#include "debuginfo/signature.h"
#include "debuginfo/site.h"
#include "host/process.h"
#include "host/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Limit on wrappers around wrappers: further out the block is no longer returned. */
enum { MAX_FRAMES = 16 };

/* By an object's id. */
typedef struct {
  bool is_there;
  dmdv_debugfile_t file;
  dmdv_dwarfindex_t index;
  uint64_t untyped_szB; /* size of blocks without a type */
} object_t;

/* A place in an object's code. Compared as bytes, so it has no padding. */
typedef struct {
  uint64_t object, addr;
} code_key_t;

struct dmdv_typefinder {
  dmd_types_t *types;
  dmdv_debugfiles_t files;
  bool has_files;            /* libdw works */
  uint64_t n_before, n_here; /* bytes of debug information: of earlier objects, and of this one */
  dmdv_progress_t progress;
  bool is_complete; /* the variables were added */
  dmdv_dwarftypes_t dwarftypes;
  dmd_variables_t variables;
  dmd_variables_t of_threads; /* thread-local ones */
  dmd_intern_t frames;        /* code_key_t: calls whose frames are on stacks */
  dmd_pool_t of_frames;       /* by frame id: dmd_variables_t */
  dmd_pool_t objects;
  dmd_pool_t sites; /* by code: dmdv_site_t */
};

dmdv_typefinder_t *dmdv_typefinder_new(dmd_types_t *types, const char *folder) {
  dmdv_typefinder_t *f = dmd_env_alloc(&dmdv_env, "dmdv.typefinder", sizeof *f);
  *f = (dmdv_typefinder_t){.types = types};
  dmdv_progress_start(&f->progress);
  f->has_files = dmdv_debugfiles_open(&f->files, folder);
  dmdv_dwarftypes_init(&f->dwarftypes, types);
  dmd_variables_init(&f->variables, &dmdv_env);
  dmd_variables_init(&f->of_threads, &dmdv_env);
  dmd_intern_init(&f->frames, &dmdv_env, "dmdv.typefinder");
  dmd_pool_init(&f->of_frames, &dmdv_env, "dmdv.typefinder", sizeof(dmd_variables_t));
  dmd_pool_init(&f->objects, &dmdv_env, "dmdv.typefinder", sizeof(object_t));
  dmd_pool_init(&f->sites, &dmdv_env, "dmdv.typefinder", sizeof(dmdv_site_t));
  return f;
}

static object_t *object_at(const dmdv_typefinder_t *f, uint32_t id) {
  object_t *object =
      id == DMD_NONE || id > f->objects.last ? NULL : DMD_POOL_AT(&f->objects, object_t, id);
  return object != NULL && object->is_there ? object : NULL;
}

void dmdv_typefinder_free(dmdv_typefinder_t *f) {
  for (uint32_t id = 1; id <= f->objects.last; id++)
    if (object_at(f, id) != NULL)
      dmdv_dwarfindex_destroy(&object_at(f, id)->index);
  dmd_pool_destroy(&f->sites);
  dmd_pool_destroy(&f->objects);
  for (uint32_t id = 1; id <= f->of_frames.last; id++)
    dmd_variables_destroy(DMD_POOL_AT(&f->of_frames, dmd_variables_t, id));
  dmd_pool_destroy(&f->of_frames);
  dmd_intern_destroy(&f->frames);
  dmd_variables_destroy(&f->of_threads);
  dmd_variables_destroy(&f->variables);
  dmdv_dwarftypes_destroy(&f->dwarftypes);
  if (f->has_files)
    dmdv_debugfiles_close(&f->files);
  dmd_env_free(&dmdv_env, f);
}

/* ---- Objects and their variables. ---- */

static void tick(void *ctx, uint64_t at) {
  dmdv_typefinder_t *f = ctx;
  dmdv_read_t read = {.bytes = f->n_before + at, .verb = "searched for types"};
  f->n_here = at;
  dmdv_progress_update(&f->progress, &read);
}

void dmdv_typefinder_add_object(dmdv_typefinder_t *f, uint32_t id,
                                const dmd_graph_object_t *object) {
  dmd_pool_reach(&f->objects, id);
  object_t *o = DMD_POOL_AT(&f->objects, object_t, id);
  if (!f->has_files)
    return;
  o->file = dmdv_debugfile(&f->files, object);
  if (o->file.was_changed)
    dmdv_note("%s: from a different build than the program that ran; its types are unknown",
              object->path);
  o->is_there = o->file.module != NULL;
  if (o->is_there)
    dmdv_dwarfindex_init(&o->index, &o->file, id, &f->dwarftypes, &f->variables, tick, f);
  f->n_before += f->n_here;
  f->n_here = 0;
}

static void complete(dmdv_typefinder_t *f) {
  if (f->is_complete)
    return;
  f->is_complete = true;
  dmdv_progress_end(&f->progress);
  for (uint32_t id = 1; id <= f->objects.last; id++)
    if (object_at(f, id) != NULL) {
      dmdv_dwarfindex_add_variables(&object_at(f, id)->index, &object_at(f, id)->file);
      dmdv_locals_of_thread(&f->of_threads, &object_at(f, id)->file, &object_at(f, id)->index);
    }
  dmd_variables_sort(&f->variables);
  dmd_variables_sort(&f->of_threads);
}

/* The variables of the frame whose program counter is at this address of an object. */
static const dmd_variables_t *variables_of_frame(dmdv_typefinder_t *f, uint32_t object,
                                                 uint64_t addr) {
  code_key_t key = {object, addr};
  uint32_t id = dmd_intern_bytes(&f->frames, &key, sizeof key);
  if (id <= f->of_frames.last)
    return DMD_POOL_AT(&f->of_frames, const dmd_variables_t, id);
  dmd_pool_reach(&f->of_frames, id);
  dmd_variables_t *variables = DMD_POOL_AT(&f->of_frames, dmd_variables_t, id);
  dmd_variables_init(variables, &dmdv_env);
  if (object_at(f, object) != NULL)
    dmdv_locals_of_frame(variables, &object_at(f, object)->file, &object_at(f, object)->index,
                         addr);
  dmd_variables_sort(variables);
  return variables;
}

/* The variables that a root may be cut into. Sets object and addr to the identity that the
 * variables have for the root. */
static const dmd_variables_t *variables_of(dmdv_typefinder_t *f, const dmd_uncut_t *rest,
                                           uint32_t *object, uint64_t *addr) {
  complete(f);
  *object = rest->object;
  *addr = rest->addr;
  if (rest->kind == DMD_ROOT_DATA)
    return &f->variables;
  *object = DMDV_LOCALS_OBJECT;
  *addr += DMDV_LOCALS_BASE;
  return rest->kind == DMD_ROOT_STACK ? variables_of_frame(f, rest->object, rest->code)
                                      : &f->of_threads;
}

uint64_t dmdv_typefinder_part(dmdv_typefinder_t *f, const dmd_uncut_t *rest, const char **name) {
  uint32_t object;
  uint64_t addr;
  const dmd_variables_t *variables = variables_of(f, rest, &object, &addr);
  dmd_data_part_t part = dmd_variables_part(variables, object, addr, rest->szB);
  *name = part.variable == NULL ? NULL : dmd_intern_get_str(&variables->names, part.variable->name);
  return part.szB;
}

static void type_root(dmdv_typefinder_t *f, dmd_typing_t *typing, uint32_t node) {
  const dmd_graph_root_t *root = dmd_heapgraph_root(typing->graph, node);
  dmd_uncut_t rest = {
      .kind = root->kind, .object = root->object, .addr = root->addr - root->origin};
  if (root->name == NULL)
    return;
  if (root->kind == DMD_ROOT_DATA && root->object != DMD_NONE)
    rest.addr = root->addr - dmd_heapgraph_object(typing->graph, root->object)->bias;
  else if (root->kind == DMD_ROOT_STACK && root->code != DMD_NONE) {
    rest.object = dmd_heapgraph_code(typing->graph, root->code)->object;
    rest.code = dmd_heapgraph_code(typing->graph, root->code)->addr;
  } else if (root->kind != DMD_ROOT_THREAD)
    return;
  uint32_t object;
  uint64_t addr;
  const dmd_variables_t *variables = variables_of(f, &rest, &object, &addr);
  const dmd_variable_t *variable = dmd_variables_around(variables, object, addr);
  if (variable != NULL && variable->addr == addr && variable->type != DMD_NONE)
    dmd_typing_set(typing, node, variable->type, 0, DMD_EVIDENCE_VARIABLE);
}

/* ---- Blocks. ---- */

static bool type_by_vtable(dmdv_typefinder_t *f, dmd_typing_t *typing, uint32_t node) {
  const dmd_graph_first_word_t *word = dmd_heapgraph_first_word(typing->graph, node);
  const object_t *object = word == NULL ? NULL : object_at(f, word->object);
  if (object == NULL)
    return false;
  uint64_t into;
  const char *symbol = dmdv_debugfile_symbol(&object->file, word->addr, &into);
  dmd_strbuf_t class;
  dmd_strbuf_init(&class, &dmdv_env);
  bool is_vtable = symbol != NULL && dmdv_classname_of_vtable(&class, symbol);
  if (is_vtable) {
    uint32_t type = dmdv_dwarftypes_find(&f->dwarftypes, class.text);
    if (type == DMD_NONE)
      type = dmd_types_add(f->types,
                           &(dmd_type_t){.kind = DMD_TYPE_STRUCT,
                                         .name = dmd_intern_text(&f->types->names, class.text)});
    dmd_typing_set(typing, node, type, 0, DMD_EVIDENCE_VTABLE);
  }
  dmd_strbuf_destroy(&class);
  return is_vtable;
}

/* Guesses from a function's name alone whether it may return what it allocates: true for one that
 * allocates for its callers, false for a method of a class that keeps the block. */
static bool may_return(dmd_typing_t *typing, uint32_t frame) {
  const char *name = dmd_frames_location(&typing->graph->profile.frames, frame).function;
  dmd_strbuf_t bare;
  dmd_strbuf_init(&bare, &dmdv_env);
  if (name != NULL)
    dmd_fnname_bare(&bare, name, strlen(name));
  bool is_method = strstr(bare.text, "::") != NULL && strstr(bare.text, "alloc") == NULL;
  dmd_strbuf_destroy(&bare);
  return !is_method && !dmd_has_own_frame(&typing->allocfns, &frame, 1);
}

static bool only_allocates(dmd_typing_t *typing, const dmd_graph_code_t *code) {
  for (uint32_t i = 0; i < code->n_frames; i++)
    if (!may_return(typing,
                    *DMD_POOL_AT(&typing->graph->code_frames, const uint32_t, code->first + i + 1)))
      return false;
  return code->n_frames > 0;
}

static const dmdv_site_t *site_of(dmdv_typefinder_t *f, dmd_typing_t *typing, uint32_t id) {
  dmd_pool_reach(&f->sites, id);
  dmdv_site_t *site = DMD_POOL_AT(&f->sites, dmdv_site_t, id);
  if (site->is_known)
    return site;
  const dmd_graph_code_t *code = dmd_heapgraph_code(typing->graph, id);
  const object_t *object = object_at(f, code->object);
  /* A caller's address is inside its call, one byte before the return address. */
  if (object != NULL)
    *site = dmdv_site(&object->file, &object->index, code->addr + 1);
  site->is_known = true;
  if (site->returns == DMDV_RETURNS_UNKNOWN && only_allocates(typing, code))
    site->returns = DMDV_RETURNS_IT;
  return site;
}

/* The best candidate so far, from the innermost frame outwards. */
typedef struct {
  bool found;
  dmdv_candidate_t candidate;
  int score;
} choice_t;

/* How well a candidate fits a block; 0: not at all. Below LED_ARRAY it is doubtful. A size that is
 * a multiple of an inner frame's type may be chance: the type may be the header of what an outer
 * frame knows. */
enum { WITH_TAIL = 3, LED_ARRAY, ARRAY, FLEXIBLE, ONE };

static int score(const dmd_typing_t *typing, uint32_t node, const dmdv_candidate_t *c) {
  dmd_types_t *types = typing->types;
  uint64_t szB = dmd_heapgraph_requested(typing->graph, node);
  uint64_t one = dmd_type_at(types, c->type)->szB;
  bool is_one = szB == c->lead + one;
  bool fits = dmd_typing_fits(typing, node, c->type, c->lead);
  if (c->is_of_one && !is_one)
    return 0;
  if (c->tells < DMD_TELLS_TYPE)
    return fits ? c->tells : 0;
  if (!fits)
    /* A struct with data after it that its declaration does not show. */
    return szB > one && c->lead == 0 && dmd_type_is(types, c->type, DMD_TYPE_STRUCT) ? WITH_TAIL
                                                                                     : 0;
  return is_one                                             ? ONE
         : dmd_type_is_flexible(types, c->type, NULL, NULL) ? FLEXIBLE
         : c->lead == 0                                     ? ARRAY
                                                            : LED_ARRAY;
}

static bool has_member(dmd_types_t *types, uint32_t type, const dmd_type_member_t *member) {
  for (uint32_t i = 0; i < dmd_types_n_members(types, type); i++) {
    const dmd_type_member_t *own = dmd_types_member(types, type, i);
    if (own->offset == member->offset && own->name == member->name && own->type == member->type)
      return true;
  }
  return false;
}

/* True if an object of type `whole` begins with a `header`: as its first member, or with the same
 * members, as macros declare them. */
static bool begins_with(dmd_types_t *types, uint32_t whole, uint32_t header) {
  uint32_t n = dmd_types_n_members(types, header);
  if (n == 0 || dmd_types_n_members(types, whole) == 0 ||
      dmd_type_at(types, whole)->szB <= dmd_type_at(types, header)->szB)
    return false;
  const dmd_type_member_t *first = dmd_types_member(types, whole, 0);
  if (first->offset == 0 && first->type == header)
    return true;
  for (uint32_t i = 0; i < n; i++)
    if (!has_member(types, whole, dmd_types_member(types, header, i)))
      return false;
  return true;
}

/* Whether one of two candidates is the header of what the other one is. The function that allocates
 * may know only the header of an object; its caller knows all of it. */
static bool is_header(dmd_types_t *types, const dmdv_candidate_t *header,
                      const dmdv_candidate_t *whole) {
  return header->lead == 0 && whole->lead == 0 && begins_with(types, whole->type, header->type);
}

static bool is_better(dmd_types_t *types, const choice_t *choice, bool from_inside,
                      const dmdv_candidate_t *candidate, int here) {
  if (!choice->found || here == 0)
    return here > 0;
  if (is_header(types, &choice->candidate, candidate))
    return true;
  if (is_header(types, candidate, &choice->candidate))
    return here == ONE;
  /* For bytes and numbers, an outer frame knows the type better. */
  return here > choice->score || (here == choice->score && from_inside && here < WITH_TAIL);
}

static void consider(const dmd_typing_t *typing, uint32_t node, const dmdv_site_t *site,
                     choice_t *choice) {
  bool from_inside = choice->found;
  for (uint8_t i = 0; i < site->n; i++) {
    int here = score(typing, node, &site->candidates[i]);
    if (is_better(typing->types, choice, from_inside, &site->candidates[i], here))
      *choice = (choice_t){.found = true, .candidate = site->candidates[i], .score = here};
  }
}

/* Whether a block of this size is a table of Rust's hashbrown with values of `one` bytes. The
 * values are followed by a byte for each, whose number is a power of two, and a group of 16 more.
 * *lead: the bytes in front of the values, which align that part. */
static bool is_rust_table(uint64_t szB, uint64_t one, uint64_t *lead) {
  enum { GROUP = 16, LEAST = 4 };
  for (uint64_t n = LEAST; n <= szB; n *= 2) {
    uint64_t values = n * one, aligned = (values + GROUP - 1) / GROUP * GROUP;
    *lead = aligned - values;
    if (aligned + n + GROUP == szB)
      return true;
  }
  return false;
}

/* Sets the type by a function that allocates for values of one type. */
static bool type_by_allocator(dmd_typing_t *typing, uint32_t node, dmdv_allocated_t allocated) {
  uint64_t lead = 0;
  bool has_size = dmd_type_has_size(typing->types, allocated.type);
  bool fits = has_size && allocated.is_table
                  ? is_rust_table(dmd_heapgraph_requested(typing->graph, node),
                                  dmd_type_at(typing->types, allocated.type)->szB, &lead)
                  : dmd_typing_fits(typing, node, allocated.type, 0);
  if (fits && allocated.type != DMD_NONE)
    dmd_typing_set(typing, node, allocated.type, (uint16_t)lead, DMD_EVIDENCE_ALLOCATOR);
  return fits && allocated.type != DMD_NONE;
}

/* What Rust's containers of all types share. */
static bool is_shared_in_rust(const dmd_typing_t *typing, uint32_t frame) {
  static const char *const names[] = {"alloc::alloc::",    "<alloc::alloc::",  "alloc::raw_vec::",
                                      "<alloc::raw_vec::", "hashbrown::raw::", "<hashbrown::raw::"};
  const char *name = dmd_frames_location(&typing->graph->profile.frames, frame).function;
  for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
    if (dmd_str_begins(name, names[i]))
      return true;
  return false;
}

/* Whether the search for a block's type goes on in the caller. Rust's library returns blocks
 * through memory, which no data flow shows. A function of it that is not generic allocates for a
 * type of its own, such as String. */
static bool passes_on(dmd_typing_t *typing, uint32_t id, const dmdv_site_t *site) {
  const dmd_graph_code_t *code = dmd_heapgraph_code(typing->graph, id);
  if (site->returns == DMDV_RETURNS_IT)
    return true;
  bool is_library = code->n_frames > 0;
  uint32_t function = DMD_NONE; /* that the others are inlined in */
  for (uint32_t i = 0; i < code->n_frames; i++) {
    function = *DMD_POOL_AT(&typing->graph->code_frames, const uint32_t, code->first + i + 1);
    is_library &= !dmd_has_own_frame(&typing->allocfns, &function, 1);
  }
  return is_library && (site->is_generic_rust || is_shared_in_rust(typing, function));
}

static void type_by_stack(dmdv_typefinder_t *f, dmd_typing_t *typing, uint32_t node) {
  const dmd_heapgraph_t *graph = typing->graph;
  uint32_t stack = dmd_heapgraph_block(graph, node)->stack;
  uint32_t n = dmd_heapgraph_n_codes(graph, stack);
  choice_t choice = {false};
  /* Frame 0 is the function that returned the block; its callers have the result. */
  for (uint32_t i = 1; i < n && i < MAX_FRAMES; i++) {
    uint32_t code = dmd_heapgraph_stack_code(graph, stack, i);
    const dmdv_site_t *site = site_of(f, typing, code);
    if (type_by_allocator(typing, node, site->allocated))
      return;
    /* In Rust, the variables near a call are rarely about its block. */
    if (!site->is_rust)
      consider(typing, node, site, &choice);
    if (choice.score >= FLEXIBLE || !passes_on(typing, code, site))
      break;
  }
  if (choice.found)
    dmd_typing_set(typing, node, choice.candidate.type, choice.candidate.lead, DMD_EVIDENCE_SITE);
}

/* ---- Claims. ---- */

/* The function's arguments tell the type of the object, if it is one value of such a type. */
static void type_argument(dmd_typing_t *typing, const dmd_graph_claim_t *claim,
                          const dmdv_signature_t *signature) {
  uint32_t node = dmd_heapgraph_find(typing->graph, claim->argument);
  if (claim->set != DMD_NONE || !dmd_heapgraph_is_block(typing->graph, node) ||
      dmd_typing_type(typing, node) != DMD_NONE)
    return;
  for (uint32_t i = 0; i < signature->n_targets; i++) {
    uint32_t type = signature->targets[i];
    if (dmd_type_at(typing->types, type)->szB != dmd_heapgraph_requested(typing->graph, node))
      continue;
    dmd_typing_set(typing, node, type, 0, DMD_EVIDENCE_POINTER);
    return;
  }
}

/* A claim's stack begins where the function does. */
static void look_at_claims(dmdv_typefinder_t *f, dmd_typing_t *typing) {
  dmd_heapgraph_t *graph = typing->graph;
  uint32_t known = DMD_NONE; /* the code of the signature */
  dmdv_signature_t signature = {.n_targets = 0};
  for (uint32_t id = 1; id <= graph->claims.last; id++) {
    dmd_graph_claim_t *claim = DMD_POOL_AT(&graph->claims, dmd_graph_claim_t, id);
    if (dmd_heapgraph_n_codes(graph, claim->stack) == 0)
      continue;
    uint32_t code = dmd_heapgraph_stack_code(graph, claim->stack, 0);
    const dmd_graph_code_t *at = dmd_heapgraph_code(graph, code);
    const object_t *object = object_at(f, at->object);
    Dwarf_Die function;
    if (code != known)
      signature = object != NULL && dmdv_dwarfindex_function(&object->index, at->addr, &function)
                      ? dmdv_signature(&f->dwarftypes, &function)
                      : (dmdv_signature_t){.n_targets = 0};
    known = code;
    claim->result_szB = (uint8_t)signature.result_szB;
    claim->value = dmdv_signature_result(&signature, claim->value);
    type_argument(typing, claim, &signature);
  }
}

/* ---- Missing debug information. ---- */

/* The object without debug information that got the address of a block without a type, on its way
 * out of the functions that allocated it; DMD_NONE: none. */
static uint32_t object_without(dmdv_typefinder_t *f, dmd_typing_t *typing, uint32_t node) {
  const dmd_heapgraph_t *graph = typing->graph;
  uint32_t stack = dmd_heapgraph_block(graph, node)->stack;
  uint32_t n = dmd_typing_type(typing, node) != DMD_NONE ? 0 : dmd_heapgraph_n_codes(graph, stack);
  for (uint32_t i = 1; i < n && i < MAX_FRAMES; i++) {
    uint32_t code = dmd_heapgraph_stack_code(graph, stack, i);
    const object_t *object = object_at(f, dmd_heapgraph_code(graph, code)->object);
    if (object == NULL || object->file.dwarf == NULL)
      return dmd_heapgraph_code(graph, code)->object;
    if (site_of(f, typing, code)->returns != DMDV_RETURNS_IT)
      break;
  }
  return DMD_NONE;
}

/* Summary of a heap with blocks without types. */
typedef struct {
  uint64_t szB, typed_szB;
  uint64_t without_szB; /* for lack of debug information */
  uint32_t n_objects;   /* that lack it */
  uint32_t worst;       /* the object with most of it */
} missing_t;

static void count_block(dmdv_typefinder_t *f, dmd_typing_t *typing, uint32_t node, missing_t *m) {
  uint64_t szB = typing->graph->graph.size[node];
  uint32_t id = object_without(f, typing, node);
  m->szB += szB;
  if (dmd_typing_type(typing, node) != DMD_NONE)
    m->typed_szB += szB;
  if (id == DMD_NONE || id > f->objects.last || szB == 0)
    return;
  object_t *object = DMD_POOL_AT(&f->objects, object_t, id);
  m->n_objects += object->untyped_szB == 0;
  object->untyped_szB += szB;
  m->without_szB += szB;
  if (m->worst == DMD_NONE ||
      object->untyped_szB > DMD_POOL_AT(&f->objects, object_t, m->worst)->untyped_szB)
    m->worst = id;
}

/* In percent, rounded down, so that 100 means all. */
static double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 100 : (double)(uint64_t)(1000.0 * (double)part / (double)whole) / 10;
}

/* Reports it if a good part of the heap has no types for lack of debug information. */
static void say_what_is_missing(dmdv_typefinder_t *f, dmd_typing_t *typing) {
  const dmd_heapgraph_t *graph = typing->graph;
  missing_t m = {0};
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++)
    count_block(f, typing, node, &m);
  if (m.without_szB <= m.szB / 10)
    return;
  char others[40] = "";
  if (m.n_objects > 1)
    snprintf(others, sizeof others, " and %" PRIu32 " more", m.n_objects - 1);
  dmdv_note("no debug information in %s%s: therefore %.1f%% of the heap has no type; of the rest "
            "%.1f%% has one",
            dmd_heapgraph_object(graph, m.worst)->path, others, percent(m.without_szB, m.szB),
            percent(m.typed_szB, m.szB - m.without_szB));
}

void dmdv_typefinder_run(dmdv_typefinder_t *f, dmd_typing_t *typing, bool is_quiet) {
  complete(f);
  for (uint32_t root = 1; root <= typing->graph->n_roots; root++)
    type_root(f, typing, root);
  for (uint32_t node = dmd_heapgraph_first_block(typing->graph);
       node < typing->graph->graph.n_nodes; node++)
    if (!type_by_vtable(f, typing, node))
      type_by_stack(f, typing, node);
  look_at_claims(f, typing);
  dmd_typing_propagate(typing);
  if (!is_quiet)
    say_what_is_missing(f, typing);
}

/* ---- Variables of functions. ---- */

typedef struct {
  dmdv_typefinder_t *finder;
  uint64_t addr;
  uint32_t type;
  dmd_strbuf_t *to;
} variable_search_t;

static bool is_meant(const variable_search_t *s, Dwarf_Die *die) {
  uint32_t type = dmdv_dwarftypes_of(&s->finder->dwarftypes, die);
  return dmd_type_is(s->finder->types, type, DMD_TYPE_POINTER) &&
         dmd_type_at(s->finder->types, type)->target == s->type && dwarf_diename(die) != NULL;
}

/* Searches what is inlined at the address first, the innermost call before the others; then the
 * blocks of the source, wherever they are, and the function's own variables. */
static bool find_variable(const variable_search_t *s, Dwarf_Die *scope, int depth);

static bool find_deeper(const variable_search_t *s, Dwarf_Die *scope, int depth) {
  Dwarf_Die die;
  if (depth == DMDV_DIES_MAX_DEPTH || dwarf_child(scope, &die) != 0)
    return false;
  do {
    int tag = dwarf_tag(&die);
    bool is_here = tag == DW_TAG_lexical_block ||
                   (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, s->addr) > 0);
    if (is_here && find_variable(s, &die, depth + 1))
      return true;
  } while (dwarf_siblingof(&die, &die) == 0);
  return false;
}

static bool find_here(const variable_search_t *s, Dwarf_Die *scope) {
  Dwarf_Die die;
  if (dwarf_child(scope, &die) != 0)
    return false;
  do {
    int tag = dwarf_tag(&die);
    if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && is_meant(s, &die)) {
      dmd_strbuf_str(s->to, dwarf_diename(&die));
      return true;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
  return false;
}

static bool find_variable(const variable_search_t *s, Dwarf_Die *scope, int depth) {
  return find_deeper(s, scope, depth) || find_here(s, scope);
}

bool dmdv_typefinder_variable(dmdv_typefinder_t *f, uint32_t object, uint64_t addr, uint32_t type,
                              dmd_strbuf_t *to) {
  const object_t *o = object_at(f, object);
  Dwarf_Die function;
  variable_search_t s = {.finder = f, .addr = addr, .type = type, .to = to};
  return o != NULL && dmdv_dwarfindex_function(&o->index, addr, &function) &&
         find_variable(&s, &function, 0);
}
