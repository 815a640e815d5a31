/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/dwarfindex.h"

#include "base/sort.h"
#include "base/str.h"
#include "debuginfo/dies.h"
#include "host/process.h"

#include <stdlib.h>

/* ---- Variables. ---- */

void dmdv_dwarfindex_variable_name(const dmdv_dwarfindex_t *index, Dwarf_Die *die,
                                   dmd_strbuf_t *name) {
  /* A variable declared in a class or namespace and defined elsewhere has its name in the
   * declaration. */
  Dwarf_Die declared = *die;
  dmdv_die_follow(die, DW_AT_specification, false, &declared);
  dmdv_dwarftypes_name(index->types, &declared, name);
}

static void add_variable(dmdv_dwarfindex_t *index, Dwarf_Die *die) {
  uint64_t addr;
  if (!dmdv_die_address(die, &addr))
    return;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmdv_dwarfindex_variable_name(index, die, &name);
  uint32_t type = dmdv_dwarftypes_of(index->types, die);
  if (name.n > 0 && dmd_type_has_size(index->types->types, type)) {
    dmd_variable_t variable = {.object = index->object,
                               .name = dmd_intern_text(&index->variables->names, name.text),
                               .type = type,
                               .addr = addr,
                               .szB = dmd_type_at(index->types->types, type)->szB};
    dmd_variables_add(index->variables, &variable);
  }
  dmd_strbuf_destroy(&name);
}

/* Adds variables from symbols, for objects without debug information and for variables missing in
 * it. */
static void add_symbols(dmdv_dwarfindex_t *index, const dmdv_debugfile_t *file) {
  int n = dwfl_module_getsymtab(file->module);
  for (int i = 1; i < n; i++) {
    GElf_Sym symbol;
    GElf_Addr addr;
    const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &addr, NULL, NULL, NULL);
    if (name == NULL || *name == '\0' || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
        symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0)
      continue;
    char *freed;
    dmd_variable_t variable = {
        .object = index->object,
        .name = dmd_intern_text(&index->variables->names, dmdv_demangle(name, &freed)),
        .addr = addr - file->shift,
        .szB = symbol.st_size};
    dmd_variables_add(index->variables, &variable);
    free(freed);
  }
}

void dmdv_dwarfindex_add_variables(dmdv_dwarfindex_t *index, const dmdv_debugfile_t *file) {
  for (uint32_t i = 1; i <= index->variable_dies.last; i++)
    add_variable(index, DMD_POOL_AT(&index->variable_dies, Dwarf_Die, i));
  add_symbols(index, file);
}

/* ---- Functions. ---- */

static void add_function(dmdv_dwarfindex_t *index, Dwarf_Die *die) {
  Dwarf_Addr base, from, to;
  ptrdiff_t at = 0;
  while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0)
    if (from < to) {
      uint32_t id = dmd_pool_add(&index->ranges);
      *DMD_POOL_AT(&index->ranges, dmdv_range_t, id) =
          (dmdv_range_t){.from = from, .to = to, .die = *die};
    }
}

static const dmdv_range_t *range_at(const dmdv_dwarfindex_t *index, uint32_t id) {
  return DMD_POOL_AT(&index->ranges, const dmdv_range_t, id);
}

static int by_address(const void *ctx, uint32_t a, uint32_t b) {
  const dmdv_range_t *x = range_at(ctx, a), *y = range_at(ctx, b);
  return (x->from > y->from) - (x->from < y->from);
}

static const dmdv_range_t *range_around(const dmdv_dwarfindex_t *index, uint64_t addr) {
  uint32_t next;
  DMD_SEARCH(next, 0, index->ranges.last, range_at(index, index->order[next])->from <= addr);
  const dmdv_range_t *last = next == 0 ? NULL : range_at(index, index->order[next - 1]);
  return last != NULL && addr < last->to ? last : NULL;
}

bool dmdv_dwarfindex_function(const dmdv_dwarfindex_t *index, uint64_t addr, Dwarf_Die *die) {
  const dmdv_range_t *range = range_around(index, addr);
  if (range != NULL)
    *die = range->die;
  return range != NULL;
}

bool dmdv_dwarfindex_range(const dmdv_dwarfindex_t *index, uint64_t addr, uint64_t *from,
                           uint64_t *to) {
  const dmdv_range_t *range = range_around(index, addr);
  if (range == NULL)
    return false;
  *from = range->from;
  *to = range->to;
  return true;
}

/* ---- The walk. ---- */

static void walk(dmdv_dwarfindex_t *index, Dwarf_Die *parent, uint32_t scope, int depth);

/* Walks into a namespace, class or function, whose name becomes the prefix of the names in it. */
static void walk_into(dmdv_dwarfindex_t *index, Dwarf_Die *die, const char *name, uint32_t scope,
                      int depth) {
  dmd_intern_t *names = &index->types->types->names;
  dmd_strbuf_t inner;
  dmd_strbuf_init(&inner, &dmdv_env);
  if (scope != DMD_NONE)
    dmd_strbuf_str(&inner, dmd_intern_get_str(names, scope));
  if (name != NULL) {
    dmd_strbuf_str(&inner, name);
    dmd_strbuf_str(&inner, "::");
  }
  uint32_t id = inner.n == 0 ? DMD_NONE : dmd_intern_text(names, inner.text);
  dmd_strbuf_destroy(&inner);
  walk(index, die, id, depth + 1);
}

static bool is_in(const dmdv_dwarfindex_t *index, uint32_t scope, const char *namespaces) {
  return scope != DMD_NONE &&
         dmd_str_begins(dmd_intern_get_str(&index->types->types->names, scope), namespaces);
}

static bool is_rust_table(const dmdv_dwarfindex_t *index, uint32_t scope) {
  return index->is_rust && is_in(index, scope, "hashbrown::raw::");
}

/* Whether what this scope contains allocates for its parameter T, if it has one. In Rust's library
 * that is so for boxes, vectors and what is made of them: RawVec<Jar> and Box<Node<Jar>>::new. */
static bool is_rust_allocator(const dmdv_dwarfindex_t *index, uint32_t scope) {
  return is_rust_table(index, scope) || (index->is_rust && is_in(index, scope, "alloc::"));
}

static bool is_cpp_allocator(Dwarf_Die *class) {
  const char *name = dwarf_diename(class);
  return name != NULL && dmd_str_find(name, "alloc") != NULL && dmd_str_find(name, "<") != NULL;
}

/* Notes a class made from a template whose methods named `allocate` return memory for its first
 * parameter, as std::allocator<Jar> does. In Rust's library all methods count. */
static void find_allocator(dmdv_dwarfindex_t *index, Dwarf_Die *class, uint32_t scope) {
  Dwarf_Die type, child;
  dmdv_walk_t walk = {NULL};
  bool is_rust = is_rust_allocator(index, scope);
  if (is_rust ? !dmdv_die_parameter(class, "T", &type)
              : !is_cpp_allocator(class) || !dmdv_die_parameter(class, NULL, &type))
    return;
  for (bool found = dmdv_walk_first(&walk, class, &child); found;
       found = dmdv_walk_next(&walk, &child)) {
    const char *method = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
    if (method != NULL && (is_rust || dmd_str_equal(method, "allocate")))
      dmdv_dwarftypes_allocator(index->types, &child, &type, is_rust_table(index, scope));
  }
}

static void find_allocating_function(dmdv_dwarfindex_t *index, Dwarf_Die *die, uint32_t scope) {
  Dwarf_Die type;
  if (is_rust_allocator(index, scope) && dmdv_die_parameter(die, "T", &type))
    dmdv_dwarftypes_allocator(index->types, die, &type, is_rust_table(index, scope));
}

static void visit_type(dmdv_dwarfindex_t *index, Dwarf_Die *die, uint32_t scope, int depth) {
  dmdv_dwarftypes_scope(index->types, die, scope);
  if (!dmdv_die_flag(die, DW_AT_declaration))
    dmdv_dwarftypes_define(index->types, die);
  find_allocator(index, die, scope);
  walk_into(index, die, dwarf_diename(die), scope, depth);
}

static void visit(dmdv_dwarfindex_t *index, Dwarf_Die *die, uint32_t scope, int depth) {
  switch (dwarf_tag(die)) {
  case DW_TAG_namespace: {
    const char *name = dwarf_diename(die);
    walk_into(index, die, name != NULL ? name : "(anonymous namespace)", scope, depth);
    return;
  }
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
    visit_type(index, die, scope, depth);
    return;
  case DW_TAG_enumeration_type:
  case DW_TAG_base_type:
    dmdv_dwarftypes_scope(index->types, die, scope);
    return;
  case DW_TAG_subprogram:
    dmdv_dwarftypes_scope(index->types, die, scope);
    add_function(index, die);
    find_allocating_function(index, die, scope);
    walk(index, die, DMD_NONE, depth + 1);
    return;
  case DW_TAG_lexical_block:
    walk(index, die, scope, depth + 1);
    return;
  case DW_TAG_member: /* a static one: its definition refers to it here */
    dmdv_dwarftypes_scope(index->types, die, dmdv_die_flag(die, DW_AT_external) ? scope : DMD_NONE);
    return;
  case DW_TAG_variable:
    dmdv_dwarftypes_scope(index->types, die, scope);
    *(Dwarf_Die *)dmd_pool_at(&index->variable_dies, dmd_pool_add(&index->variable_dies)) = *die;
    return;
  default:
    return;
  }
}

static void walk(dmdv_dwarfindex_t *index, Dwarf_Die *parent, uint32_t scope, int depth) {
  Dwarf_Die child;
  if (depth > DMDV_DIES_MAX_DEPTH || !dmdv_walk_first(&index->walk, parent, &child))
    return;
  do
    visit(index, &child, scope, depth);
  while (dmdv_walk_next(&index->walk, &child));
}

void dmdv_dwarfindex_init(dmdv_dwarfindex_t *index, const dmdv_debugfile_t *file, uint32_t object,
                          dmdv_dwarftypes_t *types, dmd_variables_t *variables,
                          void (*tick)(void *ctx, uint64_t at), void *ctx) {
  *index = (dmdv_dwarfindex_t){.types = types, .variables = variables, .object = object};
  dmd_pool_init(&index->ranges, &dmdv_env, "dmdv.dwarfindex", sizeof(dmdv_range_t));
  dmd_pool_init(&index->variable_dies, &dmdv_env, "dmdv.dwarfindex", sizeof(Dwarf_Die));
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t kind;
  while (file->dwarf != NULL &&
         dwarf_get_units(file->dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
    uint8_t address_szB;
    Dwarf_Die unit_die;
    if (die.cu == NULL)
      continue; /* damaged */
    if (dwarf_diecu(&die, &unit_die, &address_szB, NULL) != NULL)
      types->types->pointer_szB = address_szB;
    index->is_rust = dwarf_srclang(&die) == DW_LANG_Rust;
    bool is_split = kind == DW_UT_skeleton && split.cu != NULL;
    index->walk = (dmdv_walk_t){NULL};
    walk(index, is_split ? &split : &die, DMD_NONE, 0);
    tick(ctx, dwarf_dieoffset(&die));
  }
  index->order = dmd_sorted_ids(&dmdv_env, index->ranges.last, by_address, index);
}

void dmdv_dwarfindex_destroy(dmdv_dwarfindex_t *index) {
  dmd_env_free(&dmdv_env, index->order);
  dmd_pool_destroy(&index->variable_dies);
  dmd_pool_destroy(&index->ranges);
}
