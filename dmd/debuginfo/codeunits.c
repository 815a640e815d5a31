/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/codeunits.h"

#include "base/path.h"
#include "base/rustname.h"
#include "base/sort.h"
#include "debuginfo/dies.h"
#include "host/process.h"

#include <string.h>

/* Address ranges, sorted by their starts; a range may lie within another. */
typedef struct {
  uint64_t from, to; /* to is exclusive */
  uint32_t unit;     /* whose range it is */
  Dwarf_Die die;     /* the function, if the range is one's */
} range_t;

typedef struct {
  Dwarf_Die die; /* the one with the line table */
  Dwarf_Die all; /* the one with the functions; differs from `die` if they are in a split file */
  bool is_read;
  dmd_pool_t functions; /* range_t, once they were read */
  uint32_t *order;      /* their ids by address */
} unit_t;

/* ---- Ranges. ---- */

static range_t *range_at(const dmd_pool_t *ranges, uint32_t id) {
  return DMD_POOL_AT(ranges, range_t, id);
}

static int by_address(const void *ctx, uint32_t a, uint32_t b) {
  const range_t *x = range_at(ctx, a), *y = range_at(ctx, b);
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return (x->to < y->to) - (x->to > y->to);
}

static void add_ranges(dmd_pool_t *ranges, Dwarf_Die *die, uint32_t unit) {
  Dwarf_Addr base, from, to;
  ptrdiff_t at = 0;
  while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0)
    if (from < to)
      *(range_t *)dmd_pool_at(ranges, dmd_pool_add(ranges)) =
          (range_t){.from = from, .to = to, .unit = unit, .die = *die};
}

/* The innermost range around an address, found among the nearest ones; NULL if none is. */
static range_t *range_around(const dmd_pool_t *ranges, const uint32_t *order, uint64_t addr) {
  enum { MAX_STEPS = 64 }; /* backwards past ranges that end before the address */
  uint32_t next;
  DMD_SEARCH(next, 0, ranges->last, range_at(ranges, order[next])->from <= addr);
  for (uint32_t steps = 0; next > 0 && steps < MAX_STEPS; steps++) {
    range_t *range = range_at(ranges, order[--next]);
    if (addr < range->to)
      return range;
  }
  return NULL;
}

/* ---- Units. ---- */

static unit_t *unit_at(const dmdv_codeunits_t *units, uint32_t id) {
  return DMD_POOL_AT(&units->units, unit_t, id);
}

void dmdv_codeunits_init(dmdv_codeunits_t *units, const dmdv_debugfile_t *file) {
  dmd_pool_init(&units->units, &dmdv_env, "dmdv.names", sizeof(unit_t));
  dmd_pool_init(&units->ranges, &dmdv_env, "dmdv.names", sizeof(range_t));
  Dwarf_CU *cu = NULL;
  Dwarf_Die die, split;
  uint8_t kind;
  while (file->dwarf != NULL &&
         dwarf_get_units(file->dwarf, cu, &cu, NULL, &kind, &die, &split) == 0) {
    int tag = die.cu == NULL ? 0 : dwarf_tag(&die);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
      continue;
    uint32_t id = dmd_pool_add(&units->units);
    bool is_split = kind == DW_UT_skeleton && split.cu != NULL;
    *unit_at(units, id) = (unit_t){.die = die, .all = is_split ? split : die};
    add_ranges(&units->ranges, &die, id);
  }
  units->order = dmd_sorted_ids(&dmdv_env, units->ranges.last, by_address, &units->ranges);
}

void dmdv_codeunits_destroy(dmdv_codeunits_t *units) {
  for (uint32_t id = 1; id <= units->units.last; id++)
    if (unit_at(units, id)->is_read) {
      dmd_env_free(&dmdv_env, unit_at(units, id)->order);
      dmd_pool_destroy(&unit_at(units, id)->functions);
    }
  dmd_env_free(&dmdv_env, units->order);
  dmd_pool_destroy(&units->ranges);
  dmd_pool_destroy(&units->units);
}

/* ---- Functions. ---- */

/* Functions may be in namespaces, classes, and other functions. */
static void find_functions(dmd_pool_t *functions, dmdv_walk_t *walk, Dwarf_Die *parent, int depth) {
  Dwarf_Die child;
  if (depth > DMDV_DIES_MAX_DEPTH || !dmdv_walk_first(walk, parent, &child))
    return;
  do {
    switch (dwarf_tag(&child)) {
    case DW_TAG_subprogram:
      add_ranges(functions, &child, 0);
      find_functions(functions, walk, &child, depth + 1);
      break;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_lexical_block:
      find_functions(functions, walk, &child, depth + 1);
      break;
    default:
      break;
    }
  } while (dmdv_walk_next(walk, &child));
}

static void read_unit(unit_t *unit) {
  if (unit->is_read)
    return;
  unit->is_read = true;
  dmdv_walk_t walk = {NULL};
  dmd_pool_init(&unit->functions, &dmdv_env, "dmdv.names", sizeof(range_t));
  find_functions(&unit->functions, &walk, &unit->all, 0);
  unit->order = dmd_sorted_ids(&dmdv_env, unit->functions.last, by_address, &unit->functions);
}

/* ---- Files. ---- */

/* The length of this folder at the start of the path, with its slash; 0 if the path is not below
 * it. */
static size_t length_of_folder(const char *path, const char *folder) {
  size_t n = folder == NULL ? 0 : strlen(folder);
  return n > 0 && strncmp(path, folder, n) == 0 && path[n] == '/' ? n + 1 : 0;
}

/* The file's name in the line table, which is also Valgrind's name for it. Mostly that is the last
 * component of the path. But clang, if run in a sibling folder, records a parent as the file's
 * folder. libdw has joined the two, so the longest folder of the table that fits is removed. */
static const char *name_in_table(Dwarf_Files *files, const char *path) {
  const char *const *folders;
  size_t n, longest = 0;
  if (dwarf_getsrcdirs(files, &folders, &n) != 0)
    n = 0;
  for (size_t i = 0; i < n; i++) {
    bool is_relative = i > 0 && folders[i] != NULL && folders[i][0] != '/';
    size_t before = is_relative ? length_of_folder(path, folders[0]) : 0;
    size_t own = length_of_folder(path + before, folders[i]);
    if (own > 0 && before + own > longest)
      longest = before + own;
  }
  return longest > 0 ? path + longest : dmd_path_base(path);
}

static Dwarf_Files *files_of(const unit_t *unit, size_t *n) {
  Dwarf_Files *files;
  Dwarf_Die all = unit->all;
  return dwarf_getsrcfiles(&all, &files, n) == 0 ? files : NULL;
}

/* ---- Places. ---- */

static dmdv_source_t caller_of(const unit_t *unit, Dwarf_Die *call) {
  dmdv_source_t caller = {NULL, 0};
  uint64_t file, line;
  size_t n;
  Dwarf_Files *files = files_of(unit, &n);
  if (files == NULL || !dmdv_die_number(call, DW_AT_call_file, &file) || file >= n)
    return caller;
  const char *path = dwarf_filesrc(files, file, NULL, NULL);
  if (path != NULL)
    caller.file = name_in_table(files, path);
  if (dmdv_die_number(call, DW_AT_call_line, &line) && line <= INT32_MAX)
    caller.line = (int)line;
  return caller;
}

/* A search for the calls that were inlined at an address. */
typedef struct {
  const unit_t *unit;
  uint64_t addr;
  dmdv_walk_t walk;
  dmdv_codeplace_t *place;
} search_t;

/* In Rust only the symbol has the namespace. */
static const char *name_of_inlined(Dwarf_Die *call) {
  Dwarf_Attribute attr;
  const char *symbol = dwarf_formstring(dwarf_attr_integrate(call, DW_AT_linkage_name, &attr));
  return symbol != NULL && dmd_is_rust_symbol(symbol) ? symbol : dwarf_diename(call);
}

static bool find_inlined(search_t *s, Dwarf_Die *parent, int depth) {
  Dwarf_Die child;
  dmdv_codeplace_t *place = s->place;
  if (depth > DMDV_DIES_MAX_DEPTH || !dmdv_walk_first(&s->walk, parent, &child))
    return false;
  do {
    int tag = dwarf_tag(&child);
    bool is_inlined = tag == DW_TAG_inlined_subroutine;
    if ((!is_inlined && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, s->addr) <= 0)
      continue;
    if (is_inlined && place->n_inlined < DMDV_MAX_INLINED)
      place->inlined[place->n_inlined++] =
          (dmdv_inlined_t){.name = name_of_inlined(&child), .caller = caller_of(s->unit, &child)};
    if (find_inlined(s, &child, depth + 1) || is_inlined)
      return true;
  } while (dmdv_walk_next(&s->walk, &child));
  return false;
}

static void find_source(unit_t *unit, uint64_t addr, dmdv_source_t *source) {
  Dwarf_Line *line = dwarf_getsrc_die(&unit->die, addr);
  const char *path = line == NULL ? NULL : dwarf_linesrc(line, NULL, NULL);
  if (path == NULL || dwarf_lineno(line, &source->line) != 0)
    return;
  size_t n;
  Dwarf_Files *files = files_of(unit, &n);
  source->file = files == NULL ? dmd_path_base(path) : name_in_table(files, path);
}

void dmdv_codeunits_find(dmdv_codeunits_t *units, uint64_t addr, dmdv_codeplace_t *place) {
  const range_t *range = range_around(&units->ranges, units->order, addr);
  *place = (dmdv_codeplace_t){.source = {NULL, 0}};
  if (range == NULL)
    return;
  unit_t *unit = unit_at(units, range->unit);
  read_unit(unit);
  find_source(unit, addr, &place->source);
  range_t *function = range_around(&unit->functions, unit->order, addr);
  if (function == NULL)
    return;
  place->function = dwarf_diename(&function->die);
  search_t search = {.unit = unit, .addr = addr, .place = place};
  find_inlined(&search, &function->die, 0);
}
